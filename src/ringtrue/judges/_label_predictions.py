"""What the votes on an item predict of its label: by themselves, and as a regression on some labels has learnt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED
from ringtrue.judges._evaluation import Floats
from ringtrue.judges._labelled_sketch import LabelledSketch
from ringtrue.judges.latent._latent import fit_latent
from ringtrue.stats import generator

PPI = "difference estimator (PPI++)"

REGRESSION = "vote regression (cross-fitted difference estimator)"

FOLDS = 10

PENALTY = 0.5
"""Ridge on the weight of each vote. Of 0.25 to 2, tried with 50 and 200 labels on ten judges of adult, mushroom and
twonorm, none was better on all; 0.5 lost at most 4% to the best."""

_BASE_PENALTY = 1e-3
"""On the intercept: next to none, so that the mean prediction follows the labels."""

_TRUST = 10.0
"""The regression is worth ten labels: weighed by its merits alone it lost up to 10% with 50 labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The chance of each label: for all patterns, shape (k, labels), and for groups of labelled items.

    A group has a pattern, a label, a number of items and its own prediction, shape (groups, labels), which must not
    rest on the labels of its items. `trust` is how many labels the predictions are worth: with as many labels that
    say otherwise, they are weighed half.
    """

    everywhere: Floats
    pattern: NDArray[np.int64]
    label: NDArray[np.int64]
    number: Floats
    predicted: Floats
    trust: float = 0.0

    @classmethod
    def fixed(cls, sketch: LabelledSketch, everywhere: Floats) -> Predictions:
        """Take predictions that were made without looking at any label."""
        pattern, label = np.nonzero(sketch.labelled)
        return cls(everywhere, pattern, label, sketch.labelled[pattern, label], everywhere[pattern])


def vote_predictions(sketch: LabelledSketch) -> Predictions:
    """Predict each label's chance from the latent class fit, or with fewer than three judges from their share of votes.

    They may be wrong, and on correlated judges they are: the labels correct them and weigh them.
    """
    if len(sketch.votes.judges) < 3 or not (sketch.patterns >= 0).any():
        return Predictions.fixed(sketch, vote_shares(sketch.patterns, sketch.labelled.shape[1]))
    return Predictions.fixed(sketch, fit_latent(sketch.votes).posterior)


def vote_shares(patterns: np.ndarray[tuple[int, int], np.dtype[np.int64]], labels: int) -> Floats:
    """Share out an item's votes among the labels, as if each label had one more: shape (k, labels).

    >>> vote_shares(np.array([[1, 1, -1], [-1, -1, -1]]), 2)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    votes = (patterns[:, :, None] == np.arange(labels)).sum(axis=1) + 1.0
    shares: Floats = votes / votes.sum(axis=1, keepdims=True)
    return shares


def regression_predictions(sketch: LabelledSketch) -> Predictions:
    """Predict each labelled item from the labels of the others, in ten folds; all items by the mean of the ten.

    The folds depend on the sketch alone.
    """
    cells = np.nonzero(sketch.labelled)
    number = sketch.labelled[cells].astype(np.int64)
    items = generator(0, "judges/folds").permutation(np.repeat(np.arange(len(number)), number))
    folds = min(FOLDS, len(items))
    fold = np.arange(len(items)) % folds
    design = vote_design(sketch.patterns, sketch.labelled.shape[1])
    everywhere = np.zeros(sketch.labelled.shape)
    groups: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]] = []
    for turn in range(folds):
        held = np.bincount(items[fold == turn], minlength=len(number))
        learnt = np.zeros(sketch.labelled.shape)
        learnt[cells] = number - held
        predicted = label_chances(design, learnt)
        everywhere += predicted / folds
        pattern, label = (axis[held > 0] for axis in cells)
        groups.append((pattern, label, held[held > 0].astype(float), predicted[pattern]))
    pattern, label, times, predicted = (np.concatenate(parts) for parts in zip(*groups, strict=True))
    return Predictions(everywhere, pattern, label, times, predicted, _TRUST)


def vote_design(patterns: NDArray[np.int64], labels: int) -> Floats:
    """Return the intercept, then one column per judge and vote it gave, abstaining included: shape (k, columns)."""
    columns = [np.ones(len(patterns))]
    for votes in patterns.T:
        columns += [(votes == vote).astype(float) for vote in range(ABSTAINED, labels) if (votes == vote).any()]
    return np.stack(columns, axis=1)


def label_chances(design: Floats, labelled: Floats) -> Floats:
    """Learn the chance of each label per pattern, shape (k, labels), from counts of labels per pattern.

    One ridge logistic regression per label against the rest, normalised; for two labels one is enough.
    """
    seen = labelled.sum(axis=1) > 0
    rows, totals = design[seen], labelled[seen].sum(axis=1)
    wanted = labelled.shape[1] if labelled.shape[1] > 2 else 1
    chances = [_chance(design @ _ridge(rows, labelled[seen, label], totals)) for label in range(wanted)]
    if wanted == 1:
        chances.append(1 - chances[0])
    table = np.stack(chances, axis=1)
    shares: Floats = table / table.sum(axis=1, keepdims=True)
    return shares


def _ridge(rows: Floats, hits: Floats, totals: Floats) -> Floats:
    """Fit a logistic regression with ridge by Newton's method, to the last digits: the same on every machine."""
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[0] = _BASE_PENALTY
    weights = np.zeros(rows.shape[1])

    def loss(at: Floats) -> float:
        log_odds = rows @ at
        return float(totals @ np.logaddexp(0, log_odds) - hits @ log_odds + penalty @ at**2 / 2)

    here = loss(weights)
    for _ in range(100):
        chance = _chance(rows @ weights)
        slope = rows.T @ (hits - totals * chance) - penalty * weights
        bend = (rows * (totals * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        if np.abs(step).max() < 1e-10:
            break
        length = 1.0
        while (there := loss(weights + length * step)) > here and length > 1e-6:
            length /= 2
        weights, here = weights + length * step, there
    return weights


def _chance(log_odds: Floats) -> Floats:
    chance: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -40, 40)))
    return chance
