"""Tiny pools whose every order of drawing can be gone through."""

from __future__ import annotations

import itertools

import numpy as np

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import ShiftDraws


def pool(truth: str, old: str, new: str):
    """A pool from letters: its census, and the kind and new answer of each item."""
    known = Baseline.of(old=list(old), truth=list(truth))
    census, kind = Census.take(known)
    return census, kind, known.code(list(new))[1]


def uniform(draws):
    return np.ones(draws.census.kinds)


def unequal(draws):
    """Chances that follow earlier answers: kinds that have changed before are asked more often."""
    changed = draws.counts.sum(axis=1) - draws.counts[np.arange(draws.census.kinds), draws.census.old]
    return 1.0 + 3 * changed + 0.5 * np.arange(draws.census.kinds)


def every_order(census, kind, new, weigh, follow):
    """The probability of each order in which the pool can answer, with what `follow` made of it.

    Items alike in kind and answer are interchangeable, so that only orders that differ to the eye are gone through.
    """
    types = sorted(set(zip(kind.tolist(), new.tolist(), strict=True)))
    items = [types.index(pair) for pair in zip(kind.tolist(), new.tolist(), strict=True)]
    for order in set(itertools.permutations(items)):
        draws, left = ShiftDraws(census), [items.count(place) for place in range(len(types))]
        chance, seen = 1.0, follow(draws)
        for place in order:
            weights = weigh(draws)
            each = weights / (weights @ draws.left)
            own, answer = types[place]
            chance *= each[own] * left[place]
            left[place] -= 1
            row = census.truth == census.truth[own]
            seen.send(
                draws.take(
                    own, answer, probability=each[own], floor=each[draws.left > 0].min(),
                    share=float((draws.left * each)[row].sum()),
                )
            )  # fmt: skip
        yield chance, seen.evidence
