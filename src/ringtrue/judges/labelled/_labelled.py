"""Judges with a few labels: prevalence and accuracies that stay right when the judges err together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ringtrue.core import Interval, InvalidInput, Sketch
from ringtrue.judges._evaluation import Estimates, Target
from ringtrue.judges.labelled import _labels_only, _ppi, _vote_regression
from ringtrue.judges.labelled._difference import Predictions, difference
from ringtrue.judges.labelled._labelled_sketch import LabelledSketch, accuracy_ratio, overall_ratio, prevalence_ratio
from ringtrue.judges.labelled._labels_only import labels_only

LabelMethod: TypeAlias = Literal["ppi", "regression", "labels"]

_PREDICTED: dict[str, tuple[str, Callable[[LabelledSketch], Predictions]]] = {
    "ppi": (_ppi.METHOD, _ppi.vote_predictions),
    "regression": (_vote_regression.METHOD, _vote_regression.regression_predictions),
}


def labelled_estimates(
    sketch: Sketch,
    truth: str,
    *,
    method: LabelMethod = "ppi",
    level: float = 0.95,
    target: Target = "in general",
) -> Estimates:
    """Prevalence and accuracies from votes and a few labels, each with an interval at `level`.

    The labels are the votes of the judge `truth`; the labelled items must be a simple random sample of all items.
    Accuracy is the share of right votes among the votes given. `method` is "labels" for the labelled items alone,
    "ppi" for the difference estimator on what the votes alone predict, "regression" for the same on what votes and
    labels predict. Nothing rests on the judges being independent, good or different: bad predictions cost width
    only. Where few labels count and their exact interval is the narrower one, it is given, and its method says so.

    >>> votes = {(1, 1, 1): 40, (0, 0, 0): 45, (1, 0, 1): 5, (0, 1, 0): 10, (1, 1, -1): 800, (0, 0, -1): 900}
    >>> some = Sketch(["ann", "bob", "truth"], ["no", "yes"], votes)
    >>> print(labelled_estimates(some, "truth").overall[1])
    88.5% [82%, 95.02%] (95%, difference estimator (PPI++))
    >>> print(labelled_estimates(some, "truth", method="labels").overall[1])
    85% [76.4%, 91.36%] (95%, labels alone (Clopper-Pearson))
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
            return cls(known, None, _labels_only.METHOD)
        name, predict = _PREDICTED[method]
        return cls(known, predict(known), name)

    @property
    def without_votes(self) -> LabelledPanel:
        """The same labels alone."""
        return LabelledPanel(self.known, None, _labels_only.METHOD)

    def estimates(self, *, level: float = 0.95, target: Target = "in general") -> Estimates:
        """Give every share and accuracy its interval."""
        if target not in ("in general", "on this test"):
            raise InvalidInput(f'target={target!r} is unknown: use "in general" or "on this test"')
        if not 0 < level < 1:
            raise InvalidInput(f"level={level!r} must lie strictly between 0 and 1: write 0.95 for 95%")
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
    """The narrower of the two; the estimate rests on the predictions as far as the interval allows."""
    if found is None:
        return exact
    if found.high - found.low < exact.high - exact.low:
        return found
    estimate = min(max(found.estimate, exact.low), exact.high)
    return Interval(estimate, exact.low, exact.high, exact.level, exact.method, exact.n)
