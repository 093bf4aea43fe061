"""What votes allow with nothing assumed of the judges: the evaluations of a sketch, as points of a linear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from ringtrue.core import ABSTAINED, Argument, InvalidInput, Json, Sketch, count, percent
from ringtrue.judges._evaluation import Floats, json_of

# A share of a pattern's items below this is the solver's rounding, not items.
ROUNDING = 1e-9
_INFEASIBLE = 2

PROGRAM = 2**13
"""Above so many unknowns, labels by patterns, the linear program of a specification would take minutes."""

# The solver keeps its constraints to about 1e-7, so that a best accuracy is known to a millionth. An answer is taken to
# be the best once a demand that is higher by that much is refused by clearly more than the solver's tolerance.
STEP = 1e-6
_REFUSED = -2e-7
_GAIN = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """Quantities that are linear in the unknowns: one row each, plus a constant."""

    matrix: Any  # a sparse array of scipy
    constant: Floats

    def at(self, point: Floats) -> Floats:
        value: Floats = self.matrix @ point + self.constant
        return value

    def less(self, other: Affine, factor: float) -> Affine:
        """Subtract a multiple of the other quantities."""
        return Affine((self.matrix - factor * other.matrix).tocsr(), self.constant - factor * other.constant)

    def scaled(self, factors: Floats) -> Affine:
        return Affine((sparse.diags_array(factors) @ self.matrix).tocsr(), self.constant * factors)

    def only(self, rows: NDArray[np.bool_]) -> Affine:
        return Affine(self.matrix[np.flatnonzero(rows)], self.constant[rows])

    def not_negative(self, *more: Floats) -> LinearConstraint:
        """Demand that no row falls below 0; `more` are columns of further unknowns."""
        columns = [sparse.csr_array(column[:, None]) for column in more]
        return LinearConstraint(sparse.hstack([self.matrix, *columns]).tocsr(), -self.constant, np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The unknowns say how many items of each seen pattern are of each label but the last.

    They are shares of a pattern's items or, for `whole` items, numbers of items that cannot be split. `right` and
    `voted` have a row per label and judge, all judges on the first label first: the items of that label on which
    the judge is right, and on which it voted, both as shares of all the items on which it voted. `prevalence` has a
    row per label: its share of all items.
    """

    right: Affine
    voted: Affine
    prevalence: Affine
    most: Floats
    """The most that one pattern can give away."""

    labels: int
    whole: bool

    @classmethod
    def of(cls, sketch: Sketch, *, whole: bool = False) -> Program:
        if not sketch.size:
            raise InvalidInput("sketch holds no item: count at least one item before asking what is possible")
        patterns = np.array(list(sketch.keys()), dtype=np.int64).T
        counts = np.array([sketch[pattern] for pattern in sketch], dtype=float)
        labels = len(sketch.labels)
        cast = (patterns != ABSTAINED) * counts
        voted = cast / np.maximum(cast.sum(axis=1, keepdims=True), 1.0)
        most = counts if whole else np.ones(len(counts))
        return cls(
            right=_by_label([np.where(patterns == label, voted, 0.0) / most for label in range(labels)], most),
            voted=_by_label([voted / most] * labels, most),
            prevalence=_by_label([(counts / sketch.size)[None] / most] * labels, most),
            most=most,
            labels=labels,
            whole=whole,
        )

    @property
    def unknowns(self) -> int:
        return len(self.most) * (self.labels - 1)

    def one_label(self, label: int) -> Floats:
        """Return the point at which all items are of one label."""
        point = np.zeros((self.labels, len(self.most)))
        point[label] = self.most
        return point[:-1].ravel()

    def lowest_accuracy(self, point: Floats) -> float:
        """Return the least accuracy of any judge on any label there; a judge without a vote there meets any demand."""
        share = np.where(point < ROUNDING, 0.0, np.where(point > 1 - ROUNDING, 1.0, point))
        point = np.round(point) if self.whole else share
        right, voted = self.right.at(point), self.voted.at(point)
        some = voted > ROUNDING
        return float(np.min(right[some] / voted[some], initial=1.0))

    def solve(
        self, objective: Floats, keep: list[LinearConstraint], *, low: Sequence[float] = (), high: Sequence[float] = ()
    ) -> Floats | None:
        """Find the point of least objective that keeps the constraints; None where there is none.

        `low` and `high` bound further unknowns, which follow the program's own in the objective and the constraints.
        """
        rows = list(keep)
        if self.labels > 2:
            rows.append(LinearConstraint(self.given_away(len(low)), -np.inf, self.most))
        bounds = Bounds(np.append(np.zeros(self.unknowns), low), np.append(np.tile(self.most, self.labels - 1), high))
        integral = np.append(np.full(self.unknowns, int(self.whole)), np.zeros(len(low)))
        return solve_program(objective, rows, bounds, integral)

    def given_away(self, more: int = 0) -> Any:
        """Sum per pattern what it gives to the labels but the last, one row each."""
        patterns = len(self.most)
        blocks = [sparse.eye_array(patterns)] * (self.labels - 1)
        return sparse.hstack([*blocks, sparse.csr_array((patterns, more))] if more else blocks).tocsr()


def solve_program(
    objective: Floats, keep: list[LinearConstraint], bounds: Bounds, integral: Floats | None = None
) -> Floats | None:
    """Find the point of least objective; None where no point keeps the constraints."""
    for presolve in (True, False):  # the solver's presolve fails now and then on tiny panels; without it, it does not
        options = {"mip_rel_gap": 0, "presolve": presolve}
        answer = milp(objective, integrality=integral, bounds=bounds, constraints=keep, options=options)
        if answer.x is not None:
            return np.asarray(answer.x, dtype=float)
        if answer.status == _INFEASIBLE:
            return None
    raise RuntimeError(f"the linear program could not be solved: {answer.message}")


def _by_label(blocks: list[Floats], most: Floats) -> Affine:
    """Stack the rows label by label; what a pattern does not give to an earlier label is of the last."""
    first, last = [sparse.csr_array(block) for block in blocks[:-1]], sparse.csr_array(blocks[-1])
    constant = np.concatenate([np.zeros(sum(len(block) for block in blocks[:-1])), blocks[-1] @ most])
    return Affine(sparse.vstack([sparse.block_diag(first), sparse.hstack([-last] * len(first))]).tocsr(), constant)


def best_minimum_accuracy(sketch: Sketch, *, whole: bool = False) -> float:
    """Find the highest accuracy that all judges could have on every label at once, whatever the truth is.

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
    """Find the labelling that exceeds a demanded accuracy most, and by how much, in units of the weights."""
    rows = program.right.less(program.voted, demand).scaled(1 / weight)
    objective = np.append(np.zeros(program.unknowns), -1.0)
    keep = [rows.not_negative(-np.ones(len(weight)))]
    point = program.solve(objective, keep, low=[-2 / weight.min()], high=[1.0])
    if point is None:
        raise RuntimeError("the solver found no labelling although any labelling keeps these constraints")
    return point[:-1], float(point[-1])


def _bisected(program: Program, best: float, weight: Floats) -> float:
    """Bisect where the steps get stuck: in rare panels where a judge has no vote on some label at the best point."""
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
        """The most by which their accuracies differ: where they agree they are right or wrong together."""
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
        derived = ("disagreement", "worse_errs_at_least", "accuracies_differ_at_most")
        return {"sentence": str(self), **json_of(self), **{name: getattr(self, name) for name in derived}}


def two_judges(sketch: Sketch) -> TwoJudges:
    """Say what the votes of two judges tell if nothing is assumed: about these very items, without an interval.

    On every disagreement at least one of them errs, so their error rates sum to at least the share of
    disagreements, and the worse judge errs on at least half of it. With two labels exactly one errs there.

    >>> print(two_judges(Sketch.from_cells(["ann", "bob"], ["yes", "no"], [40, 12, 8, 40])))
    ann and bob disagree on 20% of 100 items: one of them errs on at least 10%, their accuracies differ by at \
most 20%
    """
    if len(sketch.judges) != 2:
        raise InvalidInput(
            Argument("judges", list(sketch.judges)), " must be two: take a pair with sketch.marginal([first, second])"
        )
    both = [(pattern, times) for pattern, times in sketch.items() if ABSTAINED not in pattern]
    items = sum(times for _, times in both)
    if not items:
        raise InvalidInput(f"{sketch.judges[0]} and {sketch.judges[1]} never voted on the same item: take another pair")
    apart = sum(times for pattern, times in both if pattern[0] != pattern[1])
    return TwoJudges((sketch.judges[0], sketch.judges[1]), items, apart)


def beyond_program(votes: Sketch) -> str:
    """Say in one sentence why a specification is not held against the votes; nothing if it can be."""
    if len(votes.labels) * len(votes) <= PROGRAM:
        return ""
    return (
        f"whether all judges can be so good is not looked at: {count(len(votes.labels), 'label')} on "
        f"{count(len(votes), 'pattern')} of votes are too many to work out; merge labels"
    )
