"""Where the latent class fit starts from: the majority, closed forms of trios, and each judge taken as the truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._eigen import solve_eigen
from ringtrue.judges.latent._em import Point, Votes, point_of
from ringtrue.judges.trio._trios import solve_trios

BUSIEST = 12
"""Trios are made of the judges with the most votes."""

TRIOS = 40
"""At most so many trios are solved for a start, chosen evenly; more do not make the median much better."""

FEW = 6
"""In a panel of so many judges or fewer each is in turn taken for the truth: small panels have more tops than one."""

EIGEN = 3
"""So many trios are solved by eigenvectors for a start with more than two labels."""


def starts_of(names: Sequence[str], patterns: NDArray[np.int64], counts: Floats, votes: Votes) -> dict[str, Point]:
    """Starts by their names; the likelihood may have several tops, and which start leads to the highest is unknown."""
    each = counts @ (patterns >= 0)
    busy = np.argsort(-each, kind="stable")
    starts = {"the majority": majority_start(votes)}
    if votes.labels == 2:
        starts |= _median_trio(patterns, counts, votes, np.sort(busy[:BUSIEST]))
    else:
        starts |= _eigen_trios(names, patterns, counts, votes, np.sort(busy[:BUSIEST]))
    for judge in range(votes.judges if votes.judges <= FEW else 0):
        starts[f"the votes of {names[judge]}"] = _trusting(votes, judge)
    return starts


def majority_start(votes: Votes) -> Point:
    """Every item's votes, shared out by label, taken as the chances of its true label."""
    each = votes.said @ np.tile(np.eye(votes.labels), (votes.judges, 1))
    total = each.sum(axis=1, keepdims=True)
    posterior = np.divide(each, total, out=np.full(each.shape, 1 / votes.labels), where=total > 0)
    return point_of(votes, posterior, Point.even(votes), fixed=False)


def _trusting(votes: Votes, judge: int) -> Point:
    """A judge's votes taken as true by four fifths."""
    said = votes.said[:, judge * votes.labels : (judge + 1) * votes.labels]
    said = said if isinstance(said, np.ndarray) else said.toarray()
    posterior = 0.8 * said + (1 - 0.8 * said.sum(axis=1, keepdims=True)) / votes.labels
    return point_of(votes, posterior, Point.even(votes), fixed=False)


def _median_trio(
    patterns: NDArray[np.int64], counts: Floats, votes: Votes, busy: NDArray[np.int64]
) -> dict[str, Point]:
    """For two labels: the median over the trios that have a solution; a judge in none of them is a coin."""
    trios = np.array(list(combinations(busy.tolist(), 3)), dtype=np.int64).reshape(-1, 3)
    if not len(trios):
        return {}
    trios = trios[np.unique(np.linspace(0, len(trios) - 1, TRIOS).astype(np.int64))]
    places = np.where(patterns < 0, 8, patterns).astype(np.int8)
    cells = np.zeros((len(trios), 8))
    for row, (first, second, third) in enumerate(trios.tolist()):
        code = 4 * places[:, first] + 2 * places[:, second] + places[:, third]
        cells[row] = np.bincount(np.minimum(code, 8), weights=counts, minlength=9)[:8]
    scale = min(1.0, 1e15 / max(float(cells.max()), 1.0))
    solved = solve_trios(np.rint(cells * scale).astype(np.int64))
    if not solved.valid.any():
        return {}
    right = np.full((votes.judges, 2), 0.5)
    for judge in busy.tolist():
        mine = solved.accuracies[solved.valid][trios[solved.valid] == judge]
        if len(mine):
            right[judge] = np.median(mine, axis=0)
    right[:, 1] = 1 - right[:, 1]
    share = np.full(votes.strata, np.median(solved.prevalence[solved.valid]))
    rows = np.concatenate([share, right.ravel()])
    return {"the median of trios": Point.from_rows(np.stack([rows, 1 - rows], axis=1), votes)}


def _eigen_trios(
    names: Sequence[str], patterns: NDArray[np.int64], counts: Floats, votes: Votes, busy: NDArray[np.int64]
) -> dict[str, Point]:
    """For more labels: trios solved by eigenvectors, moved into the unit cube; the other judges are dice."""
    trios = list(combinations(busy.tolist(), 3))
    starts = {}
    for number in sorted({round(place) for place in np.linspace(0, len(trios) - 1, EIGEN)} if trios else ()):
        trio = list(trios[number])
        said = patterns[:, trio]
        voted = (said >= 0).all(axis=1)
        table = np.zeros((votes.labels,) * 3)
        np.add.at(table, tuple(said[voted].T), counts[voted])
        solution = solve_eigen(table / max(float(table.sum()), 1.0))
        if not isinstance(solution, str):
            confusion = np.full((votes.judges, votes.labels, votes.labels), 1 / votes.labels)
            confusion[trio] = solution.confusion
            shares = np.tile(solution.prevalence, (votes.strata, 1))
            rows = np.concatenate([shares, confusion.reshape(-1, votes.labels)])
            rows = np.clip(rows, 0.01, None)
            name = ", ".join(names[judge] for judge in trio)
            starts[f"the eigenvectors of {name}"] = Point.from_rows(rows / rows.sum(axis=1, keepdims=True), votes)
    return starts
