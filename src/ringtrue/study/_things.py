"""What a study asks about and whom: given when it is opened, never written to the journal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringtrue.core import Batch, InvalidInput, Item, Model, Pool, Question, Record, Space
from ringtrue.study._contents import Drawer


class Things:
    """The pool, the space and the model of a study; any may be absent when a study is only read."""

    def __init__(self, pool: Pool | None, space: Space | None, model: Model | None) -> None:
        self.pool = pool
        self.space = space
        self.model = model
        self._drawers: dict[str, Drawer] = {}

    def drawer(self, question: Question) -> Drawer:
        """What draws for a question; a model that is paid for its answers is not asked beforehand."""
        if question.name not in self._drawers:
            model = self.model if question.responder == "oracle" else None
            self._drawers[question.name] = Drawer(question.policy, self.need_pool(), model)
        return self._drawers[question.name]

    def items(self, records: Sequence[Record]) -> list[Item]:
        """The items of some records, in order."""
        rows = [record.row for record in records if record.row is not None]
        from_pool = iter(self.need_pool().take(rows)) if rows else iter(())
        return [next(from_pool) if record.point is None else self.need_space().item(record.point) for record in records]

    def need_pool(self) -> Pool:
        if self.pool is None:
            raise InvalidInput("this study was opened without its pool: give pool=… to Study.open")
        return self.pool

    def need_space(self) -> Space:
        if self.space is None:
            raise InvalidInput("this study was opened without its space: give space=… to Study.open")
        return self.space


def batch_of(items: Sequence[Item]) -> Batch:
    """Items as one batch for the model."""
    names = list(items[0].values) if items else []
    return Batch([item.id for item in items], {name: np.array([item.values[name] for item in items]) for name in names})
