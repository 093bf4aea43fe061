"""Signals that ask the model nothing: does it say something else of items that look alike, beyond its confidence?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from ringtrue.blind._checks import Floats, Ints, checked_column, checked_confidence, checked_table
from ringtrue.blind.expectation import local_spread, loess, wide_enough
from ringtrue.core import InvalidInput
from ringtrue.stats import generator

_FARTHEST = 3.0


def principal(features: NDArray[Any], dims: int = 30) -> Floats:
    """Return the first principal components of the standardised columns, at most `dims`: shape (n, k).

    Columns that do not vary are dropped, and values more than three standard deviations out are drawn in to three.
    Items that are all alike get one column of zeros.

    >>> principal(np.array([[1.0, 5e6, 7.0], [2.0, 6e6, 7.0], [3.0, 7e6, 7.0]])).shape
    (3, 2)
    """
    table = checked_table("features", features)
    if dims < 1:
        raise InvalidInput(f"dims={dims!r} must be at least 1: the number of components to keep")
    middle = table.mean(axis=0)
    spread = table.std(axis=0)
    # A constant column has a spread of rounding errors, which must not be blown up to a unit one.
    varies = spread > 1e-9 * np.abs(middle)
    if not np.any(varies):
        return np.zeros((len(table), 1))
    from sklearn.decomposition import PCA

    # A corner of an image that is lit once in a thousand would otherwise count for more than all of its middle.
    scaled = np.clip((table[:, varies] - middle[varies]) / spread[varies], -_FARTHEST, _FARTHEST)
    # Its solvers fix the sign of every component; the one for large tables draws at random, here always the same.
    pca = PCA(n_components=min(dims, *scaled.shape), random_state=0)
    return np.asarray(pca.fit_transform(scaled))


_NEIGHBOURS = 20
_NEAREST = 5  # few neighbours of either kind say how near it is; more would say how common it is


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Of m items: how much neighbours differ in label, how near the other labels are, and the nearest row of another.

    `disagreement` is the share of the 20 nearest with another label. `nearness` is minus the log of the mean distance
    to the 5 nearest of another label over that to the 5 nearest of the same. Both are 0 where there is nothing to
    compare with, and `nearest_other` is then -1.
    """

    disagreement: Floats
    nearness: Floats
    nearest_other: Ints


def neighbour_scores(
    space: Floats, codes: ArrayLike, targets: ArrayLike, *, most: int = 20_000, seed: int = 0
) -> Neighbours:
    """Compare some items with the others in a space, by their predicted labels.

    An item is never its own neighbour, its duplicates are.

    >>> space = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> found = neighbour_scores(space, [0, 0, 1, 1], [1, 3])
    >>> found.disagreement.round(2), found.nearness.round(2), found.nearest_other
    (array([0.67, 0.67]), array([-1.5 , -0.19]), array([2, 1]))

    Parameters
    ----------
    space
        The items, (n, k).
    codes
        The codes of their predicted labels, (n,).
    targets
        The places of the items that are compared with the others.
    most
        The most rows to compare with, so that time grows in proportion to the targets; of more rows, so many are drawn
        by chance.
    seed
        The seed of that draw.
    """
    space = checked_table("space", space)
    labels, places = np.asarray(codes), np.asarray(targets)
    if labels.shape != (len(space),) or labels.dtype.kind not in "iu":
        raise InvalidInput(f"codes of shape {labels.shape} must hold one whole number for each of {len(space)} items")
    # A mask is no list of rows, though numpy would read it as rows 0 and 1.
    whole = places.dtype.kind in "iu" or not places.size
    if places.ndim != 1 or not whole or not np.all((places >= 0) & (places < len(space))):
        raise InvalidInput(f"targets of shape {places.shape} must be row numbers in [0, {len(space)}): name rows")
    places = places.astype(np.int64)
    reference = np.arange(len(space))
    if len(space) > most:
        reference = np.sort(generator(seed, "neighbours").choice(len(space), most, replace=False))
    every, apart = _nearest(space, reference, places, _NEIGHBOURS)
    disagreement = np.ma.array(labels[every] != labels[places][:, None], mask=apart.mask).mean(axis=1).filled(0.0)
    same, other = np.full(len(places), np.nan), np.full(len(places), np.nan)
    nearest_other = np.full(len(places), -1)
    for code in np.unique(labels[places]):
        own = np.flatnonzero(labels[places] == code)
        alike = labels[reference] == code
        same[own] = _nearest(space, reference[alike], places[own], _NEAREST)[1].mean(axis=1).filled(np.nan)
        rows, apart = _nearest(space, reference[~alike], places[own], _NEAREST)
        other[own] = apart.mean(axis=1).filled(np.nan)
        if not np.all(alike):
            nearest_other[own] = rows[:, 0]
    # The logarithm of the distance between duplicates is infinite; a millionth of the spread stands for it.
    floor = 1e-6 * float(np.sqrt(space.var(axis=0).sum())) or 1.0
    nearness = np.log(np.maximum(same, floor)) - np.log(np.maximum(other, floor))
    return Neighbours(disagreement, np.nan_to_num(nearness), nearest_other)


def _nearest(space: Floats, reference: Ints, places: Ints, count: int) -> tuple[Ints, Any]:
    """Return the nearest `count` rows of the reference to each place, in order, and their distances.

    An item that finds itself only fills the table: its distance is masked.
    """
    # One more is asked for, since an item may find itself; its place among duplicates is any.
    asked = min(count + 1, len(reference))
    if asked == 0 or not len(places):
        return np.zeros((len(places), 1), dtype=np.int64), np.ma.array(np.zeros((len(places), 1)), mask=True)
    from sklearn.neighbors import NearestNeighbors

    # Trees are no faster in thirty dimensions, and this search never holds a full table of distances.
    search = NearestNeighbors(n_neighbors=asked, algorithm="brute").fit(space[reference])
    distances, found = search.kneighbors(space[places])
    rows = reference[found]
    itself = rows == places[:, None]
    order = np.argsort(itself, axis=1, kind="stable")[:, :count]
    rows, distances, itself = (np.take_along_axis(table, order, axis=1) for table in (rows, distances, itself))
    return rows, np.ma.array(distances, mask=itself)


_SMALLEST_DOUBT = 1e-9
"""A confidence of exactly 1 counts as this much below it: rounding made it so, and its logit must be finite."""

_FARTHEST_RESIDUAL = 3.5


def standardised(signal: ArrayLike, confidence: ArrayLike) -> Floats:
    """Return the signal less its expectation given the confidence, over its local spread, at most 3.5 either way.

    Both are LOESS curves over the logit of the confidence: without the spread the widest part, mostly the sure end,
    would have all extremes. A signal that does not vary becomes zeros.

    >>> int(standardised([0.0, 0.1, 1.0, 0.0], [0.6, 0.7, 0.8, 1.0]).argmax())
    2
    """
    sure = checked_confidence(confidence)
    values = checked_column("signal", signal, len(sure))
    x = logit(np.clip(sure, _SMALLEST_DOUBT, 1 - _SMALLEST_DOUBT))
    span = wide_enough(0.1, len(values))
    # Plain means, not robust: most signals are one value for most items, which robust ones would take for all.
    residual = values - loess(x, values, span=span, passes=0)(x)
    # Rounding is no scatter, however even a signal is.
    residual[np.abs(residual) <= 1e-9 * np.ptp(values) + 1e-12 * np.abs(values).max()] = 0
    return np.clip(residual / local_spread(x, residual, span=span), -_FARTHEST_RESIDUAL, _FARTHEST_RESIDUAL)
