"""An interval, and the finding that carries it to a reader."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from ringtrue.core._canonical import Json
from ringtrue.core._claim import Claim, Verdict
from ringtrue.core._text import percent


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a quantity lies, at which level, by which method, from how many answers."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int

    def __str__(self) -> str:
        bounds = f"[{percent(self.low, toward='below')}, {percent(self.high, toward='above')}]"
        return f"{percent(self.estimate)} {bounds} ({percent(self.level)}, {self.method})"

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


class Finding(Protocol):
    """What a question found: a frozen value that reads as a sentence, serialises and draws itself."""

    @property
    def claim(self) -> Claim | None: ...

    @property
    def verdict(self) -> Verdict: ...

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true of the world for the finding to hold, one sentence each."""
        ...

    def __str__(self) -> str:
        """The finding as a sentence that a colleague can read."""
        ...

    def to_json(self) -> dict[str, Json]: ...

    def draw(self, axes: Any) -> None:
        """Draw on a matplotlib Axes."""
        ...
