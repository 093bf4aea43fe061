"""The weights of a profile: what each item of the pool stands for in operation, and the sentences about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Json, count, digest, percent
from ringtrue.risk._grid import Floats
from ringtrue.risk.profiles._kinds import Score, numbers, texts

Values: TypeAlias = tuple[str | int, ...]
"""What items of one kind share: a text per column, then the number of the score's group if there is a score."""

MOST_KINDS = 10_000
"""With more kinds hardly one has items enough to tell anything."""


APART = 0.1
"""Means further apart than this, in standard deviations, are worth a warning.

Reference: Austin, Statistics in Medicine 28 (2009), 3083-3107.
"""


@dataclass(frozen=True, slots=True)
class ProfileClass:
    """One kind of input: how many items the pool has of it, how many were counted in operation, and the weight.

    The weight is the share in operation over the share in the pool, None where the pool has no such item.
    """

    values: Values
    pool: int
    operation: int
    weight: float | None


@dataclass(frozen=True, slots=True)
class Balance:
    """How far apart a feature's means in operation and in the pool are, in standard deviations."""

    feature: str
    before: float
    after: float


@dataclass(frozen=True)
class ProfileWeights:
    """How often inputs of each kind come in operation, as weights of a pool's items.

    The failure rate in operation is the mean of weight times failed over the pool, plus what fails of the `unassessed`
    share, of whose kinds the pool has no item. Weights average one less that share.
    """

    name: str
    columns: tuple[str, ...]
    score: Score | None
    classes: tuple[ProfileClass, ...]
    balance: tuple[Balance, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        columns: tuple[str, ...],
        score: Score | None,
        pool: Mapping[Values, int],
        operation: Mapping[Values, int],
    ) -> ProfileWeights:
        """Return the profile in which kinds have these counts.

        Parameters
        ----------
        name
            The name of the profile.
        columns
            The columns whose values make slices.
        score
            The score that makes groups of numbers, if there are numbers.
        pool
            How many items of the pool there are of each kind.
        operation
            How many inputs of operation there are of each kind.
        """
        items, inputs = _total("pool", pool), _total("operation", operation)
        kinds = sorted({values for side in (pool, operation) for values, number in side.items() if number})
        if len(kinds) > MOST_KINDS:
            raise too_many_kinds(columns)
        classes = []
        for values in kinds:
            here, there = int(pool.get(values, 0)), int(operation.get(values, 0))
            classes.append(ProfileClass(values, here, there, there * items / (here * inputs) if here else None))
        return cls(name, columns, score, tuple(classes))

    @property
    def kind(self) -> str:
        """What the kinds are: slices by columns, subclasses by a score, or both crossed."""
        return " and ".join(["slices"] * bool(self.columns) + ["subclasses"] * (self.score is not None))

    @cached_property
    def mark(self) -> str:
        """A hash of the weights: profiles of one name need not be the same."""
        made = self.to_json()
        return digest({part: made[part] for part in ("columns", "score", "classes")})

    @property
    def most(self) -> float:
        """The largest weight an item can have."""
        return max(self._weights.values(), default=0.0)

    @property
    def inputs(self) -> int:
        """How many inputs of operation were counted."""
        return sum(one.operation for one in self.classes)

    @property
    def lacking(self) -> tuple[ProfileClass, ...]:
        """The kinds that come in operation and not in the pool."""
        return tuple(one for one in self.classes if one.weight is None)

    @property
    def unassessed(self) -> float:
        """The share of operation that is of a kind the pool has no item of: there anything may fail."""
        return sum(one.operation for one in self.lacking) / self.inputs

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for a rate in operation to hold, and the warnings that the balance gives."""
        told_by = [*self.columns, *(() if self.score is None else self.score.features)]
        kinds = count(len(self.classes), "kind")
        lines = [
            f"Among inputs of one kind ({kinds} by {', '.join(told_by)}), operation fails as often as the pool does.",
            f"Each kind's share of operation is that among the {count(self.inputs, 'input')} counted there; how far so "
            "many may be off is not part of the interval.",
        ]
        if self.lacking:
            largest = sorted(self.lacking, key=lambda one: (-one.operation, one.values))[:3]
            named = "; ".join(self.words(one.values) for one in largest)
            more = ", among others" if len(self.lacking) > 3 else ""
            lines.append(
                f"{percent(self.unassessed)} of operation is of kinds the pool has no item of ({named}{more}): none of "
                "it may fail or all, and the upper bound counts it as failing."
            )
        if self.balance:
            before = max(abs(one.before) for one in self.balance)
            after = max(abs(one.after) for one in self.balance)
            lines.append(
                "Groups by a score are not exact kinds: weighting brings the means of the features from at most "
                f"{before:.2f} to at most {after:.2f} standard deviations apart."
            )
        for one in self.balance:
            if abs(one.after) > APART:
                lines.append(
                    f"Weighted, the pool still differs from operation in {one.feature} by {one.after:+.2f} standard "
                    f"deviations ({one.before:+.2f} before): the rate may be off where failures depend on it."
                )
        return tuple(lines)

    def weights(self, batch: Batch) -> Floats:
        """Return the weight of each item of the pool; batches may be cut as one likes."""
        weights = self._weights
        found = np.empty(len(batch))
        for place, values in enumerate(self.values_of(batch)):
            if values not in weights:
                raise InvalidInput(
                    f"item {batch.ids[place]!r} has {self.words(values)}, and the pool of profile {self.name!r} had no "
                    "such item: make the profile from the pool it is used on"
                )
            found[place] = weights[values]
        return found

    def values_of(self, batch: Batch) -> Iterator[Values]:
        """Return what makes the kind of each item."""
        cells: list[list[Any]] = [texts(batch, column) for column in self.columns]
        if self.score is not None:
            cells.append(self.score.group_of(numbers(batch, self.score.features)).tolist())
        return zip(*cells, strict=True)

    def words(self, values: Values) -> str:
        """Return a kind as a reader should see it."""
        named = [f"{column}={value!r}" for column, value in zip(self.columns, values, strict=False)]
        if self.score is not None:
            named.append(f"score group {int(values[-1]) + 1} of {self.score.groups}")
        return ", ".join(named)

    @cached_property
    def _weights(self) -> dict[Values, float]:
        return {one.values: one.weight for one in self.classes if one.weight is not None}

    def to_json(self) -> dict[str, Json]:
        """Return all that is needed to weigh the pool again, and what a report shows of it."""
        classes: list[Json] = [
            {**asdict(one), "values": list(one.values), "name": self.words(one.values)} for one in self.classes
        ]
        return {
            "name": self.name,
            "kind": self.kind,
            "columns": list(self.columns),
            "score": None if self.score is None else self.score.to_json(),
            "classes": classes,
            "balance": [asdict(one) for one in self.balance],
            "most": self.most,
            "unassessed": self.unassessed,
            "assumptions": list(self.assumptions),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ProfileWeights:
        classes = tuple(
            ProfileClass(tuple(one["values"]), one["pool"], one["operation"], one["weight"]) for one in entry["classes"]
        )
        score = None if entry["score"] is None else Score.from_json(entry["score"])
        balance = tuple(Balance(**one) for one in entry["balance"])
        return cls(entry["name"], tuple(entry["columns"]), score, classes, balance)


def too_many_kinds(columns: tuple[str, ...]) -> InvalidInput:
    """Return the error for columns that tell nearly every input from the others."""
    rule = f" make more than {MOST_KINDS:,} kinds of input: name fewer, or coarser ones"
    return InvalidInput(Argument("columns", list(columns)), rule)


def _total(side: str, counts: Mapping[Values, int]) -> int:
    total = sum(counts.values())
    if total < 1:
        raise InvalidInput(f"{side} has no rows: give at least one of its inputs")
    return int(total)
