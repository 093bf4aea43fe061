"""Numbers made of cells, doubted: at other resolutions, and against labels."""

import numpy as np
import pytest
from scipy.stats import binom

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import SaidBy
from ringtrue.risk.cells import LOCALS, Grid, KernelProfile, assess
from ringtrue.risk.cells._survey import Surveyor
from ringtrue.risk.cells._suspicion import (
    Resolution,
    chance_of_failures,
    held_against,
    movement,
    other_grids,
)
from support.discs import discs, in_discs

SQUARE = Grid.over((0, 0), (1, 1), 40)


def rows(*values):
    return [Resolution((10 * 2**place,), *value) for place, value in enumerate(values)]


def test_an_estimate_that_stays_within_its_interval_is_left_alone():
    assert movement(rows((0.05, 0.04, 0.07), (0.06, 0.05, 0.08), (0.045, 0.04, 0.06))) is None


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ((0.01, 0.0, 0.06), "with 20 instead of 10 cells the estimate moves from 5% to 1%, by more than its interval"),
        ((0.05, 0.04, 0.11), "with 20 instead of 10 cells the bound moves from 7% to 11%, by more than its interval"),
    ],
)
def test_one_that_leaves_it_is_told_with_both_numbers(other, said):
    assert movement(rows((0.05, 0.04, 0.07), other)).startswith(said)


def test_the_last_resolution_counts_as_much_as_the_next():
    assert "40 instead of 10" in movement(rows((0.05, 0.04, 0.07), (0.05, 0.04, 0.07), (0.0, 0.0, 0.02)))


def test_cells_too_many_to_cut_again_are_joined_instead():
    assert [grid.cells for grid in other_grids(Grid.over((0, 0), (1, 1), (512, 512)))] == [(1024,) * 2, (2048,) * 2]
    assert [grid.cells for grid in other_grids(Grid.over((0, 0), (1, 2), (2001, 3)))] == [(4002, 6), (8004, 12)]
    assert [grid.cells for grid in other_grids(Grid.over((0, 0), (1, 2), (3163, 5001)))] == [(1582, 2501), (791, 1251)]


@pytest.mark.parametrize(
    ("failures", "n", "bound", "chance"), [(18, 1000, 0.004899, 3.80e-6), (16, 200, 0.008319, 2.10e-11)]
)
def test_the_papers_test_sets_reject_the_papers_bounds(failures, n, bound, chance):
    found = chance_of_failures(failures, n, bound)
    assert found == pytest.approx(binom.sf(failures - 1, n, bound), rel=1e-9)
    assert found == pytest.approx(chance, rel=2e-3)


def test_the_chance_of_failures_at_the_ends():
    assert chance_of_failures(0, 10, 0.2) == 1
    assert chance_of_failures(10, 10, 1.0) == 1
    assert chance_of_failures(3, 10, 0.0) == 0


def test_a_bound_is_held_against_labels_at_its_own_level():
    points, labels, _, forest = discs()

    surveyor = Surveyor(points, labels, (0, 1), forest, KernelProfile(points, 0.1), LOCALS["trees"], level=0.975)

    def against(bound):
        return held_against(surveyor, None, bound)

    failures = int(np.sum(forest.predict(points) != labels))
    assert (against(0.5).failures, against(0.5).n) == (failures, 500)
    assert not against(failures / 500).contradicts
    assert against(failures / 5000).contradicts
    assert str(against(failures / 5000)).startswith(
        f"{failures} failures in 500 points (labelled; those that trained the model flatter it) would have the chance"
    )


def test_a_bound_of_the_models_own_vote_is_refused_on_data_made_here():
    points, labels, held_out, forest = discs()
    profile = KernelProfile(points, 0.1, at="integral", reflect=True)
    for mode, given in (("paper", {}), ("self-consistency", {"profile": profile, "local": "trees"})):
        finding = assess(
            points, labels, forest, grid=Grid.over((0, 0), (1, 1), 60), mode=mode, held_out=held_out, **given
        )
        estimates = [row["estimate"] for row in finding.resolution]
        assert 0.35 < estimates[1] / estimates[0] < 0.75, "half the side, about half the boundary's cells"
        assert 0.35 < estimates[2] / estimates[1] < 0.75
        assert finding.resolution_moves
        assert finding.upper is None
        assert finding.contradiction["contradicts"]


def test_an_estimate_from_a_truth_that_is_not_the_model_does_not_follow_the_cells():
    """Somebody knows the discs: where the model is wrong there, it is wrong at any resolution."""
    points, labels, held_out, forest = discs()
    finding = assess(
        points, labels, forest, grid=SQUARE, local="trees", held_out=held_out,
        truth=SaidBy("the discs", in_discs, error=0.01),
        profile=KernelProfile(points, 0.1, at="integral", reflect=True),
    )  # fmt: skip
    first, *others = (row["estimate"] for row in finding.resolution)
    assert others == pytest.approx([first, first], rel=0.2)
    assert not finding.refused
    assert finding.upper == finding.claimed


def test_without_held_out_points_it_is_said_that_training_flatters():
    points, labels, _, forest = discs()
    finding = assess(points, labels, forest, grid=SQUARE, profile=KernelProfile(points, 0.1), local="trees")
    assert finding.contradiction["source"] == "labelled; those that trained the model flatter it"
    assert finding.contradiction["n"] == 500


def test_held_out_labels_of_another_class_are_refused():
    points, labels, _, forest = discs()
    with pytest.raises(InvalidInput, match="label 7 must be one of the classes"):
        assess(points, labels, forest, grid=SQUARE, mode="paper", held_out=(points[:3], [0, 1, 7]))
