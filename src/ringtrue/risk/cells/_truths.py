"""Who says what is right in a cell without a labelled point: somebody named, and never the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid, Ints
from ringtrue.risk.cells._assembly import Truth


class Says(Protocol):
    """Somebody who says what is right in cells.

    `error` bounds the share of the operation he speaks of in which he is wrong; it widens the interval on both sides.
    """

    @property
    def error(self) -> float: ...

    def __str__(self) -> str:
        """His name, as an assumption tells it."""
        ...

    def say(self, grid: Grid, cells: Ints, classes: Sequence[Any]) -> Truth:
        """The place of the class of each cell, EMPTY where he does not know."""
        ...


def refuse_own_vote(truth: Says, model: Any) -> None:
    """Refuse the model under test as the one who says what is right."""
    sayers, judged = ({id(one) for one in _behind(who)} for who in (getattr(truth, "predict", truth), model))
    if sayers & judged:
        raise InvalidInput(
            f"truth={truth} is the model under test, which cannot say whether it is right: ask somebody else, "
            'or use mode="self-consistency"'
        )


def _behind(who: Any) -> list[Any]:
    """A function and the object whose method it is: `model` and `model.predict` are one model."""
    owner = getattr(who, "__self__", None)
    return [who] if owner is None else [who, owner]
