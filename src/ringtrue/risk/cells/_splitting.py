"""How much of a cell a model gives to each class, where that is too rare for draws: by multilevel splitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._fan_out import checked_cells
from ringtrue.risk.cells._shares import ClassShares

_SCORES = ("decision_function", "predict_log_proba", "predict_proba")
_NEVER = -1e300


def splitting(model: Any, grid: Grid, cells: ArrayLike, classes: Sequence[Any], *, seed: int) -> ClassShares:
    """The share that differs from the class at the centre, down to 1e-12 of a cell. For few cells: each costs much.

    The model must score classes as scikit-learn's classifiers do, since a rare answer is found by climbing towards
    it. All that differs is given to the class that comes second at the centre: with two classes that is exact.
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
    """What the model scores each class with, in the order of `classes`; one it does not know is never named."""
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
