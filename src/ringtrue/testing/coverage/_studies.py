"""Studies that are simulated one at a time, and what cases say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.testing.coverage._case import Simulate


def by_study(study: Callable[[int, int], Mapping[str, Any]]) -> Simulate:
    """Return a simulation that goes study by study; `study` is told its number and the seed."""

    def simulate(numbers: range, seed: int) -> Mapping[str, NDArray[Any]]:
        told = [study(number, seed) for number in numbers]
        return {label: np.array([one[label] for one in told]) for label in told[0]}

    return simulate


def holds(low: Any, high: Any, truth: Any) -> Any:
    """Return whether bounds hold the truth, but for rounding; of arrays, for each entry."""
    return (low <= truth + 1e-9) & (truth <= high + 1e-9)


def watched(held: Any) -> NDArray[np.bool_]:
    """Return for each look, the first axis, whether all looks up to it held.

    >>> watched([True, False, True]).tolist()
    [True, False, False]
    """
    return np.logical_and.accumulate(np.asarray(held, dtype=bool), axis=0)


def numbers(looks: Iterable[int]) -> tuple[str, ...]:
    """Return numbers of answers as words for looks.

    >>> numbers([10, 2000])
    ('10', '2,000')
    """
    return tuple(f"{look:,}" for look in looks)
