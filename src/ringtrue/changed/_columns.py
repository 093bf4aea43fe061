"""What the columns of a pool tell of its items: label, old answer, confidence and slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Baseline, Floats, Ints, answer_name, confidences
from ringtrue.changed._census import Census
from ringtrue.core import Argument, Batch, InvalidInput, Json, Pool, count, is_missing, label_text

CHUNK = 10_000
MOST_SLICES = 50
"""Values of a slice column that are told apart: with more, hardly a slice has answers enough to say anything."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a pool hold the old answers, the true labels, the confidences and the slices."""

    old: str
    truth: str | None = None
    confidence: str | None = None
    slices: tuple[str, ...] = ()

    def census(self, pool: Pool) -> Census:
        """Count the pool, chunk by chunk."""
        named = [("old", self.old), ("truth", self.truth), ("confidence", self.confidence)]
        for what, name in [*named, *(("slices", name) for name in self.slices)]:
            if name is not None and name not in pool.columns:
                columns = ", ".join(pool.columns)
                raise InvalidInput(Argument(what, name), f" is not a column of {pool.name}: name one of {columns}")
        old: list[Any] = []
        truth: list[Any] = []
        sure: list[Any] = []
        cells: dict[str, list[str]] = {name: [] for name in self.slices}
        for batch in pool.chunks(CHUNK):
            old += batch.columns[self.old].tolist()
            truth += [] if self.truth is None else self._labels(batch)
            sure += [] if self.confidence is None else self.sure(batch).tolist()
            for name in self.slices:
                cells[name] += slice_names(batch.columns[name])
        if not old:
            raise InvalidInput(f"pool {pool.name} has no items: give at least one")
        known = Baseline.of(
            old=old, truth=None if self.truth is None else truth, confidence=None if self.confidence is None else sure
        )
        census, kind = Census.take(known)
        slices: dict[str, dict[str, Ints]] = {}
        for name, values in cells.items():
            found = sorted(set(values))
            if len(found) > MOST_SLICES:
                rule = f" has {count(len(found), 'value')}: use a column of at most {MOST_SLICES}, such as a group"
                raise InvalidInput(Argument("slices", name), rule)
            of = np.array(values, dtype=object)
            counts = {value: np.bincount(kind[of == value], minlength=census.kinds) for value in found}
            slices[name] = {value: items.astype(np.int64) for value, items in counts.items()}
        return replace(census, slices=slices)

    def known(self, batch: Batch, census: Census) -> list[dict[str, Json]]:
        """Return what is known of each item, in words."""
        kinds = self.kinds(batch, census)
        sure = self.sure(batch).tolist()
        slices = {name: slice_names(batch.columns[name]) for name in self.slices}
        return [
            {
                **census.words(kind),
                "confidence": None if np.isnan(sure[place]) else sure[place],
                "slices": {name: values[place] for name, values in slices.items()},
            }
            for place, kind in enumerate(kinds.tolist())
        ]

    def kinds(self, batch: Batch, census: Census) -> Ints:
        """Return the kind of each item."""
        old = [answer_name(value) for value in batch.columns[self.old].tolist()]
        truth = old if self.truth is None else [label_text(value) for value in self._labels(batch)]
        return census.find(batch.ids, truth, old, self.sure(batch))

    def sure(self, batch: Batch) -> Floats:
        """Return the old model's confidence in each item, NaN where it is missing."""
        if self.confidence is None:
            return np.full(len(batch), np.nan)
        try:
            return confidences(batch.columns[self.confidence].tolist())
        except InvalidInput as error:
            raise InvalidInput(f"column {self.confidence!r}: ", *error.args) from None

    def _labels(self, batch: Batch) -> list[Any]:
        values: list[Any] = batch.columns[str(self.truth)].tolist()
        for item, value in zip(batch.ids, values, strict=True):
            if is_missing(value):
                raise InvalidInput(
                    f"item {item!r} has no label in column {self.truth!r}: fill it in, remove the item, or leave the "
                    "true labels out"
                )
        return values

    def to_json(self) -> dict[str, Json]:
        return asdict(self) | {"slices": list(self.slices)}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Columns:
        return cls(**{**entry, "slices": tuple(entry["slices"])})


def slice_names(values: Any) -> list[str]:
    """Return the values of a slice column as text; a missing one is a slice of its own."""
    return [answer_name(value) for value in values.tolist()]
