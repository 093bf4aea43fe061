"""The ways of looking into a cell, by name; the one for answers too rare for draws is multilevel splitting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Argument, InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ClassShares, Predict, checked_cells
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._trees import exact_trees, thresholds

_SCORES = ("decision_function", "predict_log_proba", "predict_proba")
_NEVER = -1e300


def splitting(model: Any, grid: Grid, cells: ArrayLike, classes: Sequence[Any], *, seed: int) -> ClassShares:
    """Return the share that differs from the class at the centre, down to 1e-12 of a cell.

    It is for few cells: each costs much. All that differs is given to the class that comes second at the centre: with
    two classes that is exact.

    Parameters
    ----------
    model
        A classifier that scores classes as those of scikit-learn do, since a rare answer is found by climbing towards
        it.
    grid
        The cells.
    cells
        The numbers of the cells that are looked into.
    classes
        The names of the classes.
    seed
        The seed of the draws.
    """
    from ringtrue.risk.rare import cell_unastuteness, margin  # here, because it loads scipy.stats

    def score(points: Floats, label: Ints) -> Floats:
        values = _scores(model, points, classes)
        # Of classes that score alike the model names the first: it fails there unless that is the right one.
        away = margin(values, label)
        return np.where(values.argmax(axis=1) == label, np.minimum(away, -np.finfo(float).tiny), away)

    numbers = checked_cells(grid, cells)
    low = grid.corners(numbers)
    order = np.argsort(-_scores(model, low + grid.sides / 2, classes), axis=1, kind="stable")
    found = cell_unastuteness(score, low, low + grid.sides, order[:, 0], seed=seed)
    shares = np.zeros((len(numbers), len(classes)))
    np.put_along_axis(shares, order[:, :1], 1 - found.unastuteness[:, None], axis=1)
    np.put_along_axis(shares, order[:, 1:2], found.unastuteness[:, None], axis=1)
    calls = int(found.calls.sum()) + len(numbers)
    return ClassShares(numbers, tuple(classes), shares, 0, calls, found.variance)


def _scores(model: Any, points: Floats, classes: Sequence[Any]) -> Floats:
    """Return what the model scores each class with, in the order of `classes`; one it does not know is never named."""
    name = next((name for name in _SCORES if hasattr(model, name)), None)
    if name is None or not hasattr(model, "classes_"):
        raise InvalidInput(
            f"model={type(model).__name__} must have classes_ and {', '.join(_SCORES[:-1])} or {_SCORES[-1]} for "
            "splitting: use monte-carlo"
        )
    given = np.asarray(getattr(model, name)(points), dtype=float)
    if given.ndim == 1:  # of two classes, the second one's alone
        given = np.stack([-given, given], axis=1)
    known = {label: column for column, label in enumerate(model.classes_.tolist())}
    scores = np.full((len(points), len(classes)), _NEVER)
    for place, label in enumerate(classes):
        if label in known:
            scores[:, place] = np.maximum(given[:, known[label]], _NEVER)
    return scores


Local: TypeAlias = Callable[[Any, Grid, Ints, tuple[Any, ...], int, Executor | None], ClassShares]
"""A way of finding how much of each cell a model gives to each class, from a seed and with several workers or none."""

LOCALS: dict[str, Local] = {
    "lattice": lambda model, grid, cells, classes, seed, executor: lattice(
        predict_of(model), grid, cells, classes, seed=seed, executor=executor
    ),
    "monte-carlo": lambda model, grid, cells, classes, seed, executor: monte_carlo(
        predict_of(model), grid, cells, classes, seed=seed, executor=executor
    ),
    "trees": lambda model, grid, cells, classes, _, executor: exact_trees(
        estimator_of(model), grid, cells, classes, executor=executor
    ),
    "splitting": lambda model, grid, cells, classes, seed, _: splitting(
        estimator_of(model), grid, cells, classes, seed=seed
    ),
}
"""A new way of looking into cells is one row here."""


def local_of(local: str | Local) -> tuple[str, Local]:
    """Return a way of looking by its name, or one that the user made, with the name that findings give it."""
    if not isinstance(local, str):
        return getattr(local, "__name__", type(local).__name__), local
    if local not in LOCALS:
        rule = f" is unknown: use {', '.join(LOCALS)}, or a function like them"
        raise InvalidInput(Argument("local", local), rule)
    return local, LOCALS[local]


def predict_of(model: Any) -> Predict:
    """Return the function that labels points: the model itself, or its method `predict`."""
    predict: Predict = getattr(model, "predict", model)
    if not callable(predict):
        raise InvalidInput(f"model={model!r} must be a function of points, or have a method predict")
    return predict


def estimator_of(model: Any) -> Any:
    """Return the object behind a method: `forest` for `forest.predict`."""
    return getattr(model, "__self__", model)


def exact_is_cheap(model: Any, grid: Grid, looks: int) -> bool:
    """Return whether the model's thresholds are known, and cut the grid into no more boxes than `looks` per cell."""
    try:
        cuts = thresholds(estimator_of(model), grid.axes)
    except InvalidInput:
        return False
    return prod(cells + len(own.cuts) for cells, own in zip(grid.cells, cuts, strict=True)) <= looks * grid.size


def cheap_local(local: Local, model: Any, grid: Grid) -> Local:
    """Return how to look once more, at other cells: exactly where that costs little, else with few points each."""
    if local is LOCALS["trees"] or exact_is_cheap(model, grid, 4**grid.axes):
        return LOCALS["trees"]
    return LOCALS["lattice"]
