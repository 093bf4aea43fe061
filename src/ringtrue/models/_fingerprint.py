"""Telling one model from another by what they answer, and from one that merely does not repeat itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from scipy.special import bdtrc

from ringtrue.core import Batch, Json, Model, digest, label_of, label_text

TOLERANCE = 1e-4
"""How far numbers of one model may lie apart, as a share of the largest there is of that output (of 1, for
probabilities). Another processor adds up in another order: networks in single precision differed by 4e-6 then, in
double precision by 5e-15 (OpenBLAS for Prescott, Nehalem, Haswell and SkylakeX)."""

CHANCE = 0.01
"""How often a model that contradicts itself is taken for another although it is the same."""


def mark_of(name: str, answers: Sequence[Json] | None) -> str:
    """Return the name of a model with a hash of its answers; None says that it does not repeat itself."""
    return f"{name}:{'nondeterministic' if answers is None else digest(answers)}"


def contradicted(model: Model, batch: Batch, *, twice: int | None = None) -> tuple[list[Json], int]:
    """Return what the model says of some items, and of how many it says something else when it is asked again.

    It is asked again about the first `twice` of them, by default about all.
    """
    first = model.answer(batch).values()
    again = batch if twice is None else Batch(batch.ids[:twice], {name: c[:twice] for name, c in batch.columns.items()})
    return first, len(differing(first[: len(again)], model.answer(again).values()))


def differing(recorded: Sequence[Json], found: Sequence[Json]) -> list[int]:
    """Return the places at which two lists of answers differ; numbers do where they lie further apart than TOLERANCE.

    Labels and votes are compared exactly, and so are whole numbers. Probabilities are compared where both sides have
    them: a service may leave them out of a batch.

    >>> differing(["cat", "dog"], ["cat", {"label": "cow"}]), differing([[0.1 + 0.2], [1.0]], [[0.3], [2.0]])
    ([1], [1])
    """
    sizes = _largest(recorded)
    pairs = enumerate(zip(recorded, found, strict=True))
    return [place for place, (one, other) in pairs if not _same(one, other, sizes)]


def holds_floats(answers: Sequence[Json]) -> bool:
    """Return whether answers hold numbers of which another processor may give other last digits."""
    return any(_chances(one) or numbers_in(label_of(one)) for one in answers)


def is_another(told: Sequence[Json], said: Sequence[Json], again: Sequence[Json], *, fickle: bool = False) -> bool:
    """Return whether a model is another one, by the items of which it now says something else than it told before.

    One that says it twice is another one, unless it is known not to repeat itself (`fickle`). One that contradicts
    itself is another if it stays with what it says now more often than chance has it. If nothing changed, the three
    answers to an item came about alike, so that the third is as often like the first as like the second.

    >>> is_another(["a"] * 9, ["b"] * 9, ["b"] * 9), is_another(["a"] * 9, ["b"] * 9, ["b"] * 5 + ["a"] * 4)
    (True, False)

    Parameters
    ----------
    told
        What was recorded.
    said
        What the model says now, everywhere unlike what was recorded.
    again
        What it says when it is asked once more.
    fickle
        Whether it contradicted itself when the study was made.
    """
    if not fickle and not differing(said, again):
        return True
    triples = list(zip(told, said, again, strict=True))
    stays = sum(_distance(third, second) < _distance(third, first) for first, second, third in triples)
    returns = sum(_distance(third, second) > _distance(third, first) for first, second, third in triples)
    return stays > 0 and float(bdtrc(stays - 1, stays + returns, 0.5)) <= CHANCE


def _same(one: Json, other: Json, sizes: Sequence[float]) -> bool:
    if isinstance(one, dict) and isinstance(other, dict) and "votes" in one:
        return one["votes"] == other.get("votes")
    told, said = label_of(one), label_of(other)
    before, now = numbers_in(told), numbers_in(said)
    if before and now:
        return len(before) == len(now) and all(map(_close, before, now, sizes))
    if isinstance(told, list | dict) or isinstance(said, list | dict) or told is None or said is None:
        return told == said
    if label_text(told) != label_text(said):
        return False
    before_chances, chances = _chances(one), _chances(other)
    if not before_chances or not chances:
        return True
    return before_chances.keys() == chances.keys() and all(
        _close(chance, chances[name], 1.0) for name, chance in before_chances.items()
    )


def _close(one: float, other: float, size: float) -> bool:
    if one == other:
        return True
    whole = one.is_integer() and other.is_integer()
    return not whole and math.isclose(one, other, rel_tol=0.0, abs_tol=TOLERANCE * size)


def _distance(one: Json, other: Json) -> float:
    """Return how far two answers lie apart: none if they are the same, the largest gap of numbers, else 1."""
    if not differing([one], [other]):
        return 0.0
    pair = numbers_in(label_of(one)), numbers_in(label_of(other))
    gaps = [abs(a - b) for a, b in zip(*pair, strict=False)] if len(pair[0]) == len(pair[1]) else []
    return max(gaps, default=1.0)


def _chances(answer: Json) -> dict[str, float]:
    """Return the probabilities in an answer, by class."""
    table = answer.get("probabilities") if isinstance(answer, dict) else None
    if not isinstance(table, dict):
        return {}
    return {name: float(chance) for name, chance in table.items() if isinstance(chance, int | float)}


def numbers_in(label: Json) -> list[float]:
    """Return the outputs of a regressor, none if the answer is a label; a single output may stand without its list."""
    if isinstance(label, float):
        return [label]
    if isinstance(label, list):
        numbers = [float(one) for one in label if isinstance(one, int | float) and not isinstance(one, bool)]
        return numbers if len(numbers) == len(label) else []
    return []


def _largest(answers: Sequence[Json]) -> list[float]:
    """Return the largest size of every output; of a few answers that have none, nothing."""
    outputs = zip_longest(*(numbers_in(label_of(answer)) for answer in answers), fillvalue=0.0)
    return [max(map(abs, numbers)) for numbers in outputs]
