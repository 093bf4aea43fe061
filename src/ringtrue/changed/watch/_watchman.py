"""Follows the answers of a watched model, in the order of asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ringtrue.changed._baseline import answer_name
from ringtrue.changed.watch._alarm import Alarm
from ringtrue.changed.watch._finding import Sentinel, WatchFinding
from ringtrue.core import Estimator, InvalidInput, Record, Verdict

LEVEL = 0.95
"""An unchanged model raises an alarm in at most one year of twenty."""

_TIES = 0
"""The seed of how ties are broken: any will do that is fixed before the answers."""


class Watchman(Estimator):
    """Follows the answers about the sentinels, or about items by chance.

    Of a model without noise an answer is held against the old one to the same item. Else an answer to a sentinel is
    held against the others to it; and of items by chance, where each has hardly more than one, whether an answer is the
    old one is held against whether the others are. On the datasets for tuning of `benchmarks/changed_tasks.py` that
    found a swapped service after 78 calls, where twenty random items took 118.

    Parameters
    ----------
    rows, size
        The rows of the sentinels, and how many items the pool has.
    baseline, year
        After how many answers the watch begins, and how many calls a year has.
    steady, fresh
        Whether the model always gives the same answer to the same question, and whether items that are no sentinels
        are asked about.
    """

    def __init__(self, rows: Sequence[int], *, size: int, baseline: int, year: int, steady: bool, fresh: bool) -> None:
        self._place = {row: place for place, row in enumerate(rows)}
        self._size, self._baseline, self._year, self._steady, self._fresh = size, baseline, year, steady, fresh
        self._given: dict[int, list[tuple[bool, str]]] = {}
        self._ids: dict[int, tuple[str, str]] = {}
        self._unanswerable = self._answers = 0
        self._alarm = Alarm(
            questions=len(rows) or 1, baseline=baseline, year=year, seed=_TIES, level=LEVEL, steady=steady
        )

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records. One that was given up tells nothing: whether it was is the same before and after."""
        for record in records:
            row = -1 if record.row is None else record.row
            if row not in self._place and (row < 0 or not self._fresh):
                raise InvalidInput(f"item {record.id!r} is no sentinel: ask it by the question's own policy")
            if record.state != "answered":
                self._unanswerable += 1
                continue
            label = record.label
            if isinstance(label, list | dict):
                said = f"item {record.id!r} got {label!r}"
                raise InvalidInput(f"{said}: a change is looked for in labels, give a classifier")
            answer, old = answer_name(label), str(record.known.get("old"))
            self._ids[row] = record.id, old
            self._answers += 1
            self._given.setdefault(row, []).append((self._answers > self._baseline, answer))
            if self._steady:
                self._alarm.expect(row, old)
                self._alarm.take(row, answer)
            elif self._place:
                self._alarm.take(self._place[row], answer)
            else:
                self._alarm.take(0, answer == old)

    @property
    def verdict(self) -> Verdict:
        """A watch may show that a model changed, and never that it did not."""
        return Verdict.NOT_YET_KNOWN if self._alarm.raised_at is None else Verdict.RINGS_FALSE

    def finding(self) -> WatchFinding:
        """Return what the answers show so far."""
        alarm = self._alarm
        others = (Sentinel.once(*self._ids[row], self._given[row]) for row in self._given if row not in self._place)
        return WatchFinding(
            answers=self._answers,
            unanswerable=self._unanswerable,
            population=self._size,
            watched=len(self._place),
            fresh=self._fresh,
            baseline=self._baseline,
            year=self._year,
            steady=self._steady,
            level=LEVEL,
            threshold=alarm.threshold,
            raised_at=alarm.raised_at,
            path=tuple(alarm.path),
            sentinels=tuple(
                Sentinel.of(*self._ids[row], self._given[row]) for row in self._place if row in self._given
            ),
            others=tuple(one for one in others if one.other),
        )
