"""What is drawn and what is in it: items, their hashes and the model's answers, fetched in blocks where possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ringtrue.core import NOTHING, Batch, Draw, InvalidInput, Item, Json, Policy, Pool, View
from ringtrue.stats import check_draw
from ringtrue.study._breaker import persist

BLOCK = 64
"""Rows fetched at a time when a policy can tell what comes next: one model call serves as many queries."""


Beside: TypeAlias = Callable[[Batch], Sequence[tuple[Json, Mapping[str, Json]]]]
"""What stands beside each item of a batch: what the model says of it, and what else is known of it."""


class Content(NamedTuple):
    """One item: what it holds, its hash, what the model says of it, and what else is known of it."""

    item: Item
    digest: str
    said: Json
    known: Mapping[str, Json]


Drawn: TypeAlias = list[tuple[Draw, Content]]


class Drawer:
    """Draws rows of a pool by a policy and fetches their content, ahead of time where the policy foresees.

    A study asks one item at a time, but a model answers a batch at little more than the price of one row, and a file
    is read block by block. What was drawn ahead is used as long as the study has gone on as foreseen: nobody else
    asked anything meanwhile. Otherwise it is forgotten and drawn anew.
    """

    def __init__(self, policy: Policy, pool: Pool, beside: Beside | None) -> None:
        self._policy = policy
        self._pool = pool
        self._beside = beside
        self._ahead: deque[tuple[Draw, Content]] = deque()
        self._foreseen = (-1, -1)
        self._brought: dict[int | None, Content] = {}

    def draw(self, view: View, n: int, most: int | None) -> Drawn:
        """At most `n` draws with their content. No more than `most` rows are fetched: nobody could pay for more."""
        place = (view.step, len(view.asked))
        if place != self._foreseen or len(self._ahead) < n:
            self._ahead.clear()
            block = BLOCK if most is None else min(BLOCK, most)
            if n < block and getattr(self._policy, "foresees", False):
                self._fetch_ahead(self._propose(view, block))
        if not self._ahead:
            return self._fetch(self._propose(view, n))
        self._foreseen = (-1, -1)  # until all are taken: an interrupt in between must not leave a shortened queue
        drawn = [self._ahead.popleft() for _ in range(min(n, len(self._ahead)))]
        self._foreseen = (place[0] + len(drawn), place[1] + len(drawn))
        return drawn

    def _propose(self, view: View, n: int) -> list[Draw]:
        draws = self._policy.propose(view, n)
        rows = {draw.row for draw in draws}
        again = getattr(self._policy, "asks_again", False)
        if None in rows or len(rows) < len(draws) or not (again or view.asked.isdisjoint(rows)):
            raise InvalidInput(f"policy {self._policy.name!r} proposed a row twice or none: ask each row once")
        left = view.size - len(view.asked)
        for draw in draws:
            if draw.row not in view.asked:
                check_draw(draw.probability, draw.floor, left)
                left -= 1
        return draws

    def _fetch_ahead(self, draws: list[Draw]) -> None:
        """Bring what will be needed soon. What fails now is tried again, and told, when it is needed.

        What was brought before is not brought again, although other processes on the study shift what comes next.
        """
        missing = [draw for draw in draws if draw.row not in self._brought]
        try:
            fresh = contents_of(self._take(missing), self._beside) if missing else []
        except Exception:
            self._brought = {}
            return
        known = self._brought | {draw.row: content for draw, content in zip(missing, fresh, strict=True)}
        self._brought = {draw.row: known[draw.row] for draw in draws}
        self._ahead.extend((draw, known[draw.row]) for draw in draws)

    def _fetch(self, draws: list[Draw]) -> Drawn:
        if not draws:
            return []
        batch = self._take(draws)
        return list(zip(draws, persist("model", lambda: contents_of(batch, self._beside)), strict=True))

    def _take(self, draws: Sequence[Draw]) -> Batch:
        return self._pool.take([draw.row for draw in draws if draw.row is not None])


def contents_of(batch: Batch, beside: Beside | None) -> list[Content]:
    """A batch as contents, with one call for all that stands beside it."""
    told = [(None, NOTHING)] * len(batch) if beside is None else beside(batch)
    return [Content(item, mark, *parts) for item, mark, parts in zip(batch, batch.digests(), told, strict=True)]
