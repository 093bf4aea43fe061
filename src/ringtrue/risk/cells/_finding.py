"""What the cells say about a failure rate: a sentence, numbers, maps, and why the bound may be refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

from ringtrue.core import Claim, Context, Json, Readable, Section, Verdict, percent, plain
from ringtrue.risk.cells._figures import draw_product, draw_resolution
from ringtrue.risk.cells._sections import map_sections

Mode: TypeAlias = Literal["assessed", "self-consistency", "paper"]


@dataclass(frozen=True, slots=True, eq=False)
class CellFinding(Readable):
    """The failure rate by cells.

    `claimed` is the upper bound as the mode computes it; `upper` is the same unless it is `refused`. `interval` holds
    the failure rate from nothing unassessed failing to all of it, whatever the mode.
    """

    mode: Mode
    meaning: str
    claim: Claim | None
    verdict: Verdict
    estimate: float
    std: float
    claimed: float
    level: float
    acu: float | None
    interval: dict[str, float]
    unassessed: float
    unassessed_interval: dict[str, float]
    covered: float
    by_class: dict[str, float]
    grid: dict[str, Json]
    census: dict[str, int]
    separation: dict[str, Json]
    bandwidth: float
    kernel: str
    local: str
    calls: int
    resolution: tuple[dict[str, Json], ...]
    resolution_moves: bool
    contradiction: dict[str, Json] | None
    refused: tuple[str, ...]
    assumptions: tuple[str, ...]
    maps: dict[str, Json] | None
    ranked: tuple[dict[str, Json], ...]

    @property
    def upper(self) -> float | None:
        """The bound, or None where it is refused."""
        return None if self.refused else self.claimed

    def __str__(self) -> str:
        said = self._said()
        if self.refused:
            said += f"; refused, because {self.refused[0]}"
        rings = "is not yet known" if self.verdict is Verdict.NOT_YET_KNOWN else self.verdict.value
        return said if self.claim is None else f"{self.claim} {rings}: {said}"

    def _said(self) -> str:
        low, high = percent(self.interval["low"], toward="below"), percent(self.interval["high"], toward="above")
        lies = f"failure lies between {low} and {high} (each at {percent(self.level)})"
        bound = f"at most {percent(self.claimed, toward='above')} ({percent(self.level)})"
        if self.mode == "self-consistency":
            differs = f"the model differs from its own vote or from labels in {percent(self.estimate)} of operation"
            return f"{self.meaning}: {differs}; {lies}"
        if self.mode == "paper":
            return f"{self.meaning}: it says {percent(self.estimate)} and {bound}; by labels, {lies}"
        unknown = f"{percent(self.unassessed)} of operation falls where nobody says what is right"
        if self.refused:
            return f"no failure rate by cells; {unknown}"
        found = f"{lies} if each cell has one right class and operation is spread as the kernels say; {unknown}"
        if self.claimed >= self.interval["high"]:
            return found
        return f"{found}; {bound} if cells not looked into fail as often as the others"

    def to_json(self) -> dict[str, Json]:
        found = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return {"sentence": str(self), **found, "upper": self.upper, "verdict": self.verdict.value}

    def sections(self, context: Context | None = None) -> Sequence[Section]:
        """Return what a reader is shown of the map alone, with the failures that the context knows marked on it."""
        gallery, items = ((), {}) if context is None else (context.gallery, context.items)
        return [replace(section, detail=False) for section in map_sections(self.to_json(), gallery, items)]

    def draw(self, axes: Any) -> None:
        """Draw where the risk lies or, for one feature, how the estimate follows the cells."""
        (draw_resolution if self.maps is None else draw_product)(axes, self.to_json())
