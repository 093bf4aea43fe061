"""Telling a model that changed from one that merely does not repeat itself."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import bdtrc

from ringtrue.core import Json, label_of
from ringtrue.models._fingerprint import differing, numbers_in

CHANCE = 0.01
"""How often a model that contradicts itself is taken for another although it is the same."""


def is_another(told: Sequence[Json], said: Sequence[Json], again: Sequence[Json], *, fickle: bool = False) -> bool:
    """Whether a model is another one, by the items of which it now says something else than it told before.

    One that says it twice is another one, unless it is known not to repeat itself (`fickle`). One that contradicts
    itself is another if it stays with what it says now more often than chance has it. If nothing changed, the three
    answers to an item came about alike, so that the third is no sooner like the second than like the first.

    Args:
        told: what was recorded.
        said: what it says now, everywhere unlike what was recorded.
        again: what it says when it is asked once more.
        fickle: whether it contradicted itself when the study was made.

    >>> is_another(["a"] * 9, ["b"] * 9, ["b"] * 9), is_another(["a"] * 9, ["b"] * 9, ["b"] * 5 + ["a"] * 4)
    (True, False)
    """
    if not fickle and not differing(said, again):
        return True
    triples = list(zip(told, said, again, strict=True))
    stays = sum(_distance(third, second) < _distance(third, first) for first, second, third in triples)
    returns = sum(_distance(third, second) > _distance(third, first) for first, second, third in triples)
    return stays > 0 and float(bdtrc(stays - 1, stays + returns, 0.5)) <= CHANCE


def _distance(one: Json, other: Json) -> float:
    """How far two answers lie apart: none if they are the same, the largest gap of numbers, else 1."""
    if not differing([one], [other]):
        return 0.0
    pair = numbers_in(label_of(one)), numbers_in(label_of(other))
    gaps = [abs(a - b) for a, b in zip(*pair, strict=False)] if len(pair[0]) == len(pair[1]) else []
    return max(gaps, default=1.0)
