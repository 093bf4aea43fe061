"""The Boundary Attack: a random walk along the decision boundary, ever nearer to the item.

Brendel, Rauber & Bethge, Decision-based adversarial attacks, ICLR 2018, with the settings by which Bennette, Maurer &
Sisti (IJCNN 2020) used it: the defaults of Foolbox 2, and 1,000 iterations. Three things differ from theirs:

- All items walk in lock-step, so that every call of the model is full.
- The first blend of item and noise is found by bisection and not by a scan in 1,000 steps. The resolution is the same.
- A step is kept where it shrinks L2, in which steps are made. They asked for a smaller mean absolute error, by which
  some good steps were refused (about 50 of 1,000); the distances rank the items alike.
"""

from __future__ import annotations

import numpy as np

from ringtrue.blind.distances._asker import BISECTION, Codes, Decisions, Distances, Flags, Inputs
from ringtrue.blind.distances._starts import affordable, at_starts, begin, in_noise

_NOISE_DRAWS = 1000
_BLEND_BISECTIONS = 10
_DIRECTIONS = 25
_STEP = 1e-2
_SMALLEST_STEP = 1e-7
_ADAPTATION = 1.5
_CHECKED_EVERY = 10

_NEAREST = 1e-6  # in widths of the box: an item that lies on the boundary itself has nowhere to walk to


class _Rates:
    """How often steps succeeded lately, for each item, and by what factor its step should change."""

    def __init__(self, items: int, *, window: int, low: float, high: float) -> None:
        self._successes = np.zeros((items, window), dtype=bool)
        self._seen = np.zeros(items, dtype=np.int64)
        self._low, self._high = low, high

    def push(self, items: Codes, success: Flags) -> None:
        self._successes[items, self._seen[items] % self._successes.shape[1]] = success
        self._seen[items] += 1

    def factors(self, items: Codes) -> Inputs:
        """Return larger steps where most succeed, smaller where few do; a window that led to a change starts anew."""
        full = self._seen[items] >= self._successes.shape[1]
        rate = self._successes[items].mean(axis=1)
        up, down = full & (rate > self._high), full & (rate < self._low)
        self._seen[items[up | down]] = 0
        return np.where(up, _ADAPTATION, np.where(down, 1 / _ADAPTATION, 1)).astype(np.float32)


def boundary(
    decisions: Decisions,
    rng: np.random.Generator,
    *,
    starts: Inputs | None = None,
    queries: int = 30_000,
    iterations: int = 1000,
) -> Distances:
    """Walk from blended uniform noise, and from given starts where noise never changes the answer.

    Parameters
    ----------
    decisions
        The items, and the model that decides about them.
    rng
        Draws the noise and the directions.
    starts
        Items of another label, (n, ...).
    queries
        The most queries per item. The usual bound is more than the start and 1,000 iterations of 25 directions can
        cost: the iterations end first.
    iterations
        The most steps of the walk.
    """
    walk = _Walk(decisions, starts, rng, queries)
    for iteration in range(1, iterations + 1):
        items = walk.walking()
        if not len(items):
            break
        walk.iterate(items, checked=iteration % _CHECKED_EVERY == 0)
    return walk.decisions.distances(walk.at, walk.found)


class _Walk:
    """Where each item's walk is, the lengths of its steps, and how often they succeeded."""

    def __init__(self, decisions: Decisions, starts: Inputs | None, rng: np.random.Generator, queries: int) -> None:
        self.decisions = decisions
        steps = min(_BLEND_BISECTIONS, max(BISECTION - 1, queries // 2))
        noise = in_noise(decisions, rng, affordable(_NOISE_DRAWS, queries))
        self.at, self.found = begin(decisions, noise, at_starts(decisions, starts), steps)
        self._rng, self._queries = rng, queries
        self._around = np.full(len(decisions), _STEP, dtype=np.float32)
        self._towards = self._around.copy()
        self._on_sphere = _Rates(len(decisions), window=100, low=0.2, high=0.5)
        self._nearer = _Rates(len(decisions), window=30, low=0.2, high=0.5)

    def walking(self) -> Codes:
        """Return the items that have begun, have not arrived, and have queries left."""
        far = _lengths(self.at - self.decisions.rows) > _NEAREST
        begun = self.found & far & (self._towards >= _SMALLEST_STEP)
        return np.flatnonzero(begun & (self.decisions.left(self._queries) > 0))

    def iterate(self, items: Codes, *, checked: bool) -> None:
        """Move each item once, if one of 25 directions allows it; where it is `checked`, fit the steps to the rates."""
        todo = items
        for _ in range(_DIRECTIONS):
            # A checked attempt may cost two queries.
            todo = todo[self.decisions.left(self._queries)[todo] > checked]
            if not len(todo):
                break
            todo = todo[~self._attempt(todo, checked)]
        if checked:
            both = self._on_sphere.factors(items)
            self._around[items] *= both
            self._towards[items] *= both * self._nearer.factors(items)

    def _attempt(self, items: Codes, checked: bool) -> Flags:
        """Propose one step to each item and take those that change the decision; tells which do."""
        origin, old = self.decisions.rows[items], self.at[items]
        sphere, points = _proposals(origin, old, self._around[items], self._towards[items], self._rng)
        asked = np.ones(len(items), dtype=bool)
        if checked:
            asked = self.decisions.changed(sphere, items)
            self._on_sphere.push(items, asked)
        changed = asked.copy()
        changed[asked] = self.decisions.changed(points[asked], items[asked])
        if checked:
            self._nearer.push(items[asked], changed[asked])
        nearer = changed & (_lengths(points - origin) < _lengths(old - origin))
        self.at[items[nearer]] = points[nearer]
        return changed


def _proposals(
    origin: Inputs, at: Inputs, around: Inputs, towards: Inputs, rng: np.random.Generator
) -> tuple[Inputs, Inputs]:
    """Propose per row a random point on the sphere around the item, and the point a step nearer to the item."""
    outward = at - origin
    radius = _lengths(outward)
    normal = rng.standard_normal(at.shape, dtype=np.float32)
    normal -= (np.einsum("ij,ij->i", normal, outward) / radius**2)[:, None] * outward
    normal *= (around * radius / _lengths(normal))[:, None]
    sphere = np.clip(origin + (normal + outward) / np.sqrt(around**2 + 1)[:, None], 0, 1, dtype=np.float32)
    inward = origin - sphere
    reach = _lengths(inward)
    # Clipping has moved the point off the sphere; the step makes up for it, so that the new radius is the wanted one.
    length = np.maximum(0, towards * radius + reach - radius) / reach
    points = np.clip(sphere + length[:, None] * inward, 0, 1, dtype=np.float32)
    return sphere, points


def _lengths(rows: Inputs) -> Inputs:
    """Return the length of each row, never 0: a row of one number has no direction at a right angle to another."""
    return np.asarray(np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), np.finfo(np.float32).tiny))
