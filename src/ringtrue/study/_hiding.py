"""What an oracle is not shown: what the model says of an item would sway whoever is to judge it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ringtrue.core import InvalidInput, Item, Model, Oracle, Query, Question, Reply
from ringtrue.oracles import ColumnOracle


def model_columns(model: Model | None, questions: Iterable[Question]) -> frozenset[str]:
    """The columns of the pool that say what the model thinks: its stored answers, and its confidence in them."""
    stored: Sequence[str] = getattr(model, "stored_in", ())
    return frozenset([*stored, *(name for one in questions for name in getattr(one, "told_by_model", ()))])


def unswayed(oracle: Oracle, hidden: frozenset[str]) -> Oracle:
    """An oracle that does not see these columns; one that is a column itself has nothing to be swayed in."""
    return Unswayed(oracle, hidden) if hidden and not isinstance(oracle, ColumnOracle) else oracle


def without(query: Query, hidden: frozenset[str]) -> Query:
    """A query whose item lacks these columns."""
    values = {name: value for name, value in query.item.values.items() if name not in hidden}
    return query._replace(item=Item(query.item.id, values))


@dataclass(frozen=True, slots=True)
class Unswayed:
    """An oracle that is shown its items without some columns."""

    oracle: Oracle
    hidden: frozenset[str]

    @property
    def one_by_one(self) -> bool:
        """Whether the oracle answers each item by itself."""
        return bool(getattr(self.oracle, "one_by_one", False))

    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]:
        """What the oracle says of these items, in their order."""
        try:
            return self.oracle.answer([without(query, self.hidden) for query in queries])
        except KeyError as error:
            missing = next(iter(error.args), None)
            if not isinstance(missing, str) or missing not in self.hidden:
                raise
            raise InvalidInput(
                f"the oracle looks at the column {missing!r}, which says what the model thinks and is hidden from it: "
                "leave it out, or show it with show_model=True (--show-model)"
            ) from None
