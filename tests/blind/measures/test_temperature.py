"""Temperature scaling: a known temperature is found again, and degenerate validation sets are said to be so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from ringtrue.blind.measures import fit_temperature
from ringtrue.blind.measures._confidence import LEAST, MOST
from ringtrue.core import InvalidInput


@pytest.mark.parametrize("true", [0.5, 1.0, 2.5])
def test_a_known_temperature_is_found_again(true) -> None:
    """Truths drawn at the tempered probabilities, 8,000 of three classes: the fit's standard error is about 2%."""
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(8_000, 3)) * 3
    chances = softmax(logits / true, axis=1)
    truth = (rng.random((8_000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    fitted = fit_temperature(softmax(logits, axis=1), truth)
    assert fitted.value == pytest.approx(true, rel=0.06)
    assert fitted.after <= fitted.before
    assert fitted.ece_after < 0.02
    assert not fitted.at_limit
    np.testing.assert_allclose(fitted.applied(softmax(logits, axis=1)), softmax(logits / fitted.value, axis=1))


def test_saturated_probabilities_keep_their_differences() -> None:
    """In 32 bits the winner of these logits has a probability of exactly 1, the others tell how sure it is."""
    logits = np.array([[0.0, -30.0], [0.0, -40.0]], dtype=np.float32)
    saturated = softmax(logits, axis=1)
    assert saturated[0, 0] == 1
    fitted = fit_temperature(np.repeat(saturated, 10, axis=0), np.tile([0, 0, 0, 0, 1], 4))
    assert fitted.value == pytest.approx(35 / np.log(4), rel=0.05)
    applied = fitted.applied(saturated)
    assert applied[0, 1] > applied[1, 1] > 0.1


def test_a_validation_set_without_errors_ends_at_the_limit_and_says_so() -> None:
    sure = np.tile([[0.9, 0.1]], (20, 1))
    right, wrong = fit_temperature(sure, np.zeros(20, dtype=int)), fit_temperature(sure, np.ones(20, dtype=int))
    assert right.at_limit
    assert right.value == pytest.approx(LEAST, rel=1e-3)
    assert "cannot tell" in str(right)
    assert wrong.at_limit
    assert wrong.value == pytest.approx(MOST, rel=1e-3)
    assert np.all(np.isfinite(right.applied(sure)))


def test_probabilities_that_say_nothing_stay() -> None:
    fitted = fit_temperature(np.full((8, 4), 0.25), np.arange(8) % 4)
    assert fitted.value == 1
    assert fitted.before == fitted.after == pytest.approx(np.log(4))


@pytest.mark.parametrize(
    ("probabilities", "truth", "message"),
    [
        (np.zeros((0, 2)), [], "a row for each item"),
        (np.ones((3, 1)), [0, 0, 0], "at least two classes"),
        ([[0.5, 0.6]], [0], r"probabilities\[0\] sums to 1.1"),
        ([[0.5, 0.5], [np.nan, 0.5]], [0, 0], r"probabilities\[1\] sums to nan"),
        ([[1.5, -0.5]], [0], "non-negative"),
        ([[0.5, 0.5]], [2], r"truth=2 must lie in \[0, 2\)"),
        ([[0.5, 0.5]], [0, 1], "must be 1 class codes"),
        ([[0.5, 0.5]], [0.5], "must be 1 class codes"),
    ],
)
def test_bad_input_is_one_clear_line(probabilities, truth, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        fit_temperature(probabilities, truth)
