"""Coverage of what is said of confident errors: how common they are, the ratio found, and the alarm.

Run `python -m ringtrue.testing.blind_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind import Blind, simulate
from ringtrue.blind.measures import expected_errors
from ringtrue.core import percent
from ringtrue.stats import generator
from ringtrue.testing._sections import write_section

__all__ = ["CASES", "Case", "Counts", "check", "follow", "main", "section"]

HEADING = "## Confident errors: how common, how many more than admitted"
LEVEL = 0.95
SEED = 20261118
REPETITIONS = 200
ITEMS = 400
BUDGET = 60

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of pool and a search in it.

    Items err with the chance that their confidence admits, times `excess`; those in a pocket, a ball that holds a share
    `pocket` of the items, err with the chance 0.9. A `batch` of items is asked about at a time. A share `outside` of
    the pool is not confident enough to be hunted, and of a share `untold` of the wrong items nobody can tell.
    """

    name: str
    search: str
    excess: float = 1.0
    pocket: float = 0.0
    floor: float = 0.2
    batch: int = 1
    outside: float = 0.0
    untold: float = 0.0

    @property
    def is_calibrated(self) -> bool:
        """Whether no item errs more often than admitted: an alarm is then false."""
        return self.excess <= 1 and not self.pocket

    def draw(self, seed: int) -> tuple[dict[str, NDArray[Any]], Floats, NDArray[np.bool_]]:
        """The scores of a pool, the chance of error of each item, and which err."""
        rng = generator(seed, f"blind coverage {self.name}")
        place = rng.standard_normal((ITEMS, 3))
        confidence = 1 - 0.35 * rng.random(ITEMS) ** 2
        confidence[: round(self.outside * ITEMS)] = 0.5
        chance = np.clip(self.excess * (1 - confidence), 0, 1)
        if self.pocket:
            distance = np.linalg.norm(place - place[0], axis=1)
            chance = np.where(distance <= np.quantile(distance, self.pocket), 0.9, chance)
        question = Blind(None, threshold=0.5)
        scores = question.gather({
            "label": np.ones(ITEMS, dtype=np.int64), "confidence": confidence, "features": place,
        })  # fmt: skip
        return dict(scores), chance, rng.random(ITEMS) < chance


CASES = (
    Case("a pocket of errors, learning search", "learning", pocket=0.08),
    Case("a pocket, learning, batches of 5", "learning", pocket=0.08, batch=5),
    Case("as often as admitted, learning search", "learning"),
    Case("no error at all, learning search", "learning", excess=0.0),
    Case("twice as often as admitted, lowest confidence", "lowest-confidence", excess=2.0),
    Case("as often as admitted, no hunt", "random", floor=0.5),
    Case(
        "a pocket in a part of the pool, a third of the errors untold", "learning", pocket=0.08, outside=0.3, untold=0.3
    ),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Of all repetitions: how often an interval missed its truth at any look, and how often the alarm was raised."""

    repetitions: int
    rate: int
    ratio: int
    alarms: int
    width: float


def follow(case: Case, *, repetitions: int = REPETITIONS, seed: int = SEED) -> Counts:
    """Hunt in random pools and hold what was said at every look against the truth."""
    question = Blind(None, threshold=0.5, search=case.search, floor=case.floor)
    rate = ratio = alarms = 0
    widths = []
    for number in range(repetitions):
        scores, chance, wrong = case.draw(seed + number)
        nobody = frozenset(np.flatnonzero(wrong & (generator(number, "untold").random(ITEMS) < case.untold)).tolist())
        records = simulate(
            question, scores, wrong, budget=BUDGET, batch=case.batch, seed=number, untold=nobody
        )  # fmt: skip
        estimator = question.estimator(size=ITEMS, claim=None)
        estimator.weigh(scores)
        estimator.update(records)
        finding = estimator.finding()
        path: dict[str, Any] = dict(finding.path)
        low, high = np.array(path["rate_low"]), np.array(path["rate_high"])
        truth = float(np.mean(wrong[scores["scope"] > 0]))
        rate += bool(np.any((low > truth + 1e-9) | (high < truth - 1e-9)))
        widths.append(high[-1] - low[-1])
        expected = np.cumsum(expected_errors(np.array(path["confidence"])))
        bound = np.cumsum(chance[path["row"]]) / expected
        below, above = (np.array(path[name], dtype=float) for name in ("low", "high"))
        ratio += bool(np.any((below > bound + 1e-9) | (above < bound - 1e-9)))
        alarms += finding.reached_at is not None
    return Counts(repetitions, rate, ratio, alarms, float(np.mean(widths)))


def check(case: Case, counts: Counts) -> list[str]:
    """Where a promise is broken by more than chance explains: three standard errors."""
    most = (1 - LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / counts.repetitions)) * counts.repetitions
    said = {"the rate's interval missed": counts.rate, "the ratio's interval missed": counts.ratio}
    if case.is_calibrated:
        said["the alarm was false"] = counts.alarms
    return [
        f"{case.name}: {what} in {number} of {counts.repetitions}" for what, number in said.items() if number > most
    ]


def section(*, repetitions: int = REPETITIONS, seed: int = SEED) -> tuple[str, list[str]]:
    """The section of the coverage report, and where promises are broken."""
    lines = [
        HEADING,
        "",
        f"Hunts of {BUDGET} answers in pools of {ITEMS} items, {repetitions} times each; the chance error of a share "
        f"of {percent(1 - LEVEL)} is {percent(math.sqrt(LEVEL * (1 - LEVEL) / repetitions))}. An interval misses if it "
        "does so at any look. The rate is the share of the pool that is wrong; the ratio compares the chances of error "
        "of the items asked with what their confidence admits. The alarm says that the model is overconfident: where "
        "it is not, it may be raised in 5 %.",
        "",
        "| pool and search | rate's interval misses | its width at the end, mean | ratio's interval misses | alarm |",
        "|---|---|---|---|---|",
    ]
    broken: list[str] = []
    for case in CASES:
        counts = follow(case, repetitions=repetitions, seed=seed)
        broken += check(case, counts)
        rate, ratio, alarms = (percent(number / repetitions) for number in (counts.rate, counts.ratio, counts.alarms))
        lines.append(f"| {case.name} | {rate} | {percent(counts.width)} | {ratio} | {alarms} |")
    verdict = broken or ["Every promise is kept."]
    return "\n".join([*lines, "", *verdict, ""]), broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="blind_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
