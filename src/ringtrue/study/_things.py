"""What a study asks about and whom: given when it is opened, never written to the journal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringtrue.core import Batch, InvalidInput, Item, Model, Pool, Record, Responder, Space
from ringtrue.study._contents import Contents


class Things:
    """The pool, the space and the model of a study; any may be absent when a study is only read."""

    def __init__(self, pool: Pool | None, space: Space | None, model: Model | None) -> None:
        self.pool = pool
        self.space = space
        self.model = model
        self._contents: dict[Responder, Contents] = {}

    def contents(self, responder: Responder) -> Contents:
        """The rows for queries to this responder; a model that is paid for its answers is not asked beforehand."""
        if responder not in self._contents:
            model = self.model if responder == "oracle" else None
            self._contents[responder] = Contents(self.need_pool(), model)
        return self._contents[responder]

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
