"""Judges with a few labels: prevalence and accuracies that stay right when the judges err together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from ringtrue.core import Argument, Interval, InvalidInput, Sketch
from ringtrue.judges._evaluation import Estimates, Floats, Target, check_target
from ringtrue.judges._label_predictions import PPI, REGRESSION, Predictions, regression_predictions, vote_predictions
from ringtrue.judges._labelled_sketch import LabelledSketch, Ratio, accuracy_ratio, overall_ratio, prevalence_ratio
from ringtrue.stats import clopper_pearson, hypergeometric

LabelMethod: TypeAlias = Literal["ppi", "regression", "labels"]

_PREDICTED: dict[str, tuple[str, Callable[[LabelledSketch], Predictions]]] = {
    "ppi": (PPI, vote_predictions),
    "regression": (REGRESSION, regression_predictions),
}

LABELS_ONLY = "labels alone"


def labelled_estimates(
    sketch: Sketch,
    truth: str,
    *,
    method: LabelMethod = "ppi",
    level: float = 0.95,
    target: Target = "in general",
) -> Estimates:
    """Estimate prevalence and accuracies from votes and a few labels, each with an interval at `level`.

    Accuracy is the share of right votes among the votes given. Nothing rests on the judges being independent, good or
    different: bad predictions cost width only. Where few labels count and their exact interval is the narrower one, it
    is given, and its method says so.

    >>> votes = {(1, 1, 1): 40, (0, 0, 0): 45, (1, 0, 1): 5, (0, 1, 0): 10, (1, 1, -1): 800, (0, 0, -1): 900}
    >>> some = Sketch(["ann", "bob", "truth"], ["no", "yes"], votes)
    >>> print(labelled_estimates(some, "truth").overall[1])
    88.5% [82%, 95.02%] (95%, difference estimator (PPI++))
    >>> print(labelled_estimates(some, "truth", method="labels").overall[1])
    85% [76.4%, 91.36%] (95%, labels alone (Clopper-Pearson))

    Parameters
    ----------
    sketch
        The votes and the labels.
    truth
        The judge whose votes are the labels; the labelled items must be a simple random sample of all items.
    method
        "labels" for the labelled items alone, "ppi" for the difference estimator on what the votes alone predict,
        "regression" for the same on what votes and labels predict.
    level
        The level of each interval.
    target
        "in general" for items like these, "on this test" for these very items.
    """
    return LabelledPanel.of(sketch, truth, method=method).estimates(level=level, target=target)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPanel:
    """Votes, labels and what is predicted from them: computed once, for estimates at several levels and targets."""

    known: LabelledSketch
    predictions: Predictions | None
    method: str

    @classmethod
    def of(cls, sketch: Sketch, truth: str, *, method: LabelMethod = "ppi") -> LabelledPanel:
        """Prepare the estimates of a method: see `labelled_estimates`."""
        if method not in ("labels", *_PREDICTED):
            raise InvalidInput(f"method={method!r} is unknown: use ppi, regression or labels")
        known = LabelledSketch.of(sketch, truth)
        if method not in _PREDICTED:
            return cls(known, None, LABELS_ONLY)
        name, predict = _PREDICTED[method]
        return cls(known, predict(known), name)

    @property
    def without_votes(self) -> LabelledPanel:
        """The same labels alone."""
        return LabelledPanel(self.known, None, LABELS_ONLY)

    def estimates_at(self, level: float) -> Estimates:
        """Estimate in general at a level."""
        return self.estimates(level=level)

    def estimates(self, *, level: float = 0.95, target: Target = "in general") -> Estimates:
        """Give every share and accuracy its interval."""
        check_target(target)
        if not 0 < level < 1:
            raise InvalidInput(Argument("level", level), " must lie strictly between 0 and 1: write 0.95 for 95%")
        known, predictions = self.known, self.predictions
        judges, labels = range(len(known.votes.judges)), range(len(known.votes.labels))
        ratios = [
            *(prevalence_ratio(known, label) for label in labels),
            *(accuracy_ratio(known, judge, label) for judge in judges for label in labels),
            *(overall_ratio(known, judge) for judge in judges),
        ]
        intervals = labels_only(known, ratios, level=level, target=target)
        if predictions is not None:
            intervals = [
                _chosen(difference(known, ratio, predictions, level=level, target=target, method=self.method), exact)
                for ratio, exact in zip(ratios, intervals, strict=True)
            ]
        each = iter(intervals)
        return Estimates(
            judges=known.votes.judges,
            labels=known.votes.labels,
            prevalence=tuple(next(each) for _ in labels),
            accuracy=tuple(tuple(next(each) for _ in labels) for _ in judges),
            overall=tuple(next(each) for _ in judges),
            target=target,
            method=self.method,
        )


def _chosen(found: Interval | None, exact: Interval) -> Interval:
    """Choose the narrower of the two; the estimate rests on the predictions as far as the interval allows."""
    if found is None:
        return exact
    if found.high - found.low < exact.high - exact.low:
        return found
    estimate = min(max(found.estimate, exact.low), exact.high)
    return Interval(estimate, exact.low, exact.high, exact.level, exact.method, exact.n)


def labels_only(sketch: LabelledSketch, ratios: Sequence[Ratio], *, level: float, target: Target) -> list[Interval]:
    """Estimate shares on the labelled items by Clopper and Pearson or, on this test, by hypergeometric intervals.

    Without a labelled item that counts, nothing is known: the interval is [0, 1] around one half. It has zero width
    only when there is no unlabelled item left that could count.
    """
    n = np.array([round(float((sketch.labelled * ratio.of).sum())) for ratio in ratios])
    k = np.array([round(float((sketch.labelled * ratio.counts).sum())) for ratio in ratios])
    bounds = clopper_pearson(k, n, level=level)
    low, high, name = bounds.low, bounds.high, "Clopper-Pearson"
    if target == "on this test":
        least, most = _on_this_test(sketch, ratios, k, n, level)
        low, high, name = np.maximum(low, least), np.minimum(high, most), "hypergeometric"
    return [
        Interval(hits / count, float(a), float(b), level, f"{LABELS_ONLY} ({name})", count)
        if count
        else Interval(0.5, 0.0, 1.0, level, f"{LABELS_ONLY} (none)", 0)
        for hits, count, a, b in zip(k.tolist(), n.tolist(), low, high, strict=True)
    ]


def _on_this_test(
    sketch: LabelledSketch, ratios: Sequence[Ratio], k: Floats, n: Floats, level: float
) -> tuple[Floats, Floats]:
    """Bound the shares among the items of this very test.

    How many items there are of a label is unknown unless all are labelled; it is taken to be as large as it can be
    for any of the shares, which spreads the tails most. The shares of a smaller number lie between those of the
    largest, hence one more item on either side.
    """
    unlabelled = sketch.items - sketch.labelled.sum(axis=1)
    most, least = (
        n + np.array([round(float(unlabelled @ end(ratio.of, axis=1))) for ratio in ratios]) for end in (np.max, np.min)
    )
    unknown = least < most
    most = np.where(unknown, most.max(where=unknown, initial=0), most)
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for population in np.unique(most[n > 0]).tolist():  # the exact tails are slow: all shares of one size together
        here = (most == population) & (n > 0)
        bounds = hypergeometric(k[here], n[here], population=population, level=level)
        slack = np.where(unknown[here], 1 / population, 0.0)
        low[here], high[here] = np.maximum(0.0, bounds.low - slack), np.minimum(1.0, bounds.high + slack)
    return low, high


def difference(
    sketch: LabelledSketch, ratio: Ratio, predictions: Predictions, *, level: float, target: Target, method: str
) -> Interval | None:
    """Estimate a share by the difference estimator, or return None where no labelled item counts.

    Both parts of the ratio are the mean of the predictions over all items plus a weight times the mean of what they
    miss on the labelled items; the weight is the one of least variance (PPI++). The variance is that of the
    residuals of the linearised ratio, for a random sample without replacement; in general, that of drawing the items
    themselves comes on top.

    Rare surprises are not in the residuals of a small sample. So the variance is taken as if z squared more labels
    (3.84 at 95%) had each missed by as much as they can: no half width is below z squared over the labels that
    count. For a plain proportion, a 95% interval then holds in at least 94.5% of samples, whatever the rate is.

    References: Angelopoulos, Duchi & Zrnic, PPI++ (2023), arXiv 2311.01453; Särndal, Swensson & Wretman, Model
    Assisted Survey Sampling (1992); for the added labels Agresti & Coull, The American Statistician 52 (1998).

    Parameters
    ----------
    sketch
        The patterns of votes, with the labels there are.
    ratio
        The share that is estimated.
    predictions
        The chance of each label, which must not rest on the label it is compared with.
    level
        The level of the interval.
    target
        Whether the share is that of these very items ("on this test") or of items like these ("in general").
    method
        The name of the method that the interval carries.
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
    """Weigh the predictions to leave least variance, drawn towards one by as many labels as they deserve."""
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
