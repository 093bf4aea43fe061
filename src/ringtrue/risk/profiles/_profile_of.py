"""Make the profile of operation: how its inputs are spread over the pool, from batches of both, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Argument, Batch, InvalidInput
from ringtrue.risk.profiles._kinds import fit_score, is_numeric, numbers
from ringtrue.risk.profiles._weights import MOST_KINDS, Balance, ProfileWeights, Values, too_many_kinds
from ringtrue.stats import generator


def balance(profile: ProfileWeights, pool: Batch, operation: Batch) -> tuple[Balance, ...]:
    """Return how far operation's mean of each feature lies above the pool's, in standard deviations averaged over both.

    After weighting, the unassessed part of operation is left out, since the weights do not speak for it.
    """
    if profile.score is None:
        return ()
    here, there = numbers(pool, profile.score.features), numbers(operation, profile.score.features)
    lacking = {one.values for one in profile.lacking}
    assessed = np.array([values not in lacking for values in profile.values_of(operation)], dtype=bool)
    weights = profile.weights(pool)
    spread = np.sqrt((here.var(axis=0) + there.var(axis=0)) / 2)
    before = (there.mean(axis=0) - here.mean(axis=0)) / spread
    after = np.zeros(len(spread))
    if assessed.any() and weights.any():
        after = (there[assessed].mean(axis=0) - np.average(here, axis=0, weights=weights)) / spread
    # Eight digits are far more than are told, and they do not vary with the order of a sum.
    named = zip(profile.score.features, before.round(8).tolist(), after.round(8).tolist(), strict=True)
    return tuple(Balance(*one) for one in named)


GROUPS = 10
"""Groups by score: each has about as many rows of both sides together."""

SAMPLE = 20_000
"""So many rows of each side are enough to fit a score; shares are counted over all rows."""

FEW = 20
"""Whole numbers of at most so many different values are kinds, not a scale."""


def profile_of(
    name: str,
    pool: Iterable[Batch],
    operation: Iterable[Batch],
    columns: Sequence[str] | None = None,
    *,
    hidden: Collection[str | None] = (),
    seed: int = 0,
) -> ProfileWeights:
    """Return the profile of operation over the kinds that these columns make, however many rows there are.

    Texts, truth values and whole numbers of few different values make slices. Other numbers make groups: a logistic
    regression on them, their squares and products tells the two sides apart, and its score defines the groups and no
    more. The weight of a kind is its share in operation over its share in the pool; where there are both, groups are
    crossed with slices.

    Reference: Rosenbaum & Rubin, Journal of the American Statistical Association 79 (1984), 516-524.

    Parameters
    ----------
    name
        The name of the profile.
    pool
        The batches of the pool, which are read twice.
    operation
        The batches of operation, which are read twice.
    columns
        The columns that make kinds; by default all inputs that both sides have.
    hidden
        Columns that are not inputs, such as the truth, beside the one called "id".
    seed
        The seed that draws the rows on which the two sides are told apart.
    """
    for side, batches in (("pool", pool), ("operation", operation)):
        if iter(batches) is batches:
            raise InvalidInput(
                f"{side} can be read once only, and it is read twice: give a list of batches, or the like"
            )
    if columns is None:
        first, second = (next(iter(batches), Batch([], {})).columns for batches in (pool, operation))
        columns = [column for column in first if column in second and column not in hidden and column != "id"]
        if not columns:
            rule = " shares no input column with the pool: name some with "
            raise InvalidInput(Argument("profile", name), rule, Argument("columns"))
    names = tuple(columns)
    if not names or isinstance(columns, str) or len(set(names)) < len(names):
        rule = " must be a list of at least one name, each once: write ['column']"
        raise InvalidInput(Argument("columns", columns), rule)
    scales = _Scales(names)
    here, there = (_read(side, batches, scales, seed) for side, batches in (("pool", pool), ("operation", operation)))
    features = scales.found
    score = fit_score(numbers(here, features), numbers(there, features), features, GROUPS) if features else None
    uncounted = ProfileWeights(name, tuple(column for column in names if column not in features), score, ())
    counts = [_counted(uncounted, batches) for batches in (pool, operation)]
    profile = ProfileWeights.of(name, uncounted.columns, score, *counts)
    return replace(profile, balance=balance(profile, here, there))


def _read(side: str, batches: Iterable[Batch], scales: _Scales, seed: int) -> Batch:
    """Look at all rows of one side, and keep those with the lowest random marks: the same however they are cut."""
    rng, limit = generator(seed, f"profile/{side}"), 1.0
    kept: list[tuple[float, str, tuple[Any, ...]]] = []
    try:
        for batch in batches:
            scales.look(batch)
            marks = rng.random(len(batch))
            rows = np.flatnonzero(marks < limit).tolist()
            cells = zip(*(batch.columns[column][rows].tolist() for column in scales.columns), strict=True)
            kept += zip(marks[rows].tolist(), [batch.ids[row] for row in rows], cells, strict=True)
            if len(kept) > SAMPLE:
                limit = sorted(mark for mark, _, _ in kept)[SAMPLE - 1]
                kept = [one for one in kept if one[0] <= limit]
    except InvalidInput as error:
        raise InvalidInput(f"{side}: ", *error.args) from None
    if not kept:
        raise InvalidInput(f"{side} has no rows: give at least one of its inputs")
    columns = {column: np.empty(len(kept), dtype=object) for column in scales.columns}
    for place, filled in enumerate(columns.values()):
        filled[:] = [cells[place] for _, _, cells in kept]
    return Batch([name for _, name, _ in kept], columns)


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
