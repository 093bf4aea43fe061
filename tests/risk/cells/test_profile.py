"""Mass per cell: scikit-learn's density at centres, exact integrals, mirrors that lose nothing."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells import _profile
from ringtrue.risk.cells._profile import KernelProfile
from support.siemens import GRID, siemens

RNG = np.random.default_rng(4)
CLUSTER = RNG.normal([0.3, 0.8], [0.2, 0.1], size=(60, 2)).clip(0, 1)
UNIT = Grid.over((0, 0), (1, 1), (12, 9))
PLACES = ["centre", "integral"]


def by_hand(profile, points):
    """Density by its definition, axis by axis."""
    away = np.abs(np.asarray(points)[:, None] - profile.points[None]) / profile.bandwidth
    one = np.exp(-(away**2) / 2) / np.sqrt(2 * np.pi)
    return (one / profile.bandwidth).prod(axis=2).mean(axis=1)


def steps(grid, cells):
    """The steps of some cells along each axis."""
    return np.stack(np.unravel_index(cells, grid.cells), axis=-1)


@pytest.mark.parametrize(
    ("name", "mass", "exact"), [("running_example", 0.8859688, 0.8859640), ("ds1", 0.7060145, 0.7060100)]
)
def test_the_mass_that_stays_in_the_square(name, mass, exact):
    """The notes add up densities at centres; the integral differs in the sixth digit."""
    profile = KernelProfile(siemens(name).points, 0.2)
    assert profile.mass(GRID).sum() == pytest.approx(mass, abs=5e-8)
    assert profile.inside(GRID) == pytest.approx(exact, abs=5e-8)


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_gaussian_at_centres_is_the_density_of_scikit_learn(axes):
    points = np.random.default_rng(axes).normal(size=(80, axes))
    grid = Grid.over((-1,) * axes, (1.5,) * axes, tuple(range(3, 3 + axes)))
    known = KernelDensity(bandwidth=0.3).fit(points).score_samples(grid.centres(np.arange(grid.size)))
    expected = np.exp(known) * np.prod(grid.sides)
    assert np.allclose(KernelProfile(points, 0.3).mass(grid), expected, rtol=1e-10, atol=0)


def test_mass_at_centres_is_that_of_the_definition():
    centres = UNIT.centres(np.arange(UNIT.size))
    profile = KernelProfile(CLUSTER, 0.15)
    assert np.allclose(profile.mass(UNIT), by_hand(profile, centres) * np.prod(UNIT.sides), rtol=1e-12, atol=0)


@pytest.mark.parametrize("cell", [0, 40, *UNIT.index(CLUSTER[:1]).tolist()])  # the last has a point in it
def test_the_integral_is_that_of_quadrature(cell):
    """The cell cut into 400 by 400 parts: the midpoint rule is then off by less than 1e-5, the kinks included."""
    profile = KernelProfile(CLUSTER[:5], 0.15, at="integral")
    corner = UNIT.corners([cell])[0]
    parts = Grid.over(corner, corner + UNIT.sides, 400)
    expected = by_hand(profile, parts.centres(np.arange(parts.size))).mean() * np.prod(UNIT.sides)
    assert profile.mass(UNIT)[cell] == pytest.approx(expected, rel=1e-5)


def test_integrals_keep_their_digits_far_from_every_point():
    """Far below all points and far above them the same mass, down to 1e-60: differences near 1 would give 0."""
    around = [[-0.1], [0.1]]
    below, above = KernelProfile(around, 1.0, at="integral").mass(Grid.over(-16, 16, 40))[[0, -1]]
    assert 0 < below < 1e-40
    assert below == pytest.approx(above, rel=1e-9)


@pytest.mark.parametrize("bandwidth", [0.01, 0.2, 1.0])
def test_mirrors_keep_all_mass_in_the_box(bandwidth):
    profile = KernelProfile(CLUSTER, bandwidth, at="integral", reflect=True)
    assert profile.mass(UNIT).sum() == pytest.approx(1, abs=1e-12)
    assert profile.inside(UNIT) == pytest.approx(1, abs=1e-12)
    assert KernelProfile(CLUSTER, bandwidth, at="integral").inside(UNIT) < 1 - 1e-3


@pytest.mark.parametrize("at", ["centre", "integral"])
def test_one_mirror_adds_what_left_across_the_border(at):
    """Far from the second border, the mirrored mass is the mass of the points and of their images."""
    points = np.array([[0.02], [0.1]])
    grid = Grid.over(0, 1, 20)
    images = KernelProfile(np.concatenate([points, -points]), 0.05, at=at).mass(grid) * 2
    assert np.allclose(KernelProfile(points, 0.05, at=at, reflect=True).mass(grid), images, rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("reflect", [False, True])
def test_some_cells_have_the_mass_they_have_among_all(at, reflect):
    profile = KernelProfile(CLUSTER, 0.1, at, reflect)
    cells = np.array([5, 107, 5, 0, 60])
    assert np.allclose(profile.mass_at(UNIT, steps(UNIT, cells)), profile.mass(UNIT)[cells], rtol=1e-12, atol=0)


@pytest.mark.parametrize("reflect", [False, True])
def test_cells_of_a_grid_that_no_number_can_count_have_a_mass(reflect):
    """16 axes of 100 cells: one point's kernel alone, whose mass is a product."""
    points = np.stack([np.full(16, 0.305), np.full(16, 0.9)])
    grid = Grid.over((0,) * 16, (1,) * 16, 100)
    mass = KernelProfile(points, 0.01, at="integral", reflect=reflect).mass_at(grid, np.full((1, 16), 30))
    assert mass[0] == pytest.approx(0.3829249225480261**16 / 2, rel=1e-9)


@pytest.mark.parametrize("at", PLACES)
def test_portions_do_not_show(at, monkeypatch):
    points, grid = RNG.random((40, 3)), Grid.over((0,) * 3, (1,) * 3, (4, 5, 6))
    profile = KernelProfile(points, 0.2, at)
    cells = steps(grid, np.arange(grid.size))
    whole = profile.mass(grid), profile.mass_at(grid, cells)
    monkeypatch.setattr(_profile, "_HELD", 64)
    parts = profile.mass(grid), profile.mass_at(grid, cells)
    for one, other in zip(whole, parts, strict=True):
        assert np.allclose(one, other, rtol=1e-12, atol=0)


def test_points_outside_the_box_only_leak():
    inside = KernelProfile([[0.2], [0.8]], 0.01).inside(Grid.over(0, 1, 10))
    half_out = KernelProfile([[0.2], [1.8]], 0.01).inside(Grid.over(0, 1, 10))
    assert inside == pytest.approx(1, abs=1e-12)
    assert half_out == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bandwidth": 0}, "bandwidth=0 must be positive and finite"),
        ({"bandwidth": -1.0}, "bandwidth=-1.0 must be positive and finite"),
        ({"bandwidth": np.nan}, "bandwidth=nan must be positive and finite"),
        ({"bandwidth": np.inf}, "bandwidth=inf must be positive and finite"),
        ({"at": "corner"}, "at='corner' must be 'centre' or 'integral'"),
        ({"points": [[0.1, 0.5], [0.2, 0.5]]}, "feature 1 is 0.5 in all 2 points and must vary: drop the feature"),
        ({"points": [[0.1, 0.5], [np.nan, 0.4]]}, r"point 1, \[nan, 0.4\], must be finite"),
        ({"points": [0.1, 0.2]}, r"points of the shape \(2,\)"),
    ],
)
def test_a_profile_of_nothing_is_refused_in_one_line(settings, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        KernelProfile(**({"points": CLUSTER, "bandwidth": 0.1} | settings))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda profile: profile.mass(Grid.over(0, 1, 5)), "a grid of 1 axes does not fit points of 2 features"),
        (
            lambda profile: profile.mass_at(Grid.over(0, 1, 5), np.zeros((1, 1), dtype=int)),
            "a grid of 1 axes does not fit points of 2 features",
        ),
        (lambda profile: profile.mass(Grid.over((0, 0), (1, 1), 20_000)), "are 400,000,000, more than 20,000,000"),
        (lambda profile: profile.mass(Grid.over((0, 0), (0.5, 1), 5)), "lies outside the box"),
        (lambda profile: profile.mass(Grid.over((0, 0), (1, 1), 5)), "bandwidth=1.5 must not exceed the shortest side"),
    ],
)
def test_a_grid_that_does_not_fit_is_refused_in_one_line(ask, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        ask(KernelProfile(CLUSTER, 1.5, reflect=True))
    assert "\n" not in str(raised.value)
