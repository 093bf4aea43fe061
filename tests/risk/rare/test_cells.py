"""Many cells at once: each has its own box, label, estimate and limits."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ringtrue.core import InvalidInput
from ringtrue.risk.rare import cell_unastuteness, margin
from ringtrue.stats import clopper_pearson


def beyond(points, labels):
    """A model of the plane that says 1 where the second coordinate exceeds a line; wrong where it is not the label."""
    height = points[:, 1] - 0.1 * points[:, 0]
    return np.where(labels == 1, -height, height)


def test_every_cell_has_its_own_share():
    """Cells where failures are rare, common, absent, everywhere, and rare for the other label.

    The line is at 0.1 times the first coordinate. The first cell reaches over it in a triangle of the height 0.001, the
    last one under it in a strip with the mean height 0.0011 and sides a thousandth apart.
    """
    low = np.array([[0.0, -0.999], [0.0, -0.5], [0.0, -2.0], [0.0, 1.0], [0.50, 0.0499]])
    high = np.array([[1.0, 0.001], [1.0, 0.5], [1.0, -1.0], [1.0, 2.0], [0.52, 1.0499]])
    truth = np.array([0.001**2 / 0.2, 0.45, 0.0, 1.0, 0.0011])
    found = cell_unastuteness(beyond, low, high, [0, 0, 0, 0, 1], particles=300, runs=8, seed=2)
    assert found.split.tolist() == [True, False, False, False, True]
    assert np.all((found.lower <= truth) & (truth <= found.upper))
    assert found.unastuteness[[0, 4]] == pytest.approx(truth[[0, 4]], rel=0.25)
    assert found.unastuteness[2] == 0
    assert found.upper[2] == pytest.approx(clopper_pearson(0, 2400).high)
    assert np.all(found.variance > 0)
    assert found.calls[[1, 3]].tolist() == [2400, 2400]


def test_the_variance_is_that_of_repetitions():
    """60 times the same cell: the variance told agrees in the mean with the one seen.

    The one seen has 59 degrees of freedom, a relative error of 0.18; taking the larger of two variances adds a little.
    """
    cells = 60
    low, high = np.tile([0.0, -0.999], (cells, 1)), np.tile([1.0, 0.001], (cells, 1))
    truth = 0.001**2 / 0.2
    found = cell_unastuteness(beyond, low, high, np.zeros(cells, dtype=int), particles=100, runs=4, seed=3)
    assert found.split.all()
    assert 0.6 < np.mean(found.variance) / np.var(found.unastuteness, ddof=1) < 2
    assert np.mean(found.unastuteness) == pytest.approx(truth, rel=0.2)
    assert np.mean((found.lower <= truth) & (truth <= found.upper)) >= 0.9


def test_the_margin_of_a_model_is_a_score():
    """A linear classifier in five dimensions: its failures in a ball are a half-space, which plain draws confirm."""
    rng = np.random.default_rng(0)
    points = rng.random((400, 5))
    model = LogisticRegression(C=1e4).fit(points, points.sum(axis=1) > 2.5)
    centre, radius = np.full(5, 0.38), 0.15

    def score(points, labels):
        logits = model.decision_function(points)
        return margin(np.column_stack([-logits, logits]), labels)

    found = cell_unastuteness(score, [centre - radius], [centre + radius], [0], particles=500, runs=6, seed=1)
    draws = rng.uniform(centre - radius, centre + radius, (400_000, 5))
    bounds = clopper_pearson(int(model.predict(draws).sum()), 400_000, level=0.999)
    assert found.split[0]
    assert bounds.low <= found.upper[0]
    assert found.lower[0] <= bounds.high


def test_cells_that_do_not_fit_together_are_done_in_turn(monkeypatch):
    monkeypatch.setattr("ringtrue.risk.rare._cells._ROWS", 400)
    low = np.repeat([[0.0, -0.999]], 5, axis=0)
    rows = []

    def score(points, labels):
        rows.append(len(points))
        return beyond(points, labels)

    found = cell_unastuteness(score, low, low + 1, np.zeros(5, dtype=int), particles=50, runs=4, seed=3)
    assert max(rows) == 400
    assert len(set(found.unastuteness)) == 5, "cells alike have draws of their own"
    assert found.calls.sum() == sum(rows)


@pytest.mark.parametrize(
    ("low", "labels", "told"),
    [
        ([0.0, 0.0], [0], "low (2,) must be (cells, axes) with cells >= 1, and labels (1,) (cells,)"),
        ([[0.0, 0.0]], [0, 1], "low (1, 2) must be (cells, axes) with cells >= 1, and labels (2,) (cells,)"),
        (np.zeros((0, 2)), [], "low (0, 2) must be (cells, axes) with cells >= 1, and labels (0,) (cells,)"),
    ],
)
def test_wrong_input_is_told_in_one_line(low, labels, told):
    with pytest.raises(InvalidInput) as error:
        cell_unastuteness(beyond, low, np.asarray(low) + 1, labels)
    assert str(error.value) == told


def test_the_box_at_fault_is_named():
    with pytest.raises(InvalidInput, match=r"low=1 must lie below high=0.5 on axis 1 of box 1, both finite"):
        cell_unastuteness(beyond, [[0, 0], [0, 1]], [[1, 1], [1, 0.5]], [0, 0])
