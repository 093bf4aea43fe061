"""Betting under unequal probabilities: exact expectations, the logic of what is known, and the errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.stats import (
    WeightedDraws,
    weighted_log_evidence,
    weighted_mean_sequence,
)


def drawn(values: np.ndarray, scores: np.ndarray, count: int, rng: np.random.Generator, pick: float = 0.0):
    """Draws without replacement, half uniform and half by score; some items are picked by score instead."""
    left, rows = list(range(len(values))), []
    for _ in range(count):
        chance = 0.5 / len(left) + 0.5 * scores[left] / scores[left].sum()
        if rng.random() < pick:
            place, row = int(np.argmax(scores[left])), (np.nan, np.nan)
        else:
            place = int(rng.choice(len(left), p=chance))
            row = (chance[place], chance.min())
        rows.append((values[left.pop(place)], *row))
    x, p, floor = np.array(rows).T
    return WeightedDraws.of(x, p, floor)


@pytest.mark.parametrize("values", [(0, 0, 1, 1, 0), (1, 1, 1, 0, 1), (0, 0.25, 0.5, 0, 1), (0, 0, 0, 0, 0)])
@pytest.mark.parametrize("shift", [0.0, 0.1, -0.1])
def test_expectation_over_all_orders_is_at_most_one(values, shift) -> None:
    """All orders of a pool of five, the second item always picked by looking at the first."""
    values, scores = np.array(values, dtype=float), np.array([5.0, 1.0, 2.0, 1.0, 3.0])
    truth = values.mean()
    limit = truth + shift
    if not 0 < limit < 1:
        return
    below = above = 0.0
    for order in itertools.permutations(range(5)):
        weight, told = 1.0, []
        left = list(range(5))
        for step, item in enumerate(order[:4]):
            chance = 0.5 / len(left) + 0.5 * scores[left] / scores[left].sum()
            if step == 1:
                best = max(left, key=lambda other: scores[other] * (1 if values[order[0]] else -1))
                weight *= item == best
                told.append((values[item], np.nan, np.nan))
            else:
                p = float(chance[left.index(item)])
                weight *= p
                told.append((values[item], p, float(chance.min())))
            left.remove(item)
        if weight:
            draws = WeightedDraws.of(*np.array(told).T)
            log_below, log_above = (path[-1] for path in weighted_log_evidence(draws, limit, population=5))
            # The fifth item is left over: each set of four in order appears once.
            below += weight * np.exp(log_below) if truth >= limit - 1e-12 and log_below < np.inf else 0
            above += weight * np.exp(log_above) if truth <= limit + 1e-12 and log_above < np.inf else 0
            assert not (truth > limit + 1e-9 and log_below == np.inf)
            assert not (truth < limit - 1e-9 and log_above == np.inf)
    assert below <= 1 + 1e-9
    assert above <= 1 + 1e-9


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), rate=st.sampled_from([0.0, 0.02, 0.3, 1.0]), pick=st.sampled_from([0.0, 0.3]))
def test_bounds_exclude_a_limit_exactly_when_the_evidence_decides(seed, rate, pick) -> None:
    rng = np.random.default_rng(seed)
    values, scores = (rng.random(60) < rate).astype(float), rng.random(60) + 0.05
    draws = drawn(values, scores, int(rng.integers(1, 61)), rng, pick)
    bounds = weighted_mean_sequence(draws, population=60, level=0.9, prefixes=[0, 1, len(draws.values)])
    assert (bounds.low[0], bounds.high[0]) == (0, 1)
    for limit in (0.03, 0.11, 0.36):  # between what 60 items can have, where "below" and "at most" are one
        below, above = weighted_log_evidence(draws, limit, population=60)
        for place, end in ((1, 1), (2, len(draws.values))):
            assert (bounds.high[place] < limit) == (below[end - 1] >= np.log(20))
            assert (bounds.low[place] > limit) == (above[end - 1] >= np.log(20))


def test_a_pool_labelled_in_full_is_a_point_and_nothing_else_is() -> None:
    rng = np.random.default_rng(4)
    values = (rng.random(40) < 0.1).astype(float)
    draws = drawn(values, rng.random(40) + 0.1, 40, rng, pick=0.1)
    bounds = weighted_mean_sequence(draws, population=40, prefixes=range(41))
    assert bounds.low[-1] == bounds.high[-1] == pytest.approx(values.mean())
    assert np.all(bounds.width[:-1] > 0)
    assert np.all(bounds.covers(values.mean()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weighted_mean_sequence(WeightedDraws.of([2.0], [0.1], [0.1]), population=9), "scale"),
        (lambda: weighted_mean_sequence(WeightedDraws.of([0], [0.1], [0.2]), population=9), "floor=0.2"),
        (lambda: weighted_mean_sequence(WeightedDraws.of([0] * 10, [0.1] * 10, [0.1] * 10), population=9), "each item"),
        (
            lambda: weighted_mean_sequence(WeightedDraws.of([0], [0.1], [0.1]), population=9, prefixes=[2]),
            r"prefixes=\[2\] must lie in \[0, 1\]",
        ),
    ],
)
def test_errors(call, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
