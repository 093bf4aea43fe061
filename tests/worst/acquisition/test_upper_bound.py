"""Upper bounds: the share of a Gaussian below them, and their derivatives."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ringtrue.worst._acquisition import two_tailed_upper_bound, upper_bound


@pytest.mark.parametrize("width", [0.5, 2.0])
@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (-3.0, 0.2), (5.0, 4.0)])
def test_the_share_below_the_bound_is_that_of_the_width(width, mean, sd):
    top = float(upper_bound(mean, sd, width).value)
    share, _ = quad(lambda f: norm.pdf(f, mean, sd), mean - 12 * sd, top)
    assert share == pytest.approx(norm.cdf(width), abs=1e-8)


def test_of_two_tails_the_higher_counts():
    mean, sd = np.array([-2.0, 0.5, 0.0]), np.array([0.5, 0.1, 1.0])
    np.testing.assert_allclose(two_tailed_upper_bound(mean, sd, 2.0).value, [3.0, 0.7, 2.0])
    np.testing.assert_allclose(
        two_tailed_upper_bound(mean, sd, 2.0).value,
        np.maximum(upper_bound(mean, sd, 2.0).value, upper_bound(-mean, sd, 2.0).value),
    )


@pytest.mark.parametrize("bound", [upper_bound, two_tailed_upper_bound])
def test_derivatives_are_those_of_finite_differences(bound):
    mean, sd, step = np.array([-2.0, 0.5]), np.array([0.5, 0.1]), 1e-6
    found = bound(mean, sd, 1.7)
    by_mean = (bound(mean + step, sd, 1.7).value - bound(mean - step, sd, 1.7).value) / (2 * step)
    by_sd = (bound(mean, sd + step, 1.7).value - bound(mean, sd - step, 1.7).value) / (2 * step)
    np.testing.assert_allclose(found.d_mean, by_mean, rtol=1e-5)
    np.testing.assert_allclose(found.d_sd, by_sd, rtol=1e-5)
