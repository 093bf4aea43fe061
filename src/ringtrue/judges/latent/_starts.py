"""Where the latent class fit starts from: the majority, closed forms of trios, and each judge taken as the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges._invariants import solve_trios
from ringtrue.judges.latent._em import Point, Votes, fit_point
from ringtrue.stats import generator

BUSIEST = 12
"""Trios are made of the judges with the most votes."""

TRIOS = 40
"""At most so many trios are solved for a start, chosen evenly; more do not make the median much better."""

FEW = 6
"""In a panel of so many judges or fewer each is in turn taken for the truth: small panels have more tops than one."""

EIGEN = 3
"""So many trios are solved by eigenvectors for a start with more than two labels."""

SINGULAR = 1e-12
"""A joint table whose smallest singular value is below this share of its largest cannot be inverted in numbers."""

OUTSIDE = 1e-9
"""By so much a solution may leave [0, 1] and be called rounding."""

MIXTURES = 4
"""How many mixtures of the third judge's labels are drawn besides the plain ones; the clearest one counts."""


def starts_of(names: Sequence[str], patterns: NDArray[np.int64], counts: Floats, votes: Votes) -> dict[str, Point]:
    """Return starts by their names: the likelihood may have several tops, and no start is known to lead highest."""
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
    """Take every item's votes, shared out by label, as the chances of its true label."""
    each = votes.said @ np.tile(np.eye(votes.labels), (votes.judges, 1))
    total = each.sum(axis=1, keepdims=True)
    posterior = np.divide(each, total, out=np.full(each.shape, 1 / votes.labels), where=total > 0)
    return fit_point(votes, posterior, Point.even(votes), fixed=False)


def _trusting(votes: Votes, judge: int) -> Point:
    """Take a judge's votes as true by four fifths."""
    said = votes.said[:, judge * votes.labels : (judge + 1) * votes.labels]
    said = said if isinstance(said, np.ndarray) else said.toarray()
    posterior = 0.8 * said + (1 - 0.8 * said.sum(axis=1, keepdims=True)) / votes.labels
    return fit_point(votes, posterior, Point.even(votes), fixed=False)


def _median_trio(
    patterns: NDArray[np.int64], counts: Floats, votes: Votes, busy: NDArray[np.int64]
) -> dict[str, Point]:
    """Start two labels at the median over the trios that have a solution; a judge in none of them is a coin."""
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
    """Start more labels at trios solved by eigenvectors, moved into the unit cube; the other judges are dice."""
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


@dataclass(frozen=True, slots=True)
class EigenSolution:
    """Prevalences and confusions that solve the equations, with `fault` saying what is wrong with them, if anything."""

    prevalence: Floats
    confusion: Floats
    fault: str | None


def solve_eigen(table: Floats) -> EigenSolution | str:
    """Solve by the eigenvalues furthest apart, without fault if that can be; if there is no solution, say why."""
    pair = table.sum(axis=2)
    scale = np.linalg.svd(pair, compute_uv=False)
    if scale[-1] <= SINGULAR * scale[0]:
        return "the joint table of the first two judges is singular, so a judge or a label says nothing"
    inverse = np.linalg.inv(pair)
    best: tuple[tuple[bool, float], EigenSolution] | None = None
    for weights in _mixtures(len(pair)):
        values, vectors = np.linalg.eig(table @ weights @ inverse)
        if np.abs(values.imag).max() > OUTSIDE or np.abs(vectors.sum(axis=0)).min() < SINGULAR:
            continue
        apart = np.diff(np.sort(values.real)).min() / np.ptp(weights)
        solution = _solution(table, pair, (vectors / vectors.sum(axis=0)).real)
        if apart > OUTSIDE and solution is not None:
            rank = (solution.fault is None, float(apart))
            best = (rank, solution) if best is None or rank > best[0] else best
    return "the eigenvalues are not real and different" if best is None else best[1]


def _mixtures(labels: int) -> Iterator[Floats]:
    """Yield numbers for the third judge's labels: the label's place, each label alone, and some by chance."""
    yield np.arange(labels, dtype=float)
    yield from np.eye(labels)[: labels if labels > 2 else 0]
    for step in range(MIXTURES if labels > 2 else 0):
        yield generator(0, "eigen mixture", step).standard_normal(labels)


def _solution(table: Floats, pair: Floats, first: Floats) -> EigenSolution | None:
    """Solve for all parameters, once the first judge's chances of votes (labels, true labels) are known."""
    try:
        prevalence = np.linalg.solve(first, pair.sum(axis=1))
        if np.abs(prevalence).min() <= SINGULAR:
            return None
        second = np.linalg.solve(first, pair) / prevalence[:, None]
        middle = np.linalg.solve(first, np.moveaxis(table, 2, 0)) @ np.linalg.inv(second)
    except np.linalg.LinAlgError:
        return None
    third = np.diagonal(middle, axis1=1, axis2=2).T / prevalence[:, None]
    confusion = np.stack([first.T, second, third])
    low = min(float(prevalence.min()), float(confusion.min()))
    fault = None if low >= -OUTSIDE else f"a probability would be {low:.4g}, below 0"
    return EigenSolution(prevalence, confusion, fault)
