"""What a search knows: the pool it searches, and what has been asked and answered so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(eq=False)
class Field:
    """The n items of a pool as a search sees them, without their truth.

    `confidence` (n,) lies in [0, 1]; `features` (n, k) say which items are alike; each of `signals` (n,) grows with
    the suspicion of an error and is standardised given the confidence; `residual` (n,) is the adversarial distance
    above what the confidence lets expect, or None where no distance was measured.
    """

    confidence: Floats
    features: Floats
    signals: Mapping[str, Floats]
    residual: Floats | None
    seed: int

    def __post_init__(self) -> None:
        confidence = _column("confidence", self.confidence)
        n = len(confidence)
        inside = (confidence >= 0) & (confidence <= 1)
        if not np.all(inside):
            row = int(np.argmin(inside))
            raise InvalidInput(f"confidence[{row}]={confidence[row]:g} must lie in [0, 1]: give probabilities")
        features = np.asarray(self.features, dtype=np.float64)
        if features.ndim != 2 or len(features) != n:
            raise InvalidInput(f"features has shape {features.shape}, must be ({n}, k): give one row an item")
        if not np.all(np.isfinite(features)):
            row = int(np.argmin(np.all(np.isfinite(features), axis=1)))
            raise InvalidInput(f"features[{row}] must be finite: drop or fill the item")
        signals = {name: _column(f"signals[{name!r}]", values, n) for name, values in self.signals.items()}
        self.confidence, self.features, self.signals = confidence, features, signals
        if self.residual is not None:
            self.residual = _column("residual", self.residual, n, endless=True)

    def __len__(self) -> int:
        return len(self.confidence)


@dataclass(eq=False)
class History:
    """The items asked, in order, whether the model was wrong about each, and the items asked without answer yet.

    >>> History([3, 1], [True, False]).free(5)
    array([ True, False,  True, False,  True])
    """

    asked: Ints
    wrong: Bools
    open: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self.asked = np.asarray(self.asked, dtype=np.int64)
        self.wrong = np.asarray(self.wrong, dtype=np.bool_)
        self.open = np.asarray(self.open, dtype=np.int64)
        if self.asked.shape != self.wrong.shape:
            raise InvalidInput(f"wrong has {self.wrong.size} answers for {self.asked.size} asked items: give one each")

    def free(self, n: int) -> Bools:
        """Return which of n items have been neither asked nor left open."""
        free = np.ones(n, dtype=np.bool_)
        free[self.asked] = False
        free[self.open] = False
        return free


def _column(name: str, values: ArrayLike, n: int | None = None, *, endless: bool = False) -> Floats:
    """Return the values as a column of finite numbers; `endless` ones may be infinite, as a distance never reached
    is.
    """
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or (n is not None and len(column) != n):
        raise InvalidInput(f"{name} has shape {column.shape}, must be ({'n' if n is None else n},): one number an item")
    allowed = ~np.isnan(column) if endless else np.isfinite(column)
    if not np.all(allowed):
        row = int(np.argmin(allowed))
        raise InvalidInput(f"{name}[{row}]={column[row]} must be finite: drop or fill the item")
    return column
