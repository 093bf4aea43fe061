"""EXP3BO: a bandit whose reward is the best value so far of the task it drew, as published and made safe."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from ringtrue.core import Argument, InvalidInput
from ringtrue.worst._arrays import Floats
from ringtrue.worst.rules._rule import Pull, TaskChoice, Turn


class Exp3BO:
    """Algorithm 1 of the paper, with raw rewards.

    The weight of the drawn task is multiplied by exp(rate * reward / probability / count), where the reward is the best
    value found in that task by then. Rewards far above 1 overflow and rewards far below 1 teach nothing, because EXP3
    supposes rewards in [0, 1]; `ScaledExp3BO` has neither fault.

    Reference: Gopakumar, Gupta, Rana, Nguyen & Venkatesh, Algorithmic assurance, NeurIPS 2018.
    """

    name = "exp3bo"

    def choose(self, turn: Turn) -> TaskChoice:
        """Draw a task by its weight; evaluations still out have no reward yet."""
        count, pulls, rate = turn.count, turn.pulls, learning_rate(turn.count, turn.evaluations)
        weights = np.ones(count)
        with np.errstate(over="ignore", invalid="ignore"):
            for task, reward, probability in rewards(count, pulls):
                weights[task] *= np.exp(rate * reward / probability / count)
            total = float(np.sum(weights))
        if not 0 < total < math.inf:
            largest = max(abs(pull.value) for pull in pulls)
            raise InvalidInput(
                Argument("rule", self.name),
                f" cannot weigh deviations as large as {largest:.3g}: its rewards must stay near [0, 1]; use ",
                Argument("rule", ScaledExp3BO.name),
                ", which scales them",
            )
        return draw_task((1 - rate) * weights / total + rate / count, turn.rng)


class ScaledExp3BO:
    """The paper's rule for deviations of any size: the lowest value seen is reward 0, the highest reward 1.

    Weights are kept as logarithms. All rewards are scaled by the range seen when the task is chosen, also those of
    early evaluations: the weights are those of a run that knew this range from its beginning. They do not change when
    deviations are told in other units.

    Reference: Auer, Cesa-Bianchi, Freund & Schapire, The nonstochastic multiarmed bandit problem, SIAM Journal on
    Computing 32 (2002).
    """

    name = "exp3bo-safe"

    def choose(self, turn: Turn) -> TaskChoice:
        """Draw a task by its weight; evaluations still out have no reward yet."""
        count, pulls, rate = turn.count, turn.pulls, learning_rate(turn.count, turn.evaluations)
        values = [pull.value for pull in pulls] or [0.0]
        lowest, highest = min(values), max(values)
        log_weights = np.zeros(count)
        if highest > lowest:
            for task, reward, probability in rewards(count, pulls):
                # Both halved first, since the range of the largest numbers is itself too large for a number.
                scaled = (reward / 2 - lowest / 2) / (highest / 2 - lowest / 2)
                log_weights[task] += rate * scaled / probability / count
        return draw_task((1 - rate) * softmax(log_weights) + rate / count, turn.rng)


def learning_rate(count: int, evaluations: int) -> float:
    """Return how fast weights move, which is also the share of even draws: sqrt(C ln C / ((e - 1) T)), at most 1.

    The authors' program puts two thirds of its iterations in the place of T; the paper puts T, as here.

    >>> round(learning_rate(16, 200), 4)
    0.3593
    """
    return min(1.0, math.sqrt(count * math.log(count) / ((math.e - 1) * max(evaluations, 1))))


def rewards(count: int, pulls: Sequence[Pull]) -> list[tuple[int, float, float]]:
    """Return task, best value so far of that task and probability of each evaluation whose task was drawn by chance."""
    best = np.full(count, -np.inf)
    found = []
    for pull in pulls:
        best[pull.task] = max(best[pull.task], pull.value)
        if pull.probability is not None and not pull.initial:
            found.append((pull.task, float(best[pull.task]), pull.probability))
    return found


def draw_task(probabilities: Floats, rng: np.random.Generator) -> TaskChoice:
    """Draw one task with these probabilities."""
    task = int(rng.choice(len(probabilities), p=probabilities / probabilities.sum()))
    return TaskChoice((task,), float(probabilities[task]))
