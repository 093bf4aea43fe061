"""How far a little error correlation moves the estimates that assume there is none, and how much can be borne."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.judges._evaluation import Evaluation, Floats

MOST_JUDGES = 12
"""Up to so many judges all patterns of votes are listed."""

_EDGE = 1e-6  # rates closer to 0 or 1 are moved here: a pattern of chance zero would answer without limit


def correlation_response(evaluation: Evaluation) -> Floats:
    """The change of each maximum-likelihood estimate per unit of error correlation: shape (1 + 2n, pairs, 2).

    The first axis is the prevalence of the first label, the n accuracies on it, the n accuracies on the second; then
    the pairs of judges in the order (1, 2), (1, 3), ..., (2, 3), ...; then the label on which the two err together.
    A correlation g of judges j and k on a label changes the chance of a pattern by the label's prevalence times g
    times the other judges' rates, with a plus where both j and k are right or both wrong, else a minus. The estimates
    answer as weighted least squares do: inverse Fisher information times score times change. With three judges the
    model takes up every change, and this has a closed form, the first-order bias of
    `ringtrue.papers.algebraic_evaluation`.
    """
    if len(evaluation.labels) != 2 or not 3 <= len(evaluation.judges) <= MOST_JUDGES:
        raise InvalidInput(
            f"the evaluation has {len(evaluation.judges)} judges and {len(evaluation.labels)} labels: give 3 to "
            f"{MOST_JUDGES} judges and two labels"
        )
    n = len(evaluation.judges)
    shares = np.clip(evaluation.prevalence, _EDGE, 1 - _EDGE)
    rates = np.clip(evaluation.accuracies, _EDGE, 1 - _EDGE)
    patterns = np.array(list(product((0, 1), repeat=n)))
    parts, slopes, changes = [], [], []
    for label in (0, 1):
        right = patterns == label
        sign = np.where(right, 1.0, -1.0)
        chance = np.where(right, rates[:, label], 1 - rates[:, label])
        part = shares[label] * chance.prod(axis=1)
        parts.append(part)
        relative = sign / chance  # the change of a log chance per unit of accuracy
        slopes.append(part[:, None] * relative)
        changes.append(np.stack([part * relative[:, j] * relative[:, k] for j, k in combinations(range(n), 2)], axis=1))
    total = parts[0] + parts[1]
    weight = 1 / np.sqrt(total)[:, None]
    slope = np.column_stack([parts[0] / shares[0] - parts[1] / shares[1], *slopes]) * weight
    change = np.stack(changes, axis=2).reshape(len(total), -1) * weight
    basis, triangle = np.linalg.qr(slope)
    pivots = np.abs(np.diag(triangle))
    if pivots.min() < 1e-12 * pivots.max():
        raise InvalidInput(
            f"skill={evaluation.skill.round(6).tolist()} leaves the estimates undetermined: at least three judges must "
            "be better or worse than chance"
        )
    response: Floats = np.linalg.solve(triangle, basis.T @ change).reshape(1 + 2 * n, -1, 2)
    return response


def tolerance(evaluation: Evaluation, *, within: float = 0.05) -> float:
    """The error correlation up to which the estimated prevalence stays `within` so much of the truth, to first order.

    It is the smaller of two. (1) Each pair of judges may have an error correlation up to this size on each label, with
    the signs that do most harm, and nothing beyond pairs: `within` over the sum of |change of the maximum-likelihood
    prevalence per unit of correlation|. For three judges that is `within` over the sum of 1 / |J_j J_k|. (2) Part of
    one label's items may look to all judges as if they had the other label. Votes cannot show that, with however many
    judges, and the estimate moves by that part: `within` times the largest J_j J_k over the larger prevalence. With
    three judges the first is always the smaller.

    It is zero where the estimates are undetermined: one label only, or fewer than three judges unlike chance. Above 12
    judges, (1) is worked out for 12 of them, spread evenly over the order of skill. The default of 5 points is what a
    reader of a share would call roughly right.

    >>> panel = Evaluation.binary(("ann", "bob", "cyd"), ("no", "yes"), 0.3, np.full((3, 2), 0.8), "known")
    >>> round(tolerance(panel), 6)
    0.006
    """
    check_binary(evaluation)
    if not within > 0:
        raise InvalidInput(f"within={within} must be positive: give the largest error of the prevalence to accept")
    skill = evaluation.skill
    if not 0 < evaluation.prevalence[0] < 1 or np.count_nonzero(skill) < 3:
        return 0.0
    if len(skill) == 3:
        return float(within / sum(1 / abs(skill[j] * skill[k]) for j, k in combinations(range(3), 2)))
    order = np.argsort(skill, kind="stable")
    chosen = order[np.linspace(0, len(skill) - 1, min(len(skill), MOST_JUDGES)).round().astype(int)]
    pairwise = within / np.abs(correlation_response(_some(evaluation, np.sort(chosen)))[0]).sum()
    best = max(abs(skill[j] * skill[k]) for j, k in combinations(range(len(skill)), 2))
    return float(min(pairwise, within * best / evaluation.prevalence.max()))


def _some(evaluation: Evaluation, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Evaluation:
    judges = tuple(evaluation.judges[place] for place in places)
    confusion = evaluation.confusion[places]
    return Evaluation(judges, evaluation.labels, evaluation.prevalence, confusion, evaluation.method)


def check_binary(evaluation: Evaluation) -> None:
    """Refuse what is not a finite evaluation of three judges or more on two labels."""
    if len(evaluation.labels) != 2 or len(evaluation.judges) < 3:
        raise InvalidInput(
            f"the evaluation has {len(evaluation.judges)} judges and {len(evaluation.labels)} labels: three judges or "
            "more and two labels are needed"
        )
    if not (np.isfinite(evaluation.prevalence).all() and np.isfinite(evaluation.confusion).all()):
        raise InvalidInput("the evaluation holds numbers that are not finite: give one that is defined")
