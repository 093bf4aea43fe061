"""How queries stand in a journal, today and in earlier versions: events that are written stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.core import NOTHING, Draw, Json, Prediction

if TYPE_CHECKING:
    from ringtrue.study._things import Content

FORMAT = 2
"""Of the events of a new study. In format 1 all that stood beside an item was one value, `predicted`."""

ASKED, ASKED_BEFORE = "asked2", "asked"
"""The event that asks, in formats 2 and 1. A version that knows format 1 alone says of the other: upgrade ringtrue."""

_TOLD = frozenset({"probabilities", "votes"})
"""What a model told beside its label, or in its place."""

_NOTED = frozenset({"share", "slice_shares"})
"""What the policies of `changed` noted of a draw, the one question that knows something of its items by itself."""


class Parts(NamedTuple):
    """What `predicted` held, part by part; see `Record`."""

    said: Json
    known: Mapping[str, Any]
    prediction: Prediction | None
    note: Mapping[str, Any]


def to_cells(draw: Draw, content: Content) -> list[Any]:
    """Return a query as an event holds it: a list of ten cells, with None where there is nothing."""
    item, digest, said, known = content
    asked = [draw.row, draw.point, item.id, digest, draw.probability, draw.floor]
    return [*asked, said, dict(known) or None, draw.prediction, dict(draw.note) or None]


def cells_before(query: Sequence[Any]) -> list[Any]:
    """Return the cells of a query of format 1 as they stand today."""
    return [*query[:6], *split_predicted(query[6])]


def split_predicted(predicted: Json) -> Parts:
    """Split what format 1 kept in one value: the model's answer or what the question knew, and the policy's note.

    Beside a label or votes, which a model gave, all else is the note. Where a question of an outsider knew its items,
    what its policy noted of a draw cannot be told from that, and is found in `known`.

    >>> split_predicted({"label": "cat", "phase": "search", "place": 3})
    Parts(said='cat', known={}, prediction=None, note={'phase': 'search', 'place': 3})
    >>> split_predicted({"old": "dog", "share": 0.5})
    Parts(said=None, known={'old': 'dog'}, prediction=None, note={'share': 0.5})
    """
    if not isinstance(predicted, dict):
        return Parts(predicted, NOTHING, None, NOTHING)
    left: dict[str, Any] = dict(predicted)
    prediction = None
    if left.keys() >= set(Prediction._fields):
        prediction = Prediction(*(left.pop(name) for name in Prediction._fields))
    by_question = "label" not in left and "votes" not in left
    said = left.pop("label", None)
    known = {name: left.pop(name) for name in list(left) if name in _TOLD or (by_question and name not in _NOTED)}
    return Parts(said, known, prediction, left)
