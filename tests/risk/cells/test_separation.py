"""Distances between classes: the true minimum, who is closer than a cell, and the paper's circular choice."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.risk.cells._points import Separation
from support.siemens import siemens


def by_brute_force(points, labels):
    away = np.abs(points[:, None] - points[None]).max(axis=2)
    away[labels[:, None] == labels[None]] = np.inf
    return np.sort(away.min(axis=1)) / 2


@pytest.mark.parametrize(
    ("name", "balance", "minimum", "first", "below"),
    [
        ("ds1", (674, 326), 0.004431611392647, 0.0043921137, 9),
        ("running_example", (2374, 2626), 0.000829548576847, 0.0040127953, 326),
    ],
)
def test_the_files_of_the_paper_contradict_its_r(name, balance, minimum, first, below):
    """The r of Table 1 is the first half distance not below the chosen cell, and so many points are closer."""
    points, labels = siemens(name)
    assert tuple(np.bincount(labels)) == balance
    assert points.shape == (sum(balance), 2)
    separation = Separation.of(points, labels)
    assert separation.minimum == pytest.approx(minimum, abs=1e-12)
    assert separation.half == separation.minimum / 2
    assert separation.first_at_least(0.004) == pytest.approx(first, abs=5e-11)
    assert separation.violators(0.004) == below
    assert separation.half < 0.004


@pytest.mark.parametrize(("axes", "classes"), [(1, 2), (2, 2), (3, 4), (6, 3)])
def test_distances_are_those_of_all_pairs(axes, classes):
    rng = np.random.default_rng(axes)
    points = rng.normal(size=(300, axes))
    labels = rng.integers(classes, size=300) * 7 - 3  # places of labels must not be taken for labels
    separation = Separation.of(points, labels)
    expected = by_brute_force(points, labels)
    assert np.allclose(separation.halves, expected, rtol=1e-12, atol=0)
    assert separation.half == separation.halves[0]
    side = float(np.median(expected))
    assert separation.violators(side) == np.sum(expected < side)
    assert separation.first_at_least(side) == expected[expected >= side].min()


def test_a_half_distance_equal_to_the_side_is_not_a_violator():
    separation = Separation.of([[0.0], [1.0], [3.0]], ["a", "b", "b"])
    assert separation.halves.tolist() == [0.5, 0.5, 1.5]
    assert separation.violators(0.5) == 0
    assert separation.violators(np.nextafter(0.5, 1)) == 2


def test_one_place_with_two_labels_has_no_separation():
    assert Separation.of([[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]], [0, 1, 0]).minimum == 0


def test_more_points_only_bring_classes_closer():
    rng = np.random.default_rng(2)
    points, labels = rng.random((2000, 2)), rng.integers(2, size=2000)
    minima = [Separation.of(points[:size], labels[:size]).minimum for size in (50, 200, 800, 2000)]
    assert minima == sorted(minima, reverse=True)
    assert minima[-1] < minima[0]


@pytest.mark.parametrize(
    ("points", "labels", "said"),
    [
        ([[0.0], [1.0]], [1, 1], r"labels are all 1: a separation needs points of at least two classes"),
        ([[0.0], [np.nan]], [0, 1], r"point 1, \[nan\], must be finite"),
        ([[0.0], [np.inf]], [0, 1], r"point 1, \[inf\], must be finite"),
        ([0.0, 1.0], [0, 1], r"points of the shape \(2,\) must have the shape \(points, axes\)"),
        (np.empty((0, 2)), [], r"points of the shape \(0, 2\)"),
        ([["a"], ["b"]], [0, 1], "points must be numbers"),
        ([[0.0], [1.0, 2.0]], [0, 1], "points must be numbers in rows of one length"),
        ([[0.0], [1.0]], [0], r"labels of the shape \(1,\) must be one for each of the 2 points"),
        ([[0.0], [1.0]], [0, np.nan], "label 1 is NaN"),
        ([[0.0], [1.0]], ["a", None], "labels must all be texts or all numbers"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(points, labels, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        Separation.of(points, labels)
    assert "\n" not in str(raised.value)


def test_a_side_beyond_all_distances_has_no_first():
    with pytest.raises(InvalidInput, match=r"side=2 must not exceed the largest half distance, 0\.5"):
        Separation.of([[0.0], [1.0]], [0, 1]).first_at_least(2)
