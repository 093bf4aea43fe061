"""The cases of judges with labels: some that are there, and labels bought one at a time or in a fixed number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ringtrue.core import Claim, Record, Sketch, Verdict, percent
from ringtrue.judges import Estimates, Judges, PanelFinding, Standing, evaluate, labelled_estimates
from ringtrue.judges._evaluation import Floats, named_intervals
from ringtrue.judges.bought._draws import BoughtDraws, PatternIndex
from ringtrue.judges.bought._numbers import BoughtNumbers, Shares
from ringtrue.stats import Means, generator
from ringtrue.testing._replayed import FOOLED, TRUTH, Trapped, bought, numbers_of, sketch_of
from ringtrue.testing.coverage._case import LEVEL, Case, by_study
from ringtrue.testing.coverage.judges import NEW_SEED, PREVALENCE, QUANTITIES, by_quantity, held_by, row_of

SEED = 20261116
ITEMS = 3000
POOL = 800
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
PANELS = {"three judges (93%, 77%, 92%)": (0.93, 0.77, 0.92), "five judges (90%)": (0.9,) * 5}
BOUGHT = (
    Trapped("5 judges who err independently", (0.3, 0.7), (0.92, 0.88, 0.85, 0.8, 0.78), 0.0),
    Trapped("3 judges who share mistakes", (0.3, 0.7), (0.93, 0.77, 0.92), 0.1),
    Trapped("4 judges, 3 labels, shared mistakes", (0.5, 0.3, 0.2), (0.9, 0.85, 0.8, 0.7), 0.1),
    Trapped("3 judges who hardly err", (0.2, 0.8), (0.995, 0.98, 0.97), 0.005),
)
Looking: TypeAlias = Literal["watched", "fixed"]

GENERAL = row_of("with labels, items like these", "fixed", shown=("PanelFinding.labelled", "judges.labelled_estimates"))
HERE = row_of("with labels, these very items", "fixed", shown=("PanelFinding.labelled_here",))
TOGETHER = row_of("with labels, all numbers at once", "fixed", shown=("PanelFinding.together",))
STANDINGS = row_of("no judge is called good enough, or not, wrongly", "fixed", shown=("Standings.each",))
MARGIN = row_of("how far votes alone are off, by the labels", "fixed", shown=("Margin.most",))
WATCHED = row_of("bought labels, watched", "watched", shown=("BoughtFinding.estimates", "JudgedError.error"))
FIXED = row_of("bought labels with --fixed", "fixed", shown=("BoughtFinding.estimates", "JudgedError.error"))
VERDICT = row_of("a verdict on bought labels is not wrong", "watched", shown=("JudgedError.bound",))
ALONE = row_of("votes alone, where judges share mistakes", "none")
DECIDED = row_of("judges that the labels decide", "mean")
WIDTH = row_of("mean width from bought labels", "mean")


def labelled(
    panel: str,
    share: float,
    labels: int,
    *,
    judge: Callable[[Sketch], PanelFinding] = lambda sketch: evaluate(sketch, truth=TRUTH),
) -> Case:
    """Return the case of a panel some of whose items are labelled, chosen by chance, and a share of them is a trap.

    `judge` makes the finding; another one shows whether the suite notices.
    """
    skill = PANELS[panel]
    general = (1 - share) * np.array(skill) + share * (1 - FOOLED)
    chances = _chances((PREVALENCE, 1 - PREVALENCE), general)

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"shared mistakes {skill} {share} {labels}", number)
        truth = (rng.random(ITEMS) >= PREVALENCE).astype(int)
        trapped = rng.random(ITEMS) < share
        right = rng.random((ITEMS, len(skill))) < np.where(trapped[:, None], 1 - FOOLED, np.array(skill))
        votes = np.where(right, truth[:, None], 1 - truth[:, None])
        finding = judge(sketch_of(votes, truth=truth, labelled=rng.permutation(ITEMS)[:labels]))
        return {
            "items like these": [_all(finding.labelled, chances)],
            "these very items": [_all(finding.labelled_here, numbers_of(votes, truth))],
            "all at once": [finding.together is None or all(_all(finding.together, chances))],
            "standings": [not _wrong_standings(finding, general)],
            "margin": [not _beyond_margin(finding, np.concatenate(list(chances.values())))],
            "votes alone": [_all(finding.general, chances)],
            "decided": [float(np.mean([one is not Standing.OPEN for one in finding.standings.each]))],
        }

    rows = {"items like these": GENERAL, "these very items": HERE, "all at once": TOGETHER, "standings": STANDINGS}
    rows |= {"margin": MARGIN, "votes alone": ALONE, "decided": DECIDED}
    where = f"{panel}, {percent(share)} traps, {labels} labels"
    return Case(where, rows, by_study(study), SEED, chunk=100, seconds=0.1)


def _all(estimates: Estimates | None, truth: Mapping[str, Floats]) -> list[bool]:
    """Return whether each interval holds, the first of two shares left out since the second says all."""
    if estimates is None:
        return [True] * (sum(map(len, truth.values())) - 1)
    return [held for each in held_by(estimates, truth).values() for held in each][1:]


def _wrong_standings(finding: PanelFinding, accuracies: Floats) -> bool:
    wrong = {True: Standing.NOT_GOOD, False: Standing.GOOD}
    bar = finding.standings.bar
    return any(one is wrong[bool(x >= bar)] for one, x in zip(finding.standings.each, accuracies, strict=True))


def _beyond_margin(finding: PanelFinding, truth: Floats) -> bool:
    if finding.margin is None or finding.general is None:
        return False
    estimates = [one.estimate for _, one in named_intervals(finding.general)]
    return bool(np.abs(np.array(estimates) - truth).max() > finding.margin.most + 1e-9)


def _by_method(method: Literal["labels", "regression"], labels: int) -> Case:
    """Return the case of the other two methods for labels, on judges who share mistakes."""
    panel = BOUGHT[2]
    chances = _chances(panel.shares, (1 - panel.traps * FOOLED) * np.array(panel.accuracies))

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"by method {method} {labels}", number)
        votes, truth = panel.draw(ITEMS, rng)
        sketch = sketch_of(votes, labels=3, truth=truth, labelled=rng.permutation(ITEMS)[:labels])
        held = held_by(labelled_estimates(sketch, TRUTH, method=method), chances)
        return {quantity: [each] for quantity, each in held.items()}

    rows = dict.fromkeys(QUANTITIES, GENERAL)
    return Case(f"method {method}, {panel.name}, {labels} labels", rows, by_study(study), NEW_SEED, seconds=0.05)


def _chances(shares: tuple[float, ...], each: Floats) -> dict[str, Floats]:
    """Return what is true of a panel in general, whose judges are each as good on all labels."""
    return {"prevalence": np.array(shares), "accuracy": np.repeat(each, len(shares)), "overall": each}


def buying(panel: Trapped, labels: int, looking: Looking) -> Case:
    """Return the case of labels bought as a study buys them, held at every look or at the last."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        votes, truth = panel.draw(POOL, generator(seed, f"bought {panel.name}", number))
        sketch = sketch_of(votes, labels=len(panel.shares))
        question = Judges(sketch, fixed=labels if looking == "fixed" else None)
        records = bought(question, votes, truth, seed=number, labels=labels)
        estimator = question.estimator(size=POOL, claim=None)
        estimator.update(records)
        found = estimator.finding().estimates
        real = numbers_of(votes, truth, len(panel.shares))
        held = _never_excluded(sketch, records, real) if looking == "watched" else held_by(found, real)
        return {quantity: [each] for quantity, each in held.items()} | {
            f"width, {quantity}": [float(np.mean([one.high - one.low for one in each]))]
            for quantity, each in by_quantity(found).items()
        }

    rows = dict.fromkeys(QUANTITIES, WATCHED if looking == "watched" else FIXED)
    rows |= {f"width, {quantity}": WIDTH for quantity in QUANTITIES}
    return Case(f"{panel.name}, {labels} labels, {looking}", rows, by_study(study), SEED, chunk=100, seconds=0.15)


def _never_excluded(sketch: Sketch, records: Sequence[Record], truth: dict[str, Floats]) -> dict[str, list[bool]]:
    """Return whether no look along the way excludes the truth."""
    draws = BoughtDraws(PatternIndex(sketch))
    for record in records:
        draws.take(record)
    told = BoughtNumbers(draws)
    judges, labels = range(len(sketch.judges)), range(len(sketch.labels))
    each: dict[str, Sequence[Means | Shares]] = {
        "prevalence": [told.prevalence(label) for label in labels],
        "accuracy": [told.accuracy(judge, label) for judge in judges for label in labels],
        "overall": [told.errors(judge) for judge in judges],
    }
    values = truth | {"overall": 1 - truth["overall"]}
    enough = -math.log((1 - LEVEL) / 2)
    return {
        quantity: [
            max(one.path(float(value), sign).max() for sign in (1, -1)) < enough
            for one, value in zip(numbers, values[quantity], strict=True)
        ]
        for quantity, numbers in each.items()
    }


def verdicts(panel: Trapped, *, labels: int = 150) -> Case:
    """Return the case of two claims about all judges, one barely true and one false by half a vote."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        votes, truth = panel.draw(POOL, generator(seed, f"claims {panel.name}", number))
        sketch = sketch_of(votes, labels=len(panel.shares))
        wrong = int((votes != truth[:, None]).sum(axis=0).max())
        never = {"true claim": (0.5, Verdict.RINGS_FALSE), "false claim": (-0.5, Verdict.RINGS_TRUE)}
        found = {}
        for label, (beside, verdict) in never.items():
            claim = Claim("error", (wrong + beside) / POOL, LEVEL)
            question = Judges(sketch, claim=claim)
            estimator = question.estimator(size=POOL, claim=claim)
            estimator.update(bought(question, votes, truth, seed=number, labels=labels))
            found[label] = [estimator.verdict is not verdict]
        return found

    rows = {"true claim": VERDICT, "false claim": VERDICT}
    return Case(f"claims, {panel.name}, {labels} labels", rows, by_study(study), NEW_SEED, seconds=0.2)


CASES: tuple[Case, ...] = (
    *(labelled(panel, share, labels) for panel in PANELS for share in SHARES for labels in (50, 200)),
    *(_by_method(method, labels) for method in ("labels", "regression") for labels in (50, 200)),
    *(buying(panel, labels, looking) for panel in BOUGHT for labels in (50, 150) for looking in ("watched", "fixed")),
    *map(verdicts, BOUGHT[1:3]),
)
