"""Drawing by groups with what is learnt: every process learns the same, and what was given up may come after all."""

import pickle
from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Record, View
from ringtrue.stats import Following, GroupDraws, Groups, Plan, even_and_weighted

GROUP = np.array([0, 0, 0, 1, 1, 1, 1, 2])


def record(number, row, state="answered", value="no", responder="oracle"):
    made = Record(number, "q", "p", responder, row, str(row), "", 0.1, 0.1, Decimal(0), "yes")
    made.state, made.value = state, None if state == "abandoned" else value
    return made


class Counting:
    """Prefers the groups that were answered most; remembers what it was told."""

    def __init__(self):
        self.told = []
        self.weights = np.ones(3)

    def learn(self, record, row):
        self.told.append((record.number, record.state))
        self.weights[GROUP[row]] += 3

    def chances(self, left):
        return even_and_weighted(left, self.weights, even=0.5)

    def noted(self, draw, group, left, chance):
        like = {name: float(counts @ chance) for name, counts in left.like(draw.row).items()}
        return draw._replace(note={"group": group, **like})


class CountingDraws(GroupDraws):
    def plan(self, view):
        return Plan(Groups(GROUP, 3), Counting, {"half": np.arange(view.size) % 2})


def policy():
    return CountingDraws("counting", "test/draws", "oracle")


def view(records, seed=1):
    return View(seed, 0, 8, {one.row for one in records}, records)


def test_an_open_record_holds_up_those_after_it():
    records = [record(0, 2), record(1, 3, "leased"), record(2, 4), record(3, None, responder="model")]
    following = Following(records, "oracle", Counting)
    assert following.advance().told == [(0, "answered")]
    assert following.waiting() == [3, 4]
    records[1].state = "answered"
    assert following.advance().told == [(0, "answered"), (1, "answered"), (2, "answered")]
    assert following.waiting() == []


def test_of_two_records_about_a_row_the_first_may_be_the_only_one_that_counts():
    records = [record(0, 2), record(1, 2, "leased"), record(2, 3), record(3, 4, "leased")]
    assert Following(records, "oracle", Counting).advance().told == [(0, "answered")]
    once = Following(records, "oracle", Counting, once=True)
    assert once.advance().told == [(0, "answered"), (2, "answered")]
    assert once.waiting() == [4]


def test_what_was_given_up_and_answered_after_all_is_learnt_in_its_place():
    records = [record(0, 2, "abandoned"), record(1, 3), record(2, 4)]
    following = Following(records, "oracle", Counting)
    first = following.advance()
    records[0].state = "answered"
    again = following.advance()
    assert again is not first
    assert again.told == [(place, "answered") for place in range(3)]


def test_records_are_learnt_from_once_in_whatever_portions():
    records = [record(place, row) for place, row in enumerate([5, 1, 7, 0])]
    known, grown = policy(), []
    for one in records:
        known.propose(view(grown), 1)
        grown.append(one)
    assert known.propose(view(grown), 3) == policy().propose(view(records), 3)
    assert known.follow(view(grown)).learner.told == [(place, "answered") for place in range(4)]


def test_a_policy_goes_to_another_process_without_what_it_followed():
    records = [record(0, 5)]
    known = policy()
    first = known.propose(view(records), 2)
    sent = pickle.loads(pickle.dumps(known))
    assert sent._followed is None
    assert sent.propose(view(records), 2) == first


def test_chances_are_those_of_the_rows_left_and_a_batch_is_without_replacement():
    records = [record(0, 2), record(1, 3, "leased")]
    draws = policy().propose(view(records), 6)
    assert sorted(draw.row for draw in draws) == [0, 1, 4, 5, 6, 7]
    left, weights = np.array([2.0, 3.0, 1.0]), np.array([4.0, 1.0, 1.0])
    for draw in draws:
        chance = even_and_weighted(left, weights, even=0.5)
        assert draw.probability == chance[GROUP[draw.row]]
        assert draw.floor == chance[left > 0].min()
        assert draw.note["group"] == GROUP[draw.row]
        left[GROUP[draw.row]] -= 1


def test_the_share_of_a_mark_is_the_chance_that_any_row_with_it_is_drawn():
    draw = policy().propose(view([record(0, 2)]), 1)[0]
    chance = even_and_weighted(np.array([2.0, 4.0, 1.0]), np.array([4.0, 1.0, 1.0]), even=0.5)
    alike = [row for row in range(8) if row != 2 and row % 2 == draw.row % 2]
    assert draw.note["half"] == pytest.approx(chance[GROUP[alike]].sum())


def test_the_rows_drawn_have_the_chances_told():
    """2,000 seeds, each row within four standard errors of its chance."""
    records = [record(0, 2)]
    chance = even_and_weighted(np.array([2.0, 4.0, 1.0]), np.array([4.0, 1.0, 1.0]), even=0.5)
    one = policy()
    rows = np.bincount([one.propose(view(records, seed), 1)[0].row for seed in range(2000)], minlength=8) / 2000
    expected = np.where(np.arange(8) == 2, 0.0, chance[GROUP])
    assert np.all(np.abs(rows - expected) <= 4 * np.sqrt(expected / 2000))


def test_no_two_turns_draw_by_the_same_random_number():
    first = policy().propose(view([]), 2)
    records = [record(0, first[0].row)]
    records[0].state = "leased"
    assert policy().propose(view(records), 1)[0].row != first[0].row
    later = policy()
    followed = later.follow(view(records))
    assert later.draws(followed, view(records), 1, before=1) != later.draws(followed, view(records), 1)


def test_a_view_without_the_records_of_what_was_asked_is_refused():
    with pytest.raises(InvalidInput, match="view has 2 rows asked, its records 1: give the records"):
        policy().propose(View(1, 0, 8, {2, 3}, [record(0, 2)]), 1)


def test_rows_asked_twice_are_left_once():
    records = [record(0, 2), record(1, 2), record(2, 3)]
    followed = policy().follow(view(records))
    assert followed.left.groups.tolist() == [2.0, 3.0, 1.0]
    assert followed.again == {2}


def test_a_row_is_found_without_a_list_of_its_group():
    """Rows stand in blocks; whichever is drawn is the one that a sorted list of the group's rows would give."""
    random = np.random.default_rng(3)
    group = random.choice(4, size=50_000, p=[0.6, 0.3, 0.0999, 0.0001]).astype(np.uint8)
    rows = Groups(group, 4)
    assert rows.sizes.tolist() == np.bincount(group, minlength=4).tolist()
    for number in range(4):
        listed = np.flatnonzero(group == number)
        for place in {0, 1, len(listed) // 2, len(listed) - 1, *random.integers(0, len(listed), 50).tolist()}:
            assert rows._row(number, place) == listed[place]


def test_a_group_that_is_nearly_used_up_gives_its_last_rows():
    group = np.repeat(np.arange(2), [3, 40_000])
    rows, gone = Groups(group, 2), set(range(3, 40_001))
    left = np.array([0.0, 2.0])
    drawn = {
        rows.draw(left, np.array([0.0, 0.5]), np.random.default_rng(seed), gone.__contains__) for seed in range(40)
    }
    assert drawn == {40_001, 40_002}
