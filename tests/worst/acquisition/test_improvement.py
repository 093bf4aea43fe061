"""Improvements against numerical integration, their derivatives against finite differences, and the far tail."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from ringtrue.core import InvalidInput
from ringtrue.papers.algorithmic_assurance import expected_improvement
from ringtrue.worst._acquisition import log_expected_improvement, log_two_tailed_improvement

MEANS = [-3.0, -0.5, 0.0, 0.4, 2.5]
SDS = [0.01, 0.3, 1.0, 4.0]


def integral(gain, mean, sd, breaks):
    """Of a gain under a Gaussian, in pieces, so that every kink is the end of one."""
    ends = np.unique(np.clip([mean - 12 * sd, *breaks, mean, mean + 12 * sd], mean - 12 * sd, mean + 12 * sd))
    pieces = [quad(lambda f: gain(f) * norm.pdf(f, mean, sd), low, high, epsabs=1e-13) for low, high in pairwise(ends)]
    return sum(piece[0] for piece in pieces)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("best", [-1.0, 0.0, 0.5])
def test_improvement_is_its_integral(mean, sd, best):
    expected = integral(lambda f: max(f - best, 0.0), mean, sd, [best])
    assert float(expected_improvement(mean, sd, best)) == pytest.approx(expected, rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("best", [0.0, 0.5])
def test_two_tailed_improvement_is_its_integral(mean, sd, best):
    expected = integral(lambda f: max(abs(f) - best, 0.0), mean, sd, [-best, best])
    assert float(np.exp(log_two_tailed_improvement(mean, sd, best).value)) == pytest.approx(
        expected, rel=1e-8, abs=1e-11
    )


@pytest.mark.parametrize("z", [-0.5, -0.999, -1.001, -5.0, -40.0, -99.0, -101.0, -1e3, -1e6])
def test_the_far_tail_is_right_where_the_plain_form_is_zero(z):
    """The integral with the density's height at best taken out: of t exp(z t - t²/2) over t > 0."""
    reach = 40.0 / max(-z, 1.0)
    scaled, _ = quad(lambda t: t * np.exp(z * t - t * t / 2), 0.0, reach, epsabs=0.0, epsrel=1e-12)
    expected = np.log(scaled) - z * z / 2 - 0.5 * np.log(2 * np.pi)
    assert float(log_expected_improvement(z, 1.0, 0.0).value) == pytest.approx(expected, rel=1e-10, abs=1e-9)


@given(
    mean=st.floats(-1e6, 1e6),
    sd=st.floats(1e-6, 1e6),
    best=st.floats(0, 1e6),
)
def test_logarithms_are_finite_and_rise_with_the_mean_and_the_spread(mean, sd, best):
    one = log_expected_improvement(mean, sd, best)
    assert np.all(np.isfinite(one))
    assert one.d_mean > 0
    assert one.d_sd >= 0
    both = log_two_tailed_improvement(mean, sd, best)
    assert np.all(np.isfinite(both))
    assert both.value >= one.value
    mirrored = log_two_tailed_improvement(-mean, sd, best)
    assert mirrored.value == both.value
    assert mirrored.d_mean == -both.d_mean


@pytest.mark.parametrize("improvement", [log_expected_improvement, log_two_tailed_improvement])
@pytest.mark.parametrize("best", [0.0, 1.3])
def test_derivatives_are_those_of_finite_differences(improvement, best):
    mean, sd = (grid.ravel() for grid in np.meshgrid([-40.0, -3.0, -0.9, 0.0, 0.7, 5.0], [0.2, 1.0, 3.0]))
    found, step = improvement(mean, sd, best), 1e-5
    by_mean = (improvement(mean + step, sd, best).value - improvement(mean - step, sd, best).value) / (2 * step)
    by_sd = (improvement(mean, sd + step, best).value - improvement(mean, sd - step, best).value) / (2 * step)
    np.testing.assert_allclose(found.d_mean, by_mean, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.d_sd, by_sd, rtol=1e-5, atol=1e-5)


def test_values_join_where_the_forms_do():
    for place in (-1.0, -100.0):
        left, right = (log_expected_improvement(place + side * 1e-9, 1.0, 0.0) for side in (-1, 1))
        for one, other in zip(left, right, strict=True):
            assert float(one) == pytest.approx(float(other), rel=1e-7)


def test_arrays_broadcast():
    found = log_two_tailed_improvement(np.zeros((4, 3)), np.ones((4, 3)), np.array([0.1, 0.2, 0.3]))
    assert found.value.shape == (4, 3)
    assert found.d_sd.shape == (4, 3)


def test_no_size_is_below_zero():
    with pytest.raises(InvalidInput, match=r"best=-0.5 must not be negative"):
        log_two_tailed_improvement(0.0, 1.0, -0.5)
