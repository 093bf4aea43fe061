"""Cells put together: expectation, variance, failure types, and what no hit in so many looks leaves possible."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import share_variance
from ringtrue.risk.cells import CROSS, EMPTY, ClassShares, Grid, KernelProfile
from ringtrue.risk.cells._numbers import assemble, by_class, deviations, look_variance, sampling_variances
from ringtrue.risk.cells._survey import rest_bound, top_cells, unastuteness, vote
from ringtrue.stats import clopper_pearson

RNG = np.random.default_rng(11)
GRID = Grid.over((0, 0), (1, 1), (6, 5))
POINTS = RNG.beta([2, 3], [3, 2], size=(80, 2))


def shares(*rows):
    return ClassShares(np.arange(len(rows)), ("a", "b", "c"), np.array(rows), 10, 10 * len(rows))


def codes(*values):
    return np.array(values, dtype=np.int32)


def test_unastuteness_is_what_differs_from_the_truth_all_where_classes_meet_and_fragility_where_nobody_says():
    found = shares([0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [1.0, 0.0, 0.0])
    assert unastuteness(found, codes(1, CROSS, EMPTY, 0)).tolist() == pytest.approx([0.7, 1.0, 0.4, 0.0])


def test_a_vote_of_equals_goes_to_the_first_class():
    assert vote(shares([0.1, 0.45, 0.45], [0.0, 0.0, 1.0])).tolist() == [1, 2]


def test_the_variance_is_that_of_independent_cells():
    """Equation 6 against 200,000 draws of both factors: a variance known to 0.3 %."""
    mass, wrong = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.5, 0.0])
    off, chance = np.array([0.01, 0.02, 0.01]) ** 2, np.array([0.02, 0.05, 0.03]) ** 2
    estimate, variance = assemble(mass, wrong, off, chance)
    drawn = RNG.normal(mass, np.sqrt(off), (200_000, 3)) * RNG.normal(wrong, np.sqrt(chance), (200_000, 3))
    assert estimate == pytest.approx(0.2)
    assert variance == pytest.approx(drawn.sum(axis=1).var(), rel=0.015)


def test_failures_are_told_by_true_class_and_where_classes_meet_by_every_class():
    """Not by the paper's program's names, which calls a true 1 that is missed a false positive."""
    mass, wrong = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.5, 0.1, 1.0, 0.9])
    assert by_class(mass, wrong, codes(0, 1, CROSS, EMPTY), ("no", "yes")) == pytest.approx({"no": 0.4, "yes": 0.23})


@pytest.mark.parametrize("level", [0.9, 0.975])
@pytest.mark.parametrize("hits", [0, 1, 7])
def test_the_bound_of_one_cell_is_its_exact_limit_so_that_no_hit_never_reads_as_never(hits, level):
    wrong = np.array([hits / 50])
    bound = wrong + deviations(level) * np.sqrt(look_variance(wrong, 50, level))
    assert bound[0] == pytest.approx(float(clopper_pearson(hits, 50, level=level, side="upper").high))


def test_limits_of_many_cells_average_out():
    """62,500 cells without a hit in 16 looks: each may fail in a fifth, all together in far less."""
    (variance,) = set(look_variance(np.zeros(5), 16, 0.975))
    together = deviations(0.975) * np.sqrt(62_500 * variance) / 62_500
    assert 0 < together < 0.001 < clopper_pearson(0, 16, level=0.975, side="upper").high


def test_exact_areas_have_no_variance_of_looks():
    assert look_variance(np.array([0.0, 0.3]), 0, 0.975).tolist() == [0, 0]


def test_the_variance_of_a_sum_over_cells_is_that_of_resampled_profiles():
    """4000 resamples know a variance to 2.2 %. Here mass leaks out of the box, and counts."""
    profile = KernelProfile(POINTS, 0.3, at="integral")
    values = RNG.random((2, GRID.size))
    each = np.concatenate([left[:, :, None] * right[:, None] for _, left, right in profile.blocks(GRID)])
    sums = each.reshape(len(POINTS), -1) @ values.T
    times = RNG.multinomial(len(POINTS), np.full(len(POINTS), 1 / len(POINTS)), size=4000)
    assert sampling_variances(profile, GRID, *values) == pytest.approx(np.var(times @ sums / 80, axis=0), rel=0.1)


def test_with_mirrors_nothing_leaks_and_a_sum_varies_as_a_share():
    profile = KernelProfile(POINTS, 0.2, at="integral", reflect=True)
    values = RNG.random(GRID.size)
    assert sampling_variances(profile, GRID, values) == pytest.approx([share_variance(profile, GRID, values)])


def test_the_cells_that_carry_most_come_in_order_of_their_numbers():
    assert top_cells(np.array([0.1, 0.5, 0.05, 0.35]), 2).tolist() == [1, 3]
    assert top_cells(np.array([0.5, 0.5]), 2).tolist() == top_cells(np.array([0.5, 0.5]), None).tolist() == [0, 1]


@pytest.mark.parametrize("k", [0, 4])
def test_more_cells_than_there_are_is_refused_in_one_line(k):
    with pytest.raises(InvalidInput, match=rf"^k={k} must lie in \[1, 3\], the number of cells") as said:
        top_cells(np.ones(3), k)
    assert "\n" not in str(said.value)


def test_what_is_left_is_bounded_by_the_worst_or_by_the_average():
    assert rest_bound("worst", 0.02, 0.8) == 1
    assert rest_bound("average", 0.02, 0.8) == pytest.approx(0.025)
    assert rest_bound("average", 0.0, 0.0) == 1
    with pytest.raises(InvalidInput, match="rest='best' is unknown: use worst or average"):
        rest_bound("best", 0.02, 0.8)
