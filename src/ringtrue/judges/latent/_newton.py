"""Newton's step on the latent class likelihood: quick where EM is slow, near weakly determined maxima."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._em import Point, Votes

LARGEST = 200
"""With more parameters a step costs more than the EM steps it saves."""

FLAT = 1e-9
"""Curvature below this share of the parameters' own is none: the maximum is no point, and Newton has no step to it.

Far above rounding, so that what passes can be solved. The curvature with known labels is no such yardstick: of a vote
that was never given on the items of a label it is itself next to none in some direction."""

DAMPING = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0)
"""How much of the curvature with known labels is added; with all of it the sum always bends down."""

ROUNDS = 5
"""How often the step is solved anew because a probability would fall below 0."""

SILENT = 1e-14
"""A probability of which no vote speaks has no curvature and stays where it is."""

EDGE = 1e-11
"""A probability so near to 0 is left to EM, which keeps it there or leads it away."""


def newton_cost(votes: Votes) -> float:
    """About how many multiplications a step takes."""
    parameters = (votes.strata + votes.judges * votes.labels) * (votes.labels - 1)
    return float(len(votes.weights) * parameters**2)


def newton_steps(votes: Votes, point: Point, posterior: Floats, *, fixed: bool) -> Iterator[Point]:
    """The top of the paraboloid that touches the log-likelihood here, then ever more cautious steps toward it.

    Cautious by adding the curvature that the likelihood would have with known labels, which bends it down where it
    does not bend down by itself. No probability goes further than nine tenths of its way to 0. In each distribution
    the largest probability follows from the others. A pattern's probability, given the true label, is a product
    with one factor from each distribution: its second derivatives are products of first ones for two distributions,
    and 0 within one. With too many parameters there are no steps.
    """
    rows = np.concatenate([point.prevalence, point.by_truth().reshape(-1, votes.labels)])
    top = rows.argmax(axis=1)
    free = rows > EDGE
    free[np.arange(len(rows)), top] = False
    if fixed:
        free[: votes.strata] = False
    row, place = np.nonzero(free)
    if not 0 < len(row) <= LARGEST:
        return
    gradient, curve, full = _derivatives(votes, rows, posterior, row, place, top[row])
    heard = np.diagonal(full) > SILENT
    row, place, gradient = row[heard], place[heard], gradient[heard]
    curve, full = (each[np.ix_(heard, heard)] for each in (curve, full))
    scale = np.sqrt(np.diagonal(full))
    curve = -curve / np.outer(scale, scale)
    full = full / np.outer(scale, scale)
    for damping in DAMPING:
        try:
            np.linalg.cholesky(curve + damping * full - FLAT * np.eye(len(full)))
        except np.linalg.LinAlgError:
            continue
        room = 0.9 * rows[row, place]
        change = np.zeros(rows.shape)
        change[row, place] = _bounded(curve + damping * full, gradient / scale, -room * scale) / scale
        change[np.arange(len(rows)), top] = -change.sum(axis=1)
        after = np.maximum(rows + change, rows / 10)
        yield Point.from_rows(after / after.sum(axis=1, keepdims=True), votes)


def _bounded(curve: Floats, gradient: Floats, lowest: Floats) -> Floats:
    """The top of a paraboloid; what would go below its lowest stops there, and the rest is solved anew."""
    step = np.linalg.solve(curve, gradient)
    stopped = step < lowest
    for _ in range(ROUNDS):
        step = np.where(stopped, lowest, 0.0)
        left = np.flatnonzero(~stopped)
        if not len(left):
            break
        step[left] = np.linalg.solve(curve[np.ix_(left, left)], gradient[left] - curve[left] @ step)
        if not (step < lowest).any():
            break
        stopped |= step < lowest
    bounded: Floats = np.maximum(step, lowest)
    return bounded


def _derivatives(
    votes: Votes,
    rows: Floats,
    posterior: Floats,
    row: NDArray[np.int64],
    place: NDArray[np.int64],
    top: NDArray[np.int64],
) -> tuple[Floats, Floats, Floats]:
    """Of the mean log-likelihood at (row, place): gradient, second derivatives, and less those with known labels."""
    score = np.zeros((len(posterior), len(row)))
    curve = np.zeros((len(row), len(row)))
    full = np.zeros(curve.shape)
    inverse = np.divide(1.0, rows, out=np.zeros(rows.shape), where=rows > EDGE)
    for truth in range(votes.labels):
        mine = np.flatnonzero((row < votes.strata) | ((row - votes.strata) % votes.labels == truth))
        r, v, t = row[mine], place[mine], top[mine]
        slope = _factor(votes, r, v, truth) * inverse[r, v] - _factor(votes, r, t, truth) * inverse[r, t]
        pulled = slope * posterior[:, truth : truth + 1]
        score[:, mine] += pulled
        both = (pulled * votes.weights[:, None]).T @ slope
        same = r[:, None] == r
        curve[np.ix_(mine, mine)] += np.where(same, 0.0, both)
        full[np.ix_(mine, mine)] += np.where(same, both, 0.0)
    return votes.weights @ score, curve - (score * votes.weights[:, None]).T @ score, full


def _factor(votes: Votes, row: NDArray[np.int64], place: NDArray[np.int64], truth: int) -> Floats:
    """Whether each pattern, given its true label, has the probability at (row, place) as a factor."""
    share = row < votes.strata
    column = np.where(share, 0, (row - votes.strata) // votes.labels * votes.labels + place)
    said = votes.said[:, column]
    said = said if isinstance(said, np.ndarray) else said.toarray()
    return np.where(share, (votes.stratum[:, None] == row) & (place == truth), said)
