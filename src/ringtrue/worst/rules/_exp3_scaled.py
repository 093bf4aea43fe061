"""EXP3BO for deviations of any size: rewards scaled to [0, 1], weights kept as logarithms."""
# ruff: noqa: ARG002 - the arguments are TaskRule's

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from ringtrue.worst.rules._exp3 import drawn, learning_rate, rewards
from ringtrue.worst.rules._rule import Pull, TaskChoice, checked_count


@dataclass(frozen=True, slots=True)
class ScaledExp3BO:
    """The paper's rule with the lowest value seen as reward 0 and the highest as reward 1.

    All rewards are scaled by the range seen when the task is chosen, also those of early evaluations: the weights are
    those of a run that knew this range from its beginning. They do not change when deviations are told in other units.

    Reference: Auer, Cesa-Bianchi, Freund & Schapire, The nonstochastic multiarmed bandit problem, SIAM Journal on
    Computing 32 (2002).
    """

    name: str = "exp3bo-safe"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """Draw a task by its weight; evaluations still out have no reward yet."""
        rate = learning_rate(checked_count(count), evaluations)
        values = [pull.value for pull in pulls] or [0.0]
        lowest, highest = min(values), max(values)
        log_weights = np.zeros(count)
        if highest > lowest:
            for task, reward, probability in rewards(count, pulls):
                # Both halved first, since the range of the largest numbers is itself too large for a number.
                scaled = (reward / 2 - lowest / 2) / (highest / 2 - lowest / 2)
                log_weights[task] += rate * scaled / probability / count
        return drawn((1 - rate) * softmax(log_weights) + rate / count, rng)
