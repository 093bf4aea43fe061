"""Bandwidth by cross-validation: the score of scikit-learn, and 0.04 where the paper took 0.2."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KernelDensity

from ringtrue.core import InvalidInput
from ringtrue.risk.cells._profile import choose_bandwidth
from support.siemens import siemens

CANDIDATES = [0.01, 0.03, 0.04, 0.05, 0.2]
POINTS = np.random.default_rng(3).normal(size=(150, 2))


@pytest.mark.parametrize(
    ("name", "at_best", "at_paper"), [("running_example", 1.1376, 0.6485), ("ds1", -0.1068, -0.3823)]
)
def test_the_bandwidth_of_the_paper_is_not_the_one_of_cross_validation(name, at_best, at_paper):
    """Scores are those of the notes but for the folds, which move the narrower kernel of 1000 points by 0.03."""
    found = choose_bandwidth(siemens(name).points, CANDIDATES)
    assert found.best == 0.04
    scores = dict(zip(CANDIDATES, found.scores, strict=True))
    assert scores[0.04] == pytest.approx(at_best, abs=0.03)
    assert scores[0.2] == pytest.approx(at_paper, abs=0.003)


def test_scores_are_those_of_scikit_learn():
    found = choose_bandwidth(POINTS, [0.1, 0.3, 1], folds=4, seed=7)
    folds = KFold(4, shuffle=True, random_state=7)
    for width, score in zip([0.1, 0.3, 1], found.scores, strict=True):
        expected = cross_val_score(KernelDensity(bandwidth=width), POINTS, cv=folds).sum() / len(POINTS)
        assert score == pytest.approx(expected, rel=1e-10)
    assert found.best == found.candidates[np.argmax(found.scores)]


def test_a_kernel_too_narrow_for_floating_point_still_has_a_score():
    found = choose_bandwidth(POINTS, [1e-6, 1e-5, 0.3])
    assert np.all(np.isfinite(found.scores))
    assert np.all(np.diff(found.scores) > 0)


def test_the_best_bandwidth_shrinks_as_points_are_added():
    """A density is known in finer detail from more points; 0.5 and 0.3 for normal ones, by the rule of Scott."""
    rng = np.random.default_rng(5)
    widths = np.geomspace(0.05, 1.5, 13)
    few, many = (choose_bandwidth(rng.normal(size=(size, 2)), widths).best for size in (60, 1000))
    assert many < few
    assert few == pytest.approx(60 ** (-1 / 6), rel=0.4)
    assert many == pytest.approx(1000 ** (-1 / 6), rel=0.4)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"candidates": []}, r"candidates=\[\] must hold at least one bandwidth"),
        ({"candidates": [0.1, 0]}, "bandwidth=0 must be positive and finite"),
        ({"candidates": [np.nan]}, "bandwidth=nan must be positive and finite"),
        ({"folds": 1}, r"folds=1 must lie in \[2, 150\]"),
        ({"folds": 151}, r"folds=151 must lie in \[2, 150\]"),
        ({"points": [[1.0, 2.0], [1.0, 3.0]]}, "feature 0 is 1.0 in all 2 points and must vary"),
        ({"points": [[1.0, 2.0], [np.nan, 3.0]]}, "point 1, .* must be finite"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_line(settings, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        choose_bandwidth(**({"points": POINTS, "candidates": [0.1]} | settings))
    assert "\n" not in str(raised.value)
