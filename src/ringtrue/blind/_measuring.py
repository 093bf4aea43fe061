"""What is asked of the model around the items of a hunt: small variations, and the distance to a changed decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._inputs import Inputs
from ringtrue.blind._scope import class_places, label_codes
from ringtrue.blind.distances import METHODS, Asker, Distances, GivenDistances, Perturb, given, measure
from ringtrue.blind.signals import variations
from ringtrue.core import Argument, Batch, InvalidInput, Json, Labels, Measured, Vectors

Answer: TypeAlias = Callable[[Batch], Labels | Vectors]

_SURE = 1e-6
"""Confidences are kept this far from 0 and 1 before their odds are taken: models round them."""


@dataclass(unsafe_hash=True)
class Distance:
    """By which method distances are measured, and with how many queries of the model for each item at most.

    >>> Distance("rays")
    Distance(method='rays', queries=50)
    """

    method: str = "rays"
    queries: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidInput(Argument("distance", self.method), f" is none of {', '.join(METHODS)}: name one of them")
        if self.queries is None:
            self.queries = METHODS[self.method].queries
        if isinstance(self.queries, bool) or not isinstance(self.queries, int) or self.queries < 1:
            raise InvalidInput(Argument("queries", self.queries), " must be a whole number of at least 1")

    @property
    def norm(self) -> str:
        return METHODS[self.method].norm

    def to_json(self) -> dict[str, Json]:
        return {"method": self.method, "queries": self.queries}


class ItemAsker(Asker):
    """Asks the model about changed inputs of items, each with all other columns of the item it was made from."""

    def __init__(self, inputs: Inputs, items: Batch, answer: Answer) -> None:
        super().__init__(lambda points: points, items=len(items))
        self._inputs, self._items, self._answer = inputs, items, answer

    def answers(self, points: NDArray[Any], owners: NDArray[np.int64]) -> NDArray[Any]:
        return label_codes(self._answer(self._inputs.batch(points, self._items, owners)))


def nearest_changed(
    distance: Distance, inputs: Inputs, items: Measured, beside: Measured, answer: Answer, rng: np.random.Generator
) -> Distances:
    """Return the nearest changed input of each item that the method finds.

    Parameters
    ----------
    distance
        The method, and the most queries per item.
    inputs
        What can be changed of an item.
    items
        The items that are measured, with what the model says of them.
    beside
        Items with their labels, from which starts are taken; it may be empty.
    answer
        The model, which answers a batch.
    rng
        Makes the random choices of the method.
    """

    others = None
    if len(beside.batch):
        others = inputs.array(beside.batch), beside.scores["label"]
    return measure(
        distance.method,
        ItemAsker(inputs, items.batch, answer),
        inputs.array(items.batch),
        items.scores["label"],
        rng=rng,
        box=inputs.box,
        others=others,
        queries=distance.queries,
    )


def steadiness(
    inputs: Inputs, items: Measured, answer: Answer, rng: np.random.Generator
) -> tuple[NDArray[np.float64], int]:
    """Return how firmly the model keeps its answer under small variations, and how many it was asked about for each
    item.

    The mean log odds of its label where it gives probabilities, else the share of variations that keep the label.
    """
    varied = variations(inputs.array(items.batch), inputs.box, rng)
    owners = np.arange(len(items.batch))
    kept = np.array(
        [_kept(answer(inputs.batch(points, items.batch, owners)), items.scores["label"]) for points in varied]
    )
    return kept.mean(axis=0), len(varied)


Score: TypeAlias = Callable[[NDArray[Any]], NDArray[np.float64]]


def steady_score(inputs: Inputs, items: Measured, place: int, answer: Answer) -> Score:
    """Return a function of changed inputs of one item: how firmly the model keeps its answer to it."""

    def score(points: NDArray[Any]) -> NDArray[np.float64]:
        owners = np.full(len(points), place, dtype=np.int64)
        return _kept(answer(inputs.batch(points, items.batch, owners)), items.scores["label"][owners])

    return score


def _kept(answers: Labels | Vectors, codes: NDArray[np.int64]) -> NDArray[np.float64]:
    said = label_codes(answers)
    assert isinstance(answers, Labels)
    if answers.probabilities is None:
        return np.asarray(said == codes, dtype=np.float64)
    places = class_places(answers, codes)
    if np.any(places < 0):
        raise InvalidInput("the model gave a label without a probability: give one column of probabilities per class")
    chance = np.clip(answers.probabilities[np.arange(len(codes)), places], _SURE, 1 - _SURE)
    return np.asarray(np.log(chance) - np.log1p(-chance))


def amounts_changed(perturb: Perturb, items: Measured, answer: Answer, rng: np.random.Generator) -> GivenDistances:
    """Return the smallest amount of the user's perturbation that changes each answer; items are dicts of their
    columns.
    """
    names = list(items.batch.columns)

    def changed(item: dict[str, Any], amount: float, draws: np.random.Generator) -> dict[str, Any]:
        try:
            found = perturb(item, amount, draws)
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            said = f" failed on {item!r:.80} ({why}): mend it"
            raise InvalidInput(Argument("perturb", named(perturb)), said) from error
        if not isinstance(found, Mapping) or not set(names) <= set(found):
            said = f" returned {found!r:.60} for {item!r:.80}: return the item with all its columns"
            raise InvalidInput(Argument("perturb", named(perturb)), said)
        return dict(found)

    def predict(rows: list[dict[str, Any]]) -> NDArray[np.int64]:
        columns = {name: _cells([row[name] for row in rows], items.batch.columns[name]) for name in names}
        return label_codes(answer(Batch([f"~{place}" for place in range(len(rows))], columns)))

    return given(predict, [dict(item.values) for item in items.batch], items.scores["label"], changed, rng)


def named(perturb: Perturb) -> str:
    """Return the name by which a journal keeps a perturbation."""
    return f"{perturb.__module__}:{perturb.__qualname__}"


def _cells(cells: list[Any], like: NDArray[Any]) -> NDArray[Any]:
    """Return cells as a column of the kind that the pool has."""
    if like.dtype != object:
        return np.array(cells, dtype=like.dtype)
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column
