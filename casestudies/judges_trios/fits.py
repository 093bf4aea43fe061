"""The alarm that a trio cannot give: does the independent model fit four or five judges of a panel of ten?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from judges_trios.panels import Data, make_panel
from ringtrue.core import Sketch
from ringtrue.judges import fit_latent, fit_test, majority_vote, solve_trios
from ringtrue.papers.algebraic_evaluation import supervised
from ringtrue.stats import generator

LABELS = ("0", "1")
MEMBERS = (4, 5)
SIZES = (500, 1000, 4000)
LEVEL = 0.05
SUB_PANELS = 3

SETUPS = {
    "twonorm, 2 features each": ("twonorm", 2),
    "mushroom, 2 each": ("mushroom", 2),
    "adult, 3 each, overlapping": ("adult", 3),
    "adult, all features": ("adult", 14),
}
"""Panels of ten: which dataset, and how many features each judge sees."""


@dataclass(frozen=True)
class Power:
    """What panels of ten show: rejections by (members, size), and the median errors of the ten judges together."""

    tests: int
    rejected: dict[tuple[int, int], float]
    trios_rejected: float
    majority: tuple[float, float]
    fitted: tuple[float, float]


def measure_power(
    data: Data,
    features_each: int,
    *,
    panels: int,
    sizes: tuple[int, ...] = SIZES,
    members: tuple[int, ...] = MEMBERS,
    seed: int = 0,
) -> Power:
    """Test the fit of a few sub-panels of each panel on nested tests, at a nominal 5% of false alarms."""
    alarms: dict[tuple[int, int], list[bool]] = {(few, size): [] for few in members for size in sizes}
    refused, majority, fitted = [], [], []
    for panel in range(panels):
        votes, truth = make_panel(data, features_each=features_each, test_size=max(sizes), seed=seed + panel)
        random = generator(seed + panel, "sub-panels")
        for few in members:
            for _ in range(SUB_PANELS):
                chosen = votes[:, random.choice(votes.shape[1], few, replace=False)]
                for size in sizes:
                    sketch = sketch_of(chosen[:size])
                    alarms[few, size].append(_refused(sketch))
        refused.append(1 - solve_trios(all_trios(votes)).valid.mean())
        sketch = sketch_of(np.column_stack([votes, truth]), "truth")
        known = supervised(sketch, "truth")
        for found, evaluation in (
            (majority, majority_vote(sketch.without("truth")).evaluation),
            (fitted, fit_latent(sketch.without("truth")).evaluation),
        ):
            if evaluation is None:
                raise ValueError(f"panel {panel} has no majority for one of the labels: choose another seed")
            off = abs(evaluation.prevalence[0] - known.prevalence[0])
            found.append((float(off), float(np.abs(evaluation.accuracies - known.accuracies).mean())))
    return Power(
        panels * SUB_PANELS,
        {key: float(np.mean(found)) for key, found in alarms.items()},
        float(np.mean(refused)),
        _medians(majority),
        _medians(fitted),
    )


def _refused(sketch: Sketch) -> bool:
    found = fit_test(sketch, fit_latent(sketch))
    if found.p is None:
        raise ValueError(f"{sketch!r}: {found.method}; test four judges or more")
    return found.p <= LEVEL


def sketch_of(votes: NDArray[np.int8], last: str | None = None) -> Sketch:
    """The sketch of a table of votes (items, judges); the last judge may be given a name."""
    names = [f"judge {place}" for place in range(votes.shape[1])]
    if last is not None:
        names[-1] = last
    patterns, counts = np.unique(votes, axis=0, return_counts=True)
    return Sketch(names, LABELS, zip(map(tuple, patterns.tolist()), counts.tolist(), strict=True))


def all_trios(votes: NDArray[np.int8]) -> NDArray[np.int64]:
    """The sketches (m, 8) of every trio of a panel."""
    trios = np.array(list(combinations(range(votes.shape[1]), 3)))
    codes = votes[:, trios].astype(np.int64) @ [4, 2, 1]
    return np.bincount((codes + 8 * np.arange(len(trios))).ravel(), minlength=8 * len(trios)).reshape(-1, 8)


def _medians(errors: list[tuple[float, float]]) -> tuple[float, float]:
    prevalence, accuracies = np.median(errors, axis=0)
    return float(prevalence), float(accuracies)
