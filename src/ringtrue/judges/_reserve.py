"""How far numbers from votes alone may be believed, and the reasons that lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from ringtrue.core import Json

Weight: TypeAlias = Literal["bar", "doubt", "note"]
"""A bar forbids the numbers from votes alone, a doubt keeps them conditional, a note is said and changes nothing."""


class Reserve(Enum):
    """What must stand beside every number that comes from votes alone.

    Only the user can lift the reserve, by stating that the judges share nothing but the truth; and only while
    nothing in the votes or the labels speaks against it.
    """

    NONE = "as stated, the judges share nothing but the truth"
    CONDITIONAL = "only if the judges share nothing but the truth"
    CONTRADICTED = "do not use: not from judges who share nothing but the truth"


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


def weigh(reasons: Sequence[Reason]) -> tuple[Reserve, tuple[Reason, ...]]:
    """Return the reserve that the reasons demand, and the reasons with the heaviest first.

    >>> reserve, reasons = weigh([Reason("a", "note", "fine"), Reason("b", "doubt", "few items")])
    >>> reserve.value, [str(reason) for reason in reasons]
    ('only if the judges share nothing but the truth', ['few items', 'fine'])
    """
    order = ("bar", "doubt", "note")
    heaviest = min((order.index(reason.weight) for reason in reasons), default=2)
    reserve = (Reserve.CONTRADICTED, Reserve.CONDITIONAL, Reserve.NONE)[heaviest]
    return reserve, tuple(sorted(reasons, key=lambda reason: order.index(reason.weight)))
