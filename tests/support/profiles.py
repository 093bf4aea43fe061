"""Profiles for tests: from counts of kinds, and from the features of both sides."""

from collections import Counter
from dataclasses import replace

import numpy as np

from ringtrue.core import Batch, label_text
from ringtrue.risk.profiles import ProfileWeights
from ringtrue.risk.profiles._kinds import fit_score, numbers
from ringtrue.risk.profiles._profile_of import GROUPS, balance


def slices(name, pool_counts, operation_counts, columns):
    """A profile from how often each combination of the columns' values comes in the pool and in operation."""
    return ProfileWeights.of(name, tuple(columns), None, _keyed(pool_counts), _keyed(operation_counts))


def subclasses(name, pool_features, operation_features, features, groups=GROUPS):
    """A profile from numbers, shape (inputs, features), of the pool's items and of inputs seen in operation."""
    names = tuple(features)
    pool, operation = _batch("pool", pool_features, names), _batch("operation", operation_features, names)
    score = fit_score(numbers(pool, names), numbers(operation, names), names, groups)
    empty = ProfileWeights(name, (), score, ())
    counted = ProfileWeights.of(name, (), score, *(Counter(empty.values_of(side)) for side in (pool, operation)))
    return replace(counted, balance=balance(counted, pool, operation))


def _keyed(counts):
    found = Counter()
    for key, number in counts.items():
        found[tuple(label_text(value) for value in (key if isinstance(key, tuple) else (key,)))] += number
    return dict(found)


def _batch(side, features, names):
    values = np.asarray(features, dtype=float).reshape(-1, len(names))
    ids = [f"{side} row {row}" for row in range(len(values))]
    return Batch(ids, {name: values[:, place] for place, name in enumerate(names)})
