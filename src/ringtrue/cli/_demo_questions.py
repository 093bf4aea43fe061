"""The demo's other four questions, each a study of its own: blind, changed, worst and judges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringtrue.blind import Blind
from ringtrue.changed import Changed
from ringtrue.cli._demo_digits import WEAK, Digits, moved_by, of_images, write_images, write_votes
from ringtrue.cli._demo_index import Answer, answer
from ringtrue.cli._demo_stage import IMAGES, VOTES, study_in
from ringtrue.cli._progress import Preparing, Progress
from ringtrue.core import Verdict, count, number, percent
from ringtrue.judges import Judges
from ringtrue.models import ArrayModel, PanelModel
from ringtrue.pools import read_pool, read_votes
from ringtrue.report import keep_shown
from ringtrue.study import Study
from ringtrue.worst import Real, SearchSpace, Worst

HUNT, CALLS, EVALUATIONS, VOTE_LABELS = 40, 600, 60, 200
"""Budgets: how many answers a question may take at most. One that is decided earlier takes fewer."""

CONFIDENCE = 0.9
_PICTURES = 6
"""Errors of the hunt that are shown in its report."""

DROP = "accuracy drop <= 1% at 95%"
DEVIATION = "deviation <= 0.5 at 95%"
RIGHT = "accuracy >= 70% at 95%"
DISTORTIONS = (Real("rotation", -15, 15), Real("shift", -0.5, 0.5), Real("blur", 0, 0.5), Real("noise", 0, 0.2))


def ask_blind(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Hunt for pictures that the first model misreads although it is sure."""
    write_images(digits, folder / IMAGES)
    pool, model = read_pool(folder / IMAGES), ArrayModel(of_images(digits.first), "image")
    question = Blind.of(pool, model=model, inputs="image", threshold=CONFIDENCE)
    with Study.create(study_in(folder, "blind"), pool=pool, model=model, question=question, budget=HUNT) as study:
        with Preparing() as advance:
            study.prepare(advance=advance)
        say_on(f"hunting with {count(HUNT, 'label')} among the digits of which it is more than {CONFIDENCE:.0%} sure")
        with Progress(None) as progress:
            found: Any = study.run("digit", progress=progress)
        with Preparing() as advance:
            keep_shown(study, most=_PICTURES, advance=advance)
        weak = sum(record.value != record.said and record.value == str(WEAK) for record in study.records)
        claimed = (
            f"The hunt found {count(found.errors, 'error')} where the model's own confidence admits "
            f"{found.to_json()['expected']:.1f}. Eights among them: {weak:,}."
        )
        return answer(
            study,
            folder,
            claimed=claimed,
            took=f"It took the labels of {count(found.answers, 'digit')} out of the {found.scope:,} it is sure of.",
            # Without a claim to decide, the question is whether the confidence can be believed.
            tone=(Verdict.NOT_YET_KNOWN if found.reached_at is None else Verdict.RINGS_FALSE).value,
        )


def ask_changed(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Compare the second model's answers with those that the first one gave."""
    pool, model = read_pool(folder / IMAGES), ArrayModel(of_images(digits.second), "image")
    question = Changed.of(pool, old="answer", truth="digit", confidence="confidence", noise=0, claim=DROP)
    place = study_in(folder, "changed")
    with Study.create(place, pool=pool, model=model, question=question, budget=CALLS, batch=5) as study:
        say_on(f"asking the new model, with {count(CALLS, 'call')} at most; the claim to decide: {DROP}")
        with Progress(None) as progress:
            found: Any = study.run(progress=progress)
        limit = count(100 * found.claim.limit, "percentage point")
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that its accuracy fell by at most {limit}, if it fell at all.",
            Verdict.RINGS_FALSE: f"Its accuracy fell by more than {limit}.",
            Verdict.NOT_YET_KNOWN: f"Its accuracy may have fallen by more than {limit}.",
        }[found.verdict]
        seen = f"{found.flips.total:,} of the {count(found.answers, 'answer')} looked at differ from the old ones."
        took = f"It took {count(found.calls, 'call')} of the new model; all digits would take {found.population:,}."
        return answer(study, folder, claimed=f"{claimed} {seen}", took=took)


def ask_worst(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Search the distortions for the one that moves the second model's probabilities most."""
    space = SearchSpace(DISTORTIONS, name="distortions")
    question = Worst(space, evaluations=EVALUATIONS, deviation="given", claim=DEVIATION)
    with Study.create(study_in(folder, "worst"), question=question, budget=EVALUATIONS) as study:
        say_on(f"searching with {count(EVALUATIONS, 'evaluation')} at most; the claim to decide: {DEVIATION}")
        with Progress(None) as progress:
            found: Any = study.run(moved_by(digits), progress=progress)
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
        return answer(study, folder, claimed=f"{claimed} {largest}", took=took)


def ask_judges(folder: Path, digits: Digits, say_on: Callable[[str], None]) -> Answer:
    """Buy labels until it is known whether all of five small classifiers are good enough."""
    voters = write_votes(digits, folder / VOTES)
    pool, votes = read_pool(folder / VOTES), read_votes(folder / VOTES, judges=voters)
    model, question = PanelModel(votes.judges), Judges(votes, claim=RIGHT)
    labels, place = list(votes.labels), study_in(folder, "judges")
    with Study.create(place, pool=pool, model=model, question=question, budget=VOTE_LABELS, labels=labels) as study:
        say_on(f"buying {count(VOTE_LABELS, 'label')} at most; the claim to decide of each: {RIGHT}")
        with Progress(None) as progress:
            found: Any = study.run("truth", progress=progress)
        right = percent(1 - found.claim.limit)
        passed = sum(one.passed_at is not None for one in found.judged)
        claimed = {
            Verdict.RINGS_TRUE: f"You may claim that each of the five is right on at least {right} of the digits.",
            Verdict.RINGS_FALSE: f"{found.worst.judge} is right on fewer than {right} of the digits.",
            Verdict.NOT_YET_KNOWN: f"So far that is shown of {passed} of the five.",
        }[found.verdict]
        took = f"It took the labels of {count(found.answers, 'digit')} out of {found.population:,}."
        return answer(study, folder, claimed=claimed, took=took)
