"""Confidence sequences: order, nesting, extremes, and agreement with the tests they invert."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.stats import (
    PoolEvidence,
    PoolSegments,
    RateTest,
    clopper_pearson,
    hypergeometric,
    pool_rate_sequence,
    rate_sequence,
    segmented_pool_sequence,
    wilson,
)

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])
SIDES = st.sampled_from(["both", "lower", "upper"])
STREAMS = [clopper_pearson, wilson, rate_sequence]
POOLS = [hypergeometric, pool_rate_sequence]


@st.composite
def pool_counts(draw):
    population = draw(st.integers(1, 400))
    n = draw(st.integers(0, population))
    return draw(st.integers(0, n)), n, population


@pytest.mark.parametrize("interval", STREAMS)
@settings(deadline=None, max_examples=30)
@given(n=st.integers(0, 5000), level=LEVELS, side=SIDES)
def test_stream_bounds_grow_with_failures_and_hold_the_observed_rate(interval, n, level, side) -> None:
    k = np.unique(np.linspace(0, n, 40).astype(int))
    bounds = interval(k, n, level=level, side=side)
    assert np.all(np.diff(bounds.low) >= -1e-12)
    assert np.all(np.diff(bounds.high) >= -1e-12)
    if side == "both":
        assert np.all(bounds.covers(k / max(n, 1)))
    assert interval is wilson or np.all(bounds.width > 0)
    assert np.all((bounds.low >= 0) & (bounds.high <= 1))


@pytest.mark.parametrize("interval", POOLS)
@settings(deadline=None, max_examples=60)
@given(counts=pool_counts(), level=LEVELS, side=SIDES)
def test_pool_bounds_grow_with_failures_and_only_a_full_pool_has_zero_width(interval, counts, level, side) -> None:
    _, n, population = counts
    k = np.arange(n + 1)
    bounds = interval(k, n, population=population, level=level, side=side)
    assert np.all(np.diff(bounds.low) >= -1e-12)
    assert np.all(np.diff(bounds.high) >= -1e-12)
    if side == "both":
        assert np.all(bounds.low >= k / population - 1e-12)
        assert np.all(bounds.high <= (population - n + k) / population + 1e-12)
        assert np.all((bounds.width > 0) == (n < population))
    elif n < population:
        assert np.all(bounds.width > 0)


@pytest.mark.parametrize("interval", STREAMS)
@settings(deadline=None, max_examples=60)
@given(n=st.integers(0, 5000), share=st.floats(0, 1), side=SIDES)
def test_a_higher_level_is_wider(interval, n, share, side) -> None:
    k = round(share * n)
    narrow, wide = (interval(k, n, level=level, side=side) for level in (0.9, 0.95))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@settings(deadline=None, max_examples=60)
@given(counts=pool_counts(), side=SIDES)
def test_a_higher_level_is_wider_in_a_pool(counts, side) -> None:
    k, n, population = counts
    narrow, wide = (pool_rate_sequence(k, n, population=population, level=a, side=side) for a in (0.9, 0.95))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


def test_no_answers_say_nothing() -> None:
    for bounds in (rate_sequence(0, 0), pool_rate_sequence(0, 0, population=9)):
        assert (bounds.low, bounds.high) == (0, 1)


def test_shapes_broadcast() -> None:
    bounds = rate_sequence([[0], [1]], [10, 20, 30])
    assert bounds.low.shape == bounds.high.shape == (2, 3)
    assert rate_sequence(0, 10).low.shape == ()


@settings(deadline=None, max_examples=80)
@given(n=st.integers(1, 3000), share=st.floats(0, 1), limit=st.floats(0.001, 0.999))
def test_a_bound_excludes_a_limit_exactly_when_the_test_decides(n, share, limit) -> None:
    k = round(share * n)
    test = RateTest(limit, level=0.95)
    below, above = test.evidence(k, n)
    assert (rate_sequence(k, n, side="upper").high < limit) == (below >= test.threshold)
    assert (rate_sequence(k, n, side="lower").low > limit) == (above >= test.threshold)


@settings(deadline=None, max_examples=80)
@given(counts=pool_counts(), limit=st.floats(0.001, 0.999))
def test_a_pool_bound_excludes_a_limit_when_the_test_decides(counts, limit) -> None:
    k, n, population = counts
    test = RateTest(limit, level=0.95, population=population)
    below, above = test.evidence(k, n)
    upper = pool_rate_sequence(k, n, population=population, side="upper").high
    lower = pool_rate_sequence(k, n, population=population, side="lower").low
    items = 1 / population  # an interval that would be a point is widened by one item
    assert (upper <= limit + 1e-9) <= (below >= test.threshold)
    assert (below >= test.threshold) <= (upper <= limit + items + 1e-9)
    assert (lower > limit + 1e-9) <= (above >= test.threshold)
    assert (above >= test.threshold) <= (lower > limit - items - 1e-9)


def test_the_rates_that_survive_are_an_interval() -> None:
    """Bisection finds the ends only if the evidence crosses its threshold once: scanned here on a fine grid."""
    rates = np.concatenate([np.geomspace(1e-9, 0.01, 400), np.linspace(0.01, 0.999, 800)])
    counts = [(k, n) for n in (1, 2, 3, 5, 10, 30, 100, 1000) for k in np.unique(np.linspace(0, n, 12).astype(int))]
    failures, answers = np.array(counts).T
    found = np.array([RateTest(rate).evidence(failures, answers) for rate in rates])
    below, above = found[:, 0], found[:, 1]
    for alpha in (0.5, 0.2, 0.05, 0.025, 0.001):
        assert np.all(np.diff((below >= -np.log(alpha)).astype(int), axis=0) >= 0)
        assert np.all(np.diff((above >= -np.log(alpha)).astype(int), axis=0) <= 0)


def _segments_of(population: int, failing: int, rng: np.random.Generator, pick: float) -> PoolEvidence:
    left = list(rng.permutation(np.arange(population) < failing))
    told = PoolEvidence(0.1, population=population)
    for _ in range(int(rng.integers(1, population + 1))):
        if rng.random() < pick:
            worst = left.index(max(left)) if rng.random() < 0.5 else left.index(min(left))
            told.know(bool(left.pop(worst)))
        else:
            told.draw(bool(left.pop()))
    return told


def test_one_segment_equals_the_pool_sequence() -> None:
    for population in (1, 5, 30, 200):
        for n in {0, 1, population // 3, population - 1, population}:
            for k in {0, n // 4, n}:
                for side in ("both", "lower", "upper"):
                    one = PoolSegments.of([(0, population, n, k)])
                    ours = segmented_pool_sequence(one, population=population, side=side)
                    theirs = pool_rate_sequence(k, n, population=population, side=side)
                    assert (ours.low[0], ours.high[0]) == (theirs.low, theirs.high)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.025])
def test_the_numbers_that_survive_segments_are_an_interval(alpha) -> None:
    """Every number of failing items is tried on its own and the survivors must be what bisection found."""
    rng = np.random.default_rng(11)
    for _ in range(75):
        population = int(rng.integers(5, 60))
        told = _segments_of(population, int(rng.integers(0, population + 1)), rng, pick=float(rng.random()))
        bounds = segmented_pool_sequence(told.segments, population=population, level=1 - alpha, side="upper")
        survivors = [told.known_failures]
        for failing in range(told.known_failures + 1, told.known_failures + told.unknown + 1):
            probe = PoolEvidence((failing - 0.5) / population, population=population)
            for s, u, m, k in zip(*_columns(told.segments), strict=True):
                for _ in range(population - probe.unknown, population - u):
                    probe.know(probe.known_failures < s)
                for i in range(m):
                    probe.draw(i < k)
            if probe.evidence()[0] < -np.log(alpha):
                survivors.append(failing)
        widened = told.unknown > 0 and survivors == [told.known_failures]
        assert round(float(bounds.high[-1] * population)) in {survivors[-1], survivors[-1] + widened}


def _columns(segments: PoolSegments):
    return segments.known_failures, segments.unknown, segments.draws, segments.failures


def test_segments_respect_what_is_known_and_end_in_a_point() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        told = _segments_of(50, int(rng.integers(0, 20)), rng, pick=0.3)
        bounds = segmented_pool_sequence(told.segments, population=50)
        low, high = bounds.low[-1] * 50, bounds.high[-1] * 50
        assert low >= told.known_failures - 1e-9
        assert high <= told.known_failures + told.unknown + 1e-9
        assert (high > low) == (told.unknown > 0)
