"""Clusters: found again, numbered by size, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind._groups import clusters
from ringtrue.core import InvalidInput


def test_planted_clusters_are_found_and_numbered_by_size() -> None:
    rng = np.random.default_rng(0)
    sizes = [60, 110, 80]
    planted = np.repeat([0, 1, 2], sizes)
    space = np.array([[0, 0], [9, 0], [0, 9]])[planted] + rng.normal(size=(250, 2))
    found = clusters(space, seed=4, most=3)
    assert np.bincount(found).tolist() == [110, 80, 60]
    assert all(len(set(found[planted == group])) == 1 for group in range(3))
    assert np.array_equal(found, clusters(space, seed=4, most=3))


def test_items_that_were_not_fitted_have_a_cluster_too() -> None:
    space = np.repeat([[0.0], [1.0]], [3_500, 1_500], axis=0)
    assert np.array_equal(clusters(space, seed=0), np.repeat([0, 1], [3_500, 1_500]))


def test_small_and_constant_pools_have_fewer_clusters() -> None:
    assert clusters(np.arange(30.0)[:, None], seed=0).max() == 0
    assert clusters(np.arange(60.0)[:, None], seed=0).max() == 1
    assert clusters(np.ones((500, 3)), seed=0).max() == 0
    assert clusters(np.arange(500.0)[:, None], seed=0).max() == 7


def test_bad_input_is_one_clear_line() -> None:
    with pytest.raises(InvalidInput, match="must be finite"):
        clusters([[np.inf]], seed=0)
    with pytest.raises(InvalidInput, match="most=0"):
        clusters([[1.0]], seed=0, most=0)
