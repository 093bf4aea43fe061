"""How queries stand in a journal, today and in earlier versions: events that are written stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ringtrue.core import NOTHING, Draw, Json, Prediction

FORMAT = 2
"""Of the events of a new study. In format 1 all that stood beside an item was one value, `predicted`."""

ASKED, ASKED_BEFORE = "asked2", "asked"
"""The event that asks, in formats 2 and 1. A version that knows format 1 alone says of the other: upgrade ringtrue."""

_NOTED = frozenset({
    *("profile", "stratum", "items", "place", "strata", "span"),  # by risk
    *("phase", "promise", "probability", "fills", "task", "threshold", "place"),  # by worst
    *("share", "slice_shares"),  # by changed
    "random",  # by blind
})  # fmt: skip
"""What policies noted of a draw in format 1."""

_TOLD = frozenset({"probabilities", "votes"})
"""What a model told beside its label in format 1."""


class Beside(NamedTuple):
    """What stands beside an item that is asked about; see `Record`."""

    said: Json
    known: Mapping[str, Any]
    prediction: Prediction | None
    note: Mapping[str, Any]


def to_cells(draw: Draw, item: str, digest: str, said: Json, known: Mapping[str, Any]) -> list[Any]:
    """Return a query as an event holds it: a list of ten cells, with None where there is nothing.

    Args:
        draw: what the policy proposed.
        item: the item's id.
        digest: the hash of its content.
        said: what the model said of it.
        known: what else was known of it.
    """
    asked = [draw.row, draw.point, item, digest, draw.probability, draw.floor]
    return [*asked, said, dict(known) or None, draw.prediction, dict(draw.note) or None]


def cells_before(query: Sequence[Any]) -> list[Any]:
    """Return the cells of a query of format 1 as they stand today."""
    return [*query[:6], *parted(query[6])]


def parted(predicted: Json) -> Beside:
    """Part what format 1 kept in one value: the model's answer or what the question knew, with the policy's note in it.

    What a question of an outsider noted is told from what it knew by the model's label: either it knew something, or
    the label was kept.

    >>> parted({"label": "cat", "phase": "search", "place": 3})
    Beside(said='cat', known={}, prediction=None, note={'phase': 'search', 'place': 3})
    >>> parted({"old": "dog", "share": 0.5})
    Beside(said=None, known={'old': 'dog'}, prediction=None, note={'share': 0.5})
    """
    if not isinstance(predicted, dict):
        return Beside(predicted, NOTHING, None, NOTHING)
    left: dict[str, Any] = dict(predicted)
    prediction = None
    if left.keys() >= set(Prediction._fields):
        prediction = Prediction(*(left.pop(name) for name in Prediction._fields))
    knew, said = "label" not in left, left.pop("label", None)
    known = {name: left.pop(name) for name in list(left) if name in _TOLD or (knew and name not in _NOTED)}
    return Beside(said, known, prediction, left)
