"""What the errors found have in common: groups of like items, and those with more errors than the confidence admits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.measures import checked_answers, checked_space, expected_errors
from ringtrue.core import InvalidInput, Json
from ringtrue.stats import average_chance_sequence, generator, ranked

_FEWEST = 25
"""Items for each cluster, on average: smaller ones would hardly hold two answers."""

_FITTED = 4_000
"""Centres are fitted to at most so many items, drawn at random: a larger pool would move them by little."""


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

    points = checked_space(space)
    if most < 1:
        raise InvalidInput(f"most={most} must be at least 1: every item is in a cluster")
    rng = generator(seed, "clusters")
    fitted = points[rng.choice(len(points), min(_FITTED, len(points)), replace=False)]
    count = min(most, max(1, len(points) // _FEWEST), len(np.unique(fitted, axis=0)))
    means = KMeans(count, n_init=2, max_iter=100, random_state=int(rng.integers(2**32))).fit(fitted)
    found = means.predict(points)
    rank = np.argsort(np.argsort(-np.bincount(found, minlength=count), kind="stable"), kind="stable")
    return np.asarray(rank[found], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one group: errors beyond those expected, with an interval that holds for all groups at once.

    >>> print(Group("cluster", "3", 10, 6, 1.5, 4.5, 0.8, 6.9, 0.95))
    cluster 3: 6 errors in 10 where 1.5 were expected, excess 4.5 [0.8, 6.9]
    """

    kind: str
    name: str
    asked: int
    errors: int
    expected: float
    excess: float
    excess_low: float
    excess_high: float
    level: float
    """The chance that the intervals of all groups hold together."""

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.name}: {self.errors} error{'s' * (self.errors != 1)} in {self.asked} "
            f"where {self.expected:.3g} were expected, "
            f"excess {self.excess:.3g} [{self.excess_low:.3g}, {self.excess_high:.3g}]"
        )

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def group_table(
    names: Mapping[str, Sequence[str]],
    wrong: ArrayLike,
    confidence: ArrayLike,
    *,
    looked: int,
    level: float = 0.95,
) -> list[Group]:
    """Return the groups with an answer: those whose excess is sure by its lower bound, the others by their excess.

    `names` gives for every kind of group (clusters, a slice column) the group of each answered item, in the order of
    asking; an item is in one group of each kind. The groups must be formed without the answers. `looked` is the number
    of groups that could have been shown, those without an answer too: each interval is made at the level
    1 - (1 - level) / looked, so that all of them hold together with the chance `level`. The interval of an excess is
    the one of the average chance of error times the answers, less the errors expected: it concerns the items asked,
    holds after every answer, and under any search.

    >>> found = group_table({"fur": ["dark", "light"] * 8}, [True, False] * 8, [0.9] * 16, looked=2)
    >>> print(found[0])
    fur dark: 8 errors in 8 where 0.8 were expected, excess 7.2 [3.21, 7.2]
    """
    answers, found = checked_answers("wrong", wrong, confidence)
    expected = expected_errors(found)
    for kind, column in names.items():
        if len(column) != len(answers):
            raise InvalidInput(
                f"names[{kind!r}] has {len(column)} entries for {len(answers)} answers: give one for each"
            )
    shown = [(kind, name) for kind, column in names.items() for name in dict.fromkeys(column)]
    if looked < len(shown):
        raise InvalidInput(f"looked={looked} must be at least the {len(shown)} groups with an answer: count all groups")
    table = []
    for kind, name in shown:
        inside = np.array([other == name for other in names[kind]])
        bounds = average_chance_sequence(answers[inside], level=1 - (1 - level) / looked)
        asked, errors, admitted = int(inside.sum()), int(answers[inside].sum()), float(expected[inside].sum())
        low, high = (float(asked * end[-1] - admitted) for end in (bounds.low, bounds.high))
        table.append(Group(kind, name, asked, errors, admitted, errors - admitted, low, high, level))
    # Below zero a lower bound says more about how many were asked than about errors.
    by_excess = [table[place] for place in ranked([group.excess for group in table])]
    return [by_excess[place] for place in ranked([max(group.excess_low, 0.0) for group in by_excess])]
