"""The questions that can be rebuilt from a journal, by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ringtrue.core import InvalidInput, Question
from ringtrue.risk import Risk


def _judges(config: Mapping[str, Any]) -> Question:
    from ringtrue.judges import Judges  # here, because a study of another kind need not wait for it

    return Judges.from_config(config)


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Question]] = {"judges": _judges, "risk": Risk.from_config}
"""A new question is one row here."""


def make_question(config: Mapping[str, Any]) -> Question:
    """The question that wrote this configuration."""
    kind = str(config.get("kind"))
    if kind not in KINDS:
        raise InvalidInput(
            f"question kind={kind!r} is none of {sorted(KINDS)}: give the question object to Study.open(questions=[…])"
        )
    return KINDS[kind](config)
