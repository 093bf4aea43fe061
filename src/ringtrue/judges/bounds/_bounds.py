"""What votes alone allow, with nothing assumed of the judges: how good all of them could be, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput, Json, Sketch, count, label_text, percent
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.bounds._program import Program, as_share

# The solver keeps its constraints to about 1e-7, so that a best accuracy is known to a millionth. An answer is taken to
# be the best once a demand that is higher by that much is refused by clearly more than the solver's tolerance.
_STEP = 1e-6
_REFUSED = -2e-7
_GAIN = 1e-9


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether all judges could be right on at least a given share of each label; true or false as a condition.

    `best` is the highest share that all of them could reach on every label at once.
    """

    judges: int
    items: int
    at_least: float
    best: float

    def __bool__(self) -> bool:
        return self.at_least <= self.best + _STEP

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
        return {
            "sentence": str(self), "possible": bool(self), "judges": self.judges, "items": self.items,
            "at_least": self.at_least, "best": self.best,
        }  # fmt: skip


def could_all_reach(sketch: Sketch, at_least: float, *, whole: bool = False) -> Reach:
    """Could all of these judges be right on at least this share of each label? Nothing is assumed of them.

    "No" is an alarm that needs no labels and no model: whatever the true labels are, some judge breaks the
    specification. "Yes" is no praise: the votes of bad judges may look like this too.

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
    _, slack = _raised(program, best + _STEP, weight)
    return best if slack < _REFUSED else _bisected(program, best, weight)


def prevalence_range(
    sketch: Sketch, *, at_least: float, label: Any = None, whole: bool = False
) -> tuple[float, float] | None:
    """The smallest and the largest share of a label, by default the first, if all judges reach `at_least`.

    Every judge is right on at least this share of each label, over the items on which it voted. None if no labelling
    of these items gives that. The range is sharp: each share in it belongs to some labelling. For `whole` see
    `could_all_reach`.

    >>> sketch = Sketch.from_cells(["a", "b", "c"], ["yes", "no"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> low, high = prevalence_range(sketch, at_least=0.6)
    >>> round(low, 4), round(high, 4)
    (0.2963, 0.7407)
    """
    at_least = checked_share("at_least", at_least)
    place = 0 if label is None else _label_place(sketch, label)
    program = Program.of(sketch, whole=whole)
    keep = [program.right.less(program.voted, at_least).not_negative()]
    share = program.prevalence.only(np.arange(program.labels) == place)
    objective = share.matrix.toarray()[0]
    ends = [program.solve(sign * objective, keep) for sign in (1.0, -1.0)]
    if ends[0] is None or ends[1] is None:
        return None
    low, high = (as_share(float(share.at(point)[0])) for point in ends if point is not None)
    return low, high


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


def _label_place(sketch: Sketch, label: Any) -> int:
    text = label_text(label)
    if text not in sketch.labels:
        raise InvalidInput(f"label={label!r} is none of {', '.join(sketch.labels)}: mend it")
    return sketch.labels.index(text)


def checked_share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise InvalidInput(f"{name}={value!r} must lie in [0, 1]: give the least share of right votes")
    return float(value)
