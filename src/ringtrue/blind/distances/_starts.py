"""Where a search for a changed decision starts: at an item of another label, or in uniform noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ringtrue.blind.distances._asker import BISECTION, Codes, Decisions, Flags, Inputs

_ITEMS_AT_ONCE = 1024  # items compared at once with all others, which bounds the memory

_NOISE_SHARE = 0.1
_MOST_DRAWS_AT_ONCE = 64


def nearest_of_another_label(decisions: Decisions, others: Inputs, labels: Codes, count: int = 1) -> Inputs:
    """Find per item the nearest others of another label, by L2 in the box, nearest first: (n, count, ...).

    Where there are too few of them, the item itself stands in: it changes nothing.
    """
    from sklearn.neighbors import NearestNeighbors

    starts = np.repeat(decisions.inputs[:, None], count, axis=1)
    other_rows = decisions.box.to_unit(others)
    for label in np.unique(decisions.labels):
        candidates = np.flatnonzero(labels != label)
        if not len(candidates):
            continue
        enough = min(count, len(candidates))
        neighbours = NearestNeighbors(n_neighbors=enough, algorithm="brute").fit(other_rows[candidates])
        items = np.flatnonzero(decisions.labels == label)
        for first in range(0, len(items), _ITEMS_AT_ONCE):
            part = items[first : first + _ITEMS_AT_ONCE]
            places = neighbours.kneighbors(decisions.rows[part], return_distance=False)
            starts[part, :enough] = others[candidates[places]]
    return starts


Look = Callable[[Codes], tuple[Inputs, Flags]]
"""Looks for a changed point of each of some items: points as rows, and whether they are changed."""


def begin(decisions: Decisions, first: Look, second: Look, steps: int = BISECTION) -> tuple[Inputs, Flags]:
    """Return a point of the boundary for each item as rows, and whether there is one, by `steps` bisections.

    Items for which the first look finds nothing get the second.
    """
    at, found = first(np.arange(len(decisions)))
    without = np.flatnonzero(~found)
    at[without], found[without] = second(without)
    begun = np.flatnonzero(found)
    at[begun] = decisions.bisected(at[begun], begun, steps)
    return at, found


def at_starts(decisions: Decisions, starts: Inputs | None) -> Look:
    """Return a look at items of another label, (n, ...), one query each."""

    def look(items: Codes) -> tuple[Inputs, Flags]:
        if starts is None:
            return decisions.rows[items], np.zeros(len(items), dtype=bool)
        points = decisions.box.to_unit(np.asarray(starts)[items])
        return points, decisions.changed(points, items)

    return look


def in_noise(decisions: Decisions, rng: np.random.Generator, draws: int) -> Look:
    """Return a look at uniform noise, at most `draws` queries an item.

    After the first draws several are made at a time: a few items without luck must not take a thousand calls.
    """

    def look(items: Codes) -> tuple[Inputs, Flags]:
        points, done = decisions.rows[items], np.zeros(len(items), dtype=bool)
        drawn, at_once = 0, 1
        while drawn < draws and not done.all():
            at_once = min(at_once, draws - drawn)
            todo = np.flatnonzero(~done)
            # Parts of about one call each: the draws of all items at once may not fit in memory.
            for part in np.array_split(todo, max(1, len(todo) * at_once // decisions.asker.inputs_per_call)):
                noise = rng.random((len(part) * at_once, points.shape[1]), dtype=np.float32)
                changed = decisions.changed(noise, np.repeat(items[part], at_once)).reshape(len(part), at_once)
                lucky = np.flatnonzero(changed.any(axis=1))
                points[part[lucky]] = noise[lucky * at_once + changed[lucky].argmax(axis=1)]
                done[part[lucky]] = True
            drawn += at_once
            at_once = min(2 * at_once, _MOST_DRAWS_AT_ONCE)
        return points, done

    return look


def affordable(draws: int, queries: int) -> int:
    """Return how often noise may be drawn: a low bound on queries must leave most of them for the search."""
    return max(1, min(draws, int(_NOISE_SHARE * queries)))
