"""Every evaluation that a sketch allows, as the points of a linear program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from ringtrue.core import ABSTAINED, InvalidInput, Sketch
from ringtrue.judges._evaluation import Floats

# A share of a pattern's items below this is the solver's rounding, not items.
ROUNDING = 1e-9
_INFEASIBLE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """Quantities that are linear in the unknowns: one row each, plus a constant."""

    matrix: Any  # a sparse array of scipy
    constant: Floats

    def at(self, point: Floats) -> Floats:
        value: Floats = self.matrix @ point + self.constant
        return value

    def less(self, other: Affine, factor: float) -> Affine:
        """These quantities less a multiple of the others."""
        return Affine((self.matrix - factor * other.matrix).tocsr(), self.constant - factor * other.constant)

    def scaled(self, factors: Floats) -> Affine:
        return Affine((sparse.diags_array(factors) @ self.matrix).tocsr(), self.constant * factors)

    def only(self, rows: NDArray[np.bool_]) -> Affine:
        return Affine(self.matrix[np.flatnonzero(rows)], self.constant[rows])

    def not_negative(self, **more: Floats) -> LinearConstraint:
        """The constraint that no row falls below 0; `more` are columns of further unknowns, in order."""
        columns = [sparse.csr_array(column[:, None]) for column in more.values()]
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
        """The point at which all items are of one label."""
        point = np.zeros((self.labels, len(self.most)))
        point[label] = self.most
        return point[:-1].ravel()

    def lowest_accuracy(self, point: Floats) -> float:
        """The smallest accuracy of any judge on any label there; a judge without a vote on a label meets any demand."""
        share = np.where(point < ROUNDING, 0.0, np.where(point > 1 - ROUNDING, 1.0, point))
        point = np.round(point) if self.whole else share
        right, voted = self.right.at(point), self.voted.at(point)
        some = voted > ROUNDING
        return float(np.min(right[some] / voted[some], initial=1.0))

    def solve(
        self, objective: Floats, keep: list[LinearConstraint], *, low: Floats | None = None, high: Floats | None = None
    ) -> Floats | None:
        """The point of least objective that keeps the constraints; None where there is none.

        `low` and `high` bound further unknowns, which follow the program's own in the objective and the constraints.
        """
        more = 0 if low is None else len(low)
        rows = list(keep)
        if self.labels > 2:
            rows.append(LinearConstraint(self.given_away(more), -np.inf, self.most))
        bounds = Bounds(
            np.concatenate([np.zeros(self.unknowns), np.zeros(0) if low is None else low]),
            np.concatenate([np.tile(self.most, self.labels - 1), np.zeros(0) if high is None else high]),
        )
        integral = np.concatenate([np.full(self.unknowns, int(self.whole)), np.zeros(more)])
        return least(objective, rows, bounds, integral)

    def given_away(self, more: int = 0) -> Any:
        """A row per pattern: what it gives to the labels but the last."""
        patterns = len(self.most)
        blocks = [sparse.eye_array(patterns)] * (self.labels - 1)
        return sparse.hstack([*blocks, sparse.csr_array((patterns, more))] if more else blocks).tocsr()


def least(
    objective: Floats, keep: list[LinearConstraint], bounds: Bounds, integral: Floats | None = None
) -> Floats | None:
    """The point of least objective; None where no point keeps the constraints."""
    for presolve in (True, False):  # the solver's presolve fails now and then on tiny panels; without it, it does not
        options = {"mip_rel_gap": 0, "presolve": presolve}
        answer = milp(objective, integrality=integral, bounds=bounds, constraints=keep, options=options)
        if answer.x is not None:
            return np.asarray(answer.x, dtype=float)
        if answer.status == _INFEASIBLE:
            return None
    raise RuntimeError(f"the linear program could not be solved: {answer.message}")


def _by_label(blocks: list[Floats], most: Floats) -> Affine:
    """Rows label by label; what a pattern does not give to an earlier label is of the last."""
    first, last = [sparse.csr_array(block) for block in blocks[:-1]], sparse.csr_array(blocks[-1])
    constant = np.concatenate([np.zeros(sum(len(block) for block in blocks[:-1])), blocks[-1] @ most])
    return Affine(sparse.vstack([sparse.block_diag(first), sparse.hstack([-last] * len(first))]).tocsr(), constant)
