"""Chen, Cai, Zaharia & Zou, (How) Did the Model Change? Efficiently Assessing Machine Learning API Shifts, ICLR 2022.

`Masa` is algorithm 1 on a `Partition`, `scores` are its uncertainty scores and `error_bound` is its stopping rule;
`MasaPolicy`, `masa_shift` and `masa_bound` are the same in a study (`ringtrue changed --method masa`). The designs that
the paper compares it with are random sampling, `uniform_shift`; stratified sampling, `apportioned` by the shares of the
parts; and the allocation of lemma 1 that knows the truth, `neyman_weights`. Beyond the paper: `oneshot_shift`,
`paired_shift`, and two phases without bias, `two_phase_shift`.
"""

from __future__ import annotations

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import AccuracyTest, ChangeTest
from ringtrue.changed.masa import (
    Masa,
    MasaPolicy,
    Partition,
    error_bound,
    masa_bound,
    masa_shift,
    new_matrix,
    scores,
)
from ringtrue.changed.paired import error_bound as paired_bound
from ringtrue.changed.paired import expected_answers, oneshot_shift, paired_shift, uniform_shift
from ringtrue.changed.paired._bound import shared_out, spread_of
from ringtrue.changed.paired._estimates import groups_of
from ringtrue.core import InvalidInput

__all__ = [
    "AccuracyTest",
    "ChangeTest",
    "Masa",
    "MasaPolicy",
    "Partition",
    "apportioned",
    "error_bound",
    "first_draws",
    "masa_bound",
    "masa_shift",
    "new_matrix",
    "neyman_weights",
    "oneshot_shift",
    "paired_bound",
    "paired_shift",
    "scores",
    "second_draws",
    "two_phase_shift",
    "uniform_shift",
]


def neyman_weights(partition: Partition, counts: Ints) -> Floats:
    """Return Neyman's allocation, which needs the truth: the share of a part times the spread of its new answers.

    `counts` are the new answers of all items by part, shape (parts, answers), as `Partition.counts` gives them.

    >>> halves = Partition(np.array([0, 0, 1, 1]), np.array([0, 1]), np.array([2, 2]))
    >>> neyman_weights(halves, np.array([[2, 0], [1, 1]])).round(4).tolist()
    [0.0, 0.3536]

    Reference: lemma 1 of the paper; Neyman, Journal of the Royal Statistical Society 97 (1934).
    """
    truth = counts / partition.sizes[:, None]
    weights: Floats = partition.shares * np.sqrt(np.maximum(1 - (truth**2).sum(axis=1), 0))
    return weights


def apportioned(weights: Floats, total: int) -> Ints:
    """Return whole numbers in proportion to the weights, with at least one for each as far as they go round.

    By highest averages with odd divisors, so that nobody loses when there is more to share out. With fewer than one
    for each, the greatest weights have one. What is left when all weights are zero is shared evenly.

    >>> apportioned(np.array([0.6, 0.3, 0.1]), 10).tolist(), apportioned(np.array([0.6, 0.3, 0.1]), 2).tolist()
    ([6, 3, 1], [1, 1, 0])

    Reference: Sainte-Laguë (1910), in Balinski & Young, Fair Representation (1982).
    """
    if total <= len(weights):
        given = np.zeros(len(weights), dtype=np.int64)
        given[np.argsort(-weights, kind="stable")[:total]] = 1
        return given
    weights = weights if weights.any() else np.ones(len(weights))
    low, high = 0.0, 2 * float(weights.max())  # a weight has one for each time that this price goes into it, rounded
    for _ in range(100):
        price = (low + high) / 2
        low, high = (price, high) if _bought(weights, price).sum() > total else (low, price)
    given = _bought(weights, high)
    for _ in range(total - int(given.sum())):  # equal claims at one price
        given[np.argmax(weights / (2 * given + 1))] += 1
    return given


def _bought(weights: Floats, price: float) -> Ints:
    return np.maximum(1, np.minimum(weights / max(price, 1e-300), 1e15) + 0.5).astype(np.int64)


def first_draws(census: Census, calls: int) -> Ints:
    """Return how many items of each group to draw first: in proportion, at least one. Shape (kinds,), the group's
    number.
    """
    group = groups_of(census)
    items = np.bincount(group, census.items).astype(float)
    return _rounded(items, items, calls)[group]


def second_draws(census: Census, first: Floats, calls: int) -> Ints:
    """Return how many of the items left in each group to draw next: Neyman on what the first answers taught, at least
    one.
    """
    first = np.asarray(first, dtype=float)
    group = groups_of(census)
    left_kind = census.items - first.sum(axis=1)
    left = np.bincount(group, left_kind).astype(float)
    return _rounded(np.bincount(group, left_kind * spread_of(census, first)).astype(float), left, calls)[group]


def two_phase_shift(census: Census, first: Floats, second: Floats) -> Floats:
    """Return the shift without bias, from answers of two phases, each a random sample of fixed size in every group.

    The first phase gives the mean change of each group. What it taught predicts the items left, and the second phase
    corrects the predictions by what it finds; the predictions are fixed by then, so that being wrong costs precision
    only. Both are joined by the numbers of their answers, which were fixed beforehand. Groups are those of
    `first_draws`. If nothing changed the error is zero.

    Reference: Särndal, Swensson & Wretman, Model Assisted Survey Sampling (1992), difference estimator.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    group = groups_of(census)
    left = census.items - first.sum(axis=1)
    for name, counts, there in (("first", first, census.items.astype(float)), ("second", second, left)):
        missing = (np.bincount(group, counts.sum(axis=1)) == 0) & (np.bincount(group, there) > 0)
        if missing.any():
            raise InvalidInput(f"{name} has no answer in {missing.sum()} of the groups: draw at least one in each")
    unchanged = np.zeros(first.shape)
    unchanged[np.arange(census.kinds), census.old] = 1.0
    learnt = expected_answers(census, first)
    change = census.matrix(_corrected(unchanged, first, census.items, group) / census.items[:, None] - unchanged)
    after = (first + _corrected(learnt, second, left, group)) / census.items[:, None]
    share = first.sum() / max(first.sum() + second.sum(), 1.0)
    shift: Floats = share * change + (1 - share) * census.matrix(after - unchanged)
    return shift


def _corrected(predicted: Floats, counts: Floats, items: Floats | Ints, group: Ints) -> Floats:
    """Return totals of answers by kind: as predicted, and the mean misprediction of the group on top."""
    asked = counts.sum(axis=1)
    missed = np.zeros((int(group.max()) + 1, counts.shape[1]))
    np.add.at(missed, group, counts - asked[:, None] * predicted)
    missed /= np.maximum(np.bincount(group, asked), 1.0)[:, None]
    totals: Floats = items[:, None] * (predicted + missed[group])
    return totals


def _rounded(claims: Floats, most: Floats, calls: int) -> Ints:
    """Return whole numbers of draws: one wherever there is an item, the rest by claims, in all exactly the calls."""
    there = (most > 0).astype(np.int64)
    if calls < there.sum():
        raise InvalidInput(f"calls={calls} must be at least {there.sum()}: every group of items needs one")
    calls = min(calls, int(most.sum()))
    more = shared_out(claims, most - there, float(calls - there.sum()))
    whole = np.minimum(np.floor(more), most - there).astype(np.int64) + there
    short = calls - int(whole.sum())
    for place in np.argsort(-(more - np.floor(more)), kind="stable").tolist() * 2:
        if short == 0:
            break
        if whole[place] < most[place]:
            whole[place] += 1
            short -= 1
    return whole
