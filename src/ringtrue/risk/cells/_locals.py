"""The ways of looking into a cell, by name."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from math import prod
from typing import Any, TypeAlias

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid, Ints
from ringtrue.risk.cells._lattice import lattice
from ringtrue.risk.cells._monte_carlo import monte_carlo
from ringtrue.risk.cells._shares import ClassShares, Predict
from ringtrue.risk.cells._splitting import splitting
from ringtrue.risk.cells._thresholds import thresholds
from ringtrue.risk.cells._trees import exact_trees

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
    """A way of looking by its name, or one that somebody made, with the name that findings give it."""
    if not isinstance(local, str):
        return getattr(local, "__name__", type(local).__name__), local
    if local not in LOCALS:
        raise InvalidInput(f"local={local!r} is unknown: use {', '.join(LOCALS)}, or a function like them")
    return local, LOCALS[local]


def predict_of(model: Any) -> Predict:
    """The function that labels points: the model itself, or its method `predict`."""
    predict: Predict = getattr(model, "predict", model)
    if not callable(predict):
        raise InvalidInput(f"model={model!r} must be a function of points, or have a method predict")
    return predict


def estimator_of(model: Any) -> Any:
    """The object behind a method: `forest` for `forest.predict`."""
    return getattr(model, "__self__", model)


def exact_is_cheap(model: Any, grid: Grid, looks: int) -> bool:
    """Whether the model's thresholds can be read off it, and cut the grid into no more boxes than `looks` per cell."""
    try:
        cuts = thresholds(estimator_of(model), grid.axes)
    except InvalidInput:
        return False
    return prod(cells + len(own.cuts) for cells, own in zip(grid.cells, cuts, strict=True)) <= looks * grid.size


def cheap_local(local: Local, model: Any, grid: Grid) -> Local:
    """How to look once more, at other cells: exactly where that costs little, else with few points each."""
    if local is LOCALS["trees"] or exact_is_cheap(model, grid, 4**grid.axes):
        return LOCALS["trees"]
    return LOCALS["lattice"]
