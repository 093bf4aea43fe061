"""What votes alone allow, with nothing assumed of the judges: how good all of them could be."""

from __future__ import annotations

import numpy as np

from ringtrue.core import Sketch
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
