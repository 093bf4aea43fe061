"""Profiles from counts of kinds, and from the features of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Batch, InvalidInput, label_text
from ringtrue.risk.profiles._balance import balance
from ringtrue.risk.profiles._cells import Floats, numbers
from ringtrue.risk.profiles._score import fit_score
from ringtrue.risk.profiles._weights import ProfileWeights, Values

GROUPS = 10


def slices(
    name: str, pool_counts: Mapping[Any, int], operation_counts: Mapping[Any, int], columns: Sequence[str]
) -> ProfileWeights:
    """A profile from how often each combination of the columns' values comes in the pool and in operation.

    Counts are keyed by tuples of values in the order of `columns`; for one column the value alone will do. Only the
    ratios within `operation_counts` matter, so that whole percentages will do.

    >>> profile = slices("nights", {"day": 90, "night": 10}, {"day": 1, "night": 1}, ["time"])
    >>> profile.weights(Batch(["a", "b"], {"time": np.array(["day", "night"])})).round(3).tolist()
    [0.556, 5.0]
    """
    names = checked_columns(columns)
    pool, operation = (
        _keyed(side, counts, len(names))
        for side, counts in (("pool_counts", pool_counts), ("operation_counts", operation_counts))
    )
    return ProfileWeights.of(name, names, None, pool, operation)


def subclasses(
    name: str,
    pool_features: ArrayLike,
    operation_features: ArrayLike,
    features: Sequence[str],
    groups: int = GROUPS,
) -> ProfileWeights:
    """A profile from numbers, shape (inputs, features), of the pool's items and of inputs seen in operation.

    A logistic regression on the features, their squares and products tells the two apart. Its score defines groups
    and no more: the weight of a group is its share in operation over its share in the pool.

    Reference: Rosenbaum & Rubin, Journal of the American Statistical Association 79 (1984), 516-524.
    """
    names = checked_columns(features)
    pool, operation = _batch("pool", pool_features, names), _batch("operation", operation_features, names)
    score = fit_score(numbers(pool, names), numbers(operation, names), names, groups)
    empty = ProfileWeights(name, (), score, ())
    counted = ProfileWeights.of(name, (), score, *(Counter(empty.values_of(side)) for side in (pool, operation)))
    return replace(counted, balance=balance(counted, pool, operation))


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The names, or an error where there is none or one letter each was meant."""
    names = tuple(columns)
    if not names or isinstance(columns, str) or len(set(names)) < len(names):
        raise InvalidInput(f"columns={columns!r} must be a list of at least one name, each once: write ['column']")
    return names


def _keyed(side: str, counts: Mapping[Any, int], columns: int) -> dict[Values, int]:
    found: Counter[Values] = Counter()
    for key, number in counts.items():
        values = key if isinstance(key, tuple) else (key,)
        if len(values) != columns:
            raise InvalidInput(f"{side} has the key {key!r}, it must have {columns} values: give one per column")
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 0:
            raise InvalidInput(f"{side}[{key!r}]={number!r} must be a whole number of at least 0: give counts")
        found[tuple(label_text(value) for value in values)] += int(number)
    return dict(found)


def _batch(side: str, features: ArrayLike, names: tuple[str, ...]) -> Batch:
    values: Floats = np.asarray(features, dtype=float)
    if values.ndim == 1 and len(names) == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] != len(names):
        raise InvalidInput(
            f"{side}_features has the shape {values.shape}, it must have one column for each of the {len(names)} "
            "features: give an array of the shape (inputs, features)"
        )
    if not len(values):
        raise InvalidInput(f"{side} has no rows: give at least one of its inputs")
    ids = [f"{side} row {row}" for row in range(len(values))]
    return Batch(ids, {name: values[:, place] for place, name in enumerate(names)})
