"""When a study that must know the shift to within an error will stop, by its own rule."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.paired import EVEN, draw_weights, error_bound
from ringtrue.changed.planning._detection import fewest
from ringtrue.stats import generator

_RUNS = 5
_FIRST = 8


def calls_to_stop(census: Census, means: Floats, error: float, level: float, seed: int = 0) -> int:
    """The calls at which `error_bound` comes down to the error, the geometric mean of five simulated studies.

    Half of the calls fall on all items left alike, half by weights that are learnt anew after 8, 12, 18, ... answers.
    The rule itself is at work, on answers drawn from what each kind is expected to say.
    """
    stops = [_stop(census, means, error, level, generator(seed, "changed/plan", run)) for run in range(_RUNS)]
    return math.ceil(math.exp(sum(math.log(stop) for stop in stops) / _RUNS) - 1e-9)


def _stop(census: Census, means: Floats, error: float, level: float, rng: np.random.Generator) -> int:
    counts, done, then = np.zeros(means.shape), 0, _FIRST
    weights = np.ones(census.kinds)
    chances = means / means.sum(axis=1, keepdims=True)
    while done < census.size:
        calls = min(then, census.size) - done
        drawn = _draw(census.items - counts.sum(axis=1), weights, calls, rng)
        told = rng.multinomial(drawn, chances)

        def bound(more: int, counts: Floats = counts, part: Floats = told / calls) -> float:
            return error_bound(census, counts + more * part, level=level)

        if bound(calls) <= error:  # somewhere on the way, as if the answers had come in evenly
            return done + fewest(lambda more: bound(more) <= error, calls)
        counts, done, then = counts + told, done + calls, then + then // 2
        weights = draw_weights(census, counts)
    return census.size


def _draw(left: Floats, weights: Floats, calls: int, rng: np.random.Generator) -> Ints:
    """How many of the next calls fall on each kind; what one kind cannot take falls on the others."""
    drawn = np.zeros(len(left), dtype=np.int64)
    while drawn.sum() < calls:
        there = np.maximum(left - drawn, 0.0)
        chance = EVEN * there / there.sum() + (1 - EVEN) * there * weights / (there @ weights)
        more = rng.multinomial(calls - int(drawn.sum()), chance / chance.sum())
        drawn += np.minimum(more, there.astype(np.int64))
    return drawn
