"""How the demo asks its five questions, each in a study of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ringtrue.blind import Blind
from ringtrue.changed import Changed
from ringtrue.cli._demo_desk import POOL, TRUTH, Desk, open_study, read_account
from ringtrue.cli._demo_digits import WEAK, Digits, moved_by, of_images, write_images, write_tables, write_votes
from ringtrue.cli._progress import Preparing, Progress
from ringtrue.cli.demo import CALLS, CLAIM, CONFIDENCE, DEVIATION, DROP, EVALUATIONS, HUNT, RIGHT, VOTE_LABELS
from ringtrue.core import Claim, Json, Verdict, at_least, count, number, percent
from ringtrue.judges import Judges
from ringtrue.models import ArrayModel, PanelModel
from ringtrue.pools import read_pool, read_votes
from ringtrue.report import keep_shown, verify_report, write_report
from ringtrue.risk import Risk
from ringtrue.stats import plan_rate
from ringtrue.study import Study
from ringtrue.worst import Real, SearchSpace, Worst

IMAGES, VOTES = "digits.npz", "votes.csv"

_PICTURES = 6
"""Errors of the hunt that are shown in its report."""

_KILL_AFTER = 25
"""Labels after which the working process is killed: somewhere in the middle."""

DISTORTIONS = (Real("rotation", -15, 15), Real("shift", -0.5, 0.5), Real("blur", 0, 0.5), Real("noise", 0, 0.2))

_WORDS = {"rings true": "Yes", "rings false": "No", "not yet known": "Not yet known"}
"""The verdicts as the answer to a question."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question of the tour: what may be `claimed` and what that `took`, in plain words.

    `tone` is the verdict that colours the page; `finding` is what the study found, with its report in `page` and
    `twin`. `numbers` are what else was measured.
    """

    verb: str
    tone: str
    claimed: str
    took: str
    finding: Any
    page: Path
    twin: Path
    verified: bool
    numbers: Mapping[str, Json] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """The gist of it."""
        return _WORDS.get(self.tone, self.tone)

    def __str__(self) -> str:
        return f"{self.word}. {self.claimed} {self.took}"

    def to_json(self) -> dict[str, Json]:
        return {
            "verb": self.verb,
            "verdict": self.tone,
            "claimed": self.claimed,
            "took": self.took,
            "answers": self.finding.answers,
            "sentence": str(self.finding),
            "html": str(self.page),
            "json": str(self.twin),
            "verified": self.verified,
            **self.numbers,
        }


def _run(study: Study, oracle: Any = None) -> Any:
    with Progress(None) as progress:
        return study.run(oracle, progress=progress)


def _answer(study: Study, folder: Path, claimed: str, took: str, tone: Verdict | None = None) -> Answer:
    """Write the report of a study, check it, and return the answer; its tone is the verdict, or the one given."""
    finding: Any = study.finding()
    verb, shown = study.question().kind, finding.verdict if tone is None else tone
    with Preparing() as advance:
        advance("writing the report", 0, 1)
        page, twin = write_report(study, folder / f"{verb}.html")
        verified = verify_report(twin).agrees
        advance("writing the report", 1, 1)
    return Answer(verb, shown.value, claimed, took, finding, page, twin, verified)


def _ask_risk(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Decide the claim with a crash in the middle; the answer has the numbers of the crash and of what it cost."""
    size = len(digits.truth)
    write_tables(digits, folder / POOL, folder / TRUTH)
    notes = {"pool": POOL, "id": None, "model": "predicted"}  # as `init` keeps them, so that the other verbs work too
    settings: dict[str, Any] = {"question": Risk(CLAIM), "budget": size, "notes": notes}
    Study.create(folder / "risk.ringtrue", pool=folder / POOL, model="predicted", **settings).close()
    say_on(f"made a study of {count(size, 'unlabelled digit')}; the claim to decide: {CLAIM}")
    say_on("a process buys labels from a simulated desk, and is killed while it does")
    killed_at = _work_until_killed(folder)
    with open_study(folder) as study:
        say_on(
            f"killed the working process with SIGKILL: the desk had charged {killed_at} labels, "
            f"the journal holds {study.status().answered}"
        )
        say_on("resuming from the journal")
        found = _run(study, Desk(folder))
        answered, limit = study.status().answered, percent(found.claim.limit)
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that the model misreads at most {limit} of these digits.",
            Verdict.RINGS_FALSE: "You may not claim it: the model misreads "
            f"{at_least(found.bound.low, found.claim.limit)} of these digits.",
            Verdict.NOT_YET_KNOWN: "The model may misread up to "
            f"{percent(found.bound.high, toward='above')} of these digits.",
        }[found.verdict]
        took = f"It took the labels of {count(found.answers, 'digit')} out of {size:,}."
        told = _answer(study, folder, claimed, took)
    account = read_account(folder)
    bought = {"killed_at": killed_at, "labels_bought": len(account), "labels_in_journal": answered}
    bought["bought_twice"] = len(account) - len(set(account.values()))
    say_on(
        f"labels bought: {len(account)} (by the desk's own account; the journal holds {answered}); bought twice: "
        f"{bought['bought_twice']}"
    )
    return replace(told, numbers=bought | _planned(digits, say_on))


def _planned(digits: Digits, say_on: Callable[[str], None]) -> dict[str, Any]:
    """Say what such studies take in general, and what a sample of fixed size would take: one study may be lucky."""
    claim, size, failing = Claim.parse(CLAIM), len(digits.truth), digits.misread
    # A user who fixes the size beforehand does not know the rate yet, so the size must do for rates on either side.
    rates = [failing / size, claim.limit / 2, claim.limit * 2]
    knowing, *guessing = plan_rate(claim.limit, level=claim.level, rates=rates, population=size).cases
    fixed = max(case.fixed or size for case in guessing)
    say_on(
        f"another seed asks other items: such a study takes {count(knowing.mean or size, 'label')} on average, nine in "
        f"ten at most {knowing.ninety or size:,}"
    )
    say_on(
        f"a sample of fixed size would have needed {fixed}, to decide 9 times in 10 at half or twice the claimed rate "
        f"({knowing.fixed} if the rate were known beforehand)"
    )
    say_on(f"the desk knows the truth: {failing} of {size:,} fail, {percent(failing / size)}")
    return {
        "fixed_size_labels": fixed,
        "fixed_size_labels_if_rate_known": knowing.fixed,
        "expected_labels": knowing.mean,
        "labels_in_nine_of_ten_studies": knowing.ninety,
        "pool": size,
        "failing_in_pool": failing,
    }


def _work_until_killed(folder: Path) -> int:
    """Start a process that buys labels, and kill it when the desk has charged for some."""
    # In a session of its own, so that Ctrl-C reaches this process alone, which ends the worker.
    command = [sys.executable, "-m", "ringtrue.cli._demo_desk", str(folder)]
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


def _ask_blind(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Hunt for pictures that the first model misreads although it is sure."""
    write_images(digits, folder / IMAGES)
    pool, model = read_pool(folder / IMAGES), ArrayModel(of_images(digits.first), "image")
    question = Blind.of(pool, model=model, inputs="image", threshold=CONFIDENCE)
    with Study.create(folder / "blind.ringtrue", pool=pool, model=model, question=question, budget=HUNT) as study:
        with Preparing() as advance:
            study.prepare(advance=advance)
        say_on(f"hunting with {count(HUNT, 'label')} among the digits of which it is more than {CONFIDENCE:.0%} sure")
        found = _run(study, "digit")
        with Preparing() as advance:
            keep_shown(study, most=_PICTURES, advance=advance)
        weak = sum(record.value != record.said and record.value == str(WEAK) for record in study.records)
        claimed = (
            f"The hunt found {count(found.errors, 'error')} where the model's own confidence admits "
            f"{found.to_json()['expected']:.1f}. Eights among them: {weak:,}."
        )
        took = f"It took the labels of {count(found.answers, 'digit')} out of the {found.scope:,} it is sure of."
        # Without a claim to decide, the question is whether the confidence can be believed.
        tone = Verdict.NOT_YET_KNOWN if found.reached_at is None else Verdict.RINGS_FALSE
        return _answer(study, folder, claimed, took, tone)


def _ask_changed(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Compare the second model's answers with those that the first one gave."""
    pool, model = read_pool(folder / IMAGES), ArrayModel(of_images(digits.second), "image")
    question = Changed.of(pool, old="answer", truth="digit", confidence="confidence", noise=0, claim=DROP)
    place = folder / "changed.ringtrue"
    with Study.create(place, pool=pool, model=model, question=question, budget=CALLS, batch=5) as study:
        say_on(f"asking the new model, with {count(CALLS, 'call')} at most; the claim to decide: {DROP}")
        found = _run(study)
        limit = count(100 * found.claim.limit, "percentage point")
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that its accuracy fell by at most {limit}, if it fell at all.",
            Verdict.RINGS_FALSE: f"Its accuracy fell by more than {limit}.",
            Verdict.NOT_YET_KNOWN: f"Its accuracy may have fallen by more than {limit}.",
        }[found.verdict]
        seen = f"{found.flips.total:,} of the {count(found.answers, 'answer')} looked at differ from the old ones."
        took = f"It took {count(found.calls, 'call')} of the new model; all digits would take {found.population:,}."
        return _answer(study, folder, f"{claimed} {seen}", took)


def _ask_worst(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Search the distortions for the one that moves the second model's probabilities most."""
    space = SearchSpace(DISTORTIONS, name="distortions")
    question = Worst(space, evaluations=EVALUATIONS, deviation="given", claim=DEVIATION)
    with Study.create(folder / "worst.ringtrue", question=question, budget=EVALUATIONS) as study:
        say_on(f"searching with {count(EVALUATIONS, 'evaluation')} at most; the claim to decide: {DEVIATION}")
        found = _run(study, moved_by(digits))
        limit, point = number(found.claim.limit), found.worst.point
        largest = (
            f"The largest move found is {number(found.worst.deviation, digits=2)}: turned by "
            f"{count(round(point['rotation']), 'degree')}, shifted by {point['shift']:.1f} pixels, "
            f"blur {point['blur']:.1f}, noise {point['noise']:.1f}."
        )
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that none moves them by more than {limit}, if they move smoothly.",
            Verdict.RINGS_FALSE: f"You may not claim it: some distortion moves them by more than {limit}.",
            Verdict.NOT_YET_KNOWN: f"None that was tried moves them by more than {limit}.",
        }[found.verdict]
        took = f"It took {count(found.answers, 'evaluation')} out of the {EVALUATIONS} that were allowed."
        return _answer(study, folder, f"{claimed} {largest}", took)


def _ask_judges(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Buy labels until it is known whether all of five small classifiers are good enough."""
    voters = write_votes(digits, folder / VOTES)
    pool, votes = read_pool(folder / VOTES), read_votes(folder / VOTES, judges=voters)
    settings: dict[str, Any] = {"pool": pool, "model": PanelModel(votes.judges), "labels": list(votes.labels)}
    question = Judges(votes, claim=RIGHT)
    with Study.create(folder / "judges.ringtrue", question=question, budget=VOTE_LABELS, **settings) as study:
        say_on(f"buying {count(VOTE_LABELS, 'label')} at most; the claim to decide of each: {RIGHT}")
        found = _run(study, "truth")
        right = percent(1 - found.claim.limit)
        passed = sum(one.passed_at is not None for one in found.judged)
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that each of the five is right on at least {right} of the digits.",
            Verdict.RINGS_FALSE: f"{found.worst.judge} is right on fewer than {right} of the digits.",
            Verdict.NOT_YET_KNOWN: f"So far that is shown of {passed} of the five.",
        }[found.verdict]
        took = f"It took the labels of {count(found.answers, 'digit')} out of {found.population:,}."
        return _answer(study, folder, claimed, took)


ASK: dict[str, Callable[[Path, Digits, Callable[[str], None]], Answer]] = {
    "risk": _ask_risk,
    "blind": _ask_blind,
    "changed": _ask_changed,
    "worst": _ask_worst,
    "judges": _ask_judges,
}
