"""The derivatives that Newton's step rests on, against differences of the likelihood itself."""

from itertools import pairwise

import numpy as np
import pytest

from ringtrue.judges.latent._climb import EDGE, _derivatives, climb, newton_steps
from ringtrue.judges.latent._em import Point, Votes, fit_point, posterior_of
from ringtrue.stats import generator


def case(judges, labels, strata, seed):
    rng = generator(seed, "newton")
    patterns = rng.integers(-1, labels, (60, judges))
    stratum = np.arange(60) % strata
    votes = Votes.of(patterns, rng.integers(1, 9, 60).astype(float), labels, stratum=stratum)
    rows = rng.dirichlet(np.full(labels, 3.0), strata + judges * labels)
    return votes, rows


def height(votes, rows):
    return float(votes.weights @ posterior_of(votes, Point.from_rows(rows, votes))[1])


@pytest.mark.parametrize(("judges", "labels", "strata"), [(3, 2, 1), (2, 3, 1), (4, 2, 2), (1, 4, 3)])
def test_gradient_and_curvature_are_those_of_the_likelihood(judges, labels, strata):
    votes, rows = case(judges, labels, strata, seed=judges)
    top = rows.argmax(axis=1)
    free = np.ones(rows.shape, dtype=bool)
    free[np.arange(len(rows)), top] = False
    row, place = np.nonzero(free)
    posterior, _ = posterior_of(votes, Point.from_rows(rows, votes))
    gradient, curve, full = _derivatives(votes, rows, posterior, row, place, top[row])

    def at(*moves):
        moved = rows.copy()
        for parameter, by in moves:
            moved[row[parameter], place[parameter]] += by
            moved[row[parameter], top[row[parameter]]] -= by
        return height(votes, moved)

    h = 1e-4
    for one in range(len(row)):
        assert gradient[one] == pytest.approx((at((one, h)) - at((one, -h))) / (2 * h), abs=1e-6)
        for other in range(len(row)):
            both = at((one, h), (other, h)) - at((one, h), (other, -h))
            both -= at((one, -h), (other, h)) - at((one, -h), (other, -h))
            assert curve[one, other] == pytest.approx(both / (4 * h * h), abs=2e-5)
    assert np.linalg.eigvalsh(full).min() > 0


def test_steps_grow_more_cautious_and_stay_inside():
    table = np.indices((2,) * 3).reshape(3, -1).T
    votes = Votes.of(table, np.array([114.0, 26, 60, 60, 36, 24, 45, 85]), 2)
    rows = np.array([[0.5, 0.5], [0.75, 0.25], [0.4, 0.6], [0.75, 0.25], [0.25, 0.75], [0.85, 0.15], [0.3, 0.7]])
    point = Point.from_rows(rows, votes)  # near the top
    steps = list(newton_steps(votes, point, posterior_of(votes, point)[0], fixed=False))
    assert len(steps) >= 3
    for step in steps:
        assert min(step.prevalence.min(), step.chance.min()) > EDGE
        np.testing.assert_allclose(step.prevalence.sum(axis=1), 1)
        np.testing.assert_allclose(step.by_truth().sum(axis=2), 1)
    lengths = [np.abs(step.chance - point.chance).sum() for step in steps]
    assert all(after < before * 1.001 for before, after in pairwise(lengths[-3:]))


def test_a_fixed_prevalence_does_not_move():
    votes, rows = case(3, 2, 1, seed=3)
    point = Point.from_rows(rows, votes)
    top = climb(votes, point, fixed=True)
    np.testing.assert_array_equal(top.point.prevalence, point.prevalence)
    assert top.converged
    posterior, _ = posterior_of(votes, top.point)
    np.testing.assert_allclose(fit_point(votes, posterior, top.point, fixed=True).chance, top.point.chance, atol=1e-9)


def test_the_climb_never_goes_down_from_any_start():
    for seed in range(30):
        votes, rows = case(3 + seed % 3, 2 + seed % 2, 1 + seed % 2, seed=seed)
        top = climb(votes, Point.from_rows(rows, votes), fixed=False)
        assert np.diff(top.path).min(initial=0) >= -1e-14
        assert top.path[0] >= height(votes, rows)


def test_a_small_probability_on_its_way_up_is_not_taken_for_arrived():
    """From a top with one probability held at 0, and that probability lifted a little."""
    table = np.indices((2,) * 3).reshape(3, -1).T
    votes = Votes.of(table, np.array([114.0, 26, 60, 60, 36, 24, 45, 85]), 2)
    rows = np.array([[0.5, 0.5], [1.0, 0.0], [0.4, 0.6], [0.75, 0.25], [0.25, 0.75], [0.85, 0.15], [0.3, 0.7]])
    held = climb(votes, Point.from_rows(rows, votes), fixed=False)
    assert held.point.by_truth()[0, 0].tolist() == [1, 0]
    chance = held.point.chance.copy()
    chance[:2, 0] = [1 - 1e-14, 1e-14]
    free = climb(votes, Point(held.point.prevalence, chance), fixed=False)
    assert free.point.by_truth()[0, 0, 0] == pytest.approx(0.8, abs=1e-6)
    assert free.height > held.height + 1e-4
