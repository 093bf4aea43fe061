"""Changed answers asked for again: no false alarm by noise, in order, and no more than needed."""

import numpy as np
import pytest

from ringtrue.changed._second_look import SecondLook
from ringtrue.changed._told import Told
from ringtrue.core import Verdict

SIZE, LARGE = 150, 400


class Kept:
    """As much of a record as the second look reads."""

    def __init__(self, probability, share=None):
        self.probability = self.floor = probability
        self.predicted = {} if share is None else {"share": share}


def told(row, old, answer, *, again=False, left=None, share=None):
    probability = None if left is None else 1 / left
    return Told(Kept(probability, share), row, 0, old, answer, again)


def lead(look, rows, old, first, second):
    """Tell all rows, in order, with the second answers that are due as soon as they are due."""
    for place, row in enumerate(rows):
        if look.enough:
            return
        look.take(told(row, old[row], first[row], left=len(old) - place))
        for due in look.due:
            look.take(told(due, old[due], second[due], again=True))


def answers(rng, chances, size):
    """Three answers of one model to each item: chances (items, answers)."""
    reached = np.cumsum(chances, axis=1)
    return [(rng.random((size, 1)) > reached).sum(axis=1) for _ in range(3)]


def test_noise_alone_is_rarely_called_a_change():
    """Watched to the end of the pool, at most 5% of studies; 200 studies, so 5% + 3 x 1.5%."""
    alarms = 0
    for study in range(200):
        rng = np.random.default_rng(study)
        chances = rng.dirichlet([6.0, 0.6, 0.3], SIZE)  # every item has its own noise
        old, first, second = answers(rng, chances, SIZE)
        look = SecondLook(SIZE, limit=None, level=0.95)
        lead(look, rng.permutation(SIZE), old, first, second)
        alarms += look.found
    assert 0 < alarms <= 200 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 200))


def test_a_change_beyond_the_noise_is_found_soon():
    """One answer in ten changed for good, under noise: found in at least 19 of 20 studies."""
    found = []
    for study in range(20):
        rng = np.random.default_rng(1000 + study)
        chances = np.tile([0.96, 0.02, 0.02], (LARGE, 1))
        old, first, second = answers(rng, chances, LARGE)
        moved = rng.random(LARGE) < 0.1
        first, second = np.where(moved, 2 - first, first), np.where(moved, 2 - second, second)
        look = SecondLook(LARGE, limit=None, level=0.95)
        lead(look, rng.permutation(LARGE), old, first, second)
        found.append(look.found_at)
    assert sum(one is not None for one in found) >= 19
    assert np.median([one for one in found if one is not None]) < 250


def test_an_early_answer_waits_for_an_earlier_item():
    look = SecondLook(10, limit=0.5, level=0.95)
    look.take(told(3, 0, 1, left=10))
    look.take(told(5, 0, 0, left=9))
    assert (look.taken, look.due) == (0, [3])
    look.take(told(3, 0, 1, again=True))
    assert (look.taken, look.due) == (2, [])
    assert (look.test.persisted, look.test.reverted) == (1, 0)


def test_an_item_that_was_asked_again_is_not_due_although_its_answer_is_out():
    look = SecondLook(10, limit=None, level=0.95)
    look.take(told(3, 0, 1, left=10))
    look.asked(3)
    assert look.due == []


def test_what_was_chosen_by_its_old_answer_is_no_evidence_of_persistence():
    look = SecondLook(100, limit=None, level=0.95)
    for row in range(20):
        look.take(told(row, 0, 1, left=100 - row, share=0.5))
        look.take(told(row, 0, 1, again=True))
    assert not look.found
    assert look.test.persisted == 0


def test_no_more_is_asked_again_once_it_is_enough():
    look = SecondLook(1000, limit=None, level=0.95)
    row = 0
    while not look.enough:
        look.take(told(row, 0, 1, left=1000 - row))
        look.take(told(row, 0, 1, again=True))
        row += 1
    assert row < 10
    look.take(told(row, 0, 1, left=1000 - row))
    assert look.due == []
    assert look.asked_twice == row


def test_a_claim_on_the_change_goes_on_after_a_change_was_found():
    look = SecondLook(1000, limit=0.2, level=0.95)
    for row in range(60):
        changed = row % 7 == 0
        look.take(told(row, 0, int(changed), left=1000 - row))
        if changed and not look.enough:
            look.take(told(row, 0, 1, again=True))
    assert look.found
    assert look.claim.verdict is Verdict.NOT_YET_KNOWN
    assert not look.enough


@pytest.mark.parametrize(("first", "second"), [(None, None), (1, None)])
def test_what_nobody_answered_counts_both_ways(first, second):
    look = SecondLook(4, limit=None, level=0.95)
    look.take(told(0, 0, first, left=4))
    if first is not None:
        look.take(told(0, 0, second, again=True))
    interval = look.repeats.excess(0.95)
    assert look.taken == 1
    assert (interval.low, interval.high) == (-1.0, 1.0)
