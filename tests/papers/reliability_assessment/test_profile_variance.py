"""Variances of a profile: the bootstrap of the paper, its limit in closed form, and cells that move together."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import (
    bootstrap_variance,
    closed_form_variance,
    paper_bootstrap_variance,
    share_variance,
)
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._points import CROSS, EMPTY, Census
from ringtrue.risk.cells._profile import KernelProfile
from support.siemens import GRID, paper_forest, share_of_ones, siemens

RNG = np.random.default_rng(6)
POINTS = RNG.beta([2, 3], [3, 2], size=(80, 2))
SMALL = Grid.over((0, 0), (1, 1), (6, 5))


def unastuteness(name, ones):
    """By the labels of points where there are some, by the model's own vote where there are none, as in the paper."""
    label = Census.of(GRID, *siemens(name)).label
    cases = [label == 0, label == 1, label == EMPTY, label == CROSS]
    return np.select(cases, [ones, 1 - ones, np.minimum(ones, 1 - ones), np.ones(len(ones))])


@pytest.mark.parametrize(
    ("name", "estimate", "together"), [("running_example", 0.004890287, 1.41e-5), ("ds1", 0.008268882, 8.12e-5)]
)  # fmt: skip
def test_cells_that_move_together_make_the_profile_five_times_as_uncertain(name, estimate, together):
    profile = KernelProfile(siemens(name).points, 0.2)
    fragile, mass = unastuteness(name, share_of_ones(name)), profile.mass(GRID)
    assert mass @ fragile / mass.sum() == pytest.approx(estimate, abs=5e-10)
    aware = np.sqrt(share_variance(profile, GRID, fragile))
    assert aware == pytest.approx(together, rel=5e-3)
    apart = np.sqrt(fragile**2 @ closed_form_variance(profile, GRID, len(profile.points) // 2)) / mass.sum()
    assert 4.5 < aware / apart < 6


def paper_deviation(name, ones):
    """The paper's equation 7, given the share of each cell that is labelled 1 and the bootstrap of its program."""
    profile = KernelProfile(siemens(name).points, 0.2)
    fragile, mass = unastuteness(name, ones), profile.mass(GRID)
    share, moved = mass / mass.sum(), paper_bootstrap_variance(profile, GRID) / mass.sum() ** 2
    chance = fragile * (1 - fragile) / 9_999
    return np.sqrt(np.sum(share**2 * chance + fragile**2 * moved + chance * moved))


@pytest.mark.slow
def test_the_bootstrap_gives_the_printed_deviation_to_all_digits():
    """With the program's random numbers, here and for the 10,000 places that it looks at in every cell."""
    ones = share_of_ones("running_example").copy()
    places = np.random.RandomState(100).uniform(size=(10_000, 2)) * GRID.sides
    mixed = np.flatnonzero((ones > 0) & (ones < 1))
    for cells in np.array_split(mixed, 20):
        asked = (GRID.corners(cells)[:, None] + places).reshape(-1, 2)
        ones[cells] = paper_forest("running_example").predict(asked).reshape(len(cells), -1).mean(axis=1)
    assert len(mixed) == 730
    assert paper_deviation("running_example", ones) == pytest.approx(4.576742e-6, abs=5e-13)


def test_the_bootstrap_gives_the_deviation_of_exact_areas():
    assert paper_deviation("ds1", share_of_ones("ds1")) == pytest.approx(1.466e-5, abs=5e-9)


@pytest.mark.parametrize("size", [None, 40])
def test_the_closed_form_is_what_a_long_bootstrap_settles_on(size):
    """A variance from 1200 resamples is off by sqrt(2 / 1200) = 4.1 % in a cell; the mean of 30 cells by less."""
    profile = KernelProfile(POINTS, 0.15, at="integral")
    closed = closed_form_variance(profile, SMALL, size)
    long = bootstrap_variance(profile, SMALL, resamples=1200, size=size, seed=1)
    ratio = long / closed
    assert np.all(np.abs(ratio - 1) < 4 * 0.041)
    assert abs(ratio.mean() - 1) < 0.041


def test_half_a_resample_doubles_the_variance():
    profile = KernelProfile(POINTS, 0.15)
    assert np.allclose(closed_form_variance(profile, SMALL, 40), 2 * closed_form_variance(profile, SMALL), rtol=1e-12)


def test_a_resample_is_the_profile_of_the_points_it_picked():
    """The variance over resamples, done with profiles in full."""
    profile = KernelProfile(POINTS, 0.15)
    order = [np.random.RandomState(turn).randint(0, 80, size=40) for turn in range(100)]
    masses = [KernelProfile(POINTS[picked], 0.15).mass(SMALL) for picked in order]
    assert np.allclose(paper_bootstrap_variance(profile, SMALL), np.var(masses, axis=0, ddof=1), rtol=1e-9, atol=0)


def test_a_seed_repeats_a_bootstrap_and_another_does_not():
    profile = KernelProfile(POINTS, 0.15)
    first, again, other = (bootstrap_variance(profile, SMALL, resamples=5, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


@pytest.mark.parametrize("reflect", [False, True])
def test_the_variance_of_a_share_is_that_of_resampled_shares(reflect):
    """4000 resamples know a variance to 2.2 %; the ratio's linear form is off by about 1 / 80 more."""
    profile = KernelProfile(POINTS, 0.15, at="integral", reflect=reflect)
    fragile = np.where(SMALL.centres(np.arange(SMALL.size))[:, 0] > 0.6, 0.9, 0.6)
    of_each = np.concatenate([left[:, :, None] * right[:, None] for _, left, right in profile.blocks(SMALL)])
    of_each = of_each.reshape(len(POINTS), -1)
    times = RNG.multinomial(len(POINTS), np.full(len(POINTS), 1 / len(POINTS)), size=4000)
    shares = (times @ (of_each @ fragile)) / (times @ of_each.sum(axis=1))
    assert share_variance(profile, SMALL, fragile) == pytest.approx(np.var(shares), rel=0.1)


def test_the_share_of_fresh_samples_varies_as_said():
    """Samples drawn anew from a known density: 300 of them know a variance to 8 %."""
    fragile = np.where(np.arange(SMALL.size) % 7 == 0, 1.0, 0.5)
    estimates, said = [], []
    for seed in range(300):
        fresh = KernelProfile(np.random.default_rng(seed).beta([2, 3], [3, 2], size=(80, 2)), 0.15)
        mass = fresh.mass(SMALL)
        estimates.append(mass @ fragile / mass.sum())
        said.append(share_variance(fresh, SMALL, fragile))
    assert np.mean(said) == pytest.approx(np.var(estimates, ddof=1), rel=0.25)


def test_a_share_that_is_the_same_everywhere_does_not_vary():
    assert share_variance(KernelProfile(POINTS, 0.15), SMALL, np.full(SMALL.size, 0.3)) == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda p: closed_form_variance(p, SMALL, 0), "size=0 must be at least 1"),
        (lambda p: bootstrap_variance(p, SMALL, size=-3), "size=-3 must be at least 1"),
        (lambda p: bootstrap_variance(p, SMALL, resamples=1), "resamples=1 must be at least 2"),
        (lambda p: share_variance(p, SMALL, np.zeros(3)), r"unastuteness of the shape \(3,\) must be one number for"),
        (lambda p: share_variance(p, SMALL, np.full(30, 1.1)), r"unastuteness must lie in \[0, 1\] in every cell"),
        (lambda p: share_variance(p, SMALL, np.full(30, np.nan)), r"unastuteness must lie in \[0, 1\] in every cell"),
        (lambda p: share_variance(p, Grid.over((50, 50), (60, 60), (6, 5)), np.zeros(30)), "no mass in the box"),
        (lambda p: closed_form_variance(p, Grid.over(0, 1, 9)), "a grid of 1 axes does not fit"),
    ],
)
def test_what_has_no_variance_is_refused_in_one_line(ask, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        ask(KernelProfile(POINTS, 0.15))
    assert "\n" not in str(raised.value)
