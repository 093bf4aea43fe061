"""The bound on the rate of errors: exact where everything is known, the same as bets by hand, never wrong by design."""

import numpy as np
import pytest

from ringtrue.blind._rate import Answered, ErrorRate
from ringtrue.core import Prediction
from ringtrue.stats import RARE


def drawn(error, left, guess=0.0, rest=0.0, least=0.0, most=None):
    return Answered(error, error, True, Prediction(guess, rest, least, float(left) if most is None else most))


def known(error):
    return Answered(float(error), float(error), False)


def test_nothing_is_known_before_the_first_draw_but_what_is_possible():
    rate = ErrorRate(10)
    assert rate.bounds(0.025, 0.025) == (0.0, 1.0)
    rate.add(known(1))
    rate.add(known(0))
    assert rate.bounds(0.025, 0.025) == pytest.approx((0.1, 0.9))
    assert np.isnan(rate.estimate())


def test_a_scope_asked_in_full_has_no_width():
    rate = ErrorRate(4)
    for place, error in enumerate((1, 0, 0, 1)):
        rate.add(drawn(float(error), 4 - place) if place % 2 else known(error))
    assert rate.bounds(0.025, 0.025) == pytest.approx((0.5, 0.5))
    assert rate.estimate() == pytest.approx(0.5)


def test_what_nobody_could_tell_counts_both_ways():
    rate = ErrorRate(4)
    for _ in range(3):
        rate.add(known(0))
    rate.add(Answered(0.0, 1.0, False))
    assert rate.bounds(0.025, 0.025) == pytest.approx((0.0, 0.25))


def test_guesses_are_unbiased_whatever_was_expected():
    # Over all draws from the items left, base + step averages to the rate: checked by going through every draw.
    errors, guesses = np.array([1.0, 0, 0, 1, 0]), np.array([0.9, 0.1, 0.4, 0.2, 0.05])
    totals = []
    for item in range(5):
        rate = ErrorRate(6)
        rate.add(known(1))
        rate.add(drawn(errors[item], 5, guesses[item], guesses.sum(), -guesses.max() * 5, (1 - guesses.min()) * 5))
        expected, plain = rate.told.means(RARE).low
        totals.append([float((way.base + way.step)[1, 0]) for way in (expected, plain)])
        assert (expected.lowest <= expected.step).all()
        assert (expected.step <= expected.highest).all()
    assert np.mean(totals, axis=0) == pytest.approx([0.5, 0.5])


def test_a_good_expectation_narrows_the_bound():
    def width(quality):
        rng = np.random.default_rng(4)
        errors = rng.random(400) < 0.3
        guesses = np.clip(quality * errors + (1 - quality) * 0.3, 0.01, 0.99)
        rate = ErrorRate(400)
        for place, item in enumerate(rng.permutation(400)[:150]):
            left = 400 - place
            rest = guesses.sum()  # of the items left, as good as all: the draw's own guess is what counts here
            rate.add(drawn(float(errors[item]), left, guesses[item], rest * left / 400, -0.99 * left, 0.99 * left))
        low, high = rate.bounds(0.025, 0.025)
        return high - low

    assert width(0.95) < 0.75 * width(0.0)
