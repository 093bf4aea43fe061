"""Tasks that can no longer catch up are out, and stay out."""

import numpy as np
import pytest

from ringtrue.worst.rules import Pull, Rising, Turn
from ringtrue.worst.rules._best_value import reach

RNG = np.random.default_rng(0)


def pulls_of(*tasks):
    """The values of each task, as pulls in turn."""
    return [
        Pull(task, values[turn])
        for turn in range(max(map(len, tasks)))
        for task, values in enumerate(tasks)
        if turn < len(values)
    ]


def test_reach_is_the_best_value_and_its_recent_rise_for_what_is_left():
    # The best rose from 2 to 5 in the last six evaluations, so by half a unit each: 5 + 0.5 * 10.
    rising = [2.0, 1.0, 3.0, 0.0, 5.0, 4.0, 1.0]
    # The early rise from 0 to 4 is past: nothing in the last six.
    settled = [0.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    short = [9.0, 9.0]
    assert reach(4, pulls_of(rising, settled, short, []), 10).tolist() == [10.0, 4.0, np.inf, np.inf]


def test_the_tasks_in_reach_take_turns():
    ahead, catching_up, behind = [6.0] * 7, [0.0, 0, 0, 0, 0, 0, 3.0], [1.0] * 7
    pulls = pulls_of(ahead, catching_up, behind)
    # With 27 evaluations in all 6 are left, and 3 + 3 / 6 * 6 is just enough; with 26 it is not.
    assert Rising().choose(Turn(3, 27, pulls, (), RNG)).tasks == (0,)
    assert Rising().choose(Turn(3, 28, pulls, (0,), RNG)).tasks == (1,)
    assert Rising().choose(Turn(3, 27, pulls, (0,), RNG)).tasks == (0,)
    assert Rising().choose(Turn(3, 99, pulls, (0, 1), RNG)).tasks == (0,)


def test_before_any_rate_is_known_it_is_round_robin():
    out = []
    for _ in range(5):
        out.append(Rising().choose(Turn(3, 60, pulls_of([9.0], [0.0], [1.0]), out, RNG)).tasks[0])
    assert out == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_a_task_that_is_out_never_comes_back_and_the_leader_is_never_out(seed):
    rng = np.random.default_rng(seed)
    pulls = [Pull(task, float(rng.normal(task)), initial=True) for task in range(6)]
    gone = np.zeros(6, dtype=bool)
    while len(pulls) < 120:
        alive = reach(6, pulls, 120 - len(pulls)) >= max(pull.value for pull in pulls)
        assert not np.any(gone & alive)
        gone |= ~alive
        task = Rising().choose(Turn(6, 120, pulls, (), rng)).tasks[0]
        assert alive[task]
        assert alive[max(pulls, key=lambda pull: pull.value).task]
        pulls.append(Pull(task, float(rng.normal(task))))
    assert gone.any()


def test_a_spent_budget_still_names_a_task():
    assert Rising().choose(Turn(2, 3, pulls_of([1.0] * 8, [2.0] * 8), (), RNG)).tasks == (1,)
