"""What holds for every rule: a table of them, and what a search may rely on."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.algorithmic_assurance import OracleTask
from ringtrue.worst.rules import DEFAULT, RULES, Pull, Rising, Turn

EVERY = [*RULES.values(), OracleTask(0)]


def test_rules_are_found_by_their_names():
    assert DEFAULT in RULES
    assert all(rule.name == name for name, rule in RULES.items())
    assert set(RULES) == {"harmonic", "rising", "joint", "round-robin", "random-task", "exp3bo", "exp3bo-safe"}


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.name)
@pytest.mark.parametrize("count", [1, 2, 16, 100])
def test_a_choice_is_a_function_of_what_it_was_told(rule, count):
    values = np.random.default_rng(count).random(3 * count)
    pulls = [Pull(place % count, float(value), 1 / count, place < count) for place, value in enumerate(values)]
    pending = tuple(range(0, count, 3))
    first, again = (rule.choose(Turn(count, 5 * count, pulls, pending, np.random.default_rng(4))) for _ in range(2))
    assert first == again
    assert len(set(first.tasks)) == len(first.tasks) >= 1
    assert all(isinstance(task, int) and 0 <= task < count for task in first.tasks)
    assert first.probability is None or 0 < first.probability <= 1


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.name)
def test_nothing_known_yet_is_no_hindrance(rule):
    assert set(rule.choose(Turn(3, 10, [], (), np.random.default_rng(4))).tasks) <= {0, 1, 2}


def test_no_task_is_refused():
    with pytest.raises(InvalidInput, match="count=0 must be at least 1: name the outputs"):
        Turn(0, 10, [], (), np.random.default_rng(4))


def test_a_task_that_finds_its_worst_late_is_found_unless_a_rule_has_given_it_up():
    """Task 0 lies at 1 from the beginning, task 1 jumps from 0 to 3 at its twelfth evaluation: a hidden peak."""

    def best(rule, evaluations=60):
        pulls = [Pull(task, [1.0, 0.0][task], initial=True) for task in (0, 1, 0, 1)]
        while len(pulls) < evaluations:
            choice = rule.choose(Turn(2, evaluations, pulls, (), np.random.default_rng([1, len(pulls)])))
            turn = sum(pull.task == 1 for pull in pulls) + 1
            value = 1.0 if choice.tasks[0] == 0 else 3.0 if turn >= 12 else 0.0
            pulls.append(Pull(choice.tasks[0], value, choice.probability))
        return max(pull.value for pull in pulls if pull.task == 1)

    found = {name: best(rule) for name, rule in RULES.items() if name != "joint"}
    assert found.pop("rising") == best(Rising()) == 0.0
    assert set(found.values()) == {3.0}
