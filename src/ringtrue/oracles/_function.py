"""An oracle that is a function of one item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Query, Reply, is_missing, plain


class FunctionOracle:
    """A function that gets an item's values and returns its label, a Reply, or None if it cannot tell.

    What it raises comes through as it is. `rater` names who answered, where a Reply does not.
    """

    one_by_one = True
    """Each item is a call of its own, so that a study may keep what came before one that fails."""

    def __init__(self, function: Callable[[dict[str, Any]], Any], *, rater: str | None = None) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of an item's values")
        self.function = function
        self.rater = rater

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """What the function says of these items, in their order."""
        return [self._reply(query) for query in queries]

    def _reply(self, query: Query) -> Reply:
        said = self.function({name: _python(value) for name, value in query.item.values.items()})
        reply = said if isinstance(said, Reply) else Reply(plain(said))
        if reply.value is not None and is_missing(reply.value):
            raise InvalidInput(
                f"the oracle answered {reply.value!r} for item {query.item.id!r}: return a label, "
                "or None if it cannot tell"
            )
        return reply if reply.rater is not None else reply._replace(rater=self.rater)


def _python(value: Any) -> Any:
    """Numpy's scalars as Python's own, as a function's author expects them."""
    return value.tolist() if hasattr(value, "tolist") else value
