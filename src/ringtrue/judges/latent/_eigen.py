"""Three judges, any number of labels: confusion matrices from an eigenvalue problem, without iteration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringtrue.judges._evaluation import Floats
from ringtrue.stats import generator

SINGULAR = 1e-12
"""A joint table whose smallest singular value is below this share of its largest cannot be inverted in numbers."""

OUTSIDE = 1e-9
"""By so much a solution may leave [0, 1] and be called rounding."""

MIXTURES = 4
"""How many mixtures of the third judge's labels are drawn besides the plain ones; the clearest one counts."""


@dataclass(frozen=True, slots=True)
class EigenSolution:
    """Prevalences and confusions that solve the equations, with `fault` saying what is wrong with them, if anything."""

    prevalence: Floats
    confusion: Floats
    fault: str | None


def solve_eigen(table: Floats) -> EigenSolution | str:
    """The solution with eigenvalues furthest apart, one without fault first; if there is none, a sentence."""
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
    """Numbers for the third judge's labels: the label's place, each label alone, and some by chance."""
    yield np.arange(labels, dtype=float)
    yield from np.eye(labels)[: labels if labels > 2 else 0]
    for step in range(MIXTURES if labels > 2 else 0):
        yield generator(0, "eigen mixture", step).standard_normal(labels)


def _solution(table: Floats, pair: Floats, first: Floats) -> EigenSolution | None:
    """All parameters, once the first judge's chances of votes (labels, true labels) are known."""
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
