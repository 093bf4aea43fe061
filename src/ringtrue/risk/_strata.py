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

_LOOKED_AT = 2**20
"""Rows that are looked at together; of a larger pool, edges of strata are found by as many rows, evenly apart."""

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
        doubt: Floats | None = scores.get("doubt")
        weight: Floats | None = scores.get("weight")
        few = slice(None, None, -(-size // _LOOKED_AT))
        # Groups by rank, ever smaller towards the most doubtful items; equal doubts stay together.
        ranks = 1 - np.geomspace(1, _FINEST, _GROUPS)[1:]
        edges = np.unique(np.quantile(np.full(1, UNKNOWN) if doubt is None else doubt[few], ranks))
        values = np.ones(1) if weight is None else _distinct(weight)
        both = np.empty(size, dtype=np.min_scalar_type((len(edges) + 1) * len(values)))
        count, total = np.zeros((2, (len(edges) + 1) * len(values)))
        least, most = np.full(len(count), np.inf), np.zeros(len(count))
        for start in range(0, size, _LOOKED_AT):  # a pool may be larger than what else is in memory
            part = slice(start, min(start + _LOOKED_AT, size))
            here = np.full(part.stop - start, UNKNOWN) if doubt is None else np.asarray(doubt[part], dtype=float)
            group = np.searchsorted(edges, here, side="left") * len(values)
            if weight is not None:
                group += np.searchsorted(values, weight[part])
            both[part] = group
            count += np.bincount(group, minlength=len(count))
            total += np.bincount(group, weights=here, minlength=len(count))
            np.minimum.at(least, group, here)
            np.maximum.at(most, group, here)
        joint = np.flatnonzero(count)
        place: NDArray[Any] = np.zeros(len(count), dtype=both.dtype)
        place[joint] = np.arange(len(joint))
        rows, weights = Groups(place[both], len(joint)), values[joint % len(values)]
        mean, least, most = total[joint] / rows.sizes, least[joint], most[joint]
        named = []
        for low, high, times in zip(least, most, weights, strict=True):
            span = percent(low) if low == high else f"{percent(low)} to {percent(high)}"
            named.append(f"doubt {span}" + (f", weight {times:.2g}" if len(values) > 1 else ""))
        return cls(rows, np.clip(mean, _LEAST, _MOST), weights, np.stack([least, most], axis=1), tuple(named))

    @property
    def size(self) -> int:
        return len(self.rows.group)


def _distinct(weight: Floats) -> Floats:
    parts = [np.unique(weight[start : start + _LOOKED_AT]) for start in range(0, len(weight), _LOOKED_AT)]
    return np.unique(np.concatenate(parts))


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


class _Entry(NamedTuple):
    """An answer, with the note of its stratum; the note is empty where the draw was not this question's."""

    note: Mapping[str, Any]
    doubt: float | None
    weight: float
    failed: bool | None
    drawn: bool

    def is_where(self, other: _Entry) -> bool:
        """Return whether an item lies in the stratum noted here, by its doubt and its weight under the profile."""
        least, most = self.note["span"]
        return least <= (other.doubt or 0.0) <= most and abs(other.weight - self.weight) < 1e-9


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
        own = record.question == self._question and "place" in record.note
        note = record.note if own and record.note["profile"] == self._profile else {}
        self._entries.append(_Entry(note, doubt, weight, failed, record.probability is not None))

    def rows(self, size: int, level: float) -> tuple[StratumRow, ...]:
        """Return one row per stratum that was asked about, from the least doubtful to the most."""
        own = {entry.note["place"]: entry for entry in self._entries if entry.note}
        seen: dict[int, list[_Entry]] = {place: [] for place in own}
        known = all(entry.note or entry.doubt is not None for entry in self._entries)
        for entry in self._entries:
            here = entry if entry.note else next((one for one in own.values() if one.is_where(entry)), None)
            if here is not None:
                seen[here.note["place"]].append(entry)
        total = sum(bool(entry.note) for entry in self._entries)
        rows = []
        for place in sorted(own):
            name, items = str(own[place].note["stratum"]), own[place].note["items"]
            answers = [entry.failed for entry in seen[place] if entry.failed is not None]
            if answers:
                rate = sum(answers) / len(answers)
                interval = _interval(own[place].note, seen[place], rate, level) if known else None
                chance = sum(bool(entry.note) for entry in seen[place]) / total * size / items
                rows.append(StratumRow(name, items, items / size, len(answers), sum(answers), rate, chance, interval))
        return tuple(rows)


def _interval(note: Mapping[str, Any], entries: Sequence[_Entry], rate: float, level: float) -> Interval:
    """Bound the rate of the stratum; what the oracle could not tell counts as failed above and as right below."""
    items, each = note["items"], 1 - (1 - level) / note["strata"]
    rows = [DrawRow(entry.failed, 1.0 if entry.drawn and entry.note else None, None) for entry in entries]
    ends = []
    # Where the oracle could always tell, both readings are one.
    for unknown in (False, True) if any(entry.failed is None for entry in entries) else (False,):
        segments, last = cut_at_picks(rows, [len(rows)], items, unknown=unknown)
        ends.append(segmented_pool_sequence(segments, population=items, level=each, at=last))
    low, high = float(ends[0].low[-1]), float(ends[-1].high[-1])
    low, high = min(low, high), max(low, high)
    return Interval(min(max(rate, low), high), low, high, level, METHOD, len(entries))
