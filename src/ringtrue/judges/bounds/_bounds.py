"""What votes alone allow, with nothing assumed of the judges: how good all of them could be, and two of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.core import ABSTAINED, InvalidInput, Json, Sketch, count, percent
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.bounds._program import Program

# The solver keeps its constraints to about 1e-7, so that a best accuracy is known to a millionth. An answer is taken to
# be the best once a demand that is higher by that much is refused by clearly more than the solver's tolerance.
STEP = 1e-6
_REFUSED = -2e-7
_GAIN = 1e-9


def best_minimum_accuracy(sketch: Sketch, *, whole: bool = False) -> float:
    """The highest accuracy that all judges could have on every label at once, whatever the truth is.

    The largest, over all labellings, of the smallest of the judges' accuracies by label. A ratio of linear
    quantities is raised step by step: each linear program asks for more than the best labelling so far gives, with
    rows in proportion to that labelling's items. A handful of programs is enough.

    Reference: Crouzeix, Ferland & Schaible, An algorithm for generalized fractional programs, Journal of
    Optimization Theory and Applications 47 (1985).
    """
    program = Program.of(sketch, whole=whole)
    best = max(program.lowest_accuracy(program.one_label(label)) for label in range(program.labels))
    weight = np.full(len(program.voted.constant), 0.5)
    while True:
        point, _ = _raised(program, best, weight)
        weight = np.maximum(program.voted.at(point), 1e-3)
        reached = program.lowest_accuracy(point)
        if reached <= best + _GAIN:
            break
        best = reached
    _, slack = _raised(program, best + STEP, weight)
    return best if slack < _REFUSED else _bisected(program, best, weight)


def _raised(program: Program, demand: float, weight: Floats) -> tuple[Floats, float]:
    """The labelling that exceeds a demanded accuracy most, and by how much, in units of the weights."""
    rows = program.right.less(program.voted, demand).scaled(1 / weight)
    objective = np.append(np.zeros(program.unknowns), -1.0)
    keep = [rows.not_negative(slack=-np.ones(len(weight)))]
    point = program.solve(objective, keep, low=np.array([-2 / weight.min()]), high=np.array([1.0]))
    if point is None:
        raise RuntimeError("the solver found no labelling although any labelling keeps these constraints")
    return point[:-1], float(point[-1])


def _bisected(program: Program, best: float, weight: Floats) -> float:
    """For the rare panels where some judge has no vote on a label at the best point: there the steps get stuck."""
    low, high = best, 1.0
    while high - low > _GAIN:
        demand = (low + high) / 2
        point, slack = _raised(program, demand, weight)
        best = max(best, program.lowest_accuracy(point))
        low, high = (demand, high) if slack >= _REFUSED else (low, demand)
    return best


@dataclass(frozen=True, slots=True)
class TwoJudges:
    """Two judges on the items on which both voted; every bound holds whatever the truth is."""

    judges: tuple[str, str]
    items: int
    disagreements: int

    @property
    def disagreement(self) -> float:
        """The share of items on which they disagree; their error rates sum to at least this much."""
        return self.disagreements / self.items

    @property
    def worse_errs_at_least(self) -> float:
        """The error rate of the worse of the two is at least half of the disagreement."""
        return self.disagreement / 2

    @property
    def accuracies_differ_at_most(self) -> float:
        """Where they agree they are right or wrong together, so only disagreements can set their accuracies apart."""
        return self.disagreement

    def __str__(self) -> str:
        first, second = self.judges
        if not self.disagreements:
            return (
                f"{first} and {second} agree on all of {count(self.items, 'item')}: they are equally good, how "
                "good their votes cannot say"
            )
        return (
            f"{first} and {second} disagree on {percent(self.disagreement)} of {count(self.items, 'item')}: one of "
            f"them errs on at least {percent(self.worse_errs_at_least, toward='below')}, their accuracies differ by "
            f"at most {percent(self.accuracies_differ_at_most, toward='above')}"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self), "judges": list(self.judges), "items": self.items,
            "disagreements": self.disagreements, "disagreement": self.disagreement,
            "worse_errs_at_least": self.worse_errs_at_least,
            "accuracies_differ_at_most": self.accuracies_differ_at_most,
        }  # fmt: skip


def two_judges(sketch: Sketch) -> TwoJudges:
    """What the votes of two judges say of them if nothing is assumed: about these very items, without an interval.

    On every disagreement at least one of them errs, so their error rates sum to at least the share of
    disagreements, and the worse judge errs on at least half of it. With two labels exactly one errs there.

    >>> print(two_judges(Sketch.from_cells(["ann", "bob"], ["yes", "no"], [40, 12, 8, 40])))
    ann and bob disagree on 20% of 100 items: one of them errs on at least 10%, their accuracies differ by at \
most 20%
    """
    if len(sketch.judges) != 2:
        raise InvalidInput(
            f"judges={list(sketch.judges)!r} must be two: take a pair with sketch.marginal([first, second])"
        )
    both = [(pattern, times) for pattern, times in sketch.items() if ABSTAINED not in pattern]
    items = sum(times for _, times in both)
    if not items:
        raise InvalidInput(f"{sketch.judges[0]} and {sketch.judges[1]} never voted on the same item: take another pair")
    apart = sum(times for pattern, times in both if pattern[0] != pattern[1])
    return TwoJudges((sketch.judges[0], sketch.judges[1]), items, apart)
