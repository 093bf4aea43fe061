"""Points of a box with a score that says how near to failure they are, and random walks of many of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints

Ends: TypeAlias = tuple[Floats, Floats]


def margin(logits: ArrayLike, label: ArrayLike) -> Floats:
    """Return how far the best other class lies above the right one: at least 0 where the model is wrong, or tied.

    `logits`, or probabilities, have the shape (points, classes); `label` is the number of the right class, one for all
    points or one for each. Logits are the better guide: probabilities round to 0 and 1 where the model is sure, and
    points that score alike show no way uphill.

    >>> margin([[2.0, 1.5, -1.0], [0.0, 3.0, 1.0]], 0).tolist()
    [-0.5, 3.0]
    """
    values = np.asarray(logits, dtype=float)
    if values.ndim != 2 or values.shape[1] < 2:
        raise InvalidInput(f"logits of the shape {values.shape} must have the shape (points, classes), classes >= 2")
    right = np.asarray(label)
    if right.dtype.kind not in "iu" or np.any((right < 0) | (right >= values.shape[1])):
        raise InvalidInput(f"label={label!r} must be the number of a class, 0 to {values.shape[1] - 1}")
    if right.shape not in ((), values.shape[:1]):
        raise InvalidInput(
            f"label of the shape {right.shape} must be one number, or one for each of {len(values)} points"
        )
    own = np.arange(values.shape[1]) == right.reshape(-1, 1)
    above: Floats = np.where(own, -np.inf, values).max(axis=1) - np.where(own, values, -np.inf).max(axis=1)
    return above


def checked_box(low: ArrayLike, high: ArrayLike) -> Ends:
    """Return lower and upper corners, arrays of one shape whose last axis counts the axes, or an error."""
    lows, highs = np.atleast_1d(np.asarray(low, dtype=float)), np.atleast_1d(np.asarray(high, dtype=float))
    if lows.shape != highs.shape or not lows.shape[-1]:
        raise InvalidInput(f"low {lows.shape} and high {highs.shape} must have one shape: give one number per axis")
    wrong = ~(np.isfinite(lows) & np.isfinite(highs) & (lows < highs))
    if wrong.any():
        place = tuple(int(index) for index in np.argwhere(wrong)[0])
        cell = f" of box {place[0]}" if len(place) > 1 else ""
        raise InvalidInput(
            f"low={lows[place]:g} must lie below high={highs[place]:g} on axis {place[-1]}{cell}, both finite: "
            "drop an axis that is constant"
        )
    return lows, highs


def checked_scores(scores: Any, points: int) -> Floats:
    """Return the scores of a batch, or an error that says what the score function must return."""
    try:
        found = np.asarray(scores, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"score returned {type(scores).__name__}: it must return one number per point") from None
    if found.shape != (points,):
        raise InvalidInput(f"score returned the shape {found.shape}: it must return ({points},), one number per point")
    if np.isnan(found).any():
        place = int(np.argmax(np.isnan(found)))
        raise InvalidInput(f"score returned NaN for point {place} of {points}: every point in the box needs a number")
    return found


def checked_count(name: str, value: Any, least: int, why: str) -> int:
    """Return a whole number of at least `least`, or an error that says why."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name}={value!r} must be a whole number of at least {least}: {why}")
    return int(value)


ScoreOf: TypeAlias = Callable[[Floats, Ints], ArrayLike]
"""Points and the number of the box each lies in, one score each out."""
TARGET = 0.25  # share of accepted moves; random walks mix about equally well between 0.15 and 0.4
GAIN = 0.5  # how fast the width follows the acceptance: a width twice too large is put right in about eight moves


class Walk:
    """Scores points given in units of their box, and moves them about.

    `ends` are the lower and the upper corners of the boxes, each (boxes, axes); `box` is the number of a group's box.
    """

    def __init__(self, score: ScoreOf, ends: Ends, box: Ints, rng: np.random.Generator) -> None:
        low, high = ends
        self._score, self._low, self._side, self._high = score, low, high - low, high
        self._box, self._rng = box, rng
        self.calls: Ints = np.zeros(len(low), dtype=np.int64)
        # A step along every axis at once must shrink with their number to stay near the level it has reached.
        self._log_width = np.full(len(box), -0.5 * np.log(low.shape[1]))

    def scores(self, where: Floats, group: Ints) -> Floats:
        """Return the scores of some points, each of a group."""
        box = self._box[group]
        points = where * self._side[box]
        points += self._low[box]
        # Rounding may carry the sum past the border by its last digit.
        np.minimum(points, self._high[box], out=points)
        self.calls += np.bincount(box, minlength=len(self.calls))
        return checked_scores(self._score(points, box), len(points))

    def move(self, where: Floats, scores: Floats, level: Floats, group: Ints) -> None:
        """Overwrite points in units of their box, and their scores, by a Metropolis move that stays above each level.

        It adds uniform noise and folds at the borders, which is symmetric, and is accepted where the score allows: the
        law stays uniform. The width is common to a group and follows the share accepted, move by move.
        """
        size = np.bincount(group, minlength=len(self._box))
        proposed = self._rng.uniform(-1, 1, where.shape)
        proposed *= np.exp(self._log_width)[group, None]
        proposed += where
        # A width is at most the box, so that one fold at each border is enough; at 1 it is an independent draw.
        proposed = 1 - np.abs(1 - np.abs(proposed))
        found = self.scores(proposed, group)
        accepted = found > level
        where[accepted], scores[accepted] = proposed[accepted], found[accepted]
        share = np.bincount(group, accepted, minlength=len(size)) / np.maximum(size, 1)
        change = np.where(size > 0, GAIN * (share - TARGET), 0.0)
        self._log_width = np.minimum(self._log_width + change, 0.0)
