"""The cases of the failure rate of a pool: even draws, draws by doubt, profiles, strata, claims and `--fixed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from ringtrue.core import Claim, Draw, Interval, Record, Verdict, View, percent
from ringtrue.risk import FailureRate, Risk, SimpleRandom
from ringtrue.risk._draw_row import DrawRows
from ringtrue.risk._strata import Strata, StratumTable
from ringtrue.risk.profiles import ProfileWeights
from ringtrue.stats import Bools
from ringtrue.stats._bounds import Floats
from ringtrue.testing._replayed import asked, follow
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, holds, numbers, watched

SEED = 20261116
NEW_SEED = 20261202
"""Of the cases that were added later."""

ITEMS = 1000
LOOKS = (10, 20, 40, 80, 150, 200)
RATES = (0.0, 0.001, 0.005, 0.01, 0.05)

RATE = Row("risk", "failure rate of the pool", "watched", shown=("RateFinding.interval", "RatePath.low"))
USE = Row("risk", "failure rate under a profile", "watched", shown=("RateFinding.interval",))
STRATA = Row("risk", "failure rates of all strata at once", "watched", shown=("StratumRow.interval",))
VERDICT = Row("risk", "a verdict is not wrong", "watched", shown=("RateFinding.verdict", "RateFinding.bound"))
FIXED = Row("risk", "failure rate with --fixed", "fixed", shown=("RateFinding.interval", "stats.OneLook"))
PRICED = Row("risk", "failure rate under each of several profiles", "watched", shown=("Priced.interval",))
HEIGHT = Row("risk", "mean upper bound", "mean")
TOLD = Row("risk", "share of the profiles that are priced", "mean")


def failing(rate: float, guide: Floats, rng: np.random.Generator) -> Bools:
    """Return which items fail: so many, the more doubtful ones rather."""
    errors = np.zeros(len(guide), dtype=bool)
    errors[rng.choice(len(guide), round(rate * len(guide)), replace=False, p=guide / guide.sum())] = True
    return errors


def _world(rate: float, kind: int, number: int, seed: int) -> tuple[Bools, Floats, np.random.Generator]:
    """Return which items fail and how doubtful each is: a good guide in every other pool, else it misleads."""
    rng = np.random.default_rng([seed, round(rate * 1e6), kind, number])
    doubt = rng.beta(0.3, 6, ITEMS)
    return failing(rate, doubt if number % 2 else rng.permutation(doubt), rng), doubt, rng


def _holds(interval: Interval | None, truth: float, *, missing: bool = True) -> bool:
    """Return whether an interval holds the truth; one that is not told counts as `missing` says."""
    return missing if interval is None else bool(holds(interval.low, interval.high, truth))


def drawn(method: str, rate: float, *, weighted: bool = False, looks: tuple[int, ...] = LOOKS) -> Case:
    """Return the case of draws by doubt, watched; `weighted` means under a profile."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, doubt, rng = _world(rate, weighted, number, seed)
        weight = np.where(rng.random(ITEMS) < 0.3, 2.0, 0.5) if weighted else None
        weight = None if weight is None else weight / weight.mean()
        truth = float(np.mean(errors if weight is None else errors * weight))
        witness = follow(errors, doubt, method=method, seed=number, answers=max(looks), weight=weight)
        both = witness.bounds(looks, level=LEVEL, side="both")
        held = watched(holds(both.low, both.high, truth))
        return {"interval": held, "height": both.high}

    where = f"{method}{', profile' if weighted else ''}, {percent(rate)} fail"
    rows = {"interval": USE if weighted else RATE, "height": HEIGHT}
    return Case(where, rows, by_study(study), SEED, numbers(looks), seconds=0.15)


def _strata(rate: float) -> Case:
    """Return the case of the intervals of all strata at once, by the default method."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, doubt, _ = _world(rate, 2, number, seed)
        strata = Strata.of({"doubt": doubt}, ITEMS)
        truth = np.bincount(strata.rows.group, weights=errors) / strata.rows.sizes
        by_name = dict(zip(strata.names, truth.tolist(), strict=True))
        table, looks = StratumTable("risk", None), []

        def watch(record: Record) -> None:
            table.add([record], DrawRows.of([record], [1.0], None), [float(doubt[record.row])])
            if record.number + 1 in LOOKS:
                looks.append(table.rows(ITEMS, LEVEL))

        follow(errors, doubt, method="stratified", seed=number, answers=max(LOOKS), watch=watch)
        held = [all(_holds(row.interval, by_name[row.name], missing=False) for row in rows) for rows in looks]
        return {"interval": watched(held)}

    where = f"all strata, {percent(rate)} fail"
    return Case(where, {"interval": STRATA}, by_study(study), SEED, numbers(LOOKS), seconds=0.35)


class _PicksFirst(SimpleRandom):
    """Picks the first 20 rows without chance, as a map does, and then draws evenly."""

    def propose(self, view: View, n: int) -> list[Draw]:
        return [Draw(row=view.step)] if view.step < 20 else super().propose(view, n)


def _as_shown(rate: float) -> Case:
    """Return the case of the interval that a finding shows after picks and even draws, some items untold."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, _, rng = _world(rate, 3, number, seed)
        lost = rng.random(ITEMS) < 0.02
        truth = [None if gone else "wrong" if error else "right" for gone, error in zip(lost, errors, strict=True)]
        records = asked(_PicksFirst(), truth, seed=number, scores={})
        estimator = FailureRate(size=ITEMS, claim=None)
        estimator.update(islice(records, max(LOOKS)))
        shown = estimator.finding().interval
        return {"interval": [_holds(shown, errors.mean())]}

    where = f"even draws after picks, some untold, {percent(rate)} fail"
    return Case(where, {"interval": RATE}, by_study(study), NEW_SEED, numbers(LOOKS[-1:]), seconds=0.05)


def verdicts(method: str, rate: float, *, answers: int = 300) -> Case:
    """Return the case of two claims, one true and one false by a single item, looked at after every answer."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, doubt, _ = _world(rate, 4, number, seed)
        wrong = {"true claim": Verdict.RINGS_FALSE, "false claim": Verdict.RINGS_TRUE}
        found = {}
        for place, (label, never) in enumerate(wrong.items()):
            claim = Claim("error", (errors.sum() - place) / ITEMS, LEVEL)
            question = Risk(claim, method=method, confidence=None if method == "simple-random" else "doubt")
            estimator = question.estimator(size=ITEMS, claim=claim)
            estimator.update(islice(_answers(question, errors, {"doubt": doubt}, number), answers))
            found[label] = [estimator.verdict is not never]
        return found

    where = f"claims, {method}, {percent(rate)} fail"
    rows = {"true claim": VERDICT, "false claim": VERDICT}
    return Case(where, rows, by_study(study), NEW_SEED, numbers((answers,)), seconds=0.4)


def _answers(question: Risk, errors: Bools, scores: Mapping[str, Any], seed: int) -> Iterator[Record]:
    """Yield what a study of this question is answered."""
    return asked(question.policy, np.where(errors, "wrong", "right").tolist(), seed=seed, scores=scores)


def _profile(name: str, kind: Bools, share: float) -> tuple[ProfileWeights, Floats]:
    """Return a profile in which inputs of a kind come with a share of operation, and the weight of each item."""
    pool: dict[tuple[str | int, ...], int] = {("yes",): int(kind.sum()), ("no",): int((~kind).sum())}
    operation: dict[tuple[str | int, ...], int] = {("yes",): round(1000 * share), ("no",): round(1000 * (1 - share))}
    made = ProfileWeights.of(name, ("kind",), None, pool, operation)
    by_kind = {one.values[0]: one.weight or 0.0 for one in made.classes}
    return made, np.where(kind, by_kind["yes"], by_kind["no"])


def fixed(method: str, rate: float, *, weighted: bool = False, answers: int = 100) -> Case:
    """Return the case of a number of labels that was fixed beforehand."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, doubt, rng = _world(rate, 5 + weighted, number, seed)
        scores: dict[str, Any] = {"doubt": doubt}
        profile, truth = None, float(errors.mean())
        if weighted:
            profile, scores["weight"] = _profile("use", rng.random(ITEMS) < 0.3, 0.6)
            truth = float(np.mean(errors * scores["weight"]))
        goes_by = None if method == "simple-random" else "doubt"
        question = Risk(None, method=method, confidence=goes_by, profile=profile, fixed=answers)
        estimator = question.estimator(size=ITEMS, claim=None, scores=scores)
        estimator.update(islice(_answers(question, errors, scores, number), answers))
        shown = estimator.finding().interval
        return {"interval": [_holds(shown, truth)], "height": [shown.high]}

    where = f"--fixed, {method}{', profile' if weighted else ''}, {percent(rate)} fail"
    rows = {"interval": FIXED, "height": HEIGHT}
    return Case(where, rows, by_study(study), NEW_SEED, numbers((answers,)), seconds=0.08)


def priced(rate: float, *, looks: tuple[int, ...] = (60, 120, 200)) -> Case:
    """Return the case of three profiles that are priced from the same even draws, each at its own level."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, _, rng = _world(rate, 7, number, seed)
        kind = errors | (rng.random(ITEMS) < 0.3) if number % 2 else rng.random(ITEMS) < 0.3
        made = [_profile(name, kind, share) for name, share in (("rare", 0.1), ("half", 0.5), ("mostly", 0.8))]
        question = Risk(None, priced=[profile for profile, _ in made])
        scores = {f"weight {profile.name}": weight for profile, weight in made}
        estimator = question.estimator(size=ITEMS, claim=None, scores=scores)
        held, told, records = [], [], _answers(question, errors, scores, number)
        for look, before in zip(looks, (0, *looks), strict=False):
            estimator.update(islice(records, look - before))
            intervals = [one.interval for one in estimator.finding().priced]
            truths = [float(np.mean(errors * weight)) for _, weight in made]
            held.append([_holds(one, truth) for one, truth in zip(intervals, truths, strict=True)])
            told.append([one is not None for one in intervals])
        return {"each profile": watched(held), "priced": told}

    where = f"three profiles priced, {percent(rate)} fail"
    return Case(where, {"each profile": PRICED, "priced": TOLD}, by_study(study), NEW_SEED, numbers(looks), seconds=0.1)


CASES: tuple[Case, ...] = (
    *(drawn(method, rate) for method in ("stratified", "importance", "prediction-powered") for rate in RATES),
    *map(_as_shown, (0.0, 0.005, 0.05, 0.5)),
    *(drawn("stratified", rate, weighted=True) for rate in RATES),
    *map(_strata, RATES),
    *(verdicts(method, rate) for method in ("simple-random", "stratified") for rate in (0.01, 0.05)),
    *(
        fixed(method, rate)
        for method in ("simple-random", "prediction-powered", "stratified", "importance")
        for rate in (0.005, 0.05, 0.5)
    ),
    *(fixed("stratified", rate, weighted=True) for rate in (0.005, 0.05, 0.5)),
    *map(priced, (0.005, 0.05, 0.5)),
)
