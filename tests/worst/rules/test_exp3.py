"""EXP3BO against a run worked out by hand, and where the published form must give up."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.worst.rules import Exp3BO, Pull, ScaledExp3BO, Turn

INITIAL = (Pull(0, 0.2, initial=True), Pull(1, 0.5, initial=True), Pull(2, 0.1, initial=True))

# Three tasks, ten evaluations, worked out with 40 digits by Python's decimal.
# rate = sqrt(3 ln 3 / ((e - 1) 10)) = 0.437961218107; p = (1 - rate) w / sum(w) + rate / 3.
#
# drawn value best  p of the drawn    exponent rate best / p / 3   weights after it
#   1    0.4   0.5  0.333333333333    0.218980609053               1               1.244807138465  1
#   0    0.9   0.9  0.319198840894    0.411619180897               1.509259572000  1.244807138465  1
#   1    0.6   0.6  0.332352937178    0.263551886633               1.509259572000  1.620172290398  1
#   2    0.3   0.3  0.282092668005    0.155254378359               1.509259572000  1.620172290398  1.167955025803
BY_HAND = (
    (None, (0.333333333333, 0.333333333333, 0.333333333333)),
    (Pull(1, 0.4, 0.333333333333), (0.319198840894, 0.361602318213, 0.319198840894)),
    (Pull(0, 0.9, 0.319198840894), (0.371945340584, 0.332352937178, 0.295701722239)),
    (Pull(1, 0.6, 0.332352937178), (0.351405745216, 0.366501586780, 0.282092668005)),
    (Pull(2, 0.3, 0.282092668005), (0.343377355094, 0.357883204990, 0.298739439917)),
)
# The same draws with rewards (best - lowest) / (highest - lowest), by the range 0.1 ... 0.5 of the first four values,
# and 0.1 ... 0.9 of those after them; early rewards are scaled anew when the range grows.
SCALED_BY_HAND = (
    (None, (0.333333333333, 0.333333333333, 0.333333333333)),
    (Pull(1, 0.4, 0.333333333333), (0.304328159142, 0.391343681717, 0.304328159142)),
    (Pull(0, 0.9, 0.304328159142), (0.381202666474, 0.327219496022, 0.291577837504)),
    (Pull(1, 0.6, 0.327219496022), (0.359102517518, 0.362998914864, 0.277898567618)),
    (Pull(2, 0.3, 0.277898567618), (0.352306494255, 0.356078639663, 0.291614866082)),
)


class Picked:
    """Stands for a generator: draws the task it was made with and remembers the probabilities."""

    def __init__(self, task=0):
        self.task = task

    def choice(self, count, p):
        self.probabilities = p
        return self.task


def probabilities(rule, count, evaluations, pulls, pending=()):
    rng = Picked()
    assert rule.choose(Turn(count, evaluations, pulls, pending, rng)).tasks == (0,)
    return rng.probabilities


@pytest.mark.parametrize(("rule", "steps"), [(Exp3BO(), BY_HAND), (ScaledExp3BO(), SCALED_BY_HAND)])
def test_a_run_worked_out_by_hand(rule, steps):
    pulls = list(INITIAL)
    for pull, expected in steps:
        pulls += [] if pull is None else [pull]
        assert probabilities(rule, 3, 10, pulls) == pytest.approx(expected, abs=1e-11)
        for task in range(3):
            choice = rule.choose(Turn(3, 10, pulls, (), Picked(task)))
            assert choice.tasks == (task,)
            assert choice.probability == pytest.approx(expected[task], abs=1e-11)


@pytest.mark.parametrize("rule", [Exp3BO(), ScaledExp3BO()])
def test_only_draws_teach_and_what_is_out_teaches_nothing(rule):
    pulls = [*INITIAL, Pull(1, 0.4, 0.3)]
    assert np.array_equal(probabilities(rule, 3, 10, pulls), probabilities(rule, 3, 10, pulls, pending=(0, 2)))
    checks = [*pulls, Pull(2, 0.3, None)]
    assert np.array_equal(probabilities(rule, 3, 10, pulls), probabilities(rule, 3, 10, checks))


@pytest.mark.parametrize("rule", [Exp3BO(), ScaledExp3BO()])
def test_tasks_are_drawn_as_often_as_their_probabilities_say(rule):
    """1,000 draws: the standard error of a share is at most 1.6 %."""
    pulls = [*INITIAL, *(Pull(1, 0.9, 0.3) for _ in range(4))]
    rng = np.random.default_rng(5)
    drawn = [rule.choose(Turn(3, 10, pulls, (), rng)) for _ in range(1000)]
    expected = probabilities(rule, 3, 10, pulls)
    assert np.bincount([choice.tasks[0] for choice in drawn]) / 1000 == pytest.approx(expected, abs=0.055)
    assert {choice.probability for choice in drawn} == set(expected.tolist())


@pytest.mark.parametrize("rule", [Exp3BO(), ScaledExp3BO()])
def test_one_task_is_drawn_surely(rule):
    choice = rule.choose(Turn(1, 10, [Pull(0, 3.0, 1.0)], (), np.random.default_rng(0)))
    assert (choice.tasks, choice.probability) == ((0,), 1.0)


@pytest.mark.parametrize("rule", [Exp3BO(), ScaledExp3BO()])
def test_a_budget_too_small_to_learn_from_draws_evenly(rule):
    pulls = [Pull(2, 5.0, 0.25)]
    assert probabilities(rule, 4, 2, pulls) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("value", [1e6, -1e6])
def test_the_published_form_says_so_when_its_weights_overflow_or_vanish(value):
    pulls = [Pull(task, value, 1 / 3) for task in range(3)]
    with pytest.raises(InvalidInput, match=r"rule='exp3bo' .* 1e\+06: .*; use rule='exp3bo-safe'") as refused:
        Exp3BO().choose(Turn(3, 50, pulls, (), np.random.default_rng(0)))
    assert "\n" not in str(refused.value)


def run(rule, count, evaluations, deviation, seed=3):
    """A run in which task c always shows `deviation(c)`; the last probabilities and the pulls."""
    rng = np.random.default_rng(seed)
    pulls = [Pull(task, deviation(task), initial=True) for task in range(count)]
    while len(pulls) < evaluations:
        choice = rule.choose(Turn(count, evaluations, pulls, (), rng))
        pulls.append(Pull(choice.tasks[0], deviation(choice.tasks[0]), choice.probability))
    return probabilities(rule, count, evaluations, pulls), pulls


@pytest.mark.parametrize("count", [1, 2, 16, 100])
@pytest.mark.parametrize("unit", [1e-300, 1e-6, 1.0, 1e6, 1.6e308])
def test_the_safe_form_takes_deviations_of_any_size_and_many_tasks(count, unit):
    last, _ = run(ScaledExp3BO(), count, max(40, 3 * count), lambda task: unit if task == count - 1 else 0.1 * unit)
    assert np.all(np.isfinite(last))
    assert last.sum() == pytest.approx(1)
    assert int(np.argmax(last)) == count - 1


def test_the_safe_form_does_not_depend_on_the_unit_or_the_zero():
    def values(task):
        return float(np.sin(3 * task))

    _, one = run(ScaledExp3BO(), 6, 60, values)
    _, other = run(ScaledExp3BO(), 6, 60, lambda task: -5e4 + 1e6 * values(task))
    assert [pull.task for pull in one] == [pull.task for pull in other]


def test_the_safe_form_learns_nothing_where_all_deviations_are_equal():
    last, _ = run(ScaledExp3BO(), 4, 40, lambda task: 7.0)
    assert last == pytest.approx([0.25] * 4)
