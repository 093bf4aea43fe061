"""`ringtrue demo`: the whole loop in a minute, with a real model, a simulated oracle and a real crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from ringtrue.cli._options import json_option
from ringtrue.cli._output import say, tell

CLAIM = "error <= 5% at 95%"
_WEAK_DIGIT = 8
_KILL_AFTER = 25
"""Labels after which the working process is killed: somewhere in the middle."""


@click.command("demo")
@click.option("--out", default="demo", show_default=True, metavar="FOLDER", help="Where to leave everything.")
@json_option
def command(out: str, as_json: bool) -> int:
    """Give a tour in one minute, offline: train a model with a planted weakness, buy labels from a simulated desk, be
    killed in the middle, resume, decide a claim, and write the report.

    Every number printed is measured in this run.
    """
    from ringtrue.cli._demo_stage import Desk, open_study, read_account
    from ringtrue.cli._progress import Progress
    from ringtrue.core import Claim, count, percent
    from ringtrue.report import verify_report, write_report
    from ringtrue.stats import plan_rate

    say_on = partial(tell, err=as_json)

    folder = Path(out)
    size, failing = _set_up(folder, say_on)
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
        page, twin = write_report(study, folder / "report.html")
    account = read_account(folder)
    twice = len(account) - len(set(account.values()))
    claim = Claim.parse(CLAIM)
    # A user who fixes the size beforehand does not know the rate yet, so the size must do for rates on either side.
    rates = [failing / size, claim.limit / 2, claim.limit * 2]
    knowing, *guessing = plan_rate(claim.limit, level=claim.level, rates=rates, population=size).cases
    fixed = max(case.fixed or size for case in guessing)
    check = verify_report(twin)
    summary = {
        "verdict": finding.verdict.value,
        "sentence": str(finding),
        "labels_bought": len(account),
        "labels_in_journal": answered,
        "bought_twice": twice,
        "fixed_size_labels": fixed,
        "fixed_size_labels_if_rate_known": knowing.fixed,
        "expected_labels": knowing.mean,
        "labels_in_nine_of_ten_studies": knowing.ninety,
        "killed_at": killed_at,
        "pool": size,
        "failing_in_pool": failing,
        "verified": check.agrees,
        "html": str(page),
        "json": str(twin),
    }
    say(
        as_json,
        summary,
        "",
        str(finding),
        f"labels bought: {len(account)} (by the desk's own account; the journal holds {answered})",
        # One study may be lucky or not, so what such studies take in general stands beside it.
        f"another seed asks other items: such a study takes {count(knowing.mean or size, 'label')} on average, "
        f"nine in ten at most {knowing.ninety or size:,}",
        f"bought twice: {twice}",
        f"a sample of fixed size would have needed {fixed}, to decide 9 times in 10 at half or twice the claimed rate "
        f"({knowing.fixed} if the rate were known beforehand)",
        f"the desk knows the truth: {failing} of {size} fail, {percent(failing / size)}",
        f"report: {page} and {twin}; {check}",
    )
    return 0


def _set_up(folder: Path, say_on: Callable[[str], None]) -> tuple[int, int]:
    """Train the model, write pool and truth, make the study; return the pool's size and its failing items."""
    from ringtrue.cli._demo_stage import POOL, STUDY, TRUTH, clear, write_digits
    from ringtrue.risk import Risk
    from ringtrue.study import Study

    clear(folder)
    accuracy, size, failing = write_digits(folder / POOL, folder / TRUTH, weak=_WEAK_DIGIT)
    say_on(
        f"trained a classifier of handwritten digits that has hardly seen an {_WEAK_DIGIT}; "
        f"on the digits it knows it is right {accuracy:.1%} of the time"
    )
    notes = {"pool": POOL, "id": None, "model": "predicted"}  # as `init` keeps them, so that the other verbs work too
    Study.create(
        folder / STUDY, pool=folder / POOL, model="predicted", question=Risk(CLAIM), budget=size, notes=notes
    ).close()
    say_on(f"made a study of {size} unlabelled items; the claim to decide: {CLAIM}")
    return size, failing


def _work_until_killed(folder: Path) -> int:
    """Start a process that buys labels, and kill it when the desk has charged for some."""
    from ringtrue.cli._demo_stage import read_account

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
