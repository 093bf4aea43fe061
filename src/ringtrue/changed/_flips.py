"""The items whose answer changed: counted by what became of them, and listed with the worst first."""

from __future__ import annotations

from ringtrue.changed._census import Census
from ringtrue.changed._parts import Flips
from ringtrue.changed._told import Told
from ringtrue.core import Json

SHOWN = 100
"""Items that are listed: a reader looks at some, a program reads the records."""

KINDS = ("right to wrong", "wrong to right", "another wrong answer", "changed")
"""What can become of an item, in the order in which people want to see them; the last without true labels."""


class FlipList:
    """Takes first answers and keeps those that are not the old one."""

    def __init__(self, census: Census) -> None:
        self._census = census
        self._items: dict[str, list[dict[str, Json]]] = {kind: [] for kind in KINDS}
        self._counts = dict.fromkeys(KINDS, 0)

    @property
    def total(self) -> int:
        return sum(self._counts.values())

    def take(self, told: Told, names: tuple[str, ...]) -> None:
        """A first answer."""
        if not told.changed or told.answer is None:
            return
        kind = self._kind(told)
        self._counts[kind] += 1
        if len(self._items[kind]) == SHOWN:
            return
        self._items[kind].append(
            {
                "number": told.record.number,
                "id": told.record.id,
                "row": told.row,
                "truth": names[self._census.truth[told.kind]] if self._census.labelled else None,
                "old": names[told.old],
                "new": names[told.answer],
                "confidence": told.record.known.get("confidence"),
                "kind": kind,
            }
        )

    def _kind(self, told: Told) -> str:
        if not self._census.labelled:
            return "changed"
        truth = int(self._census.truth[told.kind])
        if told.old == truth:
            return "right to wrong"
        return "wrong to right" if told.answer == truth else "another wrong answer"

    def flips(self) -> Flips:
        """All of them counted, the first listed."""
        listed = [item for kind in KINDS for item in self._items[kind]][:SHOWN]
        worse, better, other, unlabelled = (self._counts[kind] for kind in KINDS)
        return Flips(worse, better, other, unlabelled, tuple(listed))
