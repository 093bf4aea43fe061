"""What a study asks about and whom: given when it is opened, never written to the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput, Item, Knows, Model, Pool, Question, Record, Space, said_and_known
from ringtrue.models import HttpModel, as_model
from ringtrue.pools import read_pool
from ringtrue.study._contents import Beside, Drawer


class Things:
    """The pool, the space and the model of a study; any may be absent when a study is only read."""

    def __init__(self, pool: Pool | None, space: Space | None, model: Model | None) -> None:
        self.pool = pool
        self.space = space
        self.model = model
        self._drawers: dict[str, Drawer] = {}

    @classmethod
    def of(cls, pool: Any, space: Space | None, model: Any) -> Things:
        """What a user gives: a pool may be a file or a dataframe, a model a column, a function or an estimator."""
        items, asked = None if pool is None else read_pool(pool), None if model is None else as_model(model)
        if isinstance(asked, HttpModel):
            asked = asked.without(getattr(items, "id_column", None))
        return cls(items, space, asked)

    def drawer(self, question: Question) -> Drawer:
        """What draws for a question."""
        if question.name not in self._drawers:
            self._drawers[question.name] = Drawer(question.policy, self.need_pool(), self.beside(question))
        return self._drawers[question.name]

    def free_model(self, question: Question) -> Model | None:
        """The model, unless the question pays for its answers: then it is not asked beforehand."""
        return self.model if question.responder == "oracle" else None

    def beside(self, question: Question) -> Beside | None:
        """What is kept with each query: what the question knows of the item, or else what the model says."""
        if isinstance(question, Knows):
            return lambda batch: [(None, known) for known in question.known(batch)]
        model = self.free_model(question)
        return None if model is None else lambda batch: list(map(said_and_known, model.answer(batch).values()))

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
    return Batch([item.id for item in items], {name: _column([item.values[name] for item in items]) for name in names})


def shown_to_model(batch: Batch, space: Space) -> Batch:
    """A batch without what only the oracle is told, such as which output it is asked about."""
    hidden = getattr(space, "hidden", ())
    if not hidden:
        return batch
    return Batch(batch.ids, {name: column for name, column in batch.columns.items() if name not in hidden})


def _column(cells: list[Any]) -> NDArray[Any]:
    """Cells as an array that gives each back as it was: numbers stay numbers, and lists may differ in length."""
    kinds = {type(cell) for cell in cells}
    if len(kinds) == 1 and kinds <= {bool, int, float, np.ndarray}:
        try:
            return np.array(cells)
        except ValueError:  # arrays of unequal shapes
            pass
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column
