"""What is asked of the model around the items of a hunt: small variations, and the distance to a changed decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._inputs import Inputs
from ringtrue.blind._scope import class_places, label_codes
from ringtrue.blind.distances import METHODS, Asker, Distances, GivenDistances, Perturb, given, measure
from ringtrue.blind.signals import variations
from ringtrue.core import Argument, Ask, Batch, InvalidInput, Json, Labels, Measured, Vectors

_SURE = 1e-6  # confidences are kept this far from 0 and 1 before their odds are taken: models round them


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
        return asdict(self)


class ItemAsker(Asker):
    """Asks the model about changed inputs of items, each with all other columns of the item it was made from."""

    def __init__(self, inputs: Inputs, items: Measured, ask: Ask) -> None:
        super().__init__(lambda points: points, items=len(items.batch))
        self.inputs, self.items, self._ask = inputs, items, ask

    def said(self, points: NDArray[Any], owners: NDArray[np.int64]) -> Labels | Vectors:
        """Return what the model says of changed inputs of the items at the places `owners`."""
        return self._ask(self.inputs.batch(points, self.items.batch, owners))

    def answers(self, points: NDArray[Any], owners: NDArray[np.int64]) -> NDArray[Any]:
        return label_codes(self.said(points, owners))

    def firmness(self, points: NDArray[Any], owners: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how firmly the model keeps its answers to the items: the log odds of its labels where it gives
        probabilities, else 1 where the label is kept and 0 where not.
        """
        said, codes = self.said(points, owners), self.items.scores["label"][owners]
        given_labels = label_codes(said)
        assert isinstance(said, Labels)
        if said.probabilities is None:
            return np.asarray(given_labels == codes, dtype=np.float64)
        places = class_places(said, codes)
        if np.any(places < 0):
            raise InvalidInput(
                "the model gave a label without a probability: give one column of probabilities per class"
            )
        chance = np.clip(said.probabilities[np.arange(len(codes)), places], _SURE, 1 - _SURE)
        return np.asarray(np.log(chance) - np.log1p(-chance))


def nearest_changed(distance: Distance, asker: ItemAsker, beside: Measured, rng: np.random.Generator) -> Distances:
    """Return the nearest changed input of each item that the method finds.

    Starts are taken from the items `beside`, which have their labels; there may be none.
    """
    inputs, items = asker.inputs, asker.items
    return measure(
        distance.method,
        asker,
        inputs.array(items.batch),
        items.scores["label"],
        rng=rng,
        box=inputs.box,
        others=(inputs.array(beside.batch), beside.scores["label"]) if len(beside.batch) else None,
        queries=distance.queries,
    )


def steadiness(asker: ItemAsker, rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """Return how firmly the model keeps its answers on average under small variations, and how many each item had."""
    varied = variations(asker.inputs.array(asker.items.batch), asker.inputs.box, rng)
    owners = np.arange(len(asker.items.batch))
    return np.array([asker.firmness(points, owners) for points in varied]).mean(axis=0), len(varied)


def amounts_changed(perturb: Perturb, items: Measured, ask: Ask, rng: np.random.Generator) -> GivenDistances:
    """Return the smallest amount of the user's perturbation that changes each answer; items are dicts of columns."""
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
        columns = {}
        for name, like in items.batch.columns.items():  # a column of the kind that the pool has
            cells = [row[name] for row in rows]
            objects = like.dtype == object
            columns[name] = np.fromiter(cells, dtype=object) if objects else np.array(cells, dtype=like.dtype)
        return label_codes(ask(Batch([f"~{place}" for place in range(len(rows))], columns)))

    return given(predict, [dict(item.values) for item in items.batch], items.scores["label"], changed, rng)


def named(perturb: Perturb) -> str:
    """Return the name by which a journal keeps a perturbation."""
    return f"{perturb.__module__}:{perturb.__qualname__}"
