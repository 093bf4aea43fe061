"""Rows drawn by group: each with the chance that is stated, none that is taken."""

import numpy as np
import pytest

from ringtrue.stats import Groups, even_and_weighted


@pytest.mark.parametrize("even", [1.0, 0.5])
def test_rows_come_as_often_as_stated(even):
    """20,000 draws; every frequency within four standard errors of its chance."""
    group = np.array([0, 1, 1, 2, 2, 2, 0, 1])
    rows, taken = Groups(group, 3), {1, 6}
    left = np.array([1.0, 2.0, 3.0])
    chance = even_and_weighted(left, np.array([4.0, 1.0, 0.5]), even=even)
    assert left @ chance == pytest.approx(1)
    rng, count = np.random.default_rng(3), 20_000
    drawn = np.bincount([rows.draw(left, chance, rng, taken.__contains__) for _ in range(count)], minlength=8)
    for row in range(8):
        wanted = 0.0 if row in taken else chance[group[row]]
        assert abs(drawn[row] / count - wanted) <= 4 * np.sqrt(wanted * (1 - wanted) / count)


def test_the_last_row_of_a_large_group_is_found():
    rows = Groups(np.zeros(5000, dtype=np.int64), 2)
    left, chance = np.array([1.0, 0.0]), np.array([1.0, 0.0])
    assert rows.draw(left, chance, np.random.default_rng(0), lambda row: row != 4321) == 4321


def test_every_row_keeps_its_even_share():
    chance = even_and_weighted(np.array([10.0, 5.0]), np.array([0.0, 1.0]), even=0.5)
    assert chance[0] == pytest.approx(0.5 / 15)
