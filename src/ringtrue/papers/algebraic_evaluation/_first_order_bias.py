"""What correlated errors do to estimates that assume independence: the bias, to first order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.judges._evaluation import Evaluation, Floats, Told
from ringtrue.judges._shared_errors import check_binary, correlation_response
from ringtrue.papers.algebraic_evaluation._error_correlation import ErrorCorrelations


@dataclass(frozen=True, slots=True, eq=False)
class Bias(Told):
    """Estimate less truth, to first order: of the first label's share, and of the accuracies (judges, 2)."""

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: float
    accuracies: Floats

    def __str__(self) -> str:
        return (
            f"correlated errors move the estimated share of {self.labels[0]!r} by about {100 * self.prevalence:+.2f} "
            f"points and an accuracy by up to {100 * np.abs(self.accuracies).max():.2f} points"
        )


def first_order_bias(evaluation: Evaluation, correlations: ErrorCorrelations) -> Bias:
    """Estimate how far estimates that assume independent errors are off, for small error correlations.

    With P the share of the first label, J a judge's skill and G an error correlation on the first or second label,
    the share of three judges moves by the sum over pairs j, k of ((1 - P) G2(jk) - P G1(jk)) / (J_j J_k), plus
    2 ((1 - P) G2(123) - P G1(123)) / (J_1 J_2 J_3). So it grows without limit as a judge nears chance, and for weak
    judges it soon says too much: it is a slope, not a bound. `evaluation` is the truth, or the nearest to it there is.
    With 4 to 12 judges it is the answer of the maximum-likelihood estimates to the pairs alone; correlations of three
    and more judges are left out.

    Reference: Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data, 2023, section 5,
    which gives the linear term's blind spot; the whole term is worked out here.
    """
    judges = evaluation.judges
    if set(judges) != set(correlations.judges) or evaluation.labels != correlations.labels:
        raise InvalidInput(
            f"the evaluation is of {', '.join(judges)}, the correlations are of {', '.join(correlations.judges)}: give "
            "the same judges and labels to both"
        )
    check_binary(evaluation)
    share, skill = float(evaluation.prevalence[0]), evaluation.skill
    if not 0 < share < 1 or not np.all(skill):
        raise InvalidInput(
            f"prevalence={share} and skill={skill.tolist()} leave the estimates undetermined: both labels must occur "
            "and every judge must differ from chance"
        )
    pairs = [(j, k) for j, k in combinations(range(len(judges)), 2)]
    gammas = np.array(
        [[_defined(correlations.pair(judges[j], judges[k], t), t) for t in evaluation.labels] for j, k in pairs]
    )
    if len(judges) > 3:
        moves = np.einsum("apt,pt->a", correlation_response(evaluation), gammas)
        return Bias(judges, evaluation.labels, float(moves[0]), moves[1:].reshape(2, -1).T)
    one, two, three = judges
    first, second = (_defined(correlations.triple(one, two, three, label), label) for label in evaluation.labels)
    return _trio_bias(evaluation, gammas, (1 - share) * second - share * first)


def _trio_bias(evaluation: Evaluation, gammas: Floats, joint: float) -> Bias:
    """Return the closed form for three judges; `joint` is (1 - P) G2(123) - P G1(123)."""
    share, skill = float(evaluation.prevalence[0]), evaluation.skill
    gamma = {pair: gammas[place] for place, pair in enumerate(((0, 1), (0, 2), (1, 2)))}
    prevalence = 2 * joint / skill.prod()
    accuracies = np.empty((3, 2))
    for i in range(3):
        j, k = (place for place in range(3) if place != i)
        others = gamma[j, k]
        product = skill[j] * skill[k]
        prevalence += ((1 - share) * others[1] - share * others[0]) / product
        own = gamma[min(i, j), max(i, j)] / skill[j] + gamma[min(i, k), max(i, k)] / skill[k]
        odds = (1 - share) / share
        accuracies[i, 0] = own[0] - odds * others[1] * skill[i] / product - joint / (share * product)
        accuracies[i, 1] = own[1] - others[0] * skill[i] / (odds * product) + joint / ((1 - share) * product)
    return Bias(evaluation.judges, evaluation.labels, float(prevalence), accuracies)


def _defined(gamma: Fraction | None, label: str) -> float:
    if gamma is None:
        raise InvalidInput(f"no item truly {label!r} has all the votes: its error correlations are undefined")
    return float(gamma)
