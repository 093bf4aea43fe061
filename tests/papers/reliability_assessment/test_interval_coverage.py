"""Bounds of a failure rate that no study uses hold as often as they say, in simulated studies with fixed seeds.

Coverage must be at least its level less three Monte Carlo standard errors: of 2.2 points for the 100 studies of the
sequence, and of 4.9 for the 20 of the stratified bound, whose every look is a search.
"""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import (
    importance_log_evidence,
    importance_mean_sequence,
    stratified_upper,
)
from ringtrue.stats import generator

LEVEL = 0.95
SIZES = (1, 2, 5, 10, 20, 50, 100)
TAILS = {"both": (0.025, 0.025), "upper": (0.05, 0.0), "lower": (0.0, 0.05)}
SIDES_AND_RATES = [("both", rate) for rate in (0.0, 0.01, 0.05, 0.5)]
SIDES_AND_RATES += [(side, rate) for side in ("upper", "lower") for rate in (0.0, 0.5)]


def required(studies):
    return LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / studies)


def watched(side, rate, study):
    """Whether the sequence held the rate at every look of a stream that draws half its inputs from the risky tenth."""
    longest, risky_share = max(SIZES), max(0.1, rate)
    rng = generator(20261115, f"importance {rate}", study)
    risky = rng.random(longest) < 0.5
    values = (risky & (rng.random(longest) < rate / risky_share)).astype(float)
    weights = np.where(risky, risky_share / 0.5, (1 - risky_share) / 0.5)
    largest = max(risky_share, 1 - risky_share) / 0.5
    evidence = importance_log_evidence(values, weights, largest, rate) if rate else ()
    # Between the sizes the evidence at the true rate, which the interval inverts, says whether it would have held it.
    never = [np.all(one < -np.log(alpha)) for one, alpha in zip(evidence, TAILS[side], strict=False) if alpha]
    bounds = (
        importance_mean_sequence(values[:size], weights[:size], largest, level=LEVEL, side=side) for size in SIZES
    )
    return all(never) and all(bool(one.covers(rate)[0]) for one in bounds)


@pytest.mark.slow
@pytest.mark.parametrize(("side", "rate"), SIDES_AND_RATES)
def test_the_importance_sequence_holds_at_every_look(side, rate):
    assert np.mean([watched(side, rate, study) for study in range(100)]) >= required(100)


@pytest.mark.slow
@pytest.mark.parametrize(("side", "rate"), SIDES_AND_RATES)
def test_the_stratified_bound_holds_at_a_size_fixed_beforehand(side, rate):
    """A pool in strata of 160 and 40 items; the smaller fails four times as often; 70% of answers go to the other."""
    items = np.array([160, 40])
    risky = min(round(0.8 * rate * 200), 36)
    failing = np.array([round(rate * 200) - risky, risky])
    held = np.empty((20, len(SIZES)), dtype=bool)
    for study in range(20):
        rng = generator(20261115, f"stratified {rate}", study)
        failed = [rng.permutation(size) < fails for size, fails in zip(items, failing, strict=True)]
        for place, size in enumerate(SIZES):
            answers = [size - 3 * size // 10, 3 * size // 10]
            seen = [int(one[:n].sum()) for one, n in zip(failed, answers, strict=True)]
            held[study, place] = stratified_upper(seen, answers, items, level=LEVEL, side=side).covers(rate)
    assert held.mean(axis=0).min() >= required(20)


def test_importance_bounds_order_and_hold():
    rng = np.random.default_rng(6)
    weights = np.where(rng.random(500) < 0.5, 1.5, 0.5)
    values = (rng.random(500) < 0.1).astype(float)
    narrow = importance_mean_sequence(values, weights, 1.5, level=0.8)
    wide = importance_mean_sequence(values, weights, 1.5, level=0.95)
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.covers(0.1)
    nothing = importance_mean_sequence([], [], 2.0)
    assert (nothing.low, nothing.high) == (0, 1)


@pytest.mark.parametrize(
    ("values", "weights", "largest", "message"),
    [
        ([0.0], [2.0], 1.5, r"weights must lie in \[0, max_weight=1.5\]"),
        ([0.0], [0.2], 0.5, "max_weight=0.5 must be at least 1"),
        ([2.0], [1.0], 1.5, r"values must lie in \[0, 1\]"),
    ],
)
def test_what_is_no_importance_sample_is_refused(values, weights, largest, message):
    with pytest.raises(InvalidInput, match=message):
        importance_mean_sequence(values, weights, largest)
