"""The pool cut into strata of about equal doubt, and where the failures are: a row per stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Interval, Record, field_of, percent
from ringtrue.risk._draw_row import DrawRows, cut_at_picks
from ringtrue.risk._grid import Floats
from ringtrue.stats import Bools, Groups, segmented_pool_sequence

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


def doubt_in(scores: Mapping[str, Any], items: Sequence[int]) -> list[float | None]:
    """Return the doubt in items by their rows, which tells their strata; None where nothing was prepared."""
    if not scores:
        return [None] * len(items)
    return [float(scores["doubt"][row]) for row in items] if "doubt" in scores else [UNKNOWN] * len(items)


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


class StratumTable:
    """Counts the answers by the stratum that this question's draws were noted with, and bounds each stratum's rate.

    Items of a stratum have the same chance, so that a draw that falls into it is uniform over those of its items that
    were not asked about, whatever else is drawn: the sequence of a pool holds for the stratum alone. What other
    questions asked for is known there without chance; the doubt in it says to which stratum it belongs.
    """

    def __init__(self, question: str, profile: str | None) -> None:
        self._question, self._profile = question, profile
        self._told = DrawRows()
        self._notes: list[Mapping[str, Any] | None] = []
        """What this question noted of each draw; None of what another one asked for."""
        self._doubts: list[float | None] = []

    def add(self, records: Sequence[Record], told: DrawRows, doubts: Sequence[float | None]) -> None:
        """Take the next records, what they say, and the doubt in their items, if it is known."""
        notes = zip(field_of(records, "question"), field_of(records, "note"), strict=True)
        self._notes += [
            note if "place" in note and asked == self._question and note["profile"] == self._profile else None
            for asked, note in notes
        ]
        self._told.extend(told)
        self._doubts += doubts

    @property
    def notes(self) -> list[Mapping[str, Any]]:
        """What this question noted of its draws, in the order of asking."""
        return [note for note in self._notes if note is not None]

    def rows(self, size: int, level: float) -> tuple[StratumRow, ...]:
        """Return one row per stratum that was asked about, from the least doubtful to the most."""
        own = {note["place"]: place for place, note in enumerate(self._notes) if note is not None}
        if not own:
            return ()
        noted = np.array([-1 if note is None else note["place"] for note in self._notes])
        known = all(doubt is not None for doubt, place in zip(self._doubts, noted, strict=True) if place < 0)
        strata, weights = noted.copy(), self._told.weights
        doubts = np.array([doubt or 0.0 for doubt in self._doubts])
        for stratum, place in own.items():
            least, most = self._note(place)["span"]
            here = (least <= doubts) & (doubts <= most) & (np.abs(weights - weights[place]) < 1e-9)
            strata[here & (strata < 0)] = stratum
        told, failed, drawn = self._told.told, self._told.read(False), self._told.drawn & (noted >= 0)
        rows = []
        for stratum in sorted(own):
            note, here = self._note(own[stratum]), strata == stratum
            name, items, answers = str(note["stratum"]), note["items"], int((here & told).sum())
            if answers:
                count = int((here & failed).sum())
                both = [self._told.read(unknown)[here] for unknown in (False, True)]
                interval = _interval(note, drawn[here], both, count / answers, level) if known else None
                chance = int((noted == stratum).sum()) / int((noted >= 0).sum()) * size / items
                share = items / size
                rows.append(StratumRow(name, items, share, answers, count, count / answers, chance, interval))
        return tuple(rows)

    def _note(self, place: int) -> Mapping[str, Any]:
        return self._notes[place] or {}


def _interval(note: Mapping[str, Any], drawn: Bools, failed: Sequence[Bools], rate: float, level: float) -> Interval:
    """Bound the rate of the stratum by what failed, read low and read high."""
    items, each = note["items"], 1 - (1 - level) / note["strata"]
    ends = []
    # Where the oracle could always tell, both readings are one.
    for reading in failed if (failed[0] != failed[1]).any() else failed[:1]:
        segments, last = cut_at_picks(drawn, reading, [len(drawn)], items)
        ends.append(segmented_pool_sequence(segments, population=items, level=each, at=last))
    low, high = float(ends[0].low[-1]), float(ends[-1].high[-1])
    low, high = min(low, high), max(low, high)
    return Interval(min(max(rate, low), high), low, high, level, METHOD, len(drawn))
