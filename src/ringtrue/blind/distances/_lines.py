"""Straight ways out of an item's class: to items of other classes, by rays of signs, and along low-frequency noise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product, repeat

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idctn

from ringtrue.blind.distances._asker import BISECTION, Codes, Decisions, Distances, Flags, Inputs
from ringtrue.core import InvalidInput

_KEPT = (4, 2)
"""The first run keeps one in so many frequencies along each side of an image, the second more, later ones all."""

_TOGETHER = 128  # at most so many directions are made orthogonal to one another, which bounds the cost for large images


def smooth_directions(shape: tuple[int, ...], rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Yield random directions of unit length without end, in runs that are orthogonal to one another.

    Items with two or three axes (height, width, channels) get low frequencies of the cosine transform along the
    first two, and higher ones only when there are no others left; rows get any direction.

    >>> draws = smooth_directions((28, 28), np.random.default_rng(0))
    >>> first, second = next(draws), next(draws)
    >>> bool(abs(np.sum(first * second)) < 1e-6), round(float(np.sum(first**2)), 4)
    (True, 1.0)
    """
    image = len(shape) > 1
    for share in chain(_KEPT, repeat(1)) if image else repeat(1):
        kept = tuple(-(-side // share) for side in shape[:2]) + shape[2:]
        size = int(np.prod(kept))
        columns, _ = np.linalg.qr(rng.standard_normal((size, min(size, _TOGETHER))))
        for column in columns.T:
            wave = column.reshape(kept)
            yield (idctn(wave, s=shape[:2], axes=(0, 1), norm="ortho") if image else wave).astype(np.float32)


Radii = NDArray[np.float32]

SETTLED = 0.01
"""A radius is settled when the bracket below it is at most this share of it."""


class Shortest:
    """The smallest radius at which a line from each item met another decision, and the direction of that line.

    A direction that is no better costs one query: the model is asked at the smallest radius so far, and only where
    its answer has changed there is the line bisected.
    """

    def __init__(self, decisions: Decisions, directions: Inputs, queries: int) -> None:
        self.directions = directions
        self.radius: Radii = np.full(len(directions), np.inf, dtype=np.float32)
        self._decisions, self._queries = decisions, queries

    def may_ask(self) -> Flags:
        """Return which items have queries left."""
        return self._decisions.left(self._queries) > 0

    def attempt(self, directions: Inputs, reach: float | Radii, wanted: Flags) -> None:
        """Try a direction for every wanted item, no farther than `reach`."""
        items = np.flatnonzero(wanted & self.may_ask())
        tried = np.broadcast_to(directions, self.directions.shape)[items]
        top = np.minimum(self.radius, reach, dtype=np.float32)[items]
        smaller = self._decisions.changed(self._points(items, tried, top), items)
        items = items[smaller]
        self.directions[items] = tried[smaller]
        self._bisect(items, top[smaller])

    def distances(self) -> Distances:
        found = np.isfinite(self.radius)
        everyone = np.arange(len(found))
        points = self._points(everyone, self.directions, np.where(found, self.radius, 0).astype(np.float32))
        return self._decisions.distances(points, found)

    def _bisect(self, items: Codes, top: Radii) -> None:
        """Bisect from zero to the top: seven times, and on while the bracket is wide and queries are left."""
        self.radius[items], unchanged_at = top, np.zeros_like(top)
        for step in range(2 * BISECTION):
            middle = np.float32(0.5) * (unchanged_at + self.radius[items])
            changed = self._decisions.changed(self._points(items, self.directions[items], middle), items)
            self.radius[items[changed]] = middle[changed]
            unchanged_at[~changed] = middle[~changed]
            if step + 1 >= BISECTION:
                wide = (unchanged_at < (1 - SETTLED) * self.radius[items]) & self.may_ask()[items]
                items, unchanged_at = items[wide], unchanged_at[wide]

    def _points(self, items: Codes, directions: Inputs, radius: Radii) -> Inputs:
        """Return points on lines: those asked about and those handed back agree to the last bit."""
        return self._decisions.rows[items] + radius[:, None] * directions


LINES = 8
"""How many of the nearest items of other predicted classes `measure` hands over."""


def lines(
    decisions: Decisions,
    rng: np.random.Generator,  # noqa: ARG001 - every method is called alike; this one draws nothing
    *,
    starts: Inputs | None = None,
    queries: int = 64,
) -> Distances:
    """Find where lines leave the class of their item and keep the nearest such point, by L2 in widths of the box.

    `starts` are the ends of the lines, best with the nearest first; a start that is the item itself stands for none. A
    later line is bisected only if the decision on it has changed at the smallest distance so far. The usual bound on
    queries allows for all of `LINES` lines, each with its bisection.
    """
    if starts is None:
        raise InvalidInput("starts=None: lines lead to items of other predicted classes; give some as `others`")
    ends = np.asarray(starts, dtype=np.float32)
    if ends.ndim == decisions.inputs.ndim:
        ends = ends[:, None]
    if (len(ends), *ends.shape[2:]) != decisions.inputs.shape:
        raise InvalidInput(
            f"starts of shape {ends.shape} for inputs of {decisions.inputs.shape}: give (n, ...) or (n, k, ...)"
        )
    shortest = Shortest(decisions, np.zeros_like(decisions.rows), queries)
    for line in range(ends.shape[1]):
        way = decisions.box.to_unit(ends[:, line]) - decisions.rows
        length = np.linalg.norm(way, axis=1)
        leads_away = length > 0
        way[leads_away] /= length[leads_away, None]
        shortest.attempt(way, length, leads_away)
    return shortest.distances()


DRAWS = 16
_REACHES = (1.0, 0.25)
"""Full noise looks like one thing to most models. Items that are that thing to it get a second, weaker round."""


def noise_flips(
    decisions: Decisions,
    rng: np.random.Generator,
    *,
    starts: Inputs | None = None,  # noqa: ARG001 - every method is called alike; this one needs no start
    queries: int = 80,
) -> Distances:
    """Add noise and the negative of it, draw by draw, and find the smallest amplitude that changes the decision.

    The amplitude is the root mean square of the noise in widths of the box, at most 1. It is the smallest over the
    draws and not the one at which half of them change the decision: beside a flat boundary, half of them never do.
    All items get the same draws, so that they differ by the model and not by luck.
    """
    shortest = Shortest(decisions, np.zeros_like(decisions.rows), queries)
    draws = list(islice(smooth_directions(decisions.shape, rng), DRAWS))
    for reach in _REACHES:
        unmoved = ~np.isfinite(shortest.radius)
        for draw, sign in product(draws, (1, -1)):
            noise = sign * draw.reshape(1, -1) * np.sqrt(np.float32(draw.size))
            shortest.attempt(noise, reach, unmoved)
    return shortest.distances()


def rays(
    decisions: Decisions,
    rng: np.random.Generator,  # noqa: ARG001 - every method is called alike; this one draws nothing
    *,
    starts: Inputs | None = None,  # noqa: ARG001 - and needs no start
    queries: int = 50,
) -> Distances:
    """Search the directions of signs for the smallest radius, which is an L-infinity distance in widths of the box.

    All features move by one share of their widths, up or down. From all of them up, the signs of ever smaller blocks
    are flipped, half as wide at every level, and a flip is kept where it makes the radius smaller. Other directions it
    does not know: with d features, the least it can find is the smallest radius over the 2^d vectors of signs. An item
    to which a sweep over all levels brought nothing that counts is done, because the next sweep would ask much the
    same.

    Reference: Chen & Gu, RayS: a ray searching method for hard-label adversarial attack, KDD 2020.
    """
    shortest = Shortest(decisions, np.ones_like(decisions.rows), queries)
    going = np.ones(len(decisions), dtype=bool)
    shortest.attempt(shortest.directions.copy(), 1.0, going)
    while np.any(going & shortest.may_ask()):
        before = shortest.radius.copy()
        for start, stop in _blocks(decisions.rows.shape[1]):
            if not np.any(going & shortest.may_ask()):
                break
            flipped = shortest.directions.copy()
            flipped[:, start:stop] *= -1
            shortest.attempt(flipped, 1.0, going)
        going &= shortest.radius < (1 - SETTLED) * before
    return shortest.distances()


def _blocks(features: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a sweep: everything, then halves, quarters and so on down to single features.

    >>> list(_blocks(3))
    [(0, 3), (0, 2), (2, 3), (0, 1), (1, 2), (2, 3)]
    """
    width = features
    while True:
        yield from ((start, min(start + width, features)) for start in range(0, features, width))
        if width == 1:
            return
        width = -(-width // 2)
