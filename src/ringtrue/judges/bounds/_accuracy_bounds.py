"""How right each judge could be if the others keep a specification, with nothing else assumed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint

from ringtrue.core import ABSTAINED, Json, Sketch, percent
from ringtrue.judges.bounds._bounds import checked_share
from ringtrue.judges.bounds._program import Affine, Program, as_share, least

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AccuracyBounds:
    """For each judge and label the range of its accuracy if all the others reach `at_least` on every label.

    `ranges[j][l]` is None where no labelling lets the others reach that and leaves the judge an item of the label.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    at_least: float
    ranges: tuple[tuple[Range | None, ...], ...]

    def __str__(self) -> str:
        given = f"if the others are at least {percent(self.at_least)} right on every label"
        return "\n".join(
            f"{judge}, {given}: "
            + "; ".join(
                f"right on {label} " + ("cannot be" if found is None else _written(found))
                for label, found in zip(self.labels, row, strict=True)
            )
            for judge, row in zip(self.judges, self.ranges, strict=True)
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "judges": list(self.judges), "labels": list(self.labels), "at_least": self.at_least,
            "ranges": [[None if found is None else list(found) for found in row] for row in self.ranges],
        }  # fmt: skip


def accuracy_bounds(sketch: Sketch, *, at_least: float = 0.0, judges: Iterable[str] | None = None) -> AccuracyBounds:
    """For each judge and label, how right it could be if all the other judges reach `at_least` on every label.

    A ratio of linear quantities, made a linear program by fixing the denominator, with at least one item of the
    label on which the judge voted. Sharp but for items that are split between labels. By default nothing is
    demanded of the others; then almost everything is possible, which is what votes alone say.

    >>> sketch = Sketch.from_cells(["a", "b", "c"], ["yes", "no"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> print(accuracy_bounds(sketch, at_least=0.7, judges=["b"]))
    b, if the others are at least 70% right on every label: right on yes [35%, 77.2%]; right on no [36.6%, 100%]

    Reference: Charnes & Cooper, Programming with linear fractional functionals, Naval Research Logistics 9 (1962).
    """
    at_least = checked_share("at_least", at_least)
    names = sketch.judges if judges is None else tuple(judges)
    program = Program.of(sketch)
    places = [sketch.place_of(judge) for judge in names]
    ranges = tuple(
        tuple(_accuracy_range(program, sketch, place, label, at_least) for label in range(program.labels))
        for place in places
    )
    return AccuracyBounds(names, sketch.labels, at_least, ranges)


def _accuracy_range(program: Program, sketch: Sketch, place: int, label: int, at_least: float) -> Range | None:
    """All unknowns times a factor, and the factor itself, so that the judge's items of the label come to one."""
    judges = len(sketch.judges)
    row = np.arange(judges * program.labels) == label * judges + place
    others = np.arange(judges * program.labels) % judges != place
    demand, right, voted = (
        _with_factor(quantity)
        for quantity in (
            program.right.less(program.voted, at_least).only(others),
            program.right.only(row),
            program.voted.only(row),
        )
    )
    given = sparse.hstack([program.given_away(), -np.ones((len(program.most), 1))]).tocsr()
    keep = [
        LinearConstraint(demand, 0.0, np.inf),
        LinearConstraint(voted, 1.0, 1.0),
        LinearConstraint(given, -np.inf, 0.0),
    ]
    votes = sum(times for pattern, times in sketch.items() if pattern[place] != ABSTAINED)
    most = np.append(np.full(program.unknowns, np.inf), max(votes, 1))  # at least one item, as a share of the votes
    objective = right.toarray()[0]
    ends = []
    for sign in (1.0, -1.0):
        point = least(sign * objective, keep, Bounds(0.0, most))
        if point is None:
            return None
        ends.append(as_share(float(objective @ point)))
    return ends[0], ends[1]


def _with_factor(quantity: Affine) -> Any:
    """The rows with the constant as one more column."""
    return sparse.hstack([quantity.matrix, quantity.constant[:, None]]).tocsr()


def _written(found: Range) -> str:
    return f"[{percent(found[0], toward='below')}, {percent(found[1], toward='above')}]"
