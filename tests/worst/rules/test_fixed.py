"""The rules that learn nothing: whom they name, and what they count."""

import numpy as np

from ringtrue.papers.algorithmic_assurance import OracleTask
from ringtrue.worst.rules import Joint, Pull, RandomTask, RoundRobin, Turn

RNG = np.random.default_rng(2)


def test_round_robin_gives_every_task_its_turn_and_counts_what_is_out():
    rule, out = RoundRobin(), []
    for _ in range(7):
        out.append(rule.choose(Turn(3, 20, [Pull(1, 5.0, initial=True)], out, RNG)).tasks[0])
    assert out == [0, 2, 0, 1, 2, 0, 1]


def test_a_random_task_is_even_and_says_its_chance():
    """2,000 draws of four tasks: a share has a standard error of 1 %."""
    drawn = [RandomTask().choose(Turn(4, 20, [], (), RNG)) for _ in range(2000)]
    assert np.all(np.abs(np.bincount([choice.tasks[0] for choice in drawn]) / 2000 - 0.25) < 0.04)
    assert {choice.probability for choice in drawn} == {0.25}


def test_joint_looks_at_all_tasks_and_the_oracle_at_one():
    assert Joint().choose(Turn(3, 20, [Pull(0, 1.0)], (2,), RNG)).tasks == (0, 1, 2)
    assert OracleTask(2).choose(Turn(3, 20, [Pull(0, 1.0)], (2,), RNG)).tasks == (2,)
