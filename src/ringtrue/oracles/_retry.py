"""An oracle that hangs at some items: each is tried again, then given up, and the whole when it hangs everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ringtrue.core import Oracle, Query, Reply

_TRIES = 2
"""Times that one item is tried at which the oracle hangs: then the item is given up."""

_ITEMS = 3
"""Items in a row at which it hung: it hangs everywhere, and nothing more is tried."""


class Patient(Oracle):
    """An oracle whose timeouts at one item end in "cannot tell"; the first is raised, so that it is tried again."""

    one_by_one = True

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._late: Counter[str] = Counter()
        self._in_a_row = 0

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the oracle says of these items, in their order."""
        return [self._one(query) for query in queries]

    def close(self) -> None:
        """Close the oracle."""
        self.oracle.close()

    def _one(self, query: Query) -> Reply:
        if self._in_a_row >= _ITEMS:
            raise TimeoutError(f"no answer in time at {_ITEMS} points in a row")
        try:
            reply = next(iter(self.oracle.answer([query])))
        except TimeoutError:
            self._late[query.item.id] += 1
            if self._late[query.item.id] < _TRIES:
                raise
            self._in_a_row += 1
            return Reply(None)
        self._in_a_row = 0
        return reply
