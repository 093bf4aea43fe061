"""What a study asks about, and whom: pool, space and model, and an oracle that is not shown what would sway it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import (
    Argument,
    Batch,
    InvalidInput,
    Item,
    Json,
    Model,
    Oracle,
    Pool,
    Query,
    Question,
    Record,
    Reply,
    Space,
)
from ringtrue.models import as_model
from ringtrue.oracles import as_oracle
from ringtrue.pools import read_pool


class Things:
    """The pool, the space and the model of a study; any may be absent when a study is only read."""

    def __init__(self, pool: Pool | None, space: Space | None, model: Model | None) -> None:
        self.pool = pool
        self.space = space
        self.model = model

    @classmethod
    def of(cls, pool: Any, space: Space | None, model: Any) -> Things:
        """Return what a user gives as things: a pool may be a file or a dataframe, a model a column or a function."""
        items, asked = None if pool is None else read_pool(pool), None if model is None else as_model(model)
        if asked is not None and items is not None:
            asked = asked.without(items.id_column)
        return cls(items, space, asked)

    def free_model(self, question: Question) -> Model | None:
        """Return the model, unless the question pays for its answers: then it is not asked beforehand."""
        return self.model if question.responder == "oracle" else None

    def items(self, records: Sequence[Record]) -> list[Item]:
        """Return the items of some records, in order."""
        rows = [record.row for record in records if record.row is not None]
        from_pool = iter(self.need_pool().take(rows)) if rows else iter(())
        return [next(from_pool) if record.point is None else self.need_space().item(record.point) for record in records]

    def said_at(self, question: Question, point: tuple[float, ...]) -> Json:
        """Return what the model says at a point that was set otherwise than asked, to compare an answer with."""
        model, space = self.free_model(question), self.need_space()
        if model is None:
            raise InvalidInput(
                "set otherwise than asked, so that the model must be asked there: open the study with its model=…"
            )
        try:
            [(said, _)] = question.known(shown_to_model(batch_of([space.item(point)]), space), model)
        except InvalidInput:
            raise
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise InvalidInput(
                f"set otherwise than asked, where the model cannot be asked ({why}): mend it, and tell the answer again"
            ) from error
        question.check_model(said)
        return said

    def hidden(self, questions: Iterable[Question], show_model: bool) -> frozenset[str]:
        """Return the columns that an oracle is not shown.

        They are the model's stored answers, its confidence in them, and what the pool hides. With `show_model`, none is
        hidden where what the pool hides are the model's answers, and else only that.
        """
        stored = () if self.model is None else self.model.stored_in
        told = frozenset([*stored, *(name for one in questions for name in one.told_by_model)])
        own = frozenset(() if self.pool is None else self.pool.hidden)
        if show_model:
            return own if own.isdisjoint(told) else frozenset()
        return own | told

    @property
    def id_column(self) -> str | None:
        """The column that names the items of the pool, if one does."""
        return None if self.pool is None else self.pool.id_column

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


def without(query: Query, hidden: frozenset[str], id_column: str | None) -> Query:
    """Return a query whose item lacks these columns; without the column of ids, the item has the id of the query."""
    values = {name: value for name, value in query.item.values.items() if name not in hidden}
    return query._replace(item=Item(query.id if id_column in hidden else query.item.id, values))


class Unswayed(Oracle):
    """An oracle that is shown its items without some columns."""

    def __init__(self, oracle: Oracle, hidden: frozenset[str], id_column: str | None = None) -> None:
        self.oracle, self.hidden, self.one_by_one = oracle, hidden, oracle.one_by_one
        self._id_column = id_column

    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]:
        """Return what the oracle says of these items, in their order."""
        try:
            return self.oracle.answer([without(query, self.hidden, self._id_column) for query in queries])
        except KeyError as error:
            missing = next(iter(error.args), None)
            if not isinstance(missing, str) or missing not in self.hidden:
                raise
            raise InvalidInput(
                f"the oracle looks at the column {missing!r}, which is hidden since it would sway it: leave it out, "
                "name it as the oracle, or show what the model says with show_model=True (--show-model)"
            ) from None


class ModelResponder(Oracle):
    """The model under test in the place of the oracle, for questions that pay for its answers."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the model says of these items, in their order."""
        values = self.model.answer(batch_of([query.item for query in queries])).values()
        return [Reply(value) for value in values]


def responder_of(question: Question, things: Things, oracle: Any, hidden: frozenset[str]) -> Oracle:
    """Return the responder of this question: the model of the study, or the oracle, which does not see some columns.

    An oracle that is a column itself has nothing to be swayed in.
    """
    if question.responder == "oracle":
        pool = things.pool
        if isinstance(oracle, str) and pool is not None and oracle not in pool.columns:
            names = ", ".join(pool.columns)
            raise InvalidInput(Argument("oracle", oracle), f" is not a column of {pool.name}: name one of {names}")
        found = as_oracle(oracle)
        return Unswayed(found, hidden, things.id_column) if hidden and not found.impartial else found
    if things.model is None:
        raise InvalidInput(f"question {question.name!r} pays for model answers: open the study with its model")
    return ModelResponder(things.model)
