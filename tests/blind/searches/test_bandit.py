"""Lakkaraju's bandit on a pool of eight items, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.searches import History
from ringtrue.blind.searches._groups import BanditChooser

WRONG = np.array([True, False, False, False, False, False, True, False])


@pytest.fixture
def chooser() -> BanditChooser:
    """Two arms of four items; each arm is asked in the order of its items."""
    return BanditChooser(np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.arange(8), np.full(8, 0.25))


def test_eight_items_by_hand(chooser: BanditChooser) -> None:
    # Weight of a pull: (4 - n) / (4 - j). Value: weighted mean + sqrt(2 ln(t + 1) / sum of weights).
    #
    # t  arm 0: weights            mean    radius                         arm 1: weights    mean  radius
    # 0  never pulled -> item 0, wrong
    # 1                                                                   never pulled -> item 4, right
    # 2  3/4                       1       sqrt(2 ln 3 / (3/4))   1.7116  3/4               0     1.7116
    #    -> item 1, right
    # 3  1/2 2/3       sum 7/6     3/7     sqrt(2 ln 4 / (7/6))   1.5416  3/4               0     1.9227
    #    1.9702 against 1.9227 -> item 2, right
    # 4  1/4 1/3 1/2   sum 13/12   3/13    sqrt(2 ln 5 / (13/12)) 1.7237  3/4               0     2.0717
    #    1.9545 against 2.0717 -> item 5 of arm 1, right
    # 5  1/4 1/3 1/2   sum 13/12   3/13    sqrt(2 ln 6 / (13/12)) 1.8187  1/2 2/3  sum 7/6  0     1.7526
    #    2.0495 against 1.7526 -> item 3, right, and arm 0 is asked in full -> items 6 and 7
    order = [0, 4, 1, 2, 5, 3, 6, 7]
    expected = {
        1: (1 + np.sqrt(2 * np.log(2) / 0.75), np.inf),
        2: (2.711617, 1.711617),
        3: (1.970163, 1.922703),
        4: (1.954506, 2.071675),
        5: (2.049523, 1.752595),
        6: (-np.inf, np.sqrt(2 * np.log(7) / (7 / 6))),
    }
    for t, item in enumerate(order):
        asked = np.array(order[:t], dtype=np.int64)
        assert chooser.choose(History(asked, WRONG[asked]), 1) == [item]
        if t in expected:
            assert chooser.values(asked, WRONG[asked].astype(float)) == pytest.approx(expected[t], abs=2e-6)


def test_open_items_count_as_pulls_that_paid_their_doubt(chooser: BanditChooser) -> None:
    # Item 0 is open: arm 0 counts as pulled, so arm 1 comes first. Then both have one pull, and 0.25 beats 0.
    assert chooser.choose(History(np.array([4]), np.array([False]), np.array([0])), 1) == [1]
    assert chooser.choose(History(np.array([], int), np.array([], bool), np.array([0])), 1) == [4]


def test_a_batch_is_what_open_items_make_it(chooser: BanditChooser) -> None:
    batch = chooser.choose(History(np.array([0]), np.array([True])), 4)
    for size in range(4):
        assert chooser.choose(History(np.array([0]), np.array([True]), np.array(batch[:size], int)), 1) == [batch[size]]
