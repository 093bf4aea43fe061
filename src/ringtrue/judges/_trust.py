"""The verdict on a panel, and the reasons that lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from ringtrue.core import Json, Verdict

Weight: TypeAlias = Literal["bar", "doubt", "note"]
"""A bar forbids the numbers, a doubt asks for labels, a note is said and changes nothing."""


class Trust(Enum):
    """What may be done with numbers that came from votes alone."""

    TRUST = "trust"
    CHECK = "check with labels"
    DO_NOT_USE = "do not use"

    @property
    def verdict(self) -> Verdict:
        """The same in the words of a claim: trust rings true, do not use rings false, the rest is not yet known."""
        return {
            Trust.TRUST: Verdict.RINGS_TRUE,
            Trust.CHECK: Verdict.NOT_YET_KNOWN,
            Trust.DO_NOT_USE: Verdict.RINGS_FALSE,
        }[self]


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that was looked at: what kind of thing, how much it weighs, and what was found."""

    kind: str
    weight: Weight
    text: str

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> dict[str, Json]:
        return {"kind": self.kind, "weight": self.weight, "text": self.text}


def weigh(reasons: Sequence[Reason]) -> tuple[Trust, tuple[Reason, ...]]:
    """The verdict that the reasons give, and the reasons with the heaviest first.

    >>> trust, reasons = weigh([Reason("a", "note", "fine"), Reason("b", "doubt", "few items")])
    >>> trust.value, [str(reason) for reason in reasons]
    ('check with labels', ['few items', 'fine'])
    """
    order = ("bar", "doubt", "note")
    heaviest = min((order.index(reason.weight) for reason in reasons), default=2)
    trust = (Trust.DO_NOT_USE, Trust.CHECK, Trust.TRUST)[heaviest]
    return trust, tuple(sorted(reasons, key=lambda reason: order.index(reason.weight)))
