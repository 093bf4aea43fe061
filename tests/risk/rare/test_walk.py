"""The walk keeps the uniform law of the region it is confined to."""

import numpy as np
from scipy.stats import kstest

from ringtrue.risk.rare._climb import Walk


def test_moves_keep_points_uniform_above_their_level():
    """8,000 independent walkers start uniform in a triangle and must stay so; a wrong fold or ratio would tilt them."""
    rng = np.random.default_rng(0)

    def score(points, _):
        return points.sum(axis=1)

    walk = Walk(score, (np.zeros((1, 2)), np.ones((1, 2))), np.array([0, 0]), rng)
    level, size = 0.7, 8000
    start = rng.random((4 * size, 2))
    start = start[start.sum(axis=1) > level][:size].copy()
    before = start.copy()
    where, scores = start, start.sum(axis=1)
    for _ in range(30):
        walk.move(where, scores, np.full(size, level), np.arange(size) % 2)
    assert np.array_equal(scores, where.sum(axis=1))
    assert (scores > level).all()
    assert (where != before).all(axis=1).mean() > 0.99, "the walkers have moved"
    area = 1 - level**2 / 2

    def cumulative(x):
        """P(first coordinate <= x) in the unit square without the triangle of sums below the level."""
        x = np.asarray(x)
        cut = np.minimum(x, level)
        return (x - (level * cut - cut**2 / 2)) / area

    for axis in range(2):
        assert kstest(where[:, axis], cumulative).pvalue > 0.01
    # Starting points of an ideal walk are forgotten: a correlation beyond 4 / sqrt(8000) would show copies.
    assert abs(np.corrcoef(before[:, 0], where[:, 0])[0, 1]) < 0.045


def test_each_group_has_a_width_and_each_box_a_count_of_its_own():
    rng = np.random.default_rng(1)
    low, high = np.array([[0.0], [10.0]]), np.array([[1.0], [11.0]])
    box = np.array([0, 0, 1])
    narrow = np.array([0.999, 0.0, 10.0])

    def score(points, boxes):
        assert np.all((points[:, 0] >= 10) == (boxes == 1))
        return points[:, 0]

    walk = Walk(score, (low, high), box, rng)
    group = np.repeat([0, 1, 2], 50)
    where = np.full((150, 1), 0.9995)
    scores = walk.scores(where, group)
    for _ in range(20):
        walk.move(where, scores, narrow[group], group)
    assert walk.calls.tolist() == [21 * 100, 21 * 50]
    width = np.exp(walk._log_width)
    assert width[0] < 0.1
    assert width[1] == width[2] == 1.0


def test_rounding_carries_no_point_out_of_its_box():
    """In floating point low + (high - low) may be more than high."""
    rng = np.random.default_rng(3)
    low, high = -rng.random((200, 1)), rng.random((200, 1))
    assert np.any(low + (high - low) > high), "the boxes would show it"

    def score(points, box):
        assert np.all(points <= high[box])
        return points[:, 0]

    Walk(score, (low, high), np.arange(200), rng).scores(np.ones((200, 1)), np.arange(200))
