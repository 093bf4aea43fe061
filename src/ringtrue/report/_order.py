"""Whether the items asked are those the policy asks: led through the same answers again, it must ask the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from ringtrue.core import Json, Question, Record, View
from ringtrue.report._document import record_of


class _Before(Sequence[Record]):
    """The records before one of them, without a copy: copies would take time with the square of their number."""

    def __init__(self, records: Sequence[Record], end: int) -> None:
        self._records, self._end = records, end

    def __len__(self) -> int:
        return self._end

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | Sequence[Record]:
        places = range(self._end)[place]
        return self._records[places] if isinstance(places, int) else [self._records[one] for one in places]


def asked_and_proposed(made: Mapping[str, Any], question: Question) -> tuple[list[Json], list[Json]]:
    """Number, row, probability and floor of each query of a question as they stand, and as its policy proposes them.

    Only for a policy that foresees: what one that looks at answers had seen when it asked is not in the document.
    """
    if not getattr(question.policy, "foresees", False):
        return [], []
    records = [record_of(entry) for entry in made["records"]]
    seed, pool = made["study"]["seed"], made["study"]["pool"]
    asked: set[int] = set()
    stands: list[Json] = []
    proposed: list[Json] = []
    for place, record in enumerate(records):
        if record.question == question.name and question.items == "pool":
            view = View(seed, len(stands), pool["size"], asked, _Before(records, place))
            stands.append([record.number, record.row, record.probability, record.floor])
            proposed.append([place, *_first(question, view)])
        if record.row is not None and record.responder == question.responder:
            asked.add(record.row)
    return stands, proposed


def _first(question: Question, view: View) -> list[Json]:
    """What the policy asks next; nothing where it is led to places that the pool has not."""
    try:
        draws = question.policy.propose(view, 1)
    except (IndexError, ArithmeticError):
        return [None, None, None]
    return [draws[0].row, draws[0].probability, draws[0].floor] if draws else [None, None, None]
