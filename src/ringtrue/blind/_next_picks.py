"""What a hunt would pick next, by its own goal and by the other one, and what its answers foretell there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._policy import field_of, history_of
from ringtrue.blind._scope import scope_of
from ringtrue.blind.searches import GOALS, HedgedChooser
from ringtrue.core import Json, Record
from ringtrue.stats import one_thread

AFTER = {"errors": "most errors", "excess": "most errors beyond those admitted"}
"""The goals in words."""

MOST = 50
"""The most picks that are told of. What is foretold of many, of which none is answered, helps nobody."""


@one_thread
def next_picks(
    goal: str | None, records: Sequence[Record], scores: Mapping[str, NDArray[Any]], seed: int
) -> list[Json] | None:
    """Return what is known of as many picks as there are answers, made at once: by this goal, and by the other.

    None where the search has no goal, where nothing is answered, and where no item is left. The models that foretell
    the errors never saw these items; no interval is claimed with them.
    """
    history = history_of(records, scope_of(scores), frozenset())
    if goal is None or not len(history.asked):
        return None
    field = field_of(scores, seed)
    choosers = {name: HedgedChooser(field, GOALS[name]) for name in sorted(GOALS, key=lambda name: name != goal)}
    chances = choosers[goal].chances(history)
    told: list[Json] = []
    for name, chooser in choosers.items():
        picks = chooser.choose(history, min(len(history.asked), MOST))
        if not picks:
            return None
        confidence = field.confidence[picks]
        told.append({
            "goal": name,
            "picks": len(picks),
            "confidence": float(confidence.mean()),
            "admitted": float(np.sum(1 - confidence)),
            "foretold": float(chances[picks].sum()),
        })  # fmt: skip
    return told
