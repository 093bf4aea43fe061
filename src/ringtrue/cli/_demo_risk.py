"""The demo's question of risk: labels are bought from a desk by a process that is killed, and by one that resumes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ringtrue.cli._demo_digits import Digits, write_tables
from ringtrue.cli._demo_index import Answer, answer
from ringtrue.cli._demo_stage import POOL, TRUTH, Desk, open_study, read_account, study_in
from ringtrue.cli._progress import Progress
from ringtrue.core import Claim, Verdict, at_least, count, percent
from ringtrue.risk import Risk
from ringtrue.stats import plan_rate
from ringtrue.study import Study

CLAIM = "error <= 5% at 95%"
_KILL_AFTER = 25
"""Labels after which the working process is killed: somewhere in the middle."""


def ask_risk(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Decide the claim with a crash in the middle; the answer has the numbers of the crash and of what it cost."""
    size = len(digits.truth)
    write_tables(digits, folder / POOL, folder / TRUTH)
    notes = {"pool": POOL, "id": None, "model": "predicted"}  # as `init` keeps them, so that the other verbs work too
    Study.create(
        study_in(folder, "risk"), pool=folder / POOL, model="predicted", question=Risk(CLAIM), budget=size, notes=notes
    ).close()
    say_on(f"made a study of {count(size, 'unlabelled digit')}; the claim to decide: {CLAIM}")
    say_on("a process buys labels from a simulated desk, and is killed while it does")
    killed_at = _work_until_killed(folder)
    with open_study(folder) as study:
        say_on(
            f"killed the working process with SIGKILL: the desk had charged {killed_at} labels, "
            f"the journal holds {study.status().answered}"
        )
        say_on("resuming from the journal")
        with Progress(None) as progress:
            finding: Any = study.run(Desk(folder), progress=progress)
        answered = study.status().answered
        took = f"It took the labels of {count(finding.answers, 'digit')} out of {size:,}."
        told = answer(study, folder, claimed=_claimed(finding), took=took)
    account = read_account(folder)
    numbers = _numbers(digits, {"killed_at": killed_at, "labels_bought": len(account), "labels_in_journal": answered})
    numbers["bought_twice"] = len(account) - len(set(account.values()))
    for line in _lines(numbers):
        say_on(line)
    return replace(told, numbers=numbers)


def _claimed(finding: Any) -> str:
    limit = percent(finding.claim.limit)
    if finding.verdict is Verdict.RINGS_TRUE:
        return f"You may claim that the model misreads at most {limit} of these digits."
    if finding.verdict is Verdict.RINGS_FALSE:
        least = at_least(finding.bound.low, finding.claim.limit)
        return f"You may not claim it: the model misreads {least} of these digits."
    return f"The model may misread up to {percent(finding.bound.high, toward='above')} of these digits."


def _numbers(digits: Digits, bought: dict[str, int]) -> dict[str, Any]:
    """Return what was bought, beside what such studies take in general and what a sample of fixed size would take."""
    claim, size, failing = Claim.parse(CLAIM), len(digits.truth), digits.misread
    # A user who fixes the size beforehand does not know the rate yet, so the size must do for rates on either side.
    rates = [failing / size, claim.limit / 2, claim.limit * 2]
    knowing, *guessing = plan_rate(claim.limit, level=claim.level, rates=rates, population=size).cases
    return {
        **bought,
        "fixed_size_labels": max(case.fixed or size for case in guessing),
        "fixed_size_labels_if_rate_known": knowing.fixed,
        "expected_labels": knowing.mean,
        "labels_in_nine_of_ten_studies": knowing.ninety,
        "pool": size,
        "failing_in_pool": failing,
    }


def _lines(numbers: dict[str, Any]) -> list[str]:
    size, failing = numbers["pool"], numbers["failing_in_pool"]
    return [
        f"labels bought: {numbers['labels_bought']} (by the desk's own account; the journal holds "
        f"{numbers['labels_in_journal']}); bought twice: {numbers['bought_twice']}",
        # One study may be lucky or not, so what such studies take in general stands beside it.
        f"another seed asks other items: such a study takes {count(numbers['expected_labels'] or size, 'label')} on "
        f"average, nine in ten at most {numbers['labels_in_nine_of_ten_studies'] or size:,}",
        f"a sample of fixed size would have needed {numbers['fixed_size_labels']}, to decide 9 times in 10 at half or "
        f"twice the claimed rate ({numbers['fixed_size_labels_if_rate_known']} if the rate were known beforehand)",
        f"the desk knows the truth: {failing} of {size:,} fail, {percent(failing / size)}",
    ]


def _work_until_killed(folder: Path) -> int:
    """Start a process that buys labels, and kill it when the desk has charged for some."""
    # In a session of its own, so that Ctrl-C reaches this process alone, which ends the worker.
    command = [sys.executable, "-m", "ringtrue.cli._demo_stage", str(folder)]
    worker = subprocess.Popen(command, start_new_session=True)
    try:
        while len(read_account(folder)) < _KILL_AFTER:
            if worker.poll() is not None:
                raise RuntimeError(f"the demo's worker ended by itself with exit code {worker.returncode}")
            time.sleep(0.005)
    finally:
        if worker.poll() is None:
            os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    return len(read_account(folder))
