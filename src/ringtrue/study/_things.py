"""What a study asks about and whom: pool, space and model, and the draws from a pool with what stands beside them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import (
    Batch,
    Draw,
    InvalidInput,
    Item,
    Json,
    Model,
    Policy,
    Pool,
    Question,
    Record,
    Space,
    View,
)
from ringtrue.models import as_model
from ringtrue.pools import read_pool
from ringtrue.stats import check_draw
from ringtrue.study._calls import persist

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
    is read block by block. What was drawn ahead is used as long as the study has gone on as foreseen: no other
    process asked anything meanwhile. Otherwise it is forgotten and drawn anew.
    """

    def __init__(self, policy: Policy, pool: Pool, beside: Beside) -> None:
        self._policy = policy
        self._pool = pool
        self._beside = beside
        self._ahead: deque[tuple[Draw, Content]] = deque()
        self._foreseen = (-1, -1)
        self._brought: dict[int | None, Content] = {}

    def draw(self, view: View, n: int, most: int | None) -> Drawn:
        """Return at most `n` draws with their content; `most` is how many rows the budget has room for."""
        place = (view.step, len(view.asked))
        if place != self._foreseen or len(self._ahead) < n:
            self._ahead.clear()
            block = BLOCK if most is None else min(BLOCK, most)
            if n < block and self._policy.foresees:
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
        if None in rows or len(rows) < len(draws) or not (self._policy.asks_again or view.asked.isdisjoint(rows)):
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
            fresh = self._contents(self._take(missing)) if missing else []
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
        return list(zip(draws, persist("model", lambda: self._contents(batch)), strict=True))

    def _contents(self, batch: Batch) -> list[Content]:
        return contents_of(batch, self._beside(batch))

    def _take(self, draws: Sequence[Draw]) -> Batch:
        return self._pool.take([draw.row for draw in draws if draw.row is not None])


def contents_of(batch: Batch, told: Sequence[tuple[Json, Mapping[str, Json]]]) -> list[Content]:
    """Return a batch as contents, with what stands beside each item."""
    return [Content(item, mark, *parts) for item, mark, parts in zip(batch, batch.digests(), told, strict=True)]


class Things:
    """The pool, the space and the model of a study; any may be absent when a study is only read."""

    def __init__(self, pool: Pool | None, space: Space | None, model: Model | None) -> None:
        self.pool = pool
        self.space = space
        self.model = model
        self._drawers: dict[str, Drawer] = {}

    @classmethod
    def of(cls, pool: Any, space: Space | None, model: Any) -> Things:
        """Return what a user gives as things: a pool may be a file or a dataframe, a model a column or a function."""
        items, asked = None if pool is None else read_pool(pool), None if model is None else as_model(model)
        if asked is not None and items is not None:
            asked = asked.without(items.id_column)
        return cls(items, space, asked)

    def drawer(self, question: Question) -> Drawer:
        """Return the drawer of a question."""
        if question.name not in self._drawers:
            self._drawers[question.name] = Drawer(question.policy, self.need_pool(), self.beside(question))
        return self._drawers[question.name]

    def free_model(self, question: Question) -> Model | None:
        """Return the model, unless the question pays for its answers: then it is not asked beforehand."""
        return self.model if question.responder == "oracle" else None

    def beside(self, question: Question) -> Beside:
        """Return what tells what is kept with each query."""
        model = self.free_model(question)
        return lambda batch: question.known(batch, model)

    def items(self, records: Sequence[Record]) -> list[Item]:
        """Return the items of some records, in order."""
        rows = [record.row for record in records if record.row is not None]
        from_pool = iter(self.need_pool().take(rows)) if rows else iter(())
        return [next(from_pool) if record.point is None else self.need_space().item(record.point) for record in records]

    def need_pool(self) -> Pool:
        if self.pool is None:
            raise InvalidInput("this study was opened without its pool: give pool=… to Study.open")
        return self.pool

    def need_space(self) -> Space:
        if self.space is None:
            raise InvalidInput(
                "this study was opened without the question that brings its space: give it to Study.open(questions=[…])"
            )
        return self.space


def batch_of(items: Sequence[Item]) -> Batch:
    """Return items as one batch for the model."""
    names = list(items[0].values) if items else []
    return Batch([item.id for item in items], {name: _column([item.values[name] for item in items]) for name in names})


def shown_to_model(batch: Batch, space: Space) -> Batch:
    """Return a batch without what only the oracle is told, such as which output it is asked about."""
    if not space.hidden:
        return batch
    return Batch(batch.ids, {name: column for name, column in batch.columns.items() if name not in space.hidden})


def _column(cells: list[Any]) -> NDArray[Any]:
    """Return cells as an array that gives each back as it was: numbers stay numbers, and lists may differ in length."""
    kinds = {type(cell) for cell in cells}
    if len(kinds) == 1 and kinds <= {bool, int, float, np.ndarray}:
        try:
            return np.array(cells)
        except ValueError:  # arrays of unequal shapes
            pass
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column
