"""Would the fit test have noticed errors that are shared strongly enough to mislead?

Errors that all judges share on one label move the estimates, and they move the frequencies of the vote patterns away
from any that independent judges can make. To first order both are linear in the correlation: the part of the change
that the model can follow becomes bias, the rest is what the fit test sees. The chance is therefore rough: a tenth too
high in simulations at the correlations that matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.special import chdtri, chndtr

from ringtrue.core import Json, count, percent
from ringtrue.judges._evaluation import Evaluation, Floats

_JUDGES = 8
"""More judges than this are represented by as many of the best: the patterns double with each."""

_EDGE = 1e-3
"""Accuracies are kept this far from 0 and 1, where a pattern would be impossible and the test infinitely sharp."""


@dataclass(frozen=True, slots=True)
class Notice:
    """The shared correlation that moves some estimate by `within`, and the chance that the fit test rejects then.

    Both are those of the label on which this is less likely. Where judges err so rarely that no correlation moves any
    estimate so far, the correlation is 0 and the chance 1.
    """

    correlation: float
    chance: float
    within: float
    items: int

    def __str__(self) -> str:
        if self.correlation == 0:
            return (
                f"errors shared as strongly as errors so rare can be move no estimate by {100 * self.within:g} points"
            )
        return (
            f"if all judges shared errors enough to move an estimate by {100 * self.within:g} points (a correlation of "
            f"{self.correlation:.2g} on one label), the fit test would notice with a chance of about "
            f"{percent(round(self.chance, 2))} at {count(self.items, 'item')}"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "correlation": self.correlation,
            "chance": self.chance,
            "within": self.within,
            "items": self.items,
        }


def chance_to_notice(evaluation: Evaluation, items: int, *, within: float = 0.05, alpha: float = 0.05) -> Notice | None:
    """The chance that the fit test rejects when errors shared on one label move an estimate by `within`.

    For two labels and four judges or more; None for fewer, whose fit cannot be tested.
    """
    chosen = np.argsort(-np.abs(evaluation.skill), kind="stable")[:_JUDGES]
    accuracies = np.clip(evaluation.accuracies[np.sort(chosen)], _EDGE, 1 - _EDGE)
    n = len(accuracies)
    if n < 4:
        return None
    prevalence = float(np.clip(evaluation.prevalence[0], _EDGE, 1 - _EDGE))
    votes = np.array(list(product((0, 1), repeat=n)))
    shares = np.array([prevalence, 1 - prevalence])
    given = [_chances(votes, accuracies, label) for label in (0, 1)]
    cells = shares[0] * given[0] + shares[1] * given[1]
    slopes = _slopes(votes, accuracies, shares, given)
    degrees = 2**n - 2 * n - 2
    limit = chdtri(degrees, alpha)
    worst = Notice(0.0, 1.0, within, items)
    for label in (0, 1):
        change = shares[label] * _shared(votes, accuracies, label)
        weighted = slopes / cells[:, None]
        bias = np.linalg.lstsq(slopes.T @ weighted, weighted.T @ change, rcond=None)[0]
        left = change - slopes @ bias
        correlation = within / max(float(np.abs(bias).max()), 1e-12)
        if correlation > float(np.median(accuracies[:, label] * (1 - accuracies[:, label]))):
            continue  # a covariance is at most the variance: errors are too rare to be shared so strongly
        excess = items * correlation**2 * float(np.sum(left**2 / cells))
        chance = float(1 - chndtr(limit, degrees, excess)) if excess > 0 else alpha
        if chance <= worst.chance:
            worst = Notice(correlation, chance, within, items)
    return worst


def _chances(votes: Floats, accuracies: Floats, label: int) -> Floats:
    """The chance of each pattern on items of a label, for independent errors."""
    right = votes == label
    chances: Floats = np.prod(np.where(right, accuracies[:, label], 1 - accuracies[:, label]), axis=1)
    return chances


def _slopes(votes: Floats, accuracies: Floats, shares: Floats, given: list[Floats]) -> Floats:
    """How each pattern's chance changes with the prevalence and with each accuracy: (patterns, 1 + 2 judges)."""
    columns = [given[0] - given[1]]
    for judge in range(len(accuracies)):
        for label in (0, 1):
            right = votes[:, judge] == label
            own = accuracies[judge, label]
            columns.append(shares[label] * given[label] * np.where(right, 1 / own, -1 / (1 - own)))
    return np.stack(columns, axis=1)


def _shared(votes: Floats, accuracies: Floats, label: int) -> Floats:
    """How the patterns' chances change when every pair of judges has unit covariance of errors on a label."""
    right = votes == label
    signs = np.where(right, 1.0, -1.0)
    factors = np.where(right, accuracies[:, label], 1 - accuracies[:, label])
    ratio = signs / factors
    pairs = sum(ratio[:, i] * ratio[:, j] for i, j in combinations(range(len(accuracies)), 2))
    shared: Floats = np.prod(factors, axis=1) * pairs
    return shared
