"""Many trios on one dataset: trained once each, counted on nested test sets, and what each evaluator says of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judges_trios.panels import TRIO_FEATURES, Data, make_panel
from ringtrue.core import Sketch
from ringtrue.papers.algebraic_evaluation import (
    Trios,
    error_correlations,
    majority_vote,
    solve_trio,
    solve_trios,
    variety_distance,
    variety_residuals,
)

SIZES = (500, 1000, 2000, 4000)
JUDGES, LABELS = ("first", "second", "third"), ("0", "1")
VOTES = np.array([[pattern >> 2, pattern >> 1, pattern] for pattern in range(8)]) & 1
"""The three votes of each of the eight patterns."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Trials:
    """Trios on nested tests: `counts` has the shape (partitions, runs, sizes, 2, 8), by truth and vote pattern."""

    name: str
    sizes: tuple[int, ...]
    counts: Counts

    @cached_property
    def solved(self) -> Trios:
        """The error-independent evaluator on every sketch, which does not show the truth."""
        return solve_trios(self.counts.sum(axis=-2).reshape(-1, 8))

    @cached_property
    def valid(self) -> NDArray[np.bool_]:
        """Which trios survive: shape (partitions, runs, sizes)."""
        return self.solved.valid.reshape(self.counts.shape[:3])

    def share(self, status: str, size: int) -> float:
        """The share of trios with this outcome on tests of this size."""
        trios = solve_trios(self.at(size).sum(axis=-2))
        return trios.tally()[status] / len(trios.codes)

    def never(self, size: int) -> float:
        """The share of partitions none of whose runs survived on tests of this size."""
        return float(1 - self.valid[:, :, self.sizes.index(size)].any(axis=1).mean())

    def surviving(self, size: int) -> Counts:
        """The labelled sketches (m, 2, 8) of the trios that survive on tests of this size."""
        return self.at(size)[self.valid[:, :, self.sizes.index(size)].ravel()]

    def failing(self, size: int) -> Counts:
        """The labelled sketches (m, 2, 8) of the others."""
        return self.at(size)[~self.valid[:, :, self.sizes.index(size)].ravel()]

    def at(self, size: int) -> Counts:
        """The labelled sketches (m, 2, 8) of all trios on tests of this size."""
        return self.counts[:, :, self.sizes.index(size)].reshape(-1, 2, 8)


@dataclass(frozen=True)
class Errors:
    """Absolute errors on m trios, of the prevalence (m,) and of the six accuracies (m, 6)."""

    prevalence: Floats
    accuracies: Floats

    @property
    def mean_accuracy(self) -> Floats:
        """One number per trio for its six accuracies: their mean absolute error."""
        return self.accuracies.mean(axis=1)

    @property
    def largest(self) -> Floats:
        """The largest of a trio's seven errors."""
        return np.maximum(self.prevalence, self.accuracies.max(axis=1))


def run_trials(
    data: Data,
    name: str,
    *,
    trios: int,
    runs: int = 10,
    sizes: tuple[int, ...] = SIZES,
    seed: int = 0,
    balanced: bool = False,
) -> Trials:
    """Train `trios` partitions of the features `runs` times each and count their votes on nested tests."""
    counts = np.empty((trios, runs, len(sizes), 2, 8), dtype=np.int64)
    options = {"judges": 3, "features_each": TRIO_FEATURES[name], "test_size": max(sizes), "balanced": balanced}
    for partition, run in np.ndindex(trios, runs):
        votes, truth = make_panel(data, seed=seed + partition, run=run, **options)
        counts[partition, run] = nested_counts(votes, truth, sizes)
    return Trials(name, sizes, counts)


def nested_counts(votes: NDArray[np.int8], truth: NDArray[np.int8], sizes: tuple[int, ...]) -> Counts:
    """The labelled sketches (sizes, 2, 8) of the first items, for each of the growing sizes."""
    codes = (truth.astype(np.int64) << 3) | (votes.astype(np.int64) @ [4, 2, 1])
    portion = np.searchsorted(sizes, np.arange(len(codes)), side="right")
    table = np.bincount(portion * 16 + codes, minlength=len(sizes) * 16).reshape(len(sizes), 2, 8)
    return table.cumsum(axis=0)


def truth_of(counts: Counts) -> tuple[Floats, Floats]:
    """The true prevalence (m,) of label 0 and accuracies (m, 3, 2) of labelled sketches (m, 2, 8)."""
    items = counts.sum(axis=-1)
    right = np.stack([counts[:, 0] @ (1 - VOTES), counts[:, 1] @ VOTES], axis=-1)
    return items[:, 0] / items.sum(axis=1), right / items[:, None, :]


def algebra_errors(counts: Counts) -> Errors:
    """How far the error-independent evaluator is from the truth."""
    trios = solve_trios(counts.sum(axis=1))
    return _errors(counts, trios.prevalence, trios.accuracies)


def majority_errors(counts: Counts) -> Errors:
    """How far majority voting is from the truth."""
    prevalence, accuracies = np.empty(len(counts)), np.empty((len(counts), 3, 2))
    for place, cells in enumerate(counts.sum(axis=1).tolist()):
        majority = majority_vote(Sketch.from_cells(JUDGES, LABELS, cells))
        if majority.evaluation is None:  # a surviving trio has majorities for both labels
            raise ValueError(f"counts[{place}] has no majority vote: {majority.reason}; give surviving trios")
        prevalence[place] = majority.evaluation.prevalence[0]
        accuracies[place] = majority.evaluation.accuracies
    return _errors(counts, prevalence, accuracies)


def distances(counts: Counts) -> tuple[Floats, Floats]:
    """How far solutions lie from the surface that must hold the truth, however correlated the judges.

    In exact numbers, for every trio of the labelled sketches (m, 2, 8) that has solutions, complex ones and those
    outside the unit cube among them; and in floating point, for those inside.
    """
    exact, rounded = [], []
    for cells in counts.sum(axis=1).tolist():
        sketch = Sketch.from_cells(JUDGES, LABELS, cells)
        trio = solve_trio(sketch)
        if trio.exact():
            exact.append(variety_distance(trio))
        if trio.chosen is not None:
            rounded.append(variety_residuals(trio.chosen, sketch).largest)
    return np.array(exact), np.array(rounded)


def irrational(counts: Counts) -> float:
    """The share of surviving trios whose solutions hold a square root that does not resolve."""
    found = [solve_trio(Sketch.from_cells(JUDGES, LABELS, cells)).status for cells in counts.sum(axis=1).tolist()]
    return found.count("irrational") / len(found)


def pair_correlations(counts: Counts) -> Floats:
    """The largest absolute error correlation of a pair, on either label, in each trio."""
    found = []
    for table in counts:
        sketch = Sketch.from_cells((*JUDGES, "truth"), LABELS, table.T.ravel().tolist())
        largest = error_correlations(sketch, "truth").largest()
        if largest is None:
            raise ValueError("a sketch has no items: count votes before asking how they go together")
        found.append(abs(float(largest[3])))
    return np.array(found)


def _errors(counts: Counts, prevalence: Floats, accuracies: Floats) -> Errors:
    true_prevalence, true_accuracies = truth_of(counts)
    return Errors(np.abs(prevalence - true_prevalence), np.abs(accuracies - true_accuracies).reshape(-1, 6))
