"""An oracle that measures how far the model is from the gold standard, by the user's own measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Item, Json, Oracle, Query, Reply, count, label_of, plain
from ringtrue.oracles._read import as_oracle


class DeviationOracle:
    """Asks the gold standard and tells `deviation(model's answer, gold's answer)`, a number or a list of numbers.

    It replies `{"deviation": …, "gold": …}`: what was paid for is kept beside what was made of it. Where the gold
    standard cannot tell, neither can this.

    >>> from decimal import Decimal
    >>> oracle = DeviationOracle(lambda values: values["x"] ** 2, lambda model, gold: abs(model - gold))
    >>> query = Query("q", "worst", "oracle", Item("a", {"x": 3.0}), Decimal(1), None, predicted=8.0)
    >>> oracle.answer([query])[0].value
    {'deviation': 1.0, 'gold': 9.0}
    """

    def __init__(self, gold: Any, deviation: Callable[[Any, Any], Any]) -> None:
        if not callable(deviation):
            raise InvalidInput(f"deviation={deviation!r} cannot be called: give a function of two answers")
        self.gold: Oracle = as_oracle(gold)
        self.deviation = deviation

    @property
    def one_by_one(self) -> bool:
        """Whether the gold standard answers each item by itself."""
        return bool(getattr(self.gold, "one_by_one", False))

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """How far the model is off at these items, in their order."""
        replies = self.gold.answer(queries)
        if len(replies) != len(queries):
            raise InvalidInput(
                f"the gold standard gave {count(len(replies), 'reply')} to {count(len(queries), 'query')}: give one "
                "each, in order"
            )
        return [self._measured(query, reply) for query, reply in zip(queries, replies, strict=True)]

    def _measured(self, query: Query, reply: Reply) -> Reply:
        if reply.value is None:
            return reply
        if query.predicted is None:
            raise InvalidInput(f"item {query.item.id!r} has no model's answer to compare with: give the study a model")
        measured = self.deviation(label_of(query.predicted), reply.value)
        return reply._replace(value={"deviation": _checked(plain(measured), query.item), "gold": plain(reply.value)})


def _checked(value: Json, item: Item) -> Json:
    """The deviation as finite numbers; true and false are 1 and 0."""
    told = value if isinstance(value, list) else [value]
    numbers: list[Json] = [float(one) for one in told if isinstance(one, int | float) and math.isfinite(one)]
    if not numbers or len(numbers) < len(told):
        raise InvalidInput(f"deviation={value!r} of item {item.id!r} is not finite: return a number, or a list of them")
    return numbers if isinstance(value, list) else numbers[0]
