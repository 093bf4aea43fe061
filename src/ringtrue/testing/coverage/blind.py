"""The cases of confident errors: how common they are, the ratio found, the alarm, groups and bins of confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind import Blind, simulate
from ringtrue.blind._scope import EDGES
from ringtrue.blind.measures import expected_errors
from ringtrue.core import Claim, Verdict
from ringtrue.stats import Bools, generator
from ringtrue.stats._bounds import Floats
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, holds, numbers

SEED = 20261118
VERSION = "2"  # the learning search weighs several models
ITEMS = 400
LOOKS = (20, 40, 60)

RATE = Row("blind", "rate of errors in the scope", "watched", shown=("BlindFinding.rate",))
RATIO = Row("blind", "ratio of errors to those admitted", "watched", shown=("RatioPath.low",))
ALARM = Row("blind", "no alarm where confidence is honest", "watched", shown=("BlindFinding.reached_at",))
GROUPS = Row("blind", "excess of errors in all groups at once", "watched", shown=("BlindFinding.groups",))
BINS = Row("blind", "accuracy in a bin of confidence", "watched", shown=("BlindFinding.reliability",))
VERDICT = Row("blind", "a verdict on a claim is not wrong", "watched", shown=("BlindFinding.verdict",))
WIDTH = Row("blind", "mean width of the rate's interval", "mean")
RAISED = Row("blind", "how often the alarm is raised where errors are more than admitted", "mean")


@dataclass(frozen=True, slots=True)
class Hunted:
    """A kind of pool and a search in it.

    Items err with the chance that their confidence admits, times `excess`; those in a pocket, a ball that holds a share
    `pocket` of the items, err with the chance 0.9. A `batch` of items is asked about at a time. A share `outside` of
    the pool is not confident enough to be hunted, and of a share `untold` of the wrong items the oracle cannot tell.
    """

    name: str
    search: str
    excess: float = 1.0
    pocket: float = 0.0
    goal: str | None = None
    floor: float = 0.2
    batch: int = 1
    outside: float = 0.0
    untold: float = 0.0

    @property
    def is_calibrated(self) -> bool:
        """Return whether no item errs more often than admitted: an alarm is then false."""
        return self.excess <= 1 and not self.pocket

    def draw(self, seed: int) -> tuple[dict[str, NDArray[Any]], Floats, Bools]:
        """Return the scores of a pool, the chance of error of each item, and which err."""
        rng = generator(seed, f"blind coverage {self.name}")
        place = rng.standard_normal((ITEMS, 3))
        confidence = 1 - 0.35 * rng.random(ITEMS) ** 2
        confidence[: round(self.outside * ITEMS)] = 0.5
        chance = np.clip(self.excess * (1 - confidence), 0, 1)
        if self.pocket:
            distance = np.linalg.norm(place - place[0], axis=1)
            chance = np.where(distance <= np.quantile(distance, self.pocket), 0.9, chance)
        known = {"label": np.ones(ITEMS, dtype=np.int64), "confidence": confidence, "features": place}
        return dict(Blind(None, threshold=0.5).gather(known)), chance, rng.random(ITEMS) < chance


POOLS = (
    Hunted("a pocket of errors, learning search", "learning", pocket=0.08, goal="excess"),
    Hunted("a pocket, learning, batches of 5", "learning", pocket=0.08, goal="excess", batch=5),
    Hunted("a pocket, most errors, four in five at random", "learning", pocket=0.08, goal="errors", floor=0.8),
    Hunted("as often as admitted, learning search", "learning", goal="excess"),
    Hunted("as often as admitted, most errors", "learning", goal="errors"),
    Hunted("no error at all, learning search", "learning", goal="excess", excess=0.0),
    Hunted("twice as often as admitted, lowest confidence", "lowest-confidence", excess=2.0),
    Hunted("as often as admitted, no hunt", "random", floor=0.5),
    Hunted(
        "a pocket in a part of the pool, a third of the errors untold",
        "learning",
        pocket=0.08,
        goal="excess",
        outside=0.3,
        untold=0.3,
    ),
)


def hunt(pool: Hunted, *, looks: tuple[int, ...] = LOOKS) -> Case:
    """Return the case of hunts in one kind of pool, all that is said held against the truth up to the last look.

    Rate, ratio and alarm are looked at after every answer, the rest at the `looks`.
    """
    question = Blind(None, threshold=0.5, search=pool.search, goal=pool.goal, floor=pool.floor)

    def study(number: int, seed: int) -> Mapping[str, Any]:
        scores, chance, wrong = pool.draw(seed + number)
        lost = wrong & (generator(number, "untold").random(ITEMS) < pool.untold)
        untold = frozenset(np.flatnonzero(lost).tolist())
        records = simulate(question, scores, wrong, budget=looks[-1], batch=pool.batch, seed=number, untold=untold)
        scope = scores["scope"] > 0
        # A claim that is false by half an item in every other study with errors, else one that is as barely true.
        is_false = bool(number % 2 and wrong[scope].any())
        claim = Claim("error", (wrong[scope].sum() - (0.5 if is_false else -0.5)) / scope.sum(), LEVEL)
        never = Verdict.RINGS_TRUE if is_false else Verdict.RINGS_FALSE
        estimator = question.estimator(size=ITEMS, claim=claim, scores=scores)
        groups, bins, verdicts = [], [], []
        missed: set[int] = set()
        for look, before in zip(looks, (0, *looks), strict=False):
            estimator.update(records[before:look])
            finding = estimator.finding()
            groups.append(_groups_hold(finding.groups, dict(finding.path), chance, scores))
            asked, now = _bins(finding.reliability, wrong, scores)
            missed |= now
            bins.append(1 - len(missed) / len(asked))
            verdicts.append(finding.verdict is not never)
        path: dict[str, Any] = dict(finding.path)
        low, high = np.array(path["rate_low"]), np.array(path["rate_high"])
        bound = np.cumsum(chance[path["row"]]) / np.cumsum(expected_errors(np.array(path["confidence"])))
        below, above = (np.array(path[name], dtype=float) for name in ("low", "high"))
        raised = finding.reached_at is not None
        return {
            "rate": [holds(low, high, float(np.mean(wrong[scope]))).all()],
            "ratio": [not np.any((below > bound + 1e-9) | (above < bound - 1e-9))],
            "groups": [all(groups)],
            "bins": bins[-1:],
            "verdict": [all(verdicts)],
            "width": (high - low)[-1:],
            **({"alarm": [not raised]} if pool.is_calibrated else {"raised": [raised]}),
        }

    rows = {"rate": RATE, "ratio": RATIO, "groups": GROUPS, "bins": BINS, "verdict": VERDICT, "width": WIDTH}
    rows |= {"alarm": ALARM} if pool.is_calibrated else {"raised": RAISED}
    return Case(pool.name, rows, by_study(study), SEED, numbers(looks[-1:]), 100, 10, 1.0, VERSION)


def _groups_hold(
    groups: list[dict[str, Any]], path: Mapping[str, Any], chance: Floats, scores: Mapping[str, NDArray[Any]]
) -> bool:
    """Return whether every cluster's interval holds the chances of its items asked, less the errors admitted."""
    rows = np.array(path["row"])
    cluster = np.array([f"cluster {int(one) + 1}" for one in scores["cluster"][rows]])
    excess = chance[rows] - expected_errors(np.array(path["confidence"]))
    return all(holds(one["low"], one["high"], float(excess[cluster == one["name"]].sum())) for one in groups)


def _bins(bins: list[dict[str, Any]], wrong: Bools, scores: Mapping[str, NDArray[Any]]) -> tuple[set[int], set[int]]:
    """Return the bins of confidence with an answer, and those whose interval misses the accuracy of all their items."""
    of_edge = {EDGES[place]: place for place in np.unique(scores["bin"]).tolist()}
    asked = {of_edge[one["low"]]: (one["accuracy_low"], one["accuracy_high"]) for one in bins}
    right = {place: 1 - float(np.mean(wrong[(scores["scope"] > 0) & (scores["bin"] == place)])) for place in asked}
    return set(asked), {place for place, ends in asked.items() if not holds(*ends, right[place])}


CASES: tuple[Case, ...] = tuple(map(hunt, POOLS))
