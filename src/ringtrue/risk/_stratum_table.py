"""Where the failures are: answers, failures and the interval of the failure rate by stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ringtrue.core import Interval, Json, Record
from ringtrue.risk._segments import cut_at_picks
from ringtrue.risk._told import Told
from ringtrue.stats import segmented_pool_sequence

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

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


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
    nobody has asked about, whatever else is drawn: the sequence of a pool holds for the stratum alone. What other
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
        """One row per stratum that was asked about, from the least doubtful to the most."""
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
    """The rate of the stratum; what nobody could tell counts as failed in the upper end and as right in the lower."""
    each = 1 - (1 - level) / one.strata
    rows = [Told(entry.failed, 1.0 if entry.drawn and entry.stratum is not None else None, None) for entry in entries]
    ends = []
    # Where everybody could tell, both readings are one.
    for unknown in (False, True) if any(entry.failed is None for entry in entries) else (False,):
        segments, last = cut_at_picks(rows, [len(rows)], one.items, unknown=unknown)
        ends.append(segmented_pool_sequence(segments, population=one.items, level=each, at=last))
    low, high = float(ends[0].low[-1]), float(ends[-1].high[-1])
    low, high = min(low, high), max(low, high)
    return Interval(min(max(rate, low), high), low, high, level, METHOD, len(entries))
