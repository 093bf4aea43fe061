"""Evaluations by rank, a floor for every task, and no dependence on units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.worst.rules import Harmonic, Pull, Turn

RNG = np.random.default_rng(0)
RULE = Harmonic()


def run(values, evaluations, *, units=1.0):
    """The tasks chosen when the next value of a task is `values(task, turn)`."""
    pulls = []
    while len(pulls) < evaluations:
        task = RULE.choose(Turn(len(values), evaluations, pulls, (), RNG)).tasks[0]
        turn = sum(pull.task == task for pull in pulls)
        pulls.append(Pull(task, units * values[task](turn)))
    return pulls


def times_chosen(count, pulls):
    return Turn(count, len(pulls), pulls, (), RNG).chosen


def test_three_in_four_go_by_rank_and_the_fourth_to_the_task_that_had_fewest():
    # Two evaluations each; ranks 2, 1, 3. Evaluations so far: 6, so that the next two go by rank and the third in turn.
    pulls = [Pull(task, value) for value in (0.0, 1.0) for task, value in ((0, value), (1, value + 5), (2, value - 5))]
    # (chosen + 1) * rank = 3 * 2, 3 * 1, 3 * 3, and then 6, 4, 9.
    assert RULE.choose(Turn(3, 50, pulls, (), RNG)).tasks == (1,)
    assert RULE.choose(Turn(3, 50, pulls, (1,), RNG)).tasks == (1,)
    assert RULE.choose(Turn(3, 50, pulls, (1, 1), RNG)).tasks == (0,)
    # (chosen + 1) * rank = 4 * 2, 5 * 1, 3 * 3.
    assert RULE.choose(Turn(3, 50, pulls, (1, 1, 0), RNG)).tasks == (1,)


def test_steady_ranks_share_evaluations_as_one_over_rank():
    pulls = run([lambda _, task=task: float(-task) for task in range(3)], 440)
    # The last would have 2 of 11 parts by rank and has the quarter in turn instead; the others share the rest as 2 : 1.
    assert times_chosen(3, pulls) == pytest.approx([220, 110, 110], abs=1)
    many = times_chosen(16, run([lambda _, task=task: float(-task) for task in range(16)], 400))
    assert many[0] / many[:4] == pytest.approx([1, 2, 3, 4], rel=0.05)
    assert many.min() > 400 / 16 / 4


def test_a_task_that_takes_the_lead_is_served_first():
    late = [lambda _: 1.0, lambda turn: 5.0 if turn >= 8 else 0.0]
    pulls = run(late, 80)
    found = next(place for place, pull in enumerate(pulls) if pull.value == 5.0)
    rest = [pull.task for pull in pulls[found + 1 :]]
    assert rest[:6] == [1, 1, 1, 1, 1, 1]
    assert np.mean(rest) > 0.6


def test_equal_tasks_take_turns():
    assert np.ptp(times_chosen(7, run([lambda _: 3.0] * 7, 100))) <= 1


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9), st.integers(1, 80))
def test_every_task_gets_a_quarter_of_its_turns_whatever_the_values(values, evaluations):
    pulls = run([lambda _, value=value: value for value in values], evaluations)
    assert times_chosen(len(values), pulls).min() >= evaluations // 4 // len(values)


@pytest.mark.parametrize("units", [1e-6, 1e6])
def test_units_do_not_matter(units):
    values = [lambda turn, task=task: float(np.sin(7 * turn + task)) for task in range(5)]
    scaled = [pull.task for pull in run(values, 60, units=units)]
    assert scaled == [pull.task for pull in run(values, 60)]


def test_tasks_of_which_nothing_came_back_are_last():
    assert RULE.choose(Turn(3, 50, [Pull(1, -9.0)], (0, 2), RNG)).tasks == (1,)
    assert RULE.choose(Turn(3, 50, [], (0, 1), RNG)).tasks == (2,)
    assert RULE.choose(Turn(1, 50, [], (), RNG)).tasks == (0,)
