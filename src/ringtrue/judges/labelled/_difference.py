"""The difference estimator: predictions on all items, corrected by how far they are off on the labelled ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from ringtrue.core import Interval
from ringtrue.judges._evaluation import Floats, Target
from ringtrue.judges.labelled._labelled_sketch import LabelledSketch, Ratio


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
        """Predictions that were made without looking at any label."""
        pattern, label = np.nonzero(sketch.labelled)
        return cls(everywhere, pattern, label, sketch.labelled[pattern, label], everywhere[pattern])


def difference(
    sketch: LabelledSketch, ratio: Ratio, predictions: Predictions, *, level: float, target: Target, method: str
) -> Interval | None:
    """A share by the difference estimator, or None where no labelled item counts.

    Both parts of the ratio are the mean of the predictions over all items plus a weight times the mean of what they
    miss on the labelled items; the weight is the one of least variance (PPI++). The variance is that of the
    residuals of the linearised ratio, for a random sample without replacement; in general, that of drawing the items
    themselves comes on top.

    Rare surprises are not in the residuals of a small sample. So the variance is taken as if z squared more labels
    (3.84 at 95%) had each missed by as much as they can: no half width is below z squared over the labels that
    count. For a plain proportion, a 95% interval then holds in at least 94.5% of samples, whatever the rate is.

    References: Angelopoulos, Duchi & Zrnic, PPI++ (2023), arXiv 2311.01453; Särndal, Swensson & Wretman, Model
    Assisted Survey Sampling (1992); for the added labels Agresti & Coull, The American Statistician 52 (1998).
    """
    n, size = sketch.labels, sketch.size
    share = predictions.number / n
    top, bottom = (_Part.of(sketch, part, predictions, share) for part in (ratio.counts, ratio.of))
    if bottom.seen <= 0 or n < 3:
        return None
    weight = _weight(top, bottom, share, top.seen / bottom.seen, predictions.trust, n * bottom.seen)
    above, below = top.corrected(weight), bottom.corrected(weight)
    if below <= 0:
        return None
    estimate = min(max(above / below, 0.0), 1.0)
    residual = top.residual(weight) - estimate * bottom.residual(weight)
    spread = float(share @ (residual - share @ residual) ** 2) * n * n / (n - 2)
    surprise = float(ndtri((1 + level) / 2)) ** 2 * max(estimate, 1 - estimate) ** 2
    variance = (1 - n / size) * (spread + surprise) / n**2
    if target == "in general":
        plain = top.values - estimate * bottom.values
        variance += (float(share @ (plain - share @ plain) ** 2) + surprise / n) / size
    half = float(stdtrit(n - 2, (1 + level) / 2)) * math.sqrt(variance) / below
    counted = round(n * bottom.seen)
    return Interval(estimate, max(estimate - half, 0.0), min(estimate + half, 1.0), level, method, counted)


def _weight(top: _Part, bottom: _Part, share: Floats, rate: float, trust: float, counted: float) -> float:
    """The weight of the predictions that leaves least variance, drawn towards one by as many labels as they deserve."""
    value = top.values - rate * bottom.values
    guess = top.guesses - rate * bottom.guesses
    guess = guess - share @ guess
    variance = float(share @ guess**2)
    best = float(share @ (guess * value)) / variance if variance > 1e-12 else 0.0
    return (min(max(best, -1.0), 1.0) * counted + trust) / (counted + trust)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One part of a ratio: its mean on the labelled items, of the predictions there, and of those on all items."""

    values: Floats
    guesses: Floats
    seen: float
    guessed: float
    everywhere: float

    @classmethod
    def of(cls, sketch: LabelledSketch, part: Floats, predictions: Predictions, share: Floats) -> _Part:
        values = part[predictions.pattern, predictions.label]
        guesses = (part[predictions.pattern] * predictions.predicted).sum(axis=1)
        everywhere = float(sketch.items @ (part * predictions.everywhere).sum(axis=1)) / sketch.size
        return cls(values, guesses, float(share @ values), float(share @ guesses), everywhere)

    def corrected(self, weight: float) -> float:
        return self.seen - weight * (self.guessed - self.everywhere)

    def residual(self, weight: float) -> Floats:
        return self.values - weight * self.guesses
