"""The chain of a study's events: each has a hash that includes the one before it, so that no change goes unnoticed."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

Row: TypeAlias = tuple[int, str, str, float, str]
"""An event as it is stored: sequence, kind, payload as text, time and its link."""


class Tip(NamedTuple):
    """How far a chain goes: the last sequence and its link."""

    sequence: int
    link: str


class Break(NamedTuple):
    """Where a chain ends too early, and why, as the second half of a sentence about that event."""

    sequence: int
    reason: str


def start(study: str) -> Tip:
    """Return the tip before the first event: the study's name, so that the events of another study do not fit."""
    return Tip(0, study)


def link(previous: str, sequence: int, kind: str, payload: str, moment: float) -> str:
    """Return the hash of an event and of all before it.

    A line break stands between the parts and in none of them: JSON escapes it, and a kind is one word.
    """
    text = f"{previous}\n{sequence}\n{kind}\n{moment!r}\n{payload}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def follow(tip: Tip, rows: Iterable[Row]) -> tuple[Tip, Break | None]:
    """Go along the chain from `tip`; return the last sound tip and, if a row does not follow, where and why."""
    sequence, previous = tip
    for number, kind, payload, moment, noted in rows:
        sequence += 1
        if number != sequence:
            return Tip(sequence - 1, previous), Break(sequence, "is missing")
        expected = link(previous, sequence, kind, payload, moment)
        if noted != expected:
            return Tip(sequence - 1, previous), Break(sequence, "is not what was written")
        previous = expected
    return Tip(sequence, previous), None
