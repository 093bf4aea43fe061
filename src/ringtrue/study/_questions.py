"""The questions that can be rebuilt from a journal, by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ringtrue.core import InvalidInput, Question
from ringtrue.risk import Risk


def _blind(config: Mapping[str, Any]) -> Question:
    from ringtrue.blind import Blind

    return Blind.from_config(config)


def _changed(config: Mapping[str, Any]) -> Question:
    from ringtrue.changed import Changed  # here, because a study of another kind need not wait for it

    return Changed.from_config(config)


def _judges(config: Mapping[str, Any]) -> Question:
    from ringtrue.judges import Judges

    return Judges.from_config(config)


def _worst(config: Mapping[str, Any]) -> Question:
    from ringtrue.worst import Worst

    return Worst.from_config(config)


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Question]] = {
    "blind": _blind,
    "changed": _changed,
    "judges": _judges,
    "risk": Risk.from_config,
    "worst": _worst,
}
"""A new question is one row here."""


def make_question(config: Mapping[str, Any]) -> Question:
    """The question that wrote this configuration."""
    kind = str(config.get("kind"))
    if kind not in KINDS:
        raise InvalidInput(
            f"question kind={kind!r} is none of {sorted(KINDS)}: give the question object to Study.open(questions=[…])"
        )
    return KINDS[kind](config)
