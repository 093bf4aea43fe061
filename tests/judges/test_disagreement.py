"""The policy: pure, honest about its chances, drawn to what is open, and cheap however long the study is."""

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Record, Sketch, View
from ringtrue.judges import Disagreement

LABELS = ("no", "yes")
VOTES = np.array([[0, 0, 0]] * 30 + [[1, 1, 1]] * 20 + [[0, 1, 1]] * 6 + [[1, 0, 0]] * 4)
SKETCH = Sketch(["ann", "bob", "cyd"], LABELS, Counter(map(tuple, VOTES.tolist())))
PLACES = np.array([sorted(SKETCH).index(tuple(row)) for row in VOTES.tolist()])
TRUTH = VOTES[:, 1]
POLICY = Disagreement(SKETCH)


def record(number, row, state="answered", label=None):
    made = Record(number, "judges", "disagreement", "oracle", row, str(row), "", 0.01, 0.01, Decimal(0), None)
    made.state = state
    made.value = label or LABELS[TRUTH[row]]
    return made


def view(records=(), seed=1):
    asked = {one.row for one in records if one.row is not None}
    return View(seed, len(records), len(VOTES), asked, records, None, {"pattern": PLACES})


def led(rows):
    return [record(number, row) for number, row in enumerate(rows)]


def test_rows_come_as_often_as_their_probability_says():
    """4,000 first draws and 4,000 after forty labels; the chi-square statistic below its mean plus four deviations."""
    for records in ([], led([*range(30), *range(32, 41), 50])):
        seen, stated = Counter(), {}
        for seed in range(4000):
            (draw,) = POLICY.propose(view(records, seed), 1)
            seen[draw.row] += 1
            stated[draw.row] = draw.probability
        assert sum(stated.values()) == pytest.approx(1)
        expected = {row: 4000 * chance for row, chance in stated.items()}
        statistic = sum((seen[row] - expected[row]) ** 2 / expected[row] for row in stated)
        degrees = len(stated) - 1
        assert statistic < degrees + 4 * np.sqrt(2 * degrees)


def test_every_item_keeps_half_an_equal_share_and_open_patterns_get_more():
    (first,) = POLICY.propose(view(), 1)
    assert first.floor >= 0.5 / len(VOTES)
    chances = {}
    for seed in range(300):
        (draw,) = POLICY.propose(view(seed=seed), 1)
        chances[int(PLACES[draw.row])] = draw.probability
        assert draw.floor == pytest.approx(first.floor)
    unanimous, split = chances[sorted(SKETCH).index((0, 0, 0))], chances[sorted(SKETCH).index((0, 1, 1))]
    assert unanimous == pytest.approx(first.floor)
    assert split > 1.05 * unanimous


def test_however_open_the_rest_is_a_settled_item_keeps_half_an_equal_share():
    votes = np.array([[0, 0, 0]] * 60 + [[0, 1, 1]] * 300)
    sketch = Sketch(["ann", "bob", "cyd"], LABELS, Counter(map(tuple, votes.tolist())))
    places = (np.arange(360) >= 60).astype(int)
    records = [record(n, row, label="yes" if row >= 60 and row % 2 else "no") for n, row in enumerate(range(20, 100))]
    asked = {one.row for one in records}
    (draw,) = Disagreement(sketch).propose(View(1, 80, 360, asked, records, None, {"pattern": places}), 1)
    assert 0.5 / 280 <= draw.floor < 0.75 / 280


def test_labels_teach_which_patterns_are_open():
    """Unanimous votes that turn out wrong half the time become what to ask about."""
    unanimous, split = (sorted(SKETCH).index(pattern) for pattern in ((0, 0, 0), (0, 1, 1)))
    rows = [*range(16), *range(50, 54)]
    records = [record(n, row, label="yes" if row >= 50 or row % 2 else "no") for n, row in enumerate(rows)]

    def chance(of):
        for seed in range(500):
            (draw,) = POLICY.propose(view(records, seed), 1)
            if PLACES[draw.row] == of:
                return draw.probability
        raise AssertionError("never drawn")

    assert chance(unanimous) > 1.2 * chance(split)


def test_draws_are_a_function_of_the_view_and_none_is_repeated():
    records = led([3, 31, 50])
    many = POLICY.propose(view(records), 57)
    assert Disagreement(SKETCH).propose(view(tuple(records)), 57) == many
    assert sorted([*(draw.row for draw in many), 3, 31, 50]) == list(range(60))
    assert many[-1].probability == pytest.approx(1)
    assert POLICY.propose(view(led(range(60))), 5) == []
    assert POLICY.propose(view(records, seed=2), 5) != many[:5]


def test_an_open_query_holds_up_what_is_learnt_but_not_what_is_asked():
    """Records after an open one teach nothing yet, whatever order the answers came in; a late answer is taken in."""
    rows = [0, 1, 31, 32, 51, 52, 57, 58, 2, 33]
    answered = led(rows)
    held, silent = (
        [record(n, row, "leased" if n in still_open else "answered") for n, row in enumerate(rows)]
        for still_open in ({1}, set(range(1, 10)))
    )
    assert POLICY.propose(view(held), 50) == POLICY.propose(view(silent), 50) != POLICY.propose(view(answered), 50)
    given_up = [record(n, row, "abandoned" if n == 1 else "answered") for n, row in enumerate(rows)]
    policy = Disagreement(SKETCH)
    policy.propose(view(given_up), 1)
    given_up[1].state, given_up[1].value = "answered", answered[1].value
    assert policy.propose(view(given_up), 5) == POLICY.propose(view(answered), 5)


class Counted(list):
    """A list that counts how many records were handed out."""

    handed = 0

    def __getitem__(self, place):
        found = super().__getitem__(place)
        self.handed += len(found) if isinstance(place, slice) else 1
        return found


def test_a_long_study_is_gone_through_once():
    policy, records, asked = Disagreement(SKETCH), Counted(), set()
    for step in range(60):
        (draw,) = policy.propose(View(1, step, 60, asked, records, None, {"pattern": PLACES}), 1)
        records.append(record(step, draw.row))
        asked.add(draw.row)
    assert len(asked) == 60
    assert records.handed <= 3 * 60


def test_without_patterns_all_items_are_alike():
    plain = View(1, 0, 10, set(), (), None, {"score": np.zeros(10)})
    draws = POLICY.propose(plain, 10)
    assert [draw.probability for draw in draws] == pytest.approx([1 / left for left in range(10, 0, -1)])
    assert [draw.floor for draw in draws] == [draw.probability for draw in draws]


def test_a_pool_with_other_votes_and_a_view_with_missing_records_are_refused():
    with pytest.raises(InvalidInput, match="this very pool"):
        POLICY.propose(View(1, 0, 60, set(), (), None, {"pattern": np.zeros(60, dtype=int)}), 1)
    with pytest.raises(InvalidInput, match="records of all"):
        POLICY.propose(View(1, 0, 60, {4}, (), None, {"pattern": PLACES}), 1)
