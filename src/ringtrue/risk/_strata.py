"""The pool cut into strata of about equal doubt, and where the failures are: a row per stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Interval, Record, percent
from ringtrue.risk._draw_row import DrawRow, cut_at_picks
from ringtrue.risk._grid import Floats
from ringtrue.stats import Groups, segmented_pool_sequence

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
        """Cut a pool into strata by the doubt in its items and, under a profile, by their weight."""
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
    """Return groups by rank, ever smaller towards the most doubtful items; equal doubts stay together."""
    cuts = 1 - np.geomspace(1, _FINEST, _GROUPS)[1:]
    edges = np.unique(np.quantile(doubt, cuts))
    return np.searchsorted(edges, doubt, side="left").astype(np.int64)


def _spans(doubt: Floats, group: NDArray[Any], count: int) -> Floats:
    """Return the least and the most doubt in each stratum, shape (strata, 2)."""
    least, most = np.full(count, np.inf), np.zeros(count)
    np.minimum.at(least, group, doubt)
    np.maximum.at(most, group, doubt)
    return np.stack([least, most], axis=1)


def _names(spans: Floats, weight: Floats, weighted: bool) -> tuple[str, ...]:
    """Return what a reader calls the strata: the doubt they span."""
    named = []
    for (low, high), times in zip(spans, weight, strict=True):
        span = percent(low) if low == high else f"{percent(low)} to {percent(high)}"
        named.append(f"doubt {span}" + (f", weight {times:.2g}" if weighted else ""))
    return tuple(named)


def doubt_in(scores: Mapping[str, Any], record: Record) -> float | None:
    """Return the doubt in the item of a record, which tells its stratum; None if nothing was prepared."""
    if not scores or record.row is None:
        return None
    return float(scores["doubt"][record.row]) if "doubt" in scores else UNKNOWN


METHOD = "beta-mixture confidence sequence, stratum without replacement, all strata at once"


@dataclass(frozen=True, slots=True)
class StratumRow:
    """What was seen in one stratum; `rate` is of its answers, `chance` how often it was drawn over an even share.

    Answers that another question asked for are among them: they are known, and the interval rests on them as well.
    `interval` is of the failure rate of all items. It holds while one watches, for all strata at once. None where an
    item that another question asked about cannot be told apart by stratum.
    """

    name: str
    items: int
    share: float
    answers: int
    failures: int
    rate: float
    chance: float
    interval: Interval | None


class _Stratum(NamedTuple):
    """A stratum as its draws were noted: the doubt that it spans, and the weight of its items under the profile."""

    place: int
    strata: int
    name: str
    items: int
    least: float
    most: float
    weight: float

    def holds(self, doubt: float, weight: float) -> bool:
        return self.least <= doubt <= self.most and abs(weight - self.weight) < 1e-9


class _Entry(NamedTuple):
    stratum: _Stratum | None
    doubt: float | None
    weight: float
    failed: bool | None
    drawn: bool


class StratumTable:
    """Counts the answers by the stratum that this question's draws were noted with, and bounds each stratum's rate.

    Items of a stratum have the same chance, so that a draw that falls into it is uniform over those of its items that
    were not asked about, whatever else is drawn: the sequence of a pool holds for the stratum alone. What other
    questions asked for is known there without chance; the doubt in it says to which stratum it belongs.
    """

    def __init__(self, question: str, profile: str | None) -> None:
        self._question, self._profile = question, profile
        self._entries: list[_Entry] = []

    def add(self, record: Record, failed: bool | None, *, doubt: float | None, weight: float) -> None:
        """Take the next record; `doubt` and `weight` are those of its item, if they are known."""
        note = record.note
        own = record.question == self._question and "place" in note and note["profile"] == self._profile
        stratum = _noted(note, weight) if own else None
        self._entries.append(_Entry(stratum, doubt, weight, failed, record.probability is not None))

    def rows(self, size: int, level: float) -> tuple[StratumRow, ...]:
        """Return one row per stratum that was asked about, from the least doubtful to the most."""
        own = {entry.stratum.place: entry.stratum for entry in self._entries if entry.stratum is not None}
        seen: dict[int, list[_Entry]] = {place: [] for place in own}
        known = True
        for entry in self._entries:
            here = entry.stratum
            if here is None:
                known = known and entry.doubt is not None
                here = next((one for one in own.values() if one.holds(entry.doubt or 0.0, entry.weight)), None)
            if here is not None:
                seen[here.place].append(entry)
        total = sum(entry.stratum is not None for entry in self._entries)
        found = (_row(own[place], seen[place], size, total, level, known) for place in sorted(own))
        return tuple(row for row in found if row is not None)


def _noted(note: Mapping[str, Any], weight: float) -> _Stratum:
    least, most = note["span"]
    return _Stratum(note["place"], note["strata"], str(note["stratum"]), note["items"], least, most, weight)


def _row(
    one: _Stratum, entries: Sequence[_Entry], size: int, total: int, level: float, known: bool
) -> StratumRow | None:
    told_of = [entry.failed for entry in entries if entry.failed is not None]
    if not told_of:
        return None
    rate = sum(told_of) / len(told_of)
    interval = _interval(one, entries, rate, level) if known else None
    chance = sum(entry.stratum is not None for entry in entries) / total * size / one.items
    return StratumRow(one.name, one.items, one.items / size, len(told_of), sum(told_of), rate, chance, interval)


def _interval(one: _Stratum, entries: Sequence[_Entry], rate: float, level: float) -> Interval:
    """Bound the rate of the stratum; what the oracle could not tell counts as failed above and as right below."""
    each = 1 - (1 - level) / one.strata
    rows = [
        DrawRow(entry.failed, 1.0 if entry.drawn and entry.stratum is not None else None, None) for entry in entries
    ]
    ends = []
    # Where the oracle could always tell, both readings are one.
    for unknown in (False, True) if any(entry.failed is None for entry in entries) else (False,):
        segments, last = cut_at_picks(rows, [len(rows)], one.items, unknown=unknown)
        ends.append(segmented_pool_sequence(segments, population=one.items, level=each, at=last))
    low, high = float(ends[0].low[-1]), float(ends[-1].high[-1])
    low, high = min(low, high), max(low, high)
    return Interval(min(max(rate, low), high), low, high, level, METHOD, len(entries))
