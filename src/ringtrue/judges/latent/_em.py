"""Votes as matrices, and one step of EM on them: the chances of the labels, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Sketch
from ringtrue.judges._evaluation import Evaluation, Floats

IMPOSSIBLE = -1e30
"""Stands for log(0): finite, so that a pattern which a start calls impossible leads the next step out of the zero."""

DENSE = 50_000
"""Up to so many entries the votes are a dense matrix, beyond only if more than one in twenty entries is a vote."""


def arrays_of(sketch: Sketch) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the patterns, shape (k, judges), sorted, -1 where a judge abstained; and their counts, shape (k,).

    The order depends on the content alone, so that sums over patterns are the same to the last bit.

    >>> patterns, counts = arrays_of(Sketch(["ann", "bob"], ["no", "yes"], {(1, 0): 2, (0, -1): 3}))
    >>> patterns.tolist(), counts.tolist()
    ([[0, -1], [1, 0]], [3.0, 2.0])
    """
    seen, judges = sorted(sketch.items()), len(sketch.judges)
    votes = chain.from_iterable(pattern for pattern, _ in seen)
    patterns = np.fromiter(votes, dtype=np.int64, count=len(seen) * judges).reshape(len(seen), judges)
    return patterns, np.array([times for _, times in seen], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes as a matrix: `said` has a row per pattern and a column per judge and label, 1 where it was voted.

    `heard` is its transpose, kept since a sparse one takes longer to make than to use.
    `weights` are the patterns' shares of the `items`; an item without any vote says nothing and is not one of them.
    `stratum` says which prevalence a pattern belongs to.
    """

    said: Any
    heard: Any
    weights: Floats
    items: float
    stratum: NDArray[np.int64]
    judges: int
    labels: int
    strata: int

    @classmethod
    def of(
        cls, patterns: NDArray[np.int64], counts: Floats, labels: int, *, stratum: NDArray[np.int64] | None = None
    ) -> Votes:
        k, judges = patterns.shape
        rows, voters = np.nonzero(patterns >= 0)
        columns = voters * labels + patterns[rows, voters]
        said: Any
        if k * judges * labels <= max(DENSE, 20 * len(rows)):
            said = np.zeros((k, judges * labels))
            said[rows, columns] = 1
        else:
            from scipy.sparse import csr_array  # half a second to import, for panels that need it

            said = csr_array((np.ones(len(rows)), (rows, columns)), shape=(k, judges * labels))
        heard = said.T if isinstance(said, np.ndarray) else said.T.tocsr()
        weights = np.where((patterns >= 0).any(axis=1), counts, 0.0)
        places = np.zeros(k, dtype=np.int64) if stratum is None else stratum
        strata = int(places.max(initial=0)) + 1
        items = float(weights.sum())
        return cls(said, heard, weights / (items or 1.0), items, places, judges, labels, strata)

    def counted(self, counts: NDArray[np.int64]) -> Votes:
        """Return the same patterns with other counts."""
        return replace(self, weights=counts / counts.sum(), items=float(counts.sum()))


@dataclass(frozen=True, slots=True)
class Point:
    """The parameters: prevalence (strata, labels), and chance[judge * labels + vote, true label]."""

    prevalence: Floats
    chance: Floats

    @classmethod
    def even(cls, votes: Votes) -> Point:
        """Make every label as common as the others, and every judge vote like a die."""
        share = 1 / votes.labels
        return cls(
            np.full((votes.strata, votes.labels), share), np.full((votes.judges * votes.labels, votes.labels), share)
        )

    @classmethod
    def of(cls, evaluation: Evaluation) -> Point:
        return cls.tabled(evaluation.prevalence[None].astype(float), evaluation.confusion.astype(float))

    @classmethod
    def tabled(cls, prevalence: Floats, confusion: Floats) -> Point:
        """Take prevalences (strata, labels) and confusions (judges, true labels, votes)."""
        return cls(prevalence, confusion.transpose(0, 2, 1).reshape(-1, confusion.shape[1]))

    @classmethod
    def from_rows(cls, rows: Floats, votes: Votes) -> Point:
        """Take one distribution per row: the prevalences, then the votes by judge and true label."""
        return cls.tabled(rows[: votes.strata], rows[votes.strata :].reshape(-1, votes.labels, votes.labels))

    def by_truth(self) -> Floats:
        """Return the chances as (judges, true labels, votes)."""
        labels = self.chance.shape[1]
        return self.chance.reshape(-1, labels, labels).transpose(0, 2, 1)


def posterior_of(votes: Votes, point: Point) -> tuple[Floats, Floats]:
    """Return the chance of each true label per pattern, shape (k, labels), and the log-probability of each pattern."""
    joint = votes.said @ _log(point.chance)
    shares = _log(point.prevalence)
    joint += shares if votes.strata == 1 else shares[votes.stratum]
    # Label by label: reducing along an axis of two or three entries would take longer than all the rest.
    highest = reduce(np.maximum, joint.T)
    joint -= highest[:, None]
    np.exp(joint, out=joint)
    total = reduce(np.add, joint.T)
    joint /= total[:, None]
    return joint, highest + np.log(total)


def fit_point(votes: Votes, posterior: Floats, before: Point, *, fixed: bool) -> Point:
    """Fit the parameters as if these were the chances of the labels; what no vote speaks of stays as before."""
    weighted = posterior * votes.weights[:, None]
    table = (votes.heard @ weighted).reshape(votes.judges, votes.labels, votes.labels)
    chance = _shares(table, before.chance.reshape(table.shape), axis=1).reshape(-1, votes.labels)
    if fixed:
        return Point(before.prevalence, chance)
    if votes.strata == 1:
        sums = weighted.sum(axis=0, keepdims=True)
    else:
        sums = np.zeros((votes.strata, votes.labels))
        np.add.at(sums, votes.stratum, weighted)
    return Point(_shares(sums, before.prevalence, axis=1), chance)


def _shares(table: Floats, before: Floats, *, axis: int) -> Floats:
    """Divide entries by their sum along an axis; as before where the sum is 0."""
    total = table.sum(axis=axis, keepdims=True)
    if total.all():
        table /= total
        return table
    return np.where(total > 0, table / np.where(total > 0, total, 1.0), before)


def _log(values: Floats) -> Floats:
    if values.all():
        return np.asarray(np.log(values))
    return np.asarray(np.log(values, out=np.full(values.shape, IMPOSSIBLE), where=values > 0))
