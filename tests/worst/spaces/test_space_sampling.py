"""Random and evenly spread points: allowed, uniform, the same every time, in thin sets too."""

import numpy as np
import pytest
from scipy.stats import qmc

from ringtrue.worst.spaces import AtMost, Choice, Integer, Real, SearchSpace
from ringtrue.worst.spaces._choice import spread
from ringtrue.worst.spaces._constraints import interior_point
from ringtrue.worst.spaces._sampler import WALKERS, Walk


def between(names, low, high):
    """The sum of these parameters lies between two numbers."""
    return [AtMost(dict.fromkeys(names, 1.0), high), AtMost(dict.fromkeys(names, -1.0), -low)]


def slab(axes, low, high, scale=1.0):
    names = [f"x{place}" for place in range(axes)]
    return SearchSpace([Real(name, 0, scale) for name in names], constraints=between(names, low * scale, high * scale))


SPACES = {
    "box": SearchSpace([Real("x", -1, 3), Real("r", 1e-3, 1, log=True), Integer("n", 1, 8), Choice("c", ["a", "b"])]),
    "half": SearchSpace(
        [Real("x", 0, 1), Real("y", 0, 1), Choice("c", ["a", "b"])], constraints=[AtMost({"x": 1, "y": 1}, 1)]
    ),
    "slab": slab(4, 0.99, 1.0),
    "equality": slab(3, 1.0, 1.0, scale=100.0),
    "log": SearchSpace(
        [Real("r", 1e-6, 1, log=True), Integer("n", 1, 1000, log=True), Real("free", 0, 1)],
        constraints=[AtMost({"r": 1e3, "n": 1}, 50), AtMost({"r": -1e3, "n": -1}, -49)],
    ),
    "whole": SearchSpace(
        [Integer("n", 0, 99), Integer("m", 0, 99), Real("x", 0, 1)], constraints=between("nm", 50, 50)
    ),
    "wholes": SearchSpace([Integer(name, 0, 99) for name in "klmn"], constraints=between("klmn", 99, 99)),
}


@pytest.mark.parametrize("name", SPACES)
def test_random_points_are_allowed_and_repeatable(name):
    space = SPACES[name]
    drawn = space.sample(300, np.random.default_rng(5))
    assert drawn.shape == (300, space.width)
    points = space.decode(drawn)
    assert space.allows(points).all()
    np.testing.assert_allclose(space.encode(points), drawn, atol=1e-12)
    assert np.array_equal(space.sample(300, np.random.default_rng(5)), drawn)
    assert not np.array_equal(space.sample(300, np.random.default_rng(6)), drawn)
    assert space.sample(0, np.random.default_rng(5)).shape == (0, space.width)
    assert len(np.unique(points, axis=0)) > 50


@pytest.mark.parametrize("name", SPACES)
def test_spread_points_are_allowed_differ_and_begin_the_same(name):
    space = SPACES[name]
    points = space.sobol(40, 7)
    assert space.allows(space.decode(points)).all()
    assert len(np.unique(points, axis=0)) == 40
    for n, skip in ((1, 0), (5, 0), (33, 0), (1, 17), (7, 33)):
        assert np.array_equal(space.sobol(n, 7, skip=skip), points[skip : skip + n])
    assert not np.array_equal(space.sobol(40, 8), points)


def test_spread_points_fill_the_box_better_than_random_ones():
    space = SearchSpace([Real(f"x{place}", 0, 1) for place in range(5)])
    spread = qmc.discrepancy(space.sobol(64, 1))
    assert spread < 0.5 * min(qmc.discrepancy(space.sample(64, np.random.default_rng(seed))) for seed in range(20))


def test_a_small_space_is_gone_through_before_a_point_comes_again():
    space = SearchSpace([Integer("n", 1, 5), Choice("c", ["a", "b", "c"])], constraints=[AtMost({"n": 1}, 4)])
    assert space.size == 12
    points = space.sobol(30, 3)
    assert len(np.unique(points[:12], axis=0)) == 12
    assert np.array_equal(points[12:24], points[:12])
    assert np.array_equal(space.sobol(1, 3, skip=25)[0], points[25])


def test_so_few_points_that_the_sequence_misses_them_are_walked_to():
    """Five of a hundred million points, too many to list."""
    space = SearchSpace([Integer(name, 0, 99) for name in "klmn"], constraints=[AtMost(dict.fromkeys("klmn", 1), 1)])
    assert space.size is None
    assert len(np.unique(space.sobol(5, 1), axis=0)) == 5
    assert np.array_equal(space.sobol(12, 1)[5:10], space.sobol(12, 1)[:5])


def test_rejected_points_are_uniform_on_what_is_left():
    """Mean and spread of x under x + y <= 1, to four standard errors of 20,000 draws."""
    drawn = SPACES["half"].sample(20_000, np.random.default_rng(1))
    sd = np.sqrt(1 / 18)
    np.testing.assert_allclose(drawn[:, :2].mean(axis=0), 1 / 3, atol=4 * sd / np.sqrt(20_000))
    np.testing.assert_allclose(drawn[:, :2].std(axis=0), sd, atol=0.005)


@pytest.mark.parametrize("width", [0.01, 1e-4, 1e-8, 0.0])
def test_the_walk_is_uniform_on_a_slab_however_thin(width):
    """Shares of a mixture are uniform on a simplex, so their mean and standard deviation are known.

    The walkers are 512, so their mean has a standard error of sd / 22; four of them are allowed.
    """
    axes = 4
    drawn = slab(axes, 1.0 - width, 1.0).sample(4000, np.random.default_rng(2))
    sd = np.sqrt((axes - 1) / (axes**2 * (axes + 1)))
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / axes, atol=4 * sd / np.sqrt(WALKERS))
    np.testing.assert_allclose(drawn.std(axis=0), sd, atol=0.15 * sd)


def test_thin_sets_of_logs_and_whole_numbers_have_the_distribution_of_rejection():
    space = SPACES["log"]
    rng = np.random.default_rng(4)
    tried = spread(space.parameters, rng.random((400_000, 3)))
    truth = space.encode(tried[space.allows(tried)])
    assert 400 < len(truth) < 0.02 * 400_000
    drawn = space.sample(4000, rng)
    error = truth.std(axis=0) * np.sqrt(1 / len(truth) + 1 / WALKERS)
    assert np.all(np.abs(drawn.mean(axis=0) - truth.mean(axis=0)) < 4 * error)
    np.testing.assert_allclose(drawn.std(axis=0), truth.std(axis=0), rtol=0.2)


def test_a_start_is_the_centre_of_the_largest_ball():
    """In a corner x + y + z <= 0.03 the ball that touches all four faces has the radius 0.03 / (3 + sqrt(3))."""
    corner = SearchSpace([Real(name, 0, 1) for name in "xyz"], constraints=[AtMost(dict.fromkeys("xyz", 1), 0.03)])
    np.testing.assert_allclose(interior_point(corner._limits), 0.03 / (3 + np.sqrt(3)), rtol=1e-6)


def test_whole_numbers_that_chance_does_not_find_are_found():
    """Sums of 3 n + 5 m that no rounding of a centre meets."""
    numbers = [Integer("n", 0, 10**6), Integer("m", 0, 10**6)]
    limits = [AtMost({"n": 3, "m": 5}, 4_000_003), AtMost({"n": -3, "m": -5}, -4_000_003)]
    space = SearchSpace(numbers, constraints=limits)
    points = space.decode(space.sample(50, np.random.default_rng(1)))
    assert np.all(points @ [3, 5] == 4_000_003)


def test_few_whole_combinations_are_drawn_alike():
    """Fifty-one pairs with a sum of 50; a chi-square of 50 degrees stays below 100 (p = 4e-5)."""
    points = SPACES["whole"].decode(SPACES["whole"].sample(5100, np.random.default_rng(8)))
    counts = np.bincount(points[:, 0].astype(int), minlength=51)
    assert np.sum((counts - 100) ** 2 / 100) < 100
    assert points[:, 2].mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 5100))


def test_a_walk_visits_both_parts_of_a_set_that_is_not_connected():
    def apart(places):
        return np.all((places < 0.3) | (places > 0.7), axis=1) & (np.ptp(places, axis=1) < 0.3)

    walk = Walk.spread_out(apart, np.array([[0.1, 0.2]]), np.random.default_rng(3))
    drawn = walk.draw(2000, np.random.default_rng(4))
    assert apart(drawn).all()
    assert np.mean(drawn[:, 0] > 0.5) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(WALKERS))
