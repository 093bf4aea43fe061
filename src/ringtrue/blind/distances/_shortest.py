"""The shortest straight way out of the class of each item, over directions that are tried one after another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.distances._asker import BISECTION
from ringtrue.blind.distances._box import Codes, Inputs
from ringtrue.blind.distances._decisions import Decisions, Flags
from ringtrue.blind.distances._result import Distances

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
        """Which items have queries left."""
        flags: Flags = self._decisions.left(self._queries) > 0
        return flags

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
        """The point asked about and the point handed back are made here, so that they agree to the last bit."""
        return self._decisions.rows[items] + radius[:, None] * directions
