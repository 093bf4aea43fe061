"""From the words that describe an item to its kind in the census."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.changed._census import Census, group_of
from ringtrue.changed._levels import Floats, Ints, level_of
from ringtrue.core import InvalidInput, Json


class KindIndex:
    """Looks up kinds by label, old answer and confidence, or by the words kept with a query."""

    def __init__(self, census: Census) -> None:
        self.census = census
        self._code = {name: code for code, name in enumerate(census.answers)}
        places = zip(census.truth.tolist(), census.old.tolist(), census.level.tolist(), strict=True)
        self._kind = {place: kind for kind, place in enumerate(places)}

    def find(self, ids: Sequence[str], truth: Sequence[str], old: Sequence[str], confidence: Floats) -> Ints:
        """The kind of each item; one that the census does not know is an error."""
        codes = np.array([[self._code.get(name, -1) for name in names] for names in (truth, old)], dtype=np.int64)
        level = level_of(confidence, group_of(codes[0], codes[1]), self.census.cuts)
        kinds = [self._kind.get(place, -1) for place in zip(*codes.tolist(), level.tolist(), strict=True)]
        if -1 in kinds:
            item = ids[kinds.index(-1)]
            raise InvalidInput(f"item {item!r} is of no kind that was counted: make the question from this very pool")
        return np.array(kinds, dtype=np.int64)

    def words(self, kind: int) -> dict[str, Json]:
        """A kind in words."""
        census = self.census
        return {
            "truth": census.answers[census.truth[kind]] if census.labelled else None,
            "old": census.answers[census.old[kind]],
            "level": int(census.level[kind]),
        }

    def of_words(self, item: str, words: Mapping[str, Any]) -> int:
        """The kind that stands with a query."""
        found = None
        if {"truth", "old", "level"} <= words.keys():
            truth = words["truth"] if self.census.labelled else words["old"]
            found = self._kind.get((self._code.get(truth, -1), self._code.get(words["old"], -1), words["level"]))
        if found is None:
            raise InvalidInput(f"item {item!r} was asked without its kind: ask it by the question's own policy")
        return found
