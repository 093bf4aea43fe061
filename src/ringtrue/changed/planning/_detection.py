"""How soon a change shows, and when a study that must know the shift to within an error stops by its own rule."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri, xlogy

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.paired import EVEN, draw_weights, error_bound
from ringtrue.changed.planning._precision import log_choose
from ringtrue.stats import generator

_HEDGE = 1.0
"""What it costs, in log evidence, to spread the stake over many bets because the best one is not known. Measured with
the tests of `ringtrue.changed.evidence`, medians of 17 to 31 studies, on pools made from YELP, FERPLUS, DIGIT and SHOP:
1.2 in the median of 52 claims on the share of changes and 0.9 in that of 28 changes of the accuracy. With 1 for both,
69 of these 80 medians are planned within 0.7 and 1.4; 1.2 and 1.5 do no better."""


def calls_to_see(size: int, share: float, chance: float) -> int | None:
    """Return the calls after which a changed answer was seen with this chance, if this share of the answers changed.

    Uniform draws without replacement, exact; at least one answer has changed if the share is not zero. For a model
    that always says the same of the same item one changed answer is proof. None if nothing changed: then no number of
    calls shows a change.

    >>> calls_to_see(20_000, 0.01, 0.5), calls_to_see(20_000, 0.01, 0.95), calls_to_see(10, 0.1, 0.95)
    (69, 296, 10)
    """
    if share == 0:
        return None
    same, rest = size - max(1, round(share * size)), math.log(1 - chance) + 1e-9
    return fewest(lambda calls: calls > same or bool(log_choose(same, calls) - log_choose(size, calls) <= rest), size)


def calls_to_decide(size: int, share: float, limit: float, level: float) -> int:
    """Return about the calls within which half of all studies know whether change <= limit, one way or the other.

    The best bet on changed answers grows by KL(share, limit) a call, and decides at 1 / (1 - level). The pool decides
    when it is exhausted. A limit of 0 is broken by the first changed answer, and kept if there is none.

    >>> calls_to_decide(20_000, 0.0, 0.01, 0.95), calls_to_decide(20_000, 0.05, 0.01, 0.95)
    (390, 97)
    """
    if limit == 0:
        return calls_to_see(size, share, 0.5) or size
    growth = float(xlogy(share, share / limit) + xlogy(1 - share, (1 - share) / (1 - limit)))
    return _of_pool(-math.log1p(-level) + _HEDGE, growth, size)


def calls_to_see_drop(size: int, share: float, drop: float, level: float) -> tuple[int, int] | None:
    """Return the calls to know that the accuracy changed by `drop`: while watching, and in a sample looked at once.

    Only changed answers tell, and (share + drop) / 2 of all must have become wrong, (share - drop) / 2 right. The best
    bet on them grows by share * KL((1 + drop/share) / 2, 1/2) a call, and half of all studies decide about when it has
    grown to 2 / (1 - level). The sample is that of McNemar's test with power 80%. None if the drop is more than the
    share of answers that changed.

    >>> calls_to_see_drop(20_000, 0.031, 0.024, 0.95)
    (435, 412)
    """
    if drop > share:
        return None
    worse, better = (1 + drop / share) / 2, (1 - drop / share) / 2
    growth = share * float(xlogy(worse, 2 * worse) + xlogy(better, 2 * better))
    alpha, power = ndtri((1 + level) / 2), ndtri(0.8)
    once = (alpha * math.sqrt(share) + power * math.sqrt(share - drop**2)) ** 2
    watched = math.log(2) - math.log1p(-level) + _HEDGE
    return _of_pool(watched, growth, size), _of_pool(float(once), drop**2, size)


def _of_pool(needed: float, growth: float, size: int) -> int:
    """Return the calls until a sum that grows this much per call is there; an exhausted pool leaves nothing open."""
    return max(1, math.ceil(1 / (growth / needed + 1 / size) - 1e-9))


def fewest(holds: Callable[[int], bool], most: int) -> int:
    """Return the least whole number from 1 on at which a condition that turns once holds; `most` if none before.

    >>> fewest(lambda calls: calls * calls >= 50, 100), fewest(lambda calls: False, 100)
    (8, 100)
    """
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


_RUNS = 5
_FIRST = 8


def calls_to_stop(census: Census, means: Floats, error: float, level: float) -> int:
    """Return the calls at which `error_bound` comes down to the error, the geometric mean of five simulated studies.

    Half of the calls fall on all items left alike, half by weights that are learnt anew after 8, 12, 18, ... answers.
    The rule itself is at work, on answers drawn from what each kind is expected to say: `means`, (kinds, answers).
    """
    stops = [_stop(census, means, error, level, generator(0, "changed/plan", run)) for run in range(_RUNS)]
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
    """Return how many of the next calls fall on each kind; what one kind cannot take falls on the others."""
    drawn = np.zeros(len(left), dtype=np.int64)
    while drawn.sum() < calls:
        there = np.maximum(left - drawn, 0.0)
        chance = EVEN * there / there.sum() + (1 - EVEN) * there * weights / (there @ weights)
        more = rng.multinomial(calls - int(drawn.sum()), chance / chance.sum())
        drawn += np.minimum(more, there.astype(np.int64))
    return drawn
