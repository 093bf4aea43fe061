"""A gold standard that may hang: a point at which it does so twice is given up, and the search goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringtrue.core import Query, Reply

if TYPE_CHECKING:
    from ringtrue.core import Oracle

_TRIES = 2
_POINTS = 3
"""Points in a row at which it hung: it hangs everywhere, and nothing more is tried."""


class Patient:
    """An oracle whose timeouts at one item end in "cannot tell"; the first is raised, so that it is tried again."""

    one_by_one = True

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._late: Counter[str] = Counter()
        self._in_a_row = 0

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """What the oracle says of these items, in their order."""
        return [self._one(query) for query in queries]

    def _one(self, query: Query) -> Reply:
        if self._in_a_row >= _POINTS:
            raise TimeoutError(f"no answer in time at {_POINTS} points in a row")
        try:
            reply = next(iter(self._oracle.answer([query])))
        except TimeoutError:
            self._late[query.item.id] += 1
            if self._late[query.item.id] < _TRIES:
                raise
            self._in_a_row += 1
            return Reply(None)
        self._in_a_row = 0
        return reply
