"""Every method on models in the plane whose boundary is known, so that each distance has a closed form.

Coordinates are in widths of the box. Items lie near its middle: no way to the boundary meets the walls.

- Boundary Attack, HopSkipJump and SurFree: the L2 distance to the line or circle. The point of that distance has a mean
  absolute error in closed form, too.
- RayS: moves along the four diagonals only. The nearest of them is the L-infinity distance to a line, but not to a
  circle: there its closed form is the shortest of the four ways out.
- Lines and noise flips: the shortest of the ways they try.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import spearmanr

from ringtrue.blind.distances import METHODS, Asker, Box, Decisions
from ringtrue.blind.distances._lines import DRAWS, smooth_directions

BOX = Box([-2, 100], [2, 300])
NORMAL, LEVEL = np.array([0.8, 0.6]), 0.72
CENTRE, RADIUS = np.array([0.5, 0.5]), 0.3
ITEMS = 24
SEED = 11


def in_unit(points):
    return (np.asarray(points, dtype=float) - BOX.low) / BOX.width


def from_unit(points):
    return (points * BOX.width + BOX.low).astype(np.float32)


@dataclass(frozen=True)
class World:
    """A model, items in the unit square, and the ways from them to the boundary."""

    predict: Callable
    items: np.ndarray
    nearest: np.ndarray
    """The L2 step of each item to the boundary."""

    ways: Callable
    """Directions (n, 2), one an item, to how many of them lead to the boundary (n,): infinite where none do."""


def half_plane() -> World:
    items = in_unit(from_unit(0.5 + 0.2 * np.random.default_rng(1).uniform(-1, 1, (ITEMS, 2))))
    margin = LEVEL - items @ NORMAL

    def ways(directions):
        slope = directions @ NORMAL
        return np.where(slope * margin > 0, margin / slope, np.inf)

    return World(lambda points: (in_unit(points) @ NORMAL > LEVEL).astype(int), items, margin[:, None] * NORMAL, ways)


def disc() -> World:
    """Items inside: from there every ray leaves the disc once, so that bisection has one crossing to find."""
    draws = np.random.default_rng(2)
    turn, reach = 2 * np.pi * draws.random(ITEMS), draws.uniform(0.1, 0.28, ITEMS)
    items = in_unit(from_unit(CENTRE + reach[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)))
    inside = items - CENTRE
    length = np.linalg.norm(inside, axis=1)

    def ways(directions):
        along = np.sum(inside * directions, axis=1) / np.sum(directions**2, axis=1)
        square = (length**2 - RADIUS**2) / np.sum(directions**2, axis=1)
        return np.sqrt(along**2 - square) - along

    def predict(points):
        return (np.linalg.norm(in_unit(points) - CENTRE, axis=1) < RADIUS).astype(int)

    return World(predict, items, inside * ((RADIUS - length) / length)[:, None], ways)


WORLDS = {"half plane": half_plane(), "disc": disc()}


def found(name: str, world: World, *, starts=None, queries=None):
    method = METHODS[name]
    inputs = from_unit(world.items)
    return method.function(
        Decisions(Asker(world.predict), inputs, world.predict(inputs), BOX), np.random.default_rng(SEED),
        starts=starts, queries=method.queries if queries is None else queries,
    )  # fmt: skip


def others(world: World, count: int) -> np.ndarray:
    """For each item some points that the model labels otherwise; the same for all items of one label."""
    points = from_unit(np.random.default_rng(3).random((200, 2)))
    labels, own = world.predict(points), world.predict(from_unit(world.items))
    return np.stack([points[labels != label][:count] for label in own])


def assert_agree(measured, exact):
    np.testing.assert_allclose(measured, exact, rtol=0.02)
    assert spearmanr(measured, exact).statistic >= 0.99


@pytest.mark.parametrize(
    ("name", "place", "queries"),
    [
        # In the disc the Boundary Attack comes as near as that after 6,000 queries, too many for one test more.
        ("boundary", "half plane", 5000),
        ("hopskipjump", "half plane", 300),
        ("hopskipjump", "disc", 300),
        ("surfree", "half plane", 120),
        ("surfree", "disc", 120),
    ],
)
def test_iterative_methods_find_the_nearest_point(name, place, queries):
    world = WORLDS[place]
    distances = found(name, world, starts=others(world, 1)[:, 0], queries=queries)
    assert distances.changed.all()
    assert_agree(distances.measured("l2", BOX), np.linalg.norm(world.nearest, axis=1))
    # The direction is less exact than the length: near the nearest point, the length hardly depends on it.
    exact = np.abs(world.nearest).mean(axis=1)
    assert np.median(np.abs(distances.measured("mae", BOX) / exact - 1)) < 0.02


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_rays_find_the_shortest_diagonal(world):
    diagonals = [world.ways(np.tile(signs, (ITEMS, 1))) for signs in product((-1.0, 1.0), repeat=2)]
    distances = found("rays", world)
    assert_agree(distances.measured("linf", BOX), np.min(diagonals, axis=0))
    assert distances.queries.max() <= 50


def test_rays_find_the_largest_difference_from_a_line():
    world = WORLDS["half plane"]
    exact = np.linalg.norm(world.nearest, axis=1) / np.abs(NORMAL).sum()
    assert_agree(found("rays", world).measured("linf", BOX), exact)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
@pytest.mark.parametrize("count", [1, 8])
def test_lines_find_the_shortest_of_their_crossings(count, world):
    starts = others(world, count)
    steps = [in_unit(starts[:, line]) - world.items for line in range(count)]
    crossings = [world.ways(step) * np.linalg.norm(step, axis=1) for step in steps]
    assert_agree(found("lines", world, starts=starts).measured("l2", BOX), np.min(crossings, axis=0))


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_noise_flips_find_the_shortest_of_their_draws(world):
    draws = islice(smooth_directions((2,), np.random.default_rng(SEED)), DRAWS)
    ways = [world.ways(np.tile(sign * draw, (ITEMS, 1))) for draw in draws for sign in (1.0, -1.0)]
    assert_agree(found("flips", world).measured("l2", BOX), np.min(ways, axis=0))
