"""Standardised signals: free of the confidence, of even spread, finite whatever the confidence."""

import numpy as np
import pytest

from ringtrue.blind.signals import standardised
from ringtrue.core import InvalidInput


def test_what_the_confidence_says_already_is_gone_and_the_spread_is_even():
    """Monte Carlo: with 1000 items a mean |z| has a standard error of 0.02, a mean z of 0.04."""
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.55, 0.999, 3000)
    width = 0.01 + (1 - confidence) * 5
    z = standardised(10 * confidence + width * rng.normal(size=3000), confidence)
    for part in (confidence < 0.7, (confidence > 0.7) & (confidence < 0.85), confidence > 0.85):
        assert z[part].mean() == pytest.approx(0, abs=0.12)
        assert np.abs(z[part]).mean() == pytest.approx(1, abs=0.08)
    assert np.abs(z).max() <= 3.5


def test_confidences_of_exactly_one_and_zero_are_finite():
    rng = np.random.default_rng(1)
    confidence = np.r_[np.ones(300), rng.uniform(0.5, 1, 100), 0.0]
    signal = rng.normal(size=401)
    signal[5] = 9
    z = standardised(signal, confidence)
    assert np.all(np.isfinite(z))
    assert z[5] == 3.5
    assert z[:300].mean() == pytest.approx(0, abs=0.05)


def test_confidences_near_one_are_told_apart():
    """A rise from doubts of 1e-3 to 1e-7 is a trend of the logit, not a scatter of items that look equally sure."""
    doubt = np.exp(np.linspace(np.log(0.4), np.log(1e-7), 2000))
    signal = np.log(doubt) ** 2 + np.cos(17 * np.arange(2000))
    surest = doubt < 1e-3
    assert abs(np.corrcoef(standardised(signal, 1 - doubt)[surest], signal[surest])[0, 1]) < 0.2


@pytest.mark.parametrize("value", [0.0, 0.1, -3.0, 1e9 / 3])
def test_a_signal_that_does_not_vary_is_zero(value):
    confidence = np.random.default_rng(2).uniform(0.5, 1, 200)
    assert standardised(np.full(200, value), confidence).tolist() == [0.0] * 200


def test_a_signal_that_is_mostly_one_value_keeps_its_rare_ones():
    confidence = np.linspace(0.6, 0.99, 1000)
    signal = np.where(np.arange(1000) % 50 == 0, 0.3, 0.0)
    z = standardised(signal, confidence)
    assert np.all(z[signal > 0] > 3)
    assert np.all(np.abs(z[signal == 0]) < 1)
    often = np.where(np.arange(1000) % 5 == 0, 0.3, 0.0)
    assert standardised(often, confidence).mean() == pytest.approx(0, abs=0.02)


def test_one_confidence_for_all_leaves_the_deviation_from_the_mean():
    assert standardised([1.0, 2.0, 3.0], [0.9, 0.9, 0.9]) == pytest.approx([-1.5, 0, 1.5])


@pytest.mark.parametrize("n", range(1, 11))
def test_small_pools(n):
    rng = np.random.default_rng(n)
    z = standardised(rng.normal(size=n), np.r_[np.ones(n // 2), rng.uniform(0.5, 1, n - n // 2)])
    assert z.shape == (n,)
    assert np.all(np.abs(z) <= 3.5)


@pytest.mark.parametrize(
    ("signal", "confidence", "message"),
    [
        ([1.0, np.nan], [0.5, 0.6], r"signal\[1\]=nan"),
        ([1.0], [0.5, 0.6], "signal has 1 numbers for 2 items"),
        ([1.0, 2.0], [0.5, 1.01], r"confidence\[1\]=1.01"),
    ],
)
def test_bad_input_is_refused(signal, confidence, message):
    with pytest.raises(InvalidInput, match=message):
        standardised(signal, confidence)
