"""LOESS: statsmodels' figures, exact polynomials, ties, few points, outliers."""

import numpy as np
import pytest

from ringtrue.blind.expectation import Curve, loess
from ringtrue.core import InvalidInput

FEW = np.arange(24)
FEW_X = (FEW * 0.37) % 1
FEW_Y = np.sin(6 * FEW_X) + 0.3 * np.cos(17 * FEW) + 6.0 * (FEW == 5) - 4.0 * (FEW == 11)

MANY = np.arange(2000)
MANY_X = 1 - ((MANY * 0.6180339887498949) % 1) ** 2 / 2
MANY_Y = np.log(0.02 + 1 - MANY_X) + 0.5 * np.cos(17 * MANY)


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        (0, [-0.834546863, 0.7531811253, -0.3597068191, -0.0512042774, 0.2241249322, 0.177674898, 0.8911382125]),
        (3, [0.1035489859, 0.7461531943, -0.8536215014, 0.5837639314, 0.2265015771, -0.8125005637, 0.9395319829]),
    ],
)
def test_a_curve_through_all_points_is_that_of_statsmodels(passes, expected):
    """statsmodels 0.15.0: lowess(y, x, frac=0.4, it=passes)."""
    assert loess(FEW_X, FEW_Y, span=0.4, passes=passes)(FEW_X[:7]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        (0, [-3.893204, -1.564805, -3.049538, -0.945365, -2.031152, -3.739555, -1.305135, -2.608904]),
        (3, [-3.891668, -1.565465, -3.050448, -0.944593, -2.031362, -3.740479, -1.305166, -2.608685]),
    ],
)
def test_a_curve_through_anchors_is_near_that_of_statsmodels(passes, expected):
    """The same with frac=0.1. The range of the curve is 3.2; lines between anchors may cost a thousandth of it."""
    curve = loess(MANY_X, MANY_Y, span=0.1, passes=passes)
    assert len(curve.places) < len(MANY) / 10
    assert curve(MANY_X[:8]) == pytest.approx(expected, abs=0.003)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_every_degree_is_weighted_least_squares(degree):
    """The second way: the textbook formula at one place, by numpy's own polynomial fit."""
    size = 9
    for place in (0.0, 0.37, FEW_X.max()):
        distance = np.abs(FEW_X - place)
        nearest = np.argsort(distance)[:size]
        weights = (1 - (distance[nearest] / distance[nearest[-1]]) ** 3) ** 3
        fit = np.polyfit(FEW_X[nearest] - place, FEW_Y[nearest], degree, w=np.sqrt(weights))
        assert loess(FEW_X, FEW_Y, span=size / 24, degree=degree, passes=0)(place) == pytest.approx(fit[-1], abs=1e-9)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_a_polynomial_of_its_degree_is_met_exactly(degree):
    x = np.linspace(-3, 2, 41)
    y = np.polyval([0.7, -1.3, 2.0][2 - degree :], x)
    assert loess(x, y, span=0.3, degree=degree)(x) == pytest.approx(y, abs=1e-9)


def test_robust_passes_ignore_outliers():
    x = np.linspace(0, 1, 200)
    noise = 0.01 * np.cos(np.arange(200) * 17)
    y = x + noise
    y[::20] += 5
    assert np.abs(loess(x, y, span=0.3)(x) - x).max() < 0.01
    assert np.abs(loess(x, y, span=0.3, passes=0)(x) - x).max() > 0.2


def test_where_a_window_is_one_tied_x_the_curve_is_the_mean_of_all_ties():
    """No subset of the ties may decide, whatever their order."""
    x = np.append(np.ones(500), np.linspace(0.5, 0.9, 100))
    y = np.append(np.arange(500.0), np.zeros(100))
    order = np.random.default_rng(3).permutation(600)
    curve = loess(x, y, passes=0)
    assert curve(1.0) == pytest.approx(np.arange(500).mean())
    assert loess(x[order], y[order], passes=0)([0.7, 0.95, 1.0]) == pytest.approx(curve([0.7, 0.95, 1.0]))


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_one_x_for_all_gives_a_level_curve(degree):
    curve = loess(np.full(7, 0.8), [1, 2, 3, 4, 5, 6, 7], degree=degree, passes=0)
    assert curve([0, 0.8, 1]) == pytest.approx([4, 4, 4])


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("n", range(1, 11))
def test_few_points_give_a_finite_curve_within_reason(n, degree):
    x, y = FEW_X[:n], FEW_Y[:n]
    heights = loess(x, y, span=0.1, degree=degree)(np.linspace(0, 1, 50))
    assert np.all(np.isfinite(heights))
    assert np.all(np.abs(heights) <= 10 * max(1, np.abs(y).max()))


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_a_span_of_almost_nothing_still_has_points_to_fit(degree):
    least = loess(FEW_X, FEW_Y, span=(degree + 3) / 24, degree=degree)
    assert loess(FEW_X, FEW_Y, span=1e-3, degree=degree).heights.tolist() == least.heights.tolist()
    assert least(FEW_X[:9]) != pytest.approx(FEW_Y[:9], abs=0.1)


def test_a_span_above_one_approaches_one_line_for_all():
    line = np.polyval(np.polyfit(FEW_X, FEW_Y, 1), FEW_X)
    assert loess(FEW_X, FEW_Y, span=30, passes=0)(FEW_X) == pytest.approx(line, abs=1e-3)
    assert np.abs(loess(FEW_X, FEW_Y, span=1, passes=0)(FEW_X) - line).max() > 0.05


def test_ranges_far_from_zero_and_tiny_ones_are_the_same_curve():
    near = loess(FEW_X, FEW_Y, span=0.4)(FEW_X)
    assert loess(1e6 + FEW_X, FEW_Y, span=0.4)(1e6 + FEW_X) == pytest.approx(near, abs=1e-6)
    assert loess(FEW_X * 1e-12, FEW_Y, span=0.4)(FEW_X * 1e-12) == pytest.approx(near, abs=1e-9)


def test_a_curve_is_level_beyond_its_ends():
    assert Curve(np.array([0.0, 2.0]), np.array([1.0, 5.0]))([-9, 1, 9]).tolist() == [1, 3, 5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": [0.1, np.nan, 0.3]}, r"x\[1\]=nan must be finite"),
        ({"y": [0.1, 0.2, np.inf]}, r"y\[2\]=inf must be finite"),
        ({"y": [0.1, 0.2]}, "y has 2 numbers for 3 items"),
        ({"x": [], "y": []}, "at least one number"),
        ({"span": 0.0}, r"span=0.0 must be positive"),
        ({"degree": 3}, r"degree=3 must be 0, 1 or 2"),
        ({"passes": -1}, r"passes=-1 must not be negative"),
    ],
)
def test_bad_input_is_refused_in_one_line(change, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        loess(**{"x": [0.1, 0.2, 0.3], "y": [1.0, 2.0, 3.0], **change})
    assert "\n" not in str(refusal.value)
