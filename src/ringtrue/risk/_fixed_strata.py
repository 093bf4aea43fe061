"""A number of labels that is shared out beforehand between doubtful items and the rest, and drawn at random in each."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ringtrue.core import Claim, Draw, InvalidInput, Json, Record, View, percent
from ringtrue.risk._grid import Floats
from ringtrue.risk._strata import Strata
from ringtrue.stats import GroupDraws, Groups, Left, Plan, hypergeometric

FIXED_STRATA = "fixed-strata"
"""Labels shared out between two strata before the first is asked for: for a number that is fixed beforehand."""

_DEARER = 1.1
"""A stratum has at least so much less than its share of the labels: what even draws would bound by 1%, if nothing
fails, is then bounded by 1.1%. Of 1.1, 1.2 and 1.35, on the pools for tuning of `benchmarks/risk_tasks.py`, 1.1 had the
lowest bounds on average, and the others lost up to a seventh more where nothing fails or doubt misleads."""

_BELIEVED = 0.7
"""How far doubt is believed: the rest of a stratum's supposed rate is the mean of the pool. Of 0.7 and 1, on the same
pools, 0.7 had bounds 1 to 3% lower on average."""

_Z = 1.645
"""Deviations of the bound that the labels are shared out for: of a one-sided bound at 95%. Any number is valid."""

_SHARES = 11
"""Allocations that are compared for each cut."""

EDITION = 2
"""The way in which labels are shared out now. In edition 1 they were drawn evenly for a claim out of reach, too: on the
pools for tuning the bound after 100 labels is then a tenth higher where doubt guides, and as high where it does not."""


class Shares(NamedTuple):
    """The first group of the doubtful stratum, or None where there is one stratum, and the labels of each stratum."""

    cut: int | None
    labels: tuple[int, ...]


def share_out(sizes: Floats, doubt: Floats, labels: int, *, claim: Claim | None = None) -> Shares:
    """Share labels out between the doubtful items and the rest, for a low upper bound.

    The bound is the exact one of `stratified_upper`, roughly foretold: the estimate and z deviations, in which what was
    not seen counts where a failure counts most. No allocation has a lower bound than even draws if nothing fails, so
    that what is given up there is limited. If a claim leaves no room even for that, there is one stratum.

    >>> share_out(np.array([900.0, 100.0]), np.array([0.001, 0.1]), 300)
    Shares(cut=1, labels=(248, 52))
    >>> share_out(np.array([900.0, 100.0]), np.array([0.001, 0.1]), 59, claim=Claim("error", 0.05))
    Shares(cut=None, labels=(59,))

    Parameters
    ----------
    sizes, doubt
        The items and the mean doubt of each group, from the least doubtful to the most.
    labels
        The number of labels.
    claim
        A claim, which must stay within reach if nothing fails.
    """
    total = float(sizes.sum())
    mean = float(sizes @ doubt) / total
    supposed = _BELIEVED * doubt + (1 - _BELIEVED) * mean
    best, lowest = Shares(None, (labels,)), _foretold(np.ones(1), np.array([mean]), np.array([float(labels)]))
    dearer = _DEARER if claim is None else min(_DEARER, room_for(claim, labels))
    for cut in range(1, len(sizes)) if dearer > 1 else ():
        items = np.array([sizes[:cut].sum(), sizes[cut:].sum()])
        failing = np.array([sizes[:cut] @ supposed[:cut], sizes[cut:] @ supposed[cut:]]) / items
        for times in np.linspace(1, dearer, _SHARES)[1:].tolist():
            upper = min(labels - math.ceil(labels * items[0] / total / times), int(items[1]))
            asked = np.array([labels - upper, upper], dtype=float)
            if asked.min() < 1 or asked[0] > items[0]:
                continue
            bound = _foretold(items / total, failing, asked)
            if bound < lowest * (1 - 1e-9):  # so that processors agree where two are as good
                best, lowest = Shares(cut, (labels - upper, upper)), bound
    return best


def room_for(claim: Claim, labels: int) -> float:
    """Return how much higher the bound may be than that of even draws, if nothing fails, for a claim to ring true."""
    return labels * claim.limit / -math.log1p(-claim.level)


def is_out_of_reach(claim: Claim, labels: int, *, size: int) -> bool:
    """Return whether even draws cannot show a claim with so many labels, although none of them fails.

    >>> [is_out_of_reach(Claim("error", 0.05), labels, size=4000) for labels in (57, 58, 59)]
    [True, False, False]
    """
    return bool(hypergeometric(0, labels, population=size, level=claim.level, side="upper").high > claim.limit)


def _foretold(shares: Floats, rates: Floats, asked: Floats) -> float:
    """Foretell how far the bound lies above the estimate: excess² = z² (variance + largest step · excess)."""
    step, variance = float((shares / asked).max()), float((shares**2 * rates / asked).sum())
    return (_Z**2 * step + math.sqrt(_Z**4 * step**2 + 4 * _Z**2 * variance)) / 2


class FixedStrata(GroupDraws):
    """Draws a fixed number of items of each stratum, without replacement; who comes when is left to chance.

    The next item is of a stratum with the chance of its labels among all that are left, and of its items each alike. So
    at every draw all items have a chance, as long as each stratum has labels left. Items of the last stratum that has
    are picks to other questions: the others have no chance any more. After the last label draws are even.

    Parameters
    ----------
    labels, claim
        The number of labels, and the claim that they are to decide, if there is one. One that is out of reach asks for
        nothing: then labels are shared out for a low bound alone.
    edition
        The way in which labels are shared out.
    """

    def __init__(self, labels: int, *, claim: Claim | None = None, edition: int = EDITION) -> None:
        super().__init__(FIXED_STRATA, "risk/fixed-strata", "oracle")
        self._labels, self._claim, self._edition = labels, claim, edition

    def plan(self, view: View) -> Plan:
        """Return the items of the two strata, or of one."""
        if not view.scores:
            raise InvalidInput("nothing was prepared to go by: call Study.prepare before asking")
        strata = Strata.of(view.scores, view.size)
        labels = min(self._labels, view.size)
        claim = self._claim
        if claim is not None and self._edition > 1 and is_out_of_reach(claim, labels, size=view.size):
            claim = None
        cut, shared = share_out(strata.rows.sizes, strata.doubt, labels, claim=claim)
        edges = [0, len(strata.spans)] if cut is None else [0, cut, len(strata.spans)]
        group: Any = (strata.rows.group >= edges[1]).astype(np.uint8)
        spans = [(float(strata.spans[start, 0]), float(strata.spans[end - 1, 1])) for start, end in pairwise(edges)]
        rows = Groups(group, len(shared))
        return Plan(rows, lambda: _Slots(rows, np.array(shared, dtype=float), spans))


class _Slots:
    """The labels that are left in each stratum, whoever asked for those that are not."""

    def __init__(self, rows: Groups, labels: Floats, spans: list[tuple[float, float]]) -> None:
        self._sizes, self._labels, self._spans = rows.sizes, labels, spans

    def learn(self, record: Record, row: int) -> None:
        """Learn nothing: the labels were shared out before the first."""

    def chances(self, left: Floats) -> Floats:
        """Return the chance of an item by stratum."""
        open_ = np.clip(self._labels - (self._sizes - left), 0, left)
        if not open_.any():
            return np.full(len(left), 1 / left.sum())
        return np.asarray(open_ / open_.sum() / np.maximum(left, 1))

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:  # noqa: ARG002 - both are known
        """Return the draw with its stratum, the labels of it, and without a chance where others have none."""
        least, most = self._spans[group]
        span = percent(least) if least == most else f"{percent(least)} to {percent(most)}"
        note: dict[str, Json] = {
            "profile": None,
            "stratum": f"doubt {span}",
            "items": int(self._sizes[group]),
            "place": group,
            "strata": len(self._sizes),
            "span": [least, most],
            "labels": int(self._labels[group]),
        }
        return draw._replace(note=note) if draw.floor else draw._replace(probability=None, floor=None, note=note)
