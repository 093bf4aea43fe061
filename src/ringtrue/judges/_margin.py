"""How far numbers from votes alone can be off, as far as labels bound it."""

from __future__ import annotations

from dataclasses import dataclass

from ringtrue.core import Json, percent
from ringtrue.judges._evaluation import Estimates, named_intervals
from ringtrue.judges._standing import numbers_of


@dataclass(frozen=True, slots=True)
class Margin:
    """The bound on the error of every number from votes alone: `what` may be off by `most`, all others by less.

    The labels' intervals hold for all `numbers` at once, so that the bound holds at `level` whatever the judges share.
    """

    most: float
    what: str
    numbers: int
    level: float

    def __str__(self) -> str:
        return (
            f"by the labels, a number from votes alone may be off by {100 * self.most:.1f} points ({self.what}), and "
            f"by no more ({percent(self.level)}, for all {self.numbers} numbers at once)"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self), "most": self.most, "what": self.what, "numbers": self.numbers, "level": self.level,
        }  # fmt: skip


def margin_of(alone: Estimates, together: Estimates, level: float) -> Margin:
    """Bound the error of the estimates from votes alone by labelled intervals that hold all at once at `level`."""
    off = [
        (max(abs(one.estimate - other.low), abs(one.estimate - other.high)), what)
        for (what, one), (_, other) in zip(named_intervals(alone), named_intervals(together), strict=True)
    ]
    most, what = max(off, key=lambda entry: entry[0])
    return Margin(most, what, numbers_of(len(alone.judges), len(alone.labels)), level)
