"""How a hunt asks: random draws at fixed places, with what the search expected of them, and every item once."""

import numpy as np
import pytest

from ringtrue.blind import Blind, floor_for, simulate
from ringtrue.blind._policy import is_random
from ringtrue.core import Claim, InvalidInput, View
from ringtrue.stats import plan_rate


def gathered(n=60, seed=0, outside=0, **changed):
    rng = np.random.default_rng(seed)
    confidence = 0.7 + 0.3 * rng.random(n)
    confidence[:outside] = 0.4
    scores = {"label": np.ones(n, dtype=np.int64), "confidence": confidence, "features": rng.standard_normal((n, 4))}
    return Blind(None, threshold=0.65, **changed).gather(scores)


def test_the_share_of_random_draws_is_the_floor():
    for floor, count in ((0.0, 0), (0.2, 10), (0.5, 25), (1 / 3, 16)):
        assert sum(is_random(step, floor) for step in range(50)) == count


def test_random_draws_over_the_whole_pool_are_random_for_every_question():
    records = simulate(Blind(None, threshold=0.65, floor=0.2), gathered(), np.zeros(60, dtype=bool), budget=20)
    drawn = [record for record in records if record.probability is not None]
    assert [record.number for record in drawn] == [4, 9, 14, 19]
    assert [record.probability for record in drawn] == [1 / 56, 1 / 51, 1 / 46, 1 / 41]
    assert all(record.floor == record.probability for record in drawn)


def test_random_draws_in_a_part_of_the_pool_are_random_for_the_hunt_alone():
    hunt = Blind(None, threshold=0.65, floor=0.2)
    records = simulate(hunt, gathered(outside=20), np.zeros(60, dtype=bool), budget=40)
    assert len(records) == 40
    assert {record.row for record in records} == set(range(20, 60))
    assert all(record.probability is None for record in records)
    assert sum(record.prediction is not None for record in records) == 8


def test_without_a_claim_nothing_is_drawn_at_random_and_with_one_what_it_needs():
    assert Blind(None).floor == 0
    assert Blind(None, claim="error <= 10%").floor == 0.5
    claim = Claim("error", 0.1)
    floors = [floor_for(claim, budget) for budget in (20, 100, 200, 400, 800, 3_000)]
    assert floors == sorted(floors, reverse=True)
    assert floors[0] == 0.8
    assert floors[-1] == 0.2
    assert Blind(None, claim=claim, floor=0.3).floor == 0.3
    # What it plans for: a fifth of the limit is shown to keep it in nine of ten studies of that many random draws.
    draws = round(floor_for(claim, 400) * 400)
    (low,) = plan_rate(0.1, rates=[0.02], horizon=400).cases
    assert abs(draws - low.ninety) <= 2


def test_earlier_hunts_go_on_by_the_search_they_began_with():
    first = Blind.from_config({"search": "learning", "floor": 0.2})
    assert (first.edition, first.goal, first.floor) == (1, None, 0.2)
    now = Blind(None)
    assert (now.edition, now.goal) == (2, "errors")
    assert Blind.from_config(now.config()).config() == now.config()
    assert Blind.from_config(first.config()).config() == first.config()
    assert Blind(None, search="random").goal is None


def test_a_random_draw_is_uniform_over_what_is_left():
    scores = gathered(12)
    question = Blind(None, threshold=0.65, floor=0.5)
    counts = np.zeros(12)
    for seed in range(600):
        view = View(seed, 1, 12, frozenset({3, 4}), [], None, scores)
        counts[question.policy.propose(view, 1)[0].row] += 1
    assert counts[[3, 4]].sum() == 0
    # Ten cells of 60 on average: the largest of ten standard normals is below 3.9 in 99.95 % of experiments.
    left = np.delete(counts, [3, 4])
    assert np.all(np.abs(left - 60) < 3.9 * np.sqrt(600 * 0.1 * 0.9))


def test_what_is_predicted_bounds_what_a_draw_can_miss():
    rng = np.random.default_rng(1)
    records = simulate(Blind(None, threshold=0.65, floor=0.2), gathered(), rng.random(60) < 0.3, budget=40)
    for record in records:
        if record.probability is not None:
            (guess, rest, least, most), left = record.prediction, 1 / record.probability
            assert 0 <= guess <= 1
            assert least - 1e-9 <= -guess * left
            assert most + 1e-9 >= (1 - guess) * left
            assert -least >= rest - 1e-9  # the largest guess times the items is at least their sum


@pytest.mark.parametrize("batch", [1, 7])
def test_a_hunt_asks_every_item_once_and_then_nothing(batch):
    hunt = Blind(None, threshold=0.65, floor=0.2)
    records = simulate(hunt, gathered(23), np.zeros(23, dtype=bool), budget=99, batch=batch)
    assert sorted(record.row for record in records) == list(range(23))


def test_a_policy_without_scores_says_what_is_missing():
    with pytest.raises(InvalidInput, match=r"Study\.prepare"):
        Blind(None).policy.propose(View(0, 0, 5, frozenset(), []), 1)
