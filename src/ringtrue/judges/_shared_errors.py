"""Errors that judges share: how far they move estimates that assume none, and whether the fit test would notice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from scipy.special import chdtri, chndtr

from ringtrue.core import InvalidInput, count, percent
from ringtrue.judges._evaluation import Evaluation, Floats, Values

MOST_JUDGES = 12
"""Up to so many judges all patterns of votes are listed."""

_NEAREST = 1e-6
"""Rates closer to 0 or 1 are moved here: a pattern of chance zero would answer without limit."""

_JUDGES = 8
"""More judges than this are represented by as many of the best: the patterns double with each."""

_EDGE = 1e-3
"""Accuracies are kept this far from 0 and 1, where a pattern would be impossible and the test infinitely sharp."""


def correlation_response(evaluation: Evaluation) -> Floats:
    """Return the change of each maximum-likelihood estimate per unit of error correlation: shape (1 + 2n, pairs, 2).

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
    shares = np.clip(evaluation.prevalence, _NEAREST, 1 - _NEAREST)
    rates = np.clip(evaluation.accuracies, _NEAREST, 1 - _NEAREST)
    cells, slopes, changes = _model(shares, rates)
    weight = 1 / np.sqrt(cells)[:, None]
    slope, change = slopes * weight, changes.reshape(len(cells), -1) * weight
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
    """Return the error correlation up to which the prevalence found is off by no more than `within`, to first order.

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
    places = np.sort(chosen)
    some = tuple(evaluation.judges[place] for place in places)
    spread = replace(evaluation, judges=some, confusion=evaluation.confusion[places])
    pairwise = within / np.abs(correlation_response(spread)[0]).sum()
    best = max(abs(skill[j] * skill[k]) for j, k in combinations(range(len(skill)), 2))
    return float(min(pairwise, within * best / evaluation.prevalence.max()))


def check_binary(evaluation: Evaluation) -> None:
    """Refuse what is not a finite evaluation of three judges or more on two labels."""
    if len(evaluation.labels) != 2 or len(evaluation.judges) < 3:
        raise InvalidInput(
            f"the evaluation has {len(evaluation.judges)} judges and {len(evaluation.labels)} labels: three judges or "
            "more and two labels are needed"
        )
    if not (np.isfinite(evaluation.prevalence).all() and np.isfinite(evaluation.confusion).all()):
        raise InvalidInput("the evaluation holds numbers that are not finite: give one that is defined")


@dataclass(frozen=True, slots=True)
class Notice(Values):
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


def chance_to_notice(evaluation: Evaluation, items: int, *, within: float = 0.05, alpha: float = 0.05) -> Notice | None:
    """Compute the chance that the fit test rejects when errors shared on one label move an estimate by `within`.

    For two labels and four judges or more; None for fewer, whose fit cannot be tested. Errors that all judges share on
    one label move the estimates, and they move the frequencies of the vote patterns away from any that independent
    judges can make. To first order both are linear in the correlation: the part of the change that the model can follow
    becomes bias, the rest is what the fit test sees. The chance is therefore rough: a tenth too high in simulations at
    the correlations that matter.
    """
    chosen = np.argsort(-np.abs(evaluation.skill), kind="stable")[:_JUDGES]
    accuracies = np.clip(evaluation.accuracies[np.sort(chosen)], _EDGE, 1 - _EDGE)
    n = len(accuracies)
    if n < 4:
        return None
    prevalence = float(np.clip(evaluation.prevalence[0], _EDGE, 1 - _EDGE))
    shares = np.array([prevalence, 1 - prevalence])
    cells, slopes, changes = _model(shares, accuracies)
    weighted = slopes / cells[:, None]
    degrees = 2**n - 2 * n - 2
    limit = chdtri(degrees, alpha)
    worst = Notice(0.0, 1.0, within, items)
    for label in (0, 1):
        change = changes[:, :, label].sum(axis=1)  # per unit of covariance of every pair's errors
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


def _model(shares: Floats, rates: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the chance of each pattern of votes, (patterns,), and how it changes to first order.

    First per unit of the share of the first label, of each accuracy on it, and of each on the second: (patterns, 1 +
    2n). Then per unit of the error correlation of each pair of judges on each label: (patterns, pairs, 2).
    """
    patterns = np.array(list(product((0, 1), repeat=len(rates))))
    one, other = np.triu_indices(len(rates), 1)
    given: list[Floats] = []
    slopes: list[Floats] = []
    changes: list[Floats] = []
    for label, share in enumerate(shares):
        chance = np.where(patterns == label, rates[:, label], 1 - rates[:, label])
        relative = np.where(patterns == label, 1.0, -1.0) / chance
        given.append(np.prod(chance, axis=1))
        part = (share * given[label])[:, None]
        slopes.append(part * relative)
        changes.append(part * relative[:, one] * relative[:, other])
    cells: Floats = shares[0] * given[0] + shares[1] * given[1]
    return cells, np.column_stack([given[0] - given[1], *slopes]), np.stack(changes, axis=2)
