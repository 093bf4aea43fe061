"""Numbers with their intervals for a finding, in the order in which people want to see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.changed._parts import PROOF, Accuracy, Cell, Slice
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.changed.evidence._shift_draws import METHOD
from ringtrue.core import Interval, Json
from ringtrue.stats import ranked

CELLS = 50
"""Cells that are listed: those that shifted most."""

_ROUNDING = 1e-12
"""Sums over many kinds that should be zero are off by less than this: rounding must not look like a change."""

_POINTS = 200
"""A path has a point at each of the first so many answers and as many again after them: a figure shows no more."""


def cells_of(draws: ShiftDraws, names: Sequence[str], old: Floats, level: float) -> tuple[Cell, ...]:
    """The cells that shifted, the largest shift first; their intervals hold jointly."""
    estimate, low, high = draws.cells(level)
    estimate = np.where(np.abs(estimate) < _ROUNDING, 0.0, estimate)
    order = ranked(np.abs(estimate))[:CELLS]
    found = []
    for row, column in zip(*np.unravel_index(order, estimate.shape), strict=True):
        place = (int(row), int(column))
        if estimate[place] == 0 and low[place] <= 0 <= high[place]:
            continue
        bounds = float(estimate[place]), float(low[place]), float(high[place])
        shift = Interval(*bounds, level, f"{METHOD}, jointly with all cells", draws.answered)
        found.append(Cell(names[place[0]], names[place[1]], float(old[place]), shift))
    return tuple(found)


def beyond(change: Interval, noise: float) -> Interval:
    """The change beyond a stated noise."""
    return replace(change, estimate=change.estimate - noise, low=change.low - noise, high=change.high - noise)


def accuracy_of(draws: ShiftDraws, level: float) -> Accuracy | None:
    """The old and new accuracy, if there are true labels."""
    if not draws.census.labelled:
        return None
    return Accuracy(draws.old_accuracy, draws.new_accuracy(level), draws.accuracy_difference(level))


def slices_of(draws: ShiftDraws, level: float) -> tuple[Slice, ...]:
    """What changed in each slice; the intervals of all slices hold jointly."""
    return tuple(
        Slice(part.column, part.value, part.items, part.answers, part.change, part.accuracy_difference)
        for part in draws.slices(level)
    )


def thinned(paths: Mapping[str, Sequence[float]]) -> dict[str, Json]:
    """Log evidence after each answer, at as many answers as a figure can show."""
    length = len(paths["change"])
    places = np.arange(1, length + 1)
    if length > 2 * _POINTS:
        later = np.linspace(_POINTS + 1, length, _POINTS).astype(int)
        places = np.unique(np.concatenate([places[:_POINTS], later]))
    kept: dict[str, Json] = {"answers": list(places.tolist())}
    for name, path in paths.items():
        kept[name] = [min(float(path[place - 1]), PROOF) for place in places.tolist()] if path else []
    return kept
