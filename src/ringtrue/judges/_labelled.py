"""Judges with a few labels: prevalence and accuracies that stay right when the judges err together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from ringtrue.core import Argument, Interval, InvalidInput, Sketch
from ringtrue.judges._evaluation import Estimates, Floats, Target, check_target
from ringtrue.judges._label_predictions import PPI, REGRESSION, Predictions, regression_predictions, vote_predictions
from ringtrue.judges._labelled_sketch import LabelledSketch, Ratio
from ringtrue.stats import clopper_pearson, hypergeometric

LabelMethod: TypeAlias = Literal["ppi", "regression", "labels"]

LABELS_ONLY = "labels alone"

_METHODS: dict[str, tuple[str, Callable[[LabelledSketch], Predictions | None]]] = {
    "ppi": (PPI, vote_predictions),
    "regression": (REGRESSION, regression_predictions),
    "labels": (LABELS_ONLY, lambda _: None),
}


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
    return LabelledPanel.of(sketch, truth, method=method).estimates(level, target)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPanel:
    """Votes, labels and what is predicted from them: computed once, for estimates at several levels and targets."""

    known: LabelledSketch
    predictions: Predictions | None
    method: str

    @classmethod
    def of(cls, sketch: Sketch, truth: str, *, method: LabelMethod = "ppi") -> LabelledPanel:
        """Prepare the estimates of a method: see `labelled_estimates`."""
        if method not in _METHODS:
            raise InvalidInput(f"method={method!r} is unknown: use ppi, regression or labels")
        known = LabelledSketch.of(sketch, truth)
        name, predict = _METHODS[method]
        return cls(known, predict(known), name)

    @property
    def without_votes(self) -> LabelledPanel:
        """The same labels alone."""
        return LabelledPanel(self.known, None, LABELS_ONLY)

    def estimates(self, level: float = 0.95, target: Target = "in general") -> Estimates:
        """Give every share and accuracy its interval."""
        check_target(target)
        if not 0 < level < 1:
            raise InvalidInput(Argument("level", level), " must lie strictly between 0 and 1: write 0.95 for 95%")
        ratios = self.known.ratios()
        intervals = self._by_labels(ratios, level, target)
        if self.predictions is not None:
            predicted = (self.difference(ratio, self.predictions, level, target) for ratio in ratios)
            intervals = [_chosen(found, exact) for found, exact in zip(predicted, intervals, strict=True)]
        return Estimates.of(self.known.votes, intervals, target, self.method)

    def _by_labels(self, ratios: Sequence[Ratio], level: float, target: Target) -> list[Interval]:
        """Estimate shares on the labelled items by Clopper and Pearson or, on this test, by hypergeometric intervals.

        Without a labelled item that counts, nothing is known: the interval is [0, 1] around one half. It has zero width
        only when there is no unlabelled item left that could count.
        """
        n, k = np.array([self.known.counted(ratio) for ratio in ratios]).T
        bounds = clopper_pearson(k, n, level=level)
        low, high, name = bounds.low, bounds.high, "Clopper-Pearson"
        if target == "on this test":
            least, most = self._on_this_test(ratios, k, n, level)
            low, high, name = np.maximum(low, least), np.minimum(high, most), "hypergeometric"
        return [
            Interval(hits / count, float(a), float(b), level, f"{LABELS_ONLY} ({name})", count)
            if count
            else Interval(0.5, 0.0, 1.0, level, f"{LABELS_ONLY} (none)", 0)
            for hits, count, a, b in zip(k.tolist(), n.tolist(), low, high, strict=True)
        ]

    def _on_this_test(self, ratios: Sequence[Ratio], k: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
        """Bound the shares among the items of this very test.

        How many items there are of a label is unknown unless all are labelled; it is taken to be as large as it can be
        for any of the shares, which spreads the tails most. The shares of a smaller number lie between those of the
        largest, hence one more item on either side.
        """
        unlabelled = self.known.items - self.known.labelled.sum(axis=1)
        most, least = (
            n + np.array([round(float(unlabelled @ end(ratio.of, axis=1))) for ratio in ratios])
            for end in (np.max, np.min)
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

    def difference(self, ratio: Ratio, made: Predictions, level: float, target: Target) -> Interval | None:
        """Estimate a share by the difference estimator, or return None where no labelled item counts.

        Both parts of the ratio are the mean of the predictions over all items plus a weight times the mean of what they
        miss on the labelled items; the weight is the one of least variance (PPI++). The variance is that of the
        residuals of the linearised ratio, for a random sample without replacement; in general, that of drawing the
        items themselves comes on top. The predictions must not rest on the label they are compared with.

        Rare surprises are not in the residuals of a small sample. So the variance is taken as if z squared more labels
        (3.84 at 95%) had each missed by as much as they can: no half width is below z squared over the labels that
        count. For a plain proportion, a 95% interval then holds in at least 94.5% of samples, whatever the rate is.

        References: Angelopoulos, Duchi & Zrnic, PPI++ (2023), arXiv 2311.01453; Särndal, Swensson & Wretman, Model
        Assisted Survey Sampling (1992); for the added labels Agresti & Coull, The American Statistician 52 (1998).
        """
        n, size = self.known.labels, self.known.size
        share = made.number / n
        parts = np.stack([ratio.counts, ratio.of])  # rows below: what counts, what could
        values = parts[:, made.pattern, made.label]
        guesses = (parts[:, made.pattern] * made.predicted).sum(axis=2)
        seen = values @ share
        if seen[1] <= 0 or n < 3:
            return None
        rate = np.array([1.0, -seen[0] / seen[1]])
        weight = _weight(rate @ values, rate @ guesses, share, made.trust, n * seen[1])
        missed = guesses @ share - (parts * made.everywhere).sum(axis=2) @ self.known.items / size
        above, below = seen - weight * missed
        if below <= 0:
            return None
        estimate = min(max(above / below, 0.0), 1.0)
        line = np.array([1.0, -estimate])
        surprise = float(ndtri((1 + level) / 2)) ** 2 * max(estimate, 1 - estimate) ** 2
        spread = _variance(line @ (values - weight * guesses), share) * n * n / (n - 2)
        variance = (1 - n / size) * (spread + surprise) / n**2
        if target == "in general":
            variance += (_variance(line @ values, share) + surprise / n) / size
        half = float(stdtrit(n - 2, (1 + level) / 2)) * math.sqrt(variance) / below
        low, high = max(estimate - half, 0.0), min(estimate + half, 1.0)
        return Interval(float(estimate), float(low), float(high), level, self.method, round(n * seen[1]))


def _chosen(found: Interval | None, exact: Interval) -> Interval:
    """Choose the narrower of the two; the estimate rests on the predictions as far as the interval allows."""
    if found is None:
        return exact
    if found.high - found.low < exact.high - exact.low:
        return found
    return replace(exact, estimate=min(max(found.estimate, exact.low), exact.high))


def _weight(value: Floats, guess: Floats, share: Floats, trust: float, counted: float) -> float:
    """Weigh the predictions to leave least variance, drawn towards one by as many labels as they deserve."""
    guess = guess - share @ guess
    variance = float(share @ guess**2)
    best = float(share @ (guess * value)) / variance if variance > 1e-12 else 0.0
    return (min(max(best, -1.0), 1.0) * counted + trust) / (counted + trust)


def _variance(values: Floats, share: Floats) -> float:
    return float(share @ (values - share @ values) ** 2)
