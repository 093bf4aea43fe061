"""The records of a study as columns: a million need a third of the room, and a record is made when it is looked at."""

from __future__ import annotations

import math
import operator
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias, overload

from ringtrue.core._canonical import Json
from ringtrue.core._items import NOTHING, Prediction, Record, Responder

STATES: Final = ("leased", "waiting", "answered", "abandoned")
"""The states of a record, in the order of their codes."""

LEASED: Final = 0
WAITING: Final = 1
ANSWERED: Final = 2
ABANDONED: Final = 3
_OPEN = re.compile(b"[\\x00\\x01]")  # the codes of the first two

Field: TypeAlias = Literal[
    "question", "responder", "row", "id", "probability", "floor", "cost", "said", "state", "value", "rater",
    "digest", "prediction", "note",
]  # fmt: skip
"""The fields that can be read of many records at once."""

Origin: TypeAlias = tuple[str, str, Responder]
"""The question that asked, its policy, and who was asked."""

_NUMBERS = ("_from", "_rows", "_chances", "_floors")
_LISTS = ("values", "raters", "_points", "_ids", "_digests", "_said", "_known", "_predictions", "_notes")
"""The columns of numbers, and those of what JSON holds."""

_SHARED = 10_000
"""Texts kept once however often they come: labels are few, and a model that writes is not remembered."""


class Records(Sequence[Record]):
    """The records of a study, in the order of asking. What is read is a copy; only the methods here change anything."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.states = bytearray()
        """The codes of the states."""
        self.costs: list[Decimal] = []
        self.values: list[Json] = []
        self.raters: list[str | None] = []
        self.earlier: dict[int, tuple[Json, ...]] = {}
        """By number, the answers that were corrected."""
        self._origins: list[Origin] = []
        self._from = array("H")
        self._rows = array("q")
        self._points: list[tuple[float, ...] | None] = []
        self._ids: list[str] = []
        self._digests: list[str] = []
        self._chances, self._floors = array("d"), array("d")
        self._said: list[Json] = []
        self._known: list[Any] = []
        self._predictions: list[Any] = []
        self._notes: list[Any] = []
        self._shared: dict[str, str] = {}
        for record in records:
            self.add(record)

    def add(self, one: Record) -> None:
        """Take one more record as it is, under the next number."""
        told = (one.row, one.point, one.id, one.digest, one.probability, one.floor, one.said, one.known)
        self.ask((one.question, one.policy, one.responder), one.cost, [(*told, one.prediction, one.note)])
        self.states[-1] = STATES.index(one.state)
        self.values[-1], self.raters[-1] = one.value, one.rater
        if one.earlier:
            self.earlier[len(self) - 1] = one.earlier

    @classmethod
    def over(cls, records: Sequence[Record]) -> Records:
        """Return records as columns; those that are kept so already are not read again."""
        return records.of if isinstance(records, Part) and records.is_whole else cls(records)

    def ask(self, origin: Origin, cost: Decimal, queries: Sequence[Sequence[Any]]) -> range:
        """Take new queries, each with what stands in the event that asks it; return their numbers."""
        first = len(self.states)
        if origin not in self._origins:
            self._origins.append(origin)
        code = self._origins.index(origin)
        for row, point, item, mark, chance, floor, said, known, prediction, note in queries:
            self.states.append(LEASED)
            self.costs.append(cost)
            self.values.append(None)
            self.raters.append(None)
            self._from.append(code)
            self._rows.append(-1 if row is None else row)
            self._points.append(None if point is None else tuple(point))
            self._ids.append(item)
            self._digests.append(mark)
            self._chances.append(math.nan if chance is None else chance)
            self._floors.append(math.nan if floor is None else floor)
            self._said.append(self.shared(said) if type(said) is str else said)
            self._known.append(known)
            self._predictions.append(prediction)
            self._notes.append(note)
        return range(first, len(self.states))

    def shared(self, text: str) -> str:
        """Return a text that is kept once, if it is one of the first."""
        known = self._shared.get(text)
        if known is None and len(self._shared) < _SHARED:
            self._shared[text] = text
        return known or text

    def closed_of(self, start: int, responder: Responder) -> tuple[Part, int]:
        """Return the records about rows of a pool that one responder has closed, in the order of asking.

        They begin at `start` and end before the first that is still open, at the number that is returned as well.
        """
        codes = {code for code, origin in enumerate(self._origins) if origin[2] == responder}
        end, found = start, _OPEN.search(self.states, start)
        while found is not None and not self._is_about_row(found.start(), codes):
            found = _OPEN.search(self.states, found.end())
        end = len(self) if found is None else found.start()
        if len(codes) == len(self._origins) and min(self._rows[start:end], default=0) >= 0:
            return self.part(range(start, end)), end
        return self.part([place for place in range(start, end) if self._is_about_row(place, codes)]), end

    def _is_about_row(self, number: int, codes: set[int]) -> bool:
        return self._from[number] in codes and self._rows[number] >= 0

    def part(self, numbers: Sequence[int] | None = None) -> Part:
        """Return some of the records, by default those there are now."""
        return Part(self, range(len(self)) if numbers is None else numbers)

    def field(self, name: Field, numbers: Sequence[int]) -> Sequence[Any]:
        """Return one field of some records, as `field_of` does."""
        if name in ("question", "responder"):
            names = [origin[0 if name == "question" else 2] for origin in self._origins]
            return [names[code] for code in _at(self._from, numbers)]
        if name == "note":
            return [note or NOTHING for note in _at(self._notes, numbers)]
        if name == "prediction":
            return [None if one is None else Prediction(*one) for one in _at(self._predictions, numbers)]
        if name == "state":
            return [STATES[code] for code in _at(self.states, numbers)]
        columns: dict[str, Sequence[Any]] = {
            "row": self._rows,
            "id": self._ids,
            "digest": self._digests,
            "probability": self._chances,
            "floor": self._floors,
            "cost": self.costs,
            "said": self._said,
            "value": self.values,
            "rater": self.raters,
        }
        found: Sequence[Any] = _at(columns[name], numbers)
        return found

    def columns(self) -> tuple[dict[str, Any], dict[str, array[Any]]]:
        """Return all columns, as JSON and as arrays of numbers: `of_columns` makes the same records of them."""
        prices = {cost: code for code, cost in enumerate(dict.fromkeys(self.costs))}
        lists = {name: getattr(self, name) for name in _LISTS}
        told = {
            "origins": self._origins,
            "prices": [str(cost) for cost in prices],
            "lists": {name: None if all(one is None for one in column) else column for name, column in lists.items()},
            "earlier": list(self.earlier.items()),
        }
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return told, {
            "states": array("B", self.states),
            "costs": array("I", map(prices.__getitem__, self.costs)),
            **numbers,
        }

    @classmethod
    def of_columns(cls, told: Mapping[str, Any], arrays: Mapping[str, bytes]) -> Records:
        """Make the records whose `columns` these are."""
        made = cls()
        made.states += arrays["states"]
        made._origins = [tuple(origin) for origin in told["origins"]]
        prices = [Decimal(price) for price in told["prices"]]
        made.costs = [prices[code] for code in array("I", arrays["costs"])]
        for name in _NUMBERS:
            getattr(made, name).frombytes(arrays[name])
        for name in _LISTS:
            column = told["lists"][name]
            setattr(made, name, [None] * len(made) if column is None else column)
        made._points = [None if point is None else tuple(point) for point in made._points]
        made.earlier = {number: tuple(answers) for number, answers in told["earlier"]}
        return made

    def rows_by_responder(self) -> dict[Responder, set[int]]:
        """Return the rows that each responder was asked about."""
        found: dict[Responder, set[int]] = {}
        for code, (_, _, responder) in enumerate(self._origins):
            rows = (row for one, row in zip(self._from, self._rows, strict=True) if one == code)
            found.setdefault(responder, set()).update(self._rows if len(self._origins) == 1 else rows)
        for asked in found.values():
            asked.discard(-1)
        return found

    def __len__(self) -> int:
        return len(self.states)

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...

    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        if isinstance(place, slice):
            return [self._made(number) for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._made(place % len(self))

    def __iter__(self) -> Iterator[Record]:
        place = 0
        while place < len(self):  # a study may grow while it is gone through
            yield self._made(place)
            place += 1

    def _made(self, number: int) -> Record:
        question, policy, responder = self._origins[self._from[number]]
        row, chance, floor = self._rows[number], self._chances[number], self._floors[number]
        prediction = self._predictions[number]
        return Record(
            number,
            question,
            policy,
            responder,
            None if row < 0 else row,
            self._ids[number],
            self._digests[number],
            None if chance != chance else chance,
            None if floor != floor else floor,
            self.costs[number],
            self._said[number],
            self._points[number],
            STATES[self.states[number]],
            self.values[number],
            self.raters[number],
            self._known[number] or NOTHING,
            None if prediction is None else Prediction(*prediction),
            self._notes[number] or NOTHING,
            self.earlier.get(number, ()),
        )


class Part(Sequence[Record]):
    """Some records of a study, made one by one as they are gone through. Equal are those of equal records."""

    def __init__(self, records: Records, numbers: Sequence[int]) -> None:
        self.of, self._numbers = records, numbers

    @property
    def is_whole(self) -> bool:
        """Whether these are all the records that there are."""
        return self._numbers == range(len(self.of))

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> Part: ...

    def __getitem__(self, place: int | slice) -> Record | Part:
        if isinstance(place, slice):
            return Part(self.of, self._numbers[place])
        return self.of[self._numbers[place]]

    def __iter__(self) -> Iterator[Record]:
        return map(self.of.__getitem__, self._numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def some(self, places: Sequence[int]) -> Part:
        """Return those in some places."""
        return Part(self.of, [self._numbers[place] for place in places])

    def field(self, name: Field) -> Sequence[Any]:
        """Return one field of these records, as `field_of` does."""
        return self.of.field(name, self._numbers)


def field_of(records: Sequence[Record], name: Field) -> Sequence[Any]:
    """Return one field of many records: without making any where they are kept as columns.

    A row that there is not is -1, and a probability or a floor that there is not is NaN.
    """
    if isinstance(records, Part):
        return records.field(name)
    lacking = {"row": -1, "probability": math.nan, "floor": math.nan}
    found = [getattr(record, name) for record in records]
    return [lacking[name] if value is None else value for value in found] if name in lacking else found


def failures(records: Sequence[Record]) -> list[bool | None]:
    """Return for each record what its `failed` says; the same two labels are compared once."""
    told = zip(*(field_of(records, name) for name in ("said", "value", "state")), strict=True)
    compared: dict[Any, bool] = {}
    found: list[bool | None] = []
    for place, (said, value, state) in enumerate(told):
        if state != "answered":
            found.append(None)
            continue
        pair = (type(said), said, type(value), value)
        try:
            failed = compared.get(pair)
        except TypeError:  # a label with its probabilities
            found.append(records[place].failed)
            continue
        if failed is None:
            failed = compared[pair] = bool(records[place].failed)
        found.append(failed)
    return found


def _at(values: Any, numbers: Sequence[int]) -> Any:
    if isinstance(numbers, range) and numbers.step == 1:
        return values[numbers.start : numbers.stop]
    return [values[number] for number in numbers]
