"""What a mode answers: its survey, its numbers, and how to have them again at another resolution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ringtrue.risk.cells._finding import Mode
from ringtrue.risk.cells._missing import Unassessed
from ringtrue.risk.cells._numbers import Claimed
from ringtrue.risk.cells._survey import Survey, Surveyor
from ringtrue.risk.cells._top import Rest


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """`unknown` is what nobody but the model speaks of.

    `again` reads an estimate, and that plus all that may fail besides, off a survey of any resolution.
    """

    mode: Mode
    surveyor: Surveyor
    survey: Survey
    says: Claimed
    unknown: Unassessed
    again: Callable[[Survey], tuple[float, float]]
    local: str
    rest: Rest
