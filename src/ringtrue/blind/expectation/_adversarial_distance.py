"""Adversarial distance: how much nearer a changed decision is than the confidence lets expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind._checks import Floats, checked_column, checked_confidence, checked_table
from ringtrue.blind.expectation._loess import Curve, local_spread, loess, wide_enough
from ringtrue.core import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Residual:
    """The score of every item, lowest where an error is most suspected, and the expected distance by confidence."""

    values: Floats
    curve: Curve


def adversarial_distance(
    distance: ArrayLike,
    confidence: ArrayLike,
    *,
    changed: ArrayLike | None = None,
    span: float = 0.1,
    degree: int = 1,
    log: bool = True,
    traits: ArrayLike | None = None,
    scaled: bool = False,
) -> Residual:
    """Return distance to a changed decision less its LOESS expectation given confidence, of every item.

    Items whose answer never changed have no distance, only a bound below it: they are left out of the curve and score
    one standard deviation above all others. If all confidences are equal, the curve is level.

    >>> found = adversarial_distance([1, 2, 0.5, 8, 9], [0.6, 0.7, 0.8, 0.9, 0.9], changed=[1, 1, 1, 1, 0])
    >>> found.values.argsort()
    array([2, 0, 1, 3, 4])

    Reference: Bennette, Maurer & Sisti, IJCNN 2020, equation 5.

    Parameters
    ----------
    distance
        The distance of each item, (n,).
    confidence
        The model's confidence in each item, (n,).
    changed
        Whether a changed answer was found for each item, (n,); by default all were.
    span
        The share of the items in a window of the curve. In a small pool it is widened to windows of 30 items.
    degree
        The degree of the local polynomials.
    log
        Whether the curve is that of the logarithm of the distance, as in the paper's figures; the paper's formula has
        the distance itself.
    traits
        Numbers of each item, (n, t), which are regressed out of the residual by least squares, where there are more
        items than traits to do so.
    scaled
        Whether the residual is divided by the local mean absolute residual.
    """
    everywhere = checked_confidence(confidence)
    n = len(everywhere)
    reached = np.ones(n, dtype=bool) if changed is None else np.asarray(changed).astype(bool)
    if reached.shape != (n,):
        raise InvalidInput(f"changed of shape {reached.shape} must have one entry for each of {n} items")
    if not np.any(reached):
        raise InvalidInput(f"changed is False for all {n} items: no distance was found, so search without distances")
    lengths = _lengths(distance, reached, log=log)
    x = everywhere[reached]
    span = wide_enough(span, len(x))
    curve = loess(x, lengths, span=span, degree=degree)
    residual = lengths - curve(x)
    if traits is not None:
        residual = _without(residual, checked_table("traits", traits, n)[reached])
    if scaled:
        residual = residual / local_spread(x, residual, span=span)
    values = np.full(n, residual.max() + (residual.std() or 1.0))
    values[reached] = residual
    return Residual(values, curve)


def _lengths(distance: ArrayLike, reached: np.ndarray[tuple[int], np.dtype[np.bool_]], *, log: bool) -> Floats:
    """Return the distances that were found, on the scale of the curve."""
    every = np.asarray(distance, dtype=float)
    if every.shape != reached.shape:
        raise InvalidInput(f"distance of shape {every.shape} must have one entry for each of {len(reached)} items")
    # Distances that were not found may be anything, mostly NaN; a harmless number keeps row numbers right in errors.
    every = checked_column("distance", np.where(reached, every, 1.0))
    lowest = int(np.argmin(every))
    if every[lowest] < 0 or (log and every[lowest] == 0):
        rule = "at least 0: give distances" if every[lowest] < 0 else "positive: give log=False, or drop the item"
        raise InvalidInput(f"distance[{lowest}]={every[lowest]} must be {rule}")
    return np.log(every[reached]) if log else every[reached]


def _without(residual: Floats, traits: Floats) -> Floats:
    """Return what a linear function of the traits leaves of the residual."""
    if len(residual) <= traits.shape[1] + 1:
        return residual
    centred = traits - traits.mean(axis=0)
    spread = centred.std(axis=0)
    design = np.column_stack([np.ones(len(residual)), centred / np.where(spread > 0, spread, 1)])
    return np.asarray(residual - design @ np.linalg.lstsq(design, residual, rcond=None)[0])
