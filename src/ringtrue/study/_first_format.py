"""What stood beside an item in the first format of a study, in one value, taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ringtrue.core import NOTHING, Json, Prediction

_TOLD = frozenset({"probabilities", "votes"})
"""What a model told beside its label, or in its place."""

_NOTED = frozenset({"share", "slice_shares"})
"""What the policies of `changed` noted of a draw, the one question that knows something of its items by itself."""


class Parts(NamedTuple):
    """What `predicted` held in format 1, part by part; see `Record`."""

    said: Json
    known: Mapping[str, Any]
    prediction: Prediction | None
    note: Mapping[str, Any]


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
