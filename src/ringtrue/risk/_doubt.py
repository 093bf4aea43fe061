"""How likely each item is to fail, as far as can be guessed before a label is bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Json, Labels, Vectors, label_text
from ringtrue.risk._grid import Floats

FROM_MODEL = "model"
"""The confidence is the model's own: the largest of the probabilities that it gives."""


@dataclass(frozen=True, slots=True)
class Fragility:
    """How often the model changes its answer when the features of an item are shaken.

    Each of the numeric `features` is moved by up to `radius` times its spread over the pool's first rows, `shakes`
    times. It asks nothing of the oracle, and it says nothing about who is right: it only helps to choose.
    """

    features: tuple[str, ...]
    radius: float = 0.1
    shakes: int = 8

    def __post_init__(self) -> None:
        if not self.features:
            raise InvalidInput("fragility features=() is empty: name the numeric columns to shake")
        if not 0 < self.radius < float("inf"):
            raise InvalidInput(f"fragility radius={self.radius!r} must be a positive number: write 0.1 for a tenth")
        if self.shakes < 1:
            raise InvalidInput(f"fragility shakes={self.shakes!r} must be at least 1")

    def probes(self, batch: Batch, rng: np.random.Generator) -> Batch:
        """Return the items of a batch, shaken: all of them once, then all of them again."""
        times = self.shakes
        columns = {name: np.concatenate([column] * times) for name, column in batch.columns.items()}
        for name in self.features:
            values = numeric(batch, name, "fragility")
            spread = float(np.std(values)) or 1.0
            moved = np.tile(values, times) + spread * self.radius * rng.uniform(-1, 1, times * len(values))
            columns[name] = moved
        return Batch([f"{item}~{shake}" for shake in range(times) for item in batch.ids], columns)

    def share(self, labels: Sequence[Any], items: int) -> Floats:
        """Return the share of an item's probes that were answered unlike the item; `labels` are those of both."""
        texts = np.array([label_text(label) for label in labels]).reshape(self.shakes + 1, items)
        return np.asarray(np.mean(texts[1:] != texts[0], axis=0))

    def to_json(self) -> dict[str, Json]:
        return {"features": list(self.features), "radius": self.radius, "shakes": self.shakes}

    @classmethod
    def of(cls, made: Mapping[str, Any]) -> Fragility:
        return cls(tuple(made["features"]), float(made["radius"]), int(made["shakes"]))


def doubt_of(
    batch: Batch, answers: Labels | Vectors | None, *, confidence: str | None, fragility: Fragility | None
) -> Floats:
    """Return the doubt in each item of a batch, in [0, 1]: one less the product of what the sources trust it."""
    trust = np.ones(len(batch))
    if confidence == FROM_MODEL:
        if not isinstance(answers, Labels) or answers.probabilities is None:
            rule = " needs a model that gives probabilities: name a column of the pool instead"
            raise InvalidInput(Argument("confidence", FROM_MODEL), rule)
        trust = np.max(answers.probabilities, axis=1)[: len(batch)]
    elif confidence is not None:
        trust = numeric(batch, confidence, "confidence")
        outside = (trust < 0) | (trust > 1)
        if outside.any():
            place = int(np.argmax(outside))
            rule = f" is {trust[place]:g} for item {batch.ids[place]!r}: it must lie in [0, 1]"
            raise InvalidInput(Argument("confidence", confidence), rule)
    if fragility is not None:
        if not isinstance(answers, Labels):
            rule = " needs a model that gives labels: open the study with one"
            raise InvalidInput(Argument("fragility", ",".join(fragility.features)), rule)
        trust = trust * (1 - fragility.share(answers.labels, len(batch)))
    return 1 - trust


def numeric(batch: Batch, name: str, argument: str) -> Floats:
    """Return a column as numbers; refuse it by the cell that is not a number."""
    if name not in batch.columns:
        rule = f" is not a column of the pool: name one of {', '.join(batch.columns)}"
        raise InvalidInput(Argument(argument, name), rule)
    try:
        values = np.asarray(batch.columns[name], dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(Argument(argument, name), " is not a column of numbers: name another") from None
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        place = 0 if values.ndim != 1 else int(np.argmax(~np.isfinite(values)))
        rule = f" is not a number for item {batch.ids[place]!r}: fill it in or name another"
        raise InvalidInput(Argument(argument, name), rule)
    return values
