"""Oracles that answer in this process: a column, a function, and how far a model is from either."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ringtrue.core import Argument, InvalidInput, Item, Json, Oracle, Query, Reply, count, is_missing, meant, plain


def as_oracle(oracle: Any) -> Oracle:
    """Make an oracle of a column's name or of a function of an item's values; an oracle stays as it is.

    >>> as_oracle("truth").column
    'truth'
    """
    if isinstance(oracle, type):
        raise InvalidInput(f"oracle={oracle.__name__} is a class: give an instance, as in {oracle.__name__}()")
    if isinstance(oracle, str):
        return ColumnOracle(oracle)
    if isinstance(oracle, Oracle):
        return oracle
    if hasattr(oracle, "answer"):
        return GivenOracle(oracle)
    if callable(oracle):
        return FunctionOracle(oracle)
    raise InvalidInput(
        f"oracle={type(oracle).__name__} is not an oracle: give a column's name, or a function of an item's values"
    )


class GivenOracle(Oracle):
    """An oracle of the user's own, with `answer`."""

    def __init__(self, oracle: Any) -> None:
        self.oracle, self.one_by_one = oracle, bool(getattr(oracle, "one_by_one", False))

    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]:
        """Return what the oracle replies."""
        replies: Sequence[Reply] = self.oracle.answer(queries)
        return replies


class OneByOne(Oracle):
    """An oracle that is asked about one item at a time."""

    one_by_one = True

    @abstractmethod
    def reply(self, query: Query) -> Reply:
        """Return what is known of an item."""

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what is known of these items, in their order."""
        return [self.reply(query) for query in queries]


class ColumnOracle(OneByOne):
    """The truth in a column of the pool."""

    impartial, one_by_one = True, False

    def __init__(self, column: str) -> None:
        if not column:
            raise InvalidInput(Argument("oracle", column), " names no column: give the column that holds the truth")
        self.column = column

    def reply(self, query: Query) -> Reply:
        """Return the truth about an item."""
        item = query.item
        if self.column not in item.values:
            there = list(item.values)
            raise InvalidInput(
                f"there is no column {self.column!r} to read the truth from{meant(self.column, there)} columns: "
                f"{', '.join(there)}"
            )
        value = item.values[self.column]
        if is_missing(value):
            raise InvalidInput(
                f"item {item.id!r} has no truth in column {self.column!r}: fill it in, or remove the item"
            )
        return Reply(plain(value))


class FunctionOracle(OneByOne):
    """A function that gets an item's values and returns its label, a Reply, or None if it cannot tell.

    What it raises comes through as it is. `rater` names who answered, where a Reply does not.
    """

    def __init__(self, function: Callable[[dict[str, Any]], Any], *, rater: str | None = None) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of an item's values")
        self.function = function
        self.rater = rater

    def reply(self, query: Query) -> Reply:
        """Return what the function says of an item."""
        values = query.item.values.items()  # with numpy's scalars as Python's own, as a function's author expects them
        said = self.function({name: cell.tolist() if hasattr(cell, "tolist") else cell for name, cell in values})
        reply = said if isinstance(said, Reply) else Reply(plain(said))
        if reply.value is not None and is_missing(reply.value):
            raise InvalidInput(
                f"the oracle answered {reply.value!r} for item {query.item.id!r}: return a label, "
                "or None if it cannot tell"
            )
        return reply if reply.rater is not None else reply._replace(rater=self.rater)


class DeviationOracle(Oracle):
    """The gold standard's answer compared with the model's: `deviation(model's answer, gold's answer)`.

    The deviation is a number or a list of numbers, by the user's own measure. A reply is `{"deviation": …, "gold": …}`:
    the answer that was paid for is kept beside the number that was made of it. Where the gold standard cannot tell,
    neither can this oracle.

    >>> from decimal import Decimal
    >>> oracle = DeviationOracle(lambda values: values["x"] ** 2, lambda model, gold: abs(model - gold))
    >>> query = Query("q", "worst", "oracle", Item("a", {"x": 3.0}), Decimal(1), None, said=8.0)
    >>> oracle.answer([query])[0].value
    {'deviation': 1.0, 'gold': 9.0}
    """

    def __init__(self, gold: Any, deviation: Callable[[Any, Any], Any]) -> None:
        if not callable(deviation):
            raise InvalidInput(f"deviation={deviation!r} cannot be called: give a function of two answers")
        self.gold: Oracle = as_oracle(gold)
        self.one_by_one = self.gold.one_by_one
        self.deviation = deviation

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return how far the model is off at these items, in their order."""
        replies = self.gold.answer(queries)
        if len(replies) != len(queries):
            raise InvalidInput(
                f"the gold standard gave {count(len(replies), 'reply')} to {count(len(queries), 'query')}: give one "
                "each, in order"
            )
        return [self._measured(query, reply) for query, reply in zip(queries, replies, strict=True)]

    def close(self) -> None:
        """Close the gold standard."""
        self.gold.close()

    def _measured(self, query: Query, reply: Reply) -> Reply:
        if reply.value is None:
            return reply
        if query.said is None:
            raise InvalidInput(f"item {query.item.id!r} has no model's answer to compare with: give the study a model")
        if isinstance(reply.value, dict) and "set" in reply.value:
            raise InvalidInput(
                f"item {query.item.id!r} was set otherwise than asked, and a deviation of your own compares with what "
                'the model says where it was asked: leave "set" out, or use another deviation'
            )
        measured = self.deviation(query.said, reply.value)
        return reply._replace(value={"deviation": _checked(plain(measured), query.item), "gold": plain(reply.value)})


def _checked(value: Json, item: Item) -> Json:
    """Return the deviation as finite numbers; true and false are 1 and 0."""
    told = value if isinstance(value, list) else [value]
    numbers: list[Json] = [float(one) for one in told if isinstance(one, int | float) and math.isfinite(one)]
    if not numbers or len(numbers) < len(told):
        raise InvalidInput(f"deviation={value!r} of item {item.id!r} is not finite: return a number, or a list of them")
    return numbers if isinstance(value, list) else numbers[0]
