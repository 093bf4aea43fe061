"""The pool cut into strata: items that are about equally doubtful, the doubtful ones cut finer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Record, percent
from ringtrue.stats import Groups

Floats = NDArray[np.float64]

_GROUPS = 20
"""Enough to tell doubtful items apart, few enough that each learns from some answers."""

_FINEST = 0.005
"""The share of the pool in the most doubtful stratum."""

UNKNOWN = 0.05
"""The doubt in an item of which nothing is known."""

_LEAST, _MOST = 1e-4, 1 - 1e-4
"""Doubt is kept away from certainty: a model that claims to be sure is not believed that far."""


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Which stratum each row is in, and what is known of each before any label.

    `doubt` is the mean doubt of a stratum, `weight` how often its items come in operation, over how often they come
    in the pool. All items of a stratum have the same weight. Strata stand in the order of their doubt, of which `spans`
    has the least and the most in each.
    """

    rows: Groups
    doubt: Floats
    weight: Floats
    spans: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, scores: Mapping[str, NDArray[Any]], size: int) -> Strata:
        """Strata of a pool by the doubt in its items and, under a profile, by their weight."""
        doubt = np.asarray(scores.get("doubt", np.full(size, UNKNOWN)), dtype=float)
        weight = np.asarray(scores.get("weight", np.ones(size)), dtype=float)
        by_doubt = _by_rank(doubt)
        values, by_weight = np.unique(weight, return_inverse=True)
        joint, group = np.unique(by_doubt * len(values) + by_weight, return_inverse=True)
        rows = Groups(group.astype(np.int64), len(joint))
        mean = np.bincount(group, weights=doubt, minlength=len(joint)) / rows.sizes
        weights = values[joint % len(values)]
        spans = _spans(doubt, group, len(joint))
        return cls(rows, np.clip(mean, _LEAST, _MOST), weights, spans, _names(spans, weights, len(values) > 1))

    @property
    def size(self) -> int:
        return len(self.rows.group)


def _by_rank(doubt: Floats) -> NDArray[np.int64]:
    """Groups by rank, ever smaller towards the most doubtful items; equal doubts stay together."""
    cuts = 1 - np.geomspace(1, _FINEST, _GROUPS)[1:]
    edges = np.unique(np.quantile(doubt, cuts))
    return np.searchsorted(edges, doubt, side="left").astype(np.int64)


def _spans(doubt: Floats, group: NDArray[Any], count: int) -> Floats:
    """The least and the most doubt in each stratum, shape (strata, 2)."""
    least, most = np.full(count, np.inf), np.zeros(count)
    np.minimum.at(least, group, doubt)
    np.maximum.at(most, group, doubt)
    return np.stack([least, most], axis=1)


def _names(spans: Floats, weight: Floats, weighted: bool) -> tuple[str, ...]:
    """What a reader calls the strata: the doubt they span."""
    named = []
    for (low, high), times in zip(spans, weight, strict=True):
        span = percent(low) if low == high else f"{percent(low)} to {percent(high)}"
        named.append(f"doubt {span}" + (f", weight {times:.2g}" if weighted else ""))
    return tuple(named)


def doubt_in(scores: Mapping[str, Any], record: Record) -> float | None:
    """The doubt in the item of a record, by which its stratum can be told; None if nothing was prepared of it."""
    if not scores or record.row is None:
        return None
    return float(scores["doubt"][record.row]) if "doubt" in scores else UNKNOWN
