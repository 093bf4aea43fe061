"""What votes alone allow, with nothing assumed of the judges: how right they could be, and in how many ways."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint

from ringtrue.core import ABSTAINED, InvalidInput, Json, Sketch, count, label_text, percent
from ringtrue.judges._bounds import ROUNDING, STEP, Affine, Program, best_minimum_accuracy, solve_program
from ringtrue.judges._evaluation import Values

Range: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reach:
    """The answer whether all judges could be right on a given share of each label; true or false as a condition.

    `best` is the highest share that all of them could reach on every label at once.
    """

    judges: int
    items: int
    at_least: float
    best: float

    def __bool__(self) -> bool:
        return self.at_least <= self.best + STEP

    def __str__(self) -> str:
        goal, items = f"at least {percent(self.at_least)} right on every label", count(self.items, "item")
        if self:
            return f"{count(self.judges, 'judge')} could all be {goal} of these {items}"
        best = percent(self.best, toward="above")
        return (
            f"{count(self.judges, 'judge')} cannot all be {goal} of these {items}: whatever the truth is, one of them "
            f"is at most {best} right on some label"
        )

    def to_json(self) -> dict[str, Json]:
        return {"sentence": str(self), "possible": bool(self), **asdict(self)}


def could_all_reach(sketch: Sketch, at_least: float, *, whole: bool = False) -> Reach:
    """Say whether all of these judges could be right on at least this share of each label, with nothing assumed.

    "No" is an alarm that needs no labels and no model: whatever the true labels are, some judge breaks the
    specification. "Yes" is not praise: the votes of bad judges may look like this too.

    Accuracy on a label is over the items of that label on which the judge voted; where there are none, any demand
    is met. `whole` forbids to split an item between labels, which is exact but slow for large panels; without it
    the answer differs by less than an item's worth, and only towards "yes".

    >>> sketch = Sketch.from_cells(["a", "b", "c"], ["yes", "no"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> bool(could_all_reach(sketch, 0.7))
    True
    >>> print(could_all_reach(sketch, 0.8))
    3 judges cannot all be at least 80% right on every label of these 450 items: whatever the truth is, one of them \
is at most 73.4% right on some label
    """
    wanted = checked_share("at_least", at_least)
    return Reach(len(sketch.judges), sketch.size, wanted, best_minimum_accuracy(sketch, whole=whole))


def prevalence_range(
    sketch: Sketch, *, at_least: float, label: Any = None, whole: bool = False
) -> tuple[float, float] | None:
    """Bound the share of a label, by default the first, if all judges reach `at_least`.

    Every judge is right on at least this share of each label, over the items on which it voted. None if no labelling
    of these items gives that. The range is sharp: each share in it belongs to some labelling. For `whole` see
    `could_all_reach`.

    >>> sketch = Sketch.from_cells(["a", "b", "c"], ["yes", "no"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> low, high = prevalence_range(sketch, at_least=0.6)
    >>> round(low, 4), round(high, 4)
    (0.2963, 0.7407)
    """
    at_least = checked_share("at_least", at_least)
    text = sketch.labels[0] if label is None else label_text(label)
    if text not in sketch.labels:
        raise InvalidInput(f"label={label!r} is none of {', '.join(sketch.labels)}: mend it")
    program = Program.of(sketch, whole=whole)
    keep = [program.right.less(program.voted, at_least).not_negative()]
    share = program.prevalence.only(np.array(sketch.labels) == text)
    objective = share.matrix.toarray()[0]
    ends = [program.solve(sign * objective, keep) for sign in (1.0, -1.0)]
    if ends[0] is None or ends[1] is None:
        return None
    low, high = (as_share(float(share.at(point)[0])) for point in ends if point is not None)
    return low, high


def checked_share(name: str, value: float) -> float:
    """Return a share of right votes; refuse a number outside [0, 1]."""
    if not 0 <= value <= 1:
        raise InvalidInput(f"{name}={value!r} must lie in [0, 1]: give the least share of right votes")
    return float(value)


def as_share(value: float) -> float:
    """Round a share of items that the solver found: what is within its rounding of none or of all is that.

    >>> as_share(8e-17), as_share(0.25), as_share(1 + 2e-16)
    (0.0, 0.25, 1.0)
    """
    return 0.0 if value < ROUNDING else 1.0 if value > 1 - ROUNDING else value


@dataclass(frozen=True, slots=True)
class AccuracyBounds(Values):
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


def accuracy_bounds(sketch: Sketch, *, at_least: float = 0.0, judges: Iterable[str] | None = None) -> AccuracyBounds:
    """Bound for each judge and label how right it could be if all the other judges reach `at_least` on every label.

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
    """Scale all unknowns by a factor that is itself unknown, so that the judge's items of the label come to one."""
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
        point = solve_program(sign * objective, keep, Bounds(0.0, most))
        if point is None:
            return None
        ends.append(as_share(float(objective @ point)))
    return ends[0], ends[1]


def _with_factor(quantity: Affine) -> Any:
    """Return the rows with the constant as one more column."""
    return sparse.hstack([quantity.matrix, quantity.constant[:, None]]).tocsr()


def _written(found: Range) -> str:
    return f"[{percent(found[0], toward='below')}, {percent(found[1], toward='above')}]"


def consistent_evaluations(sketch: Sketch, first_label_items: int) -> int:
    """Count the ways to give each pattern its items of the first of two labels, with so many in all.

    A pattern that was seen m times can have 0, 1, ... m of them, so the number is the coefficient of x to the power
    `first_label_items` in the product of (1 + x + ... + x^m) over the patterns. Each factor is (1 - x^(m+1)) over
    (1 - x): the numerators are multiplied out, and the denominators are a binomial series. Exact at any size.

    >>> consistent_evaluations(Sketch(["a", "b"], ["yes", "no"], {(0, 0): 10}), 5)
    1
    >>> consistent_evaluations(Sketch(["a", "b"], ["yes", "no"], {(0, 0): 2, (1, 1): 2}), 2)
    3
    """
    items = _checked_items(sketch, first_label_items)
    items = min(items, sketch.size - items)  # as many ways as for the other label, and fewer terms
    numerator = {0: 1}
    for _, times in sketch.items():
        for power, factor in list(numerator.items()):
            if power + times + 1 <= items:
                numerator[power + times + 1] = numerator.get(power + times + 1, 0) - factor
    patterns = max(len(sketch), 1)
    ways = sum(factor * math.comb(items - power + patterns - 1, patterns - 1) for power, factor in numerator.items())
    return ways if len(sketch) else 1


def most_correct(sketch: Sketch, first_label_items: int) -> tuple[tuple[int, int], ...]:
    """Return for each judge the most items of the first and of the second label on which it can be right, both at once.

    The smaller of the items of the label and of the judge's votes for it. Both can be had together: the items of a
    label are first taken from those the judge gave it, then from those on which it abstained.

    >>> most_correct(Sketch(["a"], ["yes", "no"], {(0,): 7, (1,): 3}), 4)
    ((4, 3),)
    """
    first = _checked_items(sketch, first_label_items)
    votes = [[0, 0] for _ in sketch.judges]
    for pattern, times in sketch.items():
        for place, vote in enumerate(pattern):
            if vote >= 0:
                votes[place][vote] += times
    return tuple((min(first, yes), min(sketch.size - first, no)) for yes, no in votes)


def _checked_items(sketch: Sketch, first_label_items: int) -> int:
    if len(sketch.labels) != 2:
        raise InvalidInput(
            f"labels={list(sketch.labels)!r} are {len(sketch.labels)} labels, counting takes two: make all but one "
            "label into one"
        )
    items = operator.index(first_label_items)
    if not 0 <= items <= sketch.size:
        raise InvalidInput(
            f"first_label_items={items} must lie in [0, {sketch.size}]: the sketch has {sketch.size:,} items"
        )
    return items
