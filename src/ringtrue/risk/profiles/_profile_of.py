"""A profile from batches of the pool and of operation, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput
from ringtrue.risk.profiles._balance import balance
from ringtrue.risk.profiles._cells import is_numeric, numbers
from ringtrue.risk.profiles._sample import Sample
from ringtrue.risk.profiles._score import fit_score
from ringtrue.risk.profiles._weights import MOST_KINDS, ProfileWeights, Values, too_many_kinds
from ringtrue.stats import generator

GROUPS = 10
"""Groups by score: each has about as many rows of both sides together."""

SAMPLE = 20_000
"""So many rows of each side are enough to fit a score; shares are counted over all rows."""

FEW = 20
"""Whole numbers of at most so many different values are kinds, not a scale."""


def profile_of(
    name: str, pool: Iterable[Batch], operation: Iterable[Batch], columns: Sequence[str], *, seed: int = 0
) -> ProfileWeights:
    """The profile of operation over the kinds that these columns make, however many rows there are.

    Texts, truth values and whole numbers of few different values make slices. Other numbers make groups: a logistic
    regression on them, their squares and products tells the two sides apart, and its score defines the groups and no
    more. The weight of a kind is its share in operation over its share in the pool; where there are both, groups are
    crossed with slices. Each side is read twice.

    Reference: Rosenbaum & Rubin, Journal of the American Statistical Association 79 (1984), 516-524.
    """
    names = checked_columns(columns)
    for side, batches in (("pool", pool), ("operation", operation)):
        if iter(batches) is batches:
            raise InvalidInput(
                f"{side} can be read once only, and it is read twice: give a list of batches, or the like"
            )
    scales = _Scales(names)
    here, there = (_read(side, batches, scales, seed) for side, batches in (("pool", pool), ("operation", operation)))
    features = scales.found
    score = None
    if features:
        score = fit_score(numbers(here, features), numbers(there, features), features, GROUPS)
    uncounted = ProfileWeights(name, tuple(column for column in names if column not in features), score, ())
    counts = [_counted(uncounted, batches) for batches in (pool, operation)]
    profile = ProfileWeights.of(name, uncounted.columns, score, *counts)
    return replace(profile, balance=balance(profile, here, there))


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names; refuse an empty list, names given twice, and a text, whose letters would be taken as names."""
    names = tuple(columns)
    if not names or isinstance(columns, str) or len(set(names)) < len(names):
        raise InvalidInput(f"columns={columns!r} must be a list of at least one name, each once: write ['column']")
    return names


def _read(side: str, batches: Iterable[Batch], scales: _Scales, seed: int) -> Batch:
    """Look at all rows of one side, and keep a sample of them."""
    sample = Sample(SAMPLE, scales.columns, generator(seed, f"profile/{side}"))
    try:
        for batch in batches:
            scales.look(batch)
            sample.add(batch)
    except InvalidInput as error:
        raise InvalidInput(f"{side}: {error}") from None
    return sample.batch(side)


def _counted(profile: ProfileWeights, batches: Iterable[Batch]) -> Counter[Values]:
    counts: Counter[Values] = Counter()
    for batch in batches:
        counts.update(profile.values_of(batch))
        if len(counts) > MOST_KINDS:
            raise too_many_kinds(profile.columns)
    return counts


class _Scales:
    """Which columns hold numbers on a scale, as far as the batches looked at tell."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self._different: dict[str, NDArray[np.float64] | None] = dict.fromkeys(columns, np.zeros(0))
        self._texts: set[str] = set()

    def look(self, batch: Batch) -> None:
        for column, different in self._different.items():
            if not is_numeric(batch, column) or column in self._texts:
                self._texts.add(column)
            elif different is not None:
                known = np.union1d(different, numbers(batch, [column]))
                self._different[column] = known if len(known) <= FEW and not np.any(known % 1) else None

    @property
    def found(self) -> tuple[str, ...]:
        """Those that are no kinds; a number that never changes is one of them, and will be refused."""
        return tuple(
            column
            for column, different in self._different.items()
            if column not in self._texts and (different is None or len(different) == 1)
        )
