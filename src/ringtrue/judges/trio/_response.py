"""How far a little error correlation moves the estimates that assume there is none."""

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
    model takes up every change, and this is the closed form in `first_order_bias`.
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
