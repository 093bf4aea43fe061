"""Where the errors found gather: clusters and slices with an excess of errors, and bins of confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind._checks import checked_table
from ringtrue.blind._rate import Answered
from ringtrue.blind._scope import EDGES
from ringtrue.blind.measures import checked_answers, expected_errors
from ringtrue.core import InvalidInput, Json, Record, Scores
from ringtrue.stats import PoolEvidence, average_chance_sequence, generator, ranked, segmented_pool_sequence

_FEWEST = 25  # items for each cluster, on average: smaller ones would hardly hold two answers
_FITTED = 4_000  # centres are fitted to at most so many items, drawn at random: a larger pool would move them by little


def clusters(space: ArrayLike, *, seed: int, most: int = 8) -> NDArray[np.int64]:
    """Return a code for each item: k-means in the feature space, numbered from the largest cluster down.

    There are at most `most` clusters, fewer in small pools. No answer is looked at, so that the answers may afterwards
    be compared between clusters. `space` is (n, features).

    >>> rows = np.repeat([[0.0, 0.0], [5.0, 5.0]], [40, 30], axis=0)
    >>> np.bincount(clusters(rows, seed=0))
    array([40, 30])

    Reference: Arthur & Vassilvitskii, k-means++, SODA 2007.
    """
    from sklearn.cluster import KMeans  # here, because it is slow to load

    points = checked_table("space", space)
    if most < 1:
        raise InvalidInput(f"most={most} must be at least 1: every item is in a cluster")
    rng = generator(seed, "clusters")
    fitted = points[rng.choice(len(points), min(_FITTED, len(points)), replace=False)]
    count = min(most, max(1, len(points) // _FEWEST), len(np.unique(fitted, axis=0)))
    means = KMeans(count, n_init=2, max_iter=100, random_state=int(rng.integers(2**32))).fit(fitted)
    found = means.predict(points)
    rank = np.argsort(np.argsort(-np.bincount(found, minlength=count), kind="stable"), kind="stable")
    return np.asarray(rank[found], dtype=np.int64)


def group_table(
    names: Mapping[str, Sequence[str]],
    wrong: Sequence[bool | None],
    confidence: ArrayLike,
    *,
    looked: int,
    level: float = 0.95,
) -> list[dict[str, Any]]:
    """Return the groups with an answer: those whose excess is sure by its lower bound, the others by their excess.

    The groups must be formed without the answers. Each interval is made at the level 1 - (1 - level) / looked, so that
    all of them hold together with the chance `level`. The interval of an excess is the one of the average chance of
    error times the answers, less the errors expected: it concerns the items asked, holds after every answer, and under
    any search.

    >>> found = group_table({"fur": ["dark", "light"] * 8}, [True, False] * 8, [0.9] * 16, looked=2)
    >>> found[0]["name"], found[0]["errors"], round(found[0]["low"], 2), round(found[0]["high"], 2)
    ('dark', 8, 3.21, 7.2)

    Parameters
    ----------
    names
        For every kind of group (clusters, a slice column), the group of each answered item, in the order of asking; an
        item is in one group of each kind.
    wrong
        Whether the model errs on each item. One that the oracle could not tell, None, counts as right in the lower end
        and as wrong in the upper one.
    confidence
        The model's confidence in each answer, in the same order.
    looked
        The number of groups that could have been shown, those without an answer too.
    level
        The chance with which all intervals hold together.
    """
    fewest, found = checked_answers("wrong", [answer is not None and bool(answer) for answer in wrong], confidence)
    most = np.array([answer is None or bool(answer) for answer in wrong])
    expected = expected_errors(found)
    for kind, column in names.items():
        if len(column) != len(wrong):
            raise InvalidInput(f"names[{kind!r}] has {len(column)} entries for {len(wrong)} answers: give one for each")
    shown = [(kind, name) for kind, column in names.items() for name in dict.fromkeys(column)]
    if looked < len(shown):
        raise InvalidInput(f"looked={looked} must be at least the {len(shown)} groups with an answer: count all groups")
    table: list[dict[str, Any]] = []
    for kind, name in shown:
        inside = np.array([other == name for other in names[kind]])
        low, high = (average_chance_sequence(one[inside], level=1 - (1 - level) / looked) for one in (fewest, most))
        asked, errors, admitted = int(inside.sum()), int(fewest[inside].sum()), float(expected[inside].sum())
        table.append(
            {
                "kind": kind,
                "name": name,
                "asked": asked,
                "errors": errors,
                "expected": admitted,
                "excess": errors - admitted,
                "low": float(asked * low.low[-1] - admitted),
                "high": float(asked * high.high[-1] - admitted),
                "level": level,
            }
        )
    # Below zero a lower bound says more about how many were asked than about errors.
    by_excess = [table[place] for place in ranked([group["excess"] for group in table])]
    return [by_excess[place] for place in ranked([max(group["low"], 0.0) for group in by_excess])]


def groups(
    records: Sequence[Record], scores: Scores, slices: Mapping[str, Sequence[str]], level: float
) -> list[dict[str, Json]]:
    """Return the excess of errors by cluster and by slice, each interval corrected for all groups there are.

    `records` are those of the hunt, in the order of asking; `slices` are columns with their values.
    """
    if not records or "cluster" not in scores:
        return []
    rows = [record.row for record in records if record.row is not None]  # all of them: a hunt is in a pool
    names = {"cluster": [f"cluster {int(scores['cluster'][row]) + 1}" for row in rows]}
    sizes = {"cluster": "cluster_items"}
    for place, (column, values) in enumerate(slices.items()):
        names[column] = [values[int(scores[f"slice {place}"][row])] for row in rows]
        sizes[column] = f"slice_items {place}"
    items = {
        (kind, name): int(scores[sizes[kind]][row])
        for kind, column in names.items()
        for name, row in zip(column, rows, strict=True)
    }
    looked = int(scores["clusters"][rows[0]]) + sum(map(len, slices.values()))
    method = "average chance of error of the items asked, corrected for all groups"
    confidence = [float(scores["confidence"][row]) for row in rows]
    found = group_table(names, [record.failed for record in records], confidence, looked=looked, level=level)
    return [{**group, "items": items[group["kind"], group["name"]], "method": method} for group in found]


class BinCounts:
    """How the answers in each bin of confidence came out."""

    def __init__(self) -> None:
        self._bins: dict[int, tuple[int, PoolEvidence, PoolEvidence]] = {}

    def add(self, answer: Answered, place: int, items: int) -> None:
        """Count an answer in a bin that has so many items in the scope."""
        if place not in self._bins:
            self._bins[place] = items, PoolEvidence(0.5, population=items), PoolEvidence(0.5, population=items)
        for evidence, error in zip(self._bins[place][1:], (answer.low, answer.high), strict=True):
            (evidence.draw if answer.random else evidence.know)(bool(error))

    def table(self, level: float) -> list[dict[str, Json]]:
        """Return the accuracy in every bin that has an answer, over all its items, from the random draws in it."""
        made: list[dict[str, Json]] = []
        for place, (items, low, high) in sorted(self._bins.items()):
            fewest, most = (
                segmented_pool_sequence(one.segments, population=items, level=level, at=[len(one.segments.draws) - 1])
                for one in (low, high)
            )
            made.append(
                {
                    "low": EDGES[place],
                    "high": EDGES[place + 1],
                    "items": items,
                    "asked": items - low.unknown,
                    "errors": low.known_failures,
                    "random": low.draws,
                    "accuracy_low": 1 - float(most.high[0]),
                    "accuracy_high": 1 - float(fewest.low[0]),
                    "level": level,
                    "method": "pool sequence on the random draws",
                }
            )
        return made
