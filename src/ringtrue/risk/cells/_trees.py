"""How much of a cell a fitted tree ensemble of scikit-learn gives to each class: exactly, between its thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ROWS, ClassShares, Predict, answers, checked_cells, fan_out

Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """The thresholds of a model along one feature, rising; `single` if it compares in single precision."""

    cuts: Floats
    single: bool

    def safe(self, points: Floats) -> Floats:
        """Return points between the same thresholds as the given ones, that rounding does not carry across one.

        A model that compares in single precision may round a point to the other side of a threshold nearby. Where no
        single-precision number lies between two thresholds, no point is answered as from there, and it stays.
        """
        if not self.single:
            return points
        bounds = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        # A tree goes left where a number is not above its threshold: a box lacks its lower bound and has its upper.
        box = np.searchsorted(self.cuts, points, side="left")
        lowest = np.nextafter(_rounded_down(bounds[box]), np.float32(np.inf))
        highest = _rounded_down(bounds[box + 1])
        return np.where(lowest <= highest, np.clip(points.astype(np.float32), lowest, highest), points)


def thresholds(model: Any, axes: int) -> list[Thresholds]:
    """Return the thresholds of a model along each of its features."""
    # A second of loading, which only those pay who look into a forest.
    from sklearn import ensemble
    from sklearn.exceptions import NotFittedError
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils.validation import check_is_fitted

    binned = ensemble.HistGradientBoostingClassifier
    forests = ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier, ensemble.GradientBoostingClassifier
    known = isinstance(model, (DecisionTreeClassifier, *forests, binned))
    kind = type(model).__name__
    # Gradient boosting may start from another model, which need not be constant anywhere.
    if not known or getattr(model, "init", None) not in (None, "zero"):
        raise InvalidInput(
            f"model={kind} is not a scikit-learn classifier known to be constant between thresholds: "
            "look with lattice or monte_carlo"
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InvalidInput(f"model={kind} is not fitted: call fit first") from None
    if model.n_features_in_ != axes:
        raise InvalidInput(f"model={kind} reads {model.n_features_in_} features, but the grid has {axes} axes")
    single = not isinstance(model, binned)
    if single:
        trees = [model] if isinstance(model, DecisionTreeClassifier) else np.ravel(model.estimators_)
        inner = [(tree.tree_, tree.tree_.children_left >= 0) for tree in trees]
        splits = [(tree.feature[here], tree.threshold[here]) for tree, here in inner]
    else:  # only a private list shows these trees
        nodes = [tree.nodes[tree.nodes["is_leaf"] == 0] for stage in model._predictors for tree in stage]
        if any(inside["is_categorical"].any() for inside in nodes):
            raise InvalidInput("model splits categorical features, which have no thresholds: look with monte_carlo")
        splits = [(inside["feature_idx"], inside["num_threshold"]) for inside in nodes]
    features, cuts = (np.concatenate(parts) for parts in zip(*splits, strict=True))
    return [Thresholds(np.unique(cuts[features == axis]), single) for axis in range(axes)]


def _rounded_down(numbers: Floats) -> Singles:
    """Return the largest single-precision number that is not above each."""
    near = numbers.astype(np.float32)
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)


DUST = 1e-12
"""A piece thinner than this share of its cell's side is rounding, not area."""


def exact_trees(
    model: Any, grid: Grid, cells: ArrayLike, classes: Sequence[Any], *, executor: Executor | None = None
) -> ClassShares:
    """Return the exact share of each class in every cell, for a classifier made of trees.

    The thresholds of the trees cut a cell into boxes on which the model is constant, and it is asked once in each. A
    cell that is cut c times along each of d axes costs (c + 1)^d predictions; beyond 250,000 it is refused.

    Areas are those of the thresholds as numbers. Most trees round a feature to single precision before they compare
    it, which moves a cut by up to 2^-24 of its size: cells that are not much wider than that are refused.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [0.5]], ["a", "b"])
    >>> exact_trees(tree, Grid.over(0, 1, 2), [0, 1], ("a", "b")).shares.tolist()
    [[0.5, 0.5], [0.0, 1.0]]

    Parameters
    ----------
    model
        A fitted classifier of scikit-learn: a decision tree, a random forest, extra trees or (histogram) gradient
        boosting.
    grid
        The cells.
    cells
        The numbers of the cells that are looked into.
    classes
        The names of the classes.
    executor
        Runs several chunks of cells at once.
    """
    numbers, labels = checked_cells(grid, cells), tuple(classes)
    axes = tuple(_Pieces.along(grid, axis, found) for axis, found in enumerate(thresholds(model, grid.axes)))
    ends = np.cumsum(_boxes(axes, grid, numbers))
    calls = int(ends[-1]) if ends.size else 0
    parts = np.split(numbers, np.searchsorted(ends, np.arange(ROWS, calls, ROWS)))
    chunks = [(model.predict, axes, grid, part, labels) for part in parts]
    return ClassShares(numbers, labels, fan_out(_chunk, chunks, len(labels), executor), 0, calls)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """An axis, cut at the edges of cells and at thresholds; cell i has the pieces from `first[i]` to `first[i + 1]`.

    `points` are where to ask about each piece, `shares` its length as a share of the cell's.
    """

    first: Ints
    points: Floats
    shares: Floats

    @classmethod
    def along(cls, grid: Grid, axis: int, found: Thresholds) -> _Pieces:
        side = float(grid.sides[axis])
        spacing = float(np.spacing(np.float32(max(abs(grid.low[axis]), abs(grid.high[axis])))))
        if found.single and side < 100 * spacing:
            raise InvalidInput(
                f"cells of the side {side:.3g} along axis {axis} are too small for a model that compares in single "
                f"precision, here in steps of {spacing:.3g}: move the feature nearer to zero or take larger cells"
            )
        edges = grid.low[axis] + np.arange(grid.cells[axis] + 1) * side
        inside = found.cuts[(found.cuts > edges[0]) & (found.cuts < edges[-1])]
        to_edge = np.abs(inside - edges[np.rint((inside - edges[0]) / side).astype(np.int64)])
        to_last = np.diff(inside, prepend=-np.inf)
        bounds = np.sort(np.concatenate([edges, inside[np.minimum(to_edge, to_last) > DUST * side]]))
        lengths = np.diff(bounds)
        return cls(np.searchsorted(bounds, edges), found.safe(bounds[:-1] + lengths / 2), lengths / side)


def _boxes(axes: Sequence[_Pieces], grid: Grid, cells: Ints) -> Ints:
    """Count the boxes that each cell is cut into."""
    boxes = np.ones(len(cells))  # in floating point, because a product that is far too large must not wrap around
    for pieces, step in zip(axes, np.unravel_index(cells, grid.cells), strict=True):
        boxes *= np.diff(pieces.first)[step]
    if boxes.size and boxes.max() > ROWS:
        raise InvalidInput(
            f"the model cuts cell {cells[np.argmax(boxes)]} into {boxes.max():.3g} boxes, and more than {ROWS} are too "
            "many: take smaller cells, or look with lattice or monte_carlo"
        )
    return boxes.astype(np.int64)


def _chunk(predict: Predict, axes: Sequence[_Pieces], grid: Grid, cells: Ints, classes: tuple[Any, ...]) -> Floats:
    boxes = _boxes(axes, grid, cells)
    owner = np.repeat(np.arange(len(cells)), boxes)
    # The number of a box within its cell, of which each axis takes its digit.
    digits = np.arange(len(owner)) - np.repeat(np.cumsum(boxes) - boxes, boxes)
    points, volumes = np.empty((len(owner), len(axes))), np.ones(len(owner))
    for axis, (pieces, step) in enumerate(zip(axes, np.unravel_index(cells, grid.cells), strict=True)):
        digits, digit = np.divmod(digits, np.diff(pieces.first)[step][owner])
        piece = pieces.first[step][owner] + digit
        points[:, axis], volumes = pieces.points[piece], volumes * pieces.shares[piece]
    said = answers(predict, points, classes)
    sums = np.bincount(owner * len(classes) + said, weights=volumes, minlength=len(cells) * len(classes))
    areas = sums.reshape(len(cells), len(classes))
    # Divided by their own sum, a cell of one class is exactly 1 and not 1 - 1e-16.
    return np.asarray(areas / areas.sum(axis=1, keepdims=True))
