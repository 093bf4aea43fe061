"""Bansal and Weld's search on a pool of eight items, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.searches import Field, History
from ringtrue.blind.searches._groups import CoverageChooser

STEP = np.sqrt(0.001 * np.log(2))
"""Items so far apart cover each other by a half, and at twice the distance by (1/2)^4 = 1/16."""

PLACES = np.array([0, STEP, 0.5 - STEP, 0.5, 0.5 + STEP, 0.8, 1 - STEP, 1])[:, None]
CONFIDENCE = np.array([0.8, 0.6, 0.8, 0.8, 0.9, 0.7, 0.75, 0.8])
GROUPS = np.array([0, 0, 1, 1, 1, 0, 2, 2])
WRONG = np.array([False, True, False, True, False, False, False, False])


@pytest.fixture
def chooser() -> CoverageChooser:
    return CoverageChooser(Field(CONFIDENCE, PLACES, {}, None, seed=0), GROUPS)


def test_gains_and_chances_by_hand(chooser: CoverageChooser) -> None:
    # Sum over the pool of confidence x coverage. Item 0 covers itself and half of item 1: 0.8 + 0.6 / 2 = 1.1.
    # Item 2: 0.8 + 0.8 / 2 + 0.9 / 16 = 1.25625. Item 3: 0.8 / 2 + 0.8 + 0.9 / 2 = 1.65. And so on.
    assert chooser.gain([]) == pytest.approx([1.1, 1.0, 1.25625, 1.65, 1.35, 0.7, 1.15, 1.175], abs=1e-9)
    # With item 1 wrong, item 0 adds only the half of itself that is not covered: 0.8 / 2.
    assert chooser.gain([1])[:2] == pytest.approx([0.4, 0.0], abs=1e-9)
    # Group 0 has one answer, an error: item 0 has (2 x 0.2 + 1) / 3, item 5 has (2 x 0.3 + 1) / 3.
    after = chooser.chance(History(np.array([1]), np.array([True])))
    assert after == pytest.approx([1.4 / 3, 1.8 / 3, 0.2, 0.2, 0.1, 1.6 / 3, 0.25, 0.2])


def test_eight_items_by_hand(chooser: CoverageChooser) -> None:
    # Chance x gain of what is left, the largest in brackets:
    #    item  0      1      2       3      4      5       6        7
    # 1       .22   [.40]   .25125  .33    .135   .21     .2875    .235     item 1, wrong
    # 2       .1867          .25125  .33    .135  [.3733]  .2875    .235     item 5, right: item 0 has 1.4 / 4 x .4
    # 3       .14            .25125 [.33]   .135           .2875    .235     item 3, wrong: 2 and 4 are half covered
    # 4       .14            .1867          .18           [.2875]   .235     item 6, right: item 7 has .4 / 3 x 1.175
    # 5       .14           [.1867]         .18                     .1567    item 2, right: item 4 has 1.2 / 4 x .45
    # 6       .14                           .135                   [.1567]   item 7, right
    # 7      [.14]                          .135                             item 0, right, then item 4
    order = [1, 5, 3, 6, 2, 7, 0, 4]
    for t, item in enumerate(order):
        asked = np.array(order[:t], dtype=np.int64)
        assert chooser.choose(History(asked, WRONG[asked]), 1) == [item]


def test_a_batch_does_not_cover_the_same_twice(chooser: CoverageChooser) -> None:
    # Chances stay at the doubt. After item 1, item 0 has 0.2 x 0.4 = .08 left; after item 3, item 2 has .08 and item 4
    # .045; the first row above orders the rest: 1 (.40), 3 (.33), 6 (.2875), 5 (.21); then 7 has 0.2 x 0.4 = .08 left.
    nothing = History(np.array([], int), np.array([], bool))
    assert chooser.choose(nothing, 4) == [1, 3, 6, 5]
    assert chooser.gain([1, 3, 6, 5])[[0, 2, 4, 7]] == pytest.approx([0.4, 0.4, 0.45, 0.4], abs=1e-9)


def test_equal_features_cover_each_other_entirely() -> None:
    chooser = CoverageChooser(Field(CONFIDENCE, np.zeros((8, 1)), {}, None, seed=0), GROUPS)
    assert chooser.gain([]) == pytest.approx(np.full(8, CONFIDENCE.sum()))
    assert chooser.gain([3]) == pytest.approx(np.zeros(8))
