"""What a hunt after the other goal would have asked, by all that the answers taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._policy import field_of, history_of
from ringtrue.blind._scope import scope_of
from ringtrue.blind.searches import GOALS, HedgedChooser
from ringtrue.core import Json, Record

AFTER = {"errors": "most errors", "excess": "most errors beyond those admitted"}
"""The goals in words."""


def other_goal(
    goal: str | None, records: Sequence[Record], scores: Mapping[str, NDArray[Any]], seed: int
) -> dict[str, Json] | None:
    """Return what is to be expected of as many items, chosen for the other goal with hindsight.

    None where the search has no goal, and where nothing is answered. The numbers are expectations of the search, from
    the answers it has; nothing is claimed with them.
    """
    rows = scope_of(scores)
    history = history_of(records, rows, frozenset())
    asked = history.asked
    if goal is None or not len(asked):
        return None
    other = next(name for name in GOALS if name != goal)
    field = field_of(scores, seed)
    doubt = 1 - field.confidence
    chooser = HedgedChooser(field, GOALS[goal])
    chances = chooser.chances(history)
    chances[asked] = history.wrong
    best = np.argsort(-GOALS[other].worth(chances, doubt, chooser.trusted), kind="stable")[: len(asked)]
    return {
        "goal": other,
        "answers": len(asked),
        "errors": float(chances[best].sum()),
        "expected": float(doubt[best].sum()),
        "confidence": float(field.confidence[best].mean()),
        "own_confidence": float(field.confidence[asked].mean()),
    }
