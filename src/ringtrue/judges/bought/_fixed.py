"""Errors and accuracies of a panel from a number of labels that was fixed beforehand, looked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, Claim, Interval, Record, Sketch, Verdict, count
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges._labelled import labelled_estimates
from ringtrue.judges._labelled_sketch import agreement_with_labels
from ringtrue.judges.bought._estimator import PanelEstimator
from ringtrue.judges.bought._finding import BoughtFinding, Contradiction, JudgedError, each_error
from ringtrue.stats import Planned, drawn_in, is_even

_TRUTH = "truth"

_WAYS = 128
"""Up to so many ways in which items without a label may have come out are gone through, each with its fits."""


class FixedAccuracies(PanelEstimator):
    """Errors and accuracies of a panel, told after the first `answers` answers, not before; later ones are left alone.

    A user who fixes the number before the first label, draws evenly and looks once may use the intervals of a sample
    (`labelled_estimates`), which need about half of the labels that intervals to be watched need for the same width.

    Parameters
    ----------
    sketch
        The votes on the whole pool.
    size
        Items in the pool.
    claim
        What is to be decided of every judge, if anything.
    answers
        The number of answers that was fixed.
    question
        The question whose draws count.
    """

    def __init__(self, sketch: Sketch, *, size: int, claim: Claim | None, answers: int, question: str) -> None:
        super().__init__(sketch, size=size, claim=claim)
        self._size, self._answers, self._question = size, min(answers, size), question
        self._records: list[Record] = []
        self._drawn: list[tuple[int, int | None]] = []

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            if len(self._drawn) < self._answers:
                drawn_in(record, self._size - len(self._drawn))  # refused if it cannot be true
                self._drawn.append((self._index.of(record), self._index.label(record)))
                self._records.append(record)
                self.__dict__.pop("_told", None)

    @property
    def done(self) -> bool:
        """Whether as many labels were asked for as were planned."""
        return len(self._drawn) >= self._answers

    @property
    def _fair(self) -> bool:
        """Whether the number was fixed before any label, and all items had one chance."""
        places = range(self._size, self._size - len(self._records), -1)
        return all(
            record.question == self._question and is_even(record.probability, record.floor, left)
            for record, left in zip(self._records, places, strict=True)
        )

    @property
    def verdict(self) -> Verdict:
        if self._claim is None:
            return Verdict.NOT_YET_KNOWN
        if any(one.failed_at is not None for one in self._told):
            return Verdict.RINGS_FALSE
        passed = all(one.passed_at is not None for one in self._told)
        return Verdict.RINGS_TRUE if passed else Verdict.NOT_YET_KNOWN

    def finding(self) -> BoughtFinding:
        """Return what the planned answers show."""
        answered = sum(label is not None for _, label in self._drawn)
        verdict = self.verdict
        return BoughtFinding(
            claim=self._claim,
            verdict=verdict,
            estimates=self._estimates(self._level),
            judged=self._told,
            population=self._size,
            answers=answered,
            unanswerable=len(self._drawn) - answered,
            picked=sum(record.probability is None for record in self._records),
            decided_at=None if verdict is Verdict.NOT_YET_KNOWN else len(self._drawn),
            unlabelled=self._unlabelled,
            contradiction=self._contradiction,
            planned=Planned(self._answers, self._fair),
        )

    @cached_property
    def _told(self) -> tuple[JudgedError, ...]:
        """Each judge's error, and the one-sided bound that speaks about the claim."""
        names, errors = self._index.sketch.judges, each_error(self._estimates(self._level))
        if self._claim is None:
            return self._unclaimed(errors)
        alpha, limit, now = 1 - self._level, self._claim.limit, len(self._drawn)
        uppers = each_error(self._estimates(1 - 2 * alpha))
        lowers = each_error(self._estimates(1 - 2 * alpha / len(names)))  # one chance for all of them
        judged = []
        for name, error, upper, lower in zip(names, errors, uppers, lowers, strict=True):
            failed, passed = lower.low > limit, upper.high <= limit
            if failed:
                bound = replace(lower, high=1.0, level=self._level, method=f"{lower.method}, one-sided")
            else:
                bound = replace(upper, low=0.0, level=self._level, method=f"{upper.method}, one-sided")
            judged.append(JudgedError(name, error, bound, now if passed else None, now if failed else None))
        return tuple(judged)

    def _estimates(self, level: float) -> Estimates:
        """Return the intervals of a random sample, once it is whole; before that, nothing is said."""
        if not self.done or not self._fair or not any(label is not None for _, label in self._drawn):
            return self._open(level)
        outcomes = list(self._ways())
        if len(outcomes) > _WAYS:
            return self._open(level)
        found = [labelled_estimates(self._with(way), _TRUTH, level=level, target="on this test") for way in outcomes]
        how = f"{found[0].method}, {count(self._answers, 'answer')} fixed beforehand"
        spanned = [
            replace(
                ways[0],
                low=min(one.low for one in ways),
                high=max(one.high for one in ways),
                method=f"{ways[0].method}, fixed beforehand",
            )
            for ways in zip(*(one.numbers for one in found), strict=True)
        ]
        return Estimates.of(self._index.sketch, spanned, "on this test", how)

    def _ways(self) -> Iterable[Callable[[tuple[int, ...]], int]]:
        """Return how items that the oracle could not label may have come out to move each number most.

        For each number some way makes it lowest and some way highest, and under either way the labels are those of a
        random sample: the lower bound of the one and the upper bound of the other hold for whatever came out. The ways
        are: all with one label, for the shares; as a judge voted, for its accuracies from above; for each of its
        accuracies from below, with the label where the judge voted otherwise, and with another where it voted so.
        """
        labels = len(self._index.sketch.labels)
        if all(label is not None for _, label in self._drawn):
            return [lambda _: 0]
        ways: list[Callable[[tuple[int, ...]], int]] = [lambda _, label=label: label for label in range(labels)]  # type: ignore[misc]
        for judge in range(len(self._index.sketch.judges)):
            ways.append(lambda votes, judge=judge: max(votes[judge], 0))  # type: ignore[misc]
            for label in range(labels):
                ways.append(
                    lambda votes, judge=judge, label=label: (label + 1) % labels if votes[judge] == label else label  # type: ignore[misc]
                )
        return ways

    def _with(self, way: Callable[[tuple[int, ...]], int]) -> Sketch:
        """Return the sketch with the labels as a last judge; the way says those that the oracle could not give."""
        sketch = self._index.sketch
        patterns: NDArray[np.int64] = self._index.patterns
        made = Sketch([*sketch.judges, _TRUTH], sketch.labels)
        left = self._index.items.astype(np.int64)
        for place, label in self._drawn:
            votes = tuple(patterns[place].tolist())
            made.count((*votes, way(votes) if label is None else label))
            left[place] -= 1
        for row, times in zip(patterns.tolist(), left.tolist(), strict=True):
            if times:
                made.count((*row, ABSTAINED), times)
        return made

    def _open(self, level: float) -> Estimates:
        """Return estimates that say nothing, as before the planned look: every number may be anything."""
        sketch = self._index.sketch
        how = (
            f"nothing is said before {count(self._answers, 'answer')}"
            if self._fair
            else "nothing is said: labels came before"
        )
        free = Interval(0.5, 0.0, 1.0, level, how, len(self._drawn))
        numbers = len(sketch.labels) + len(sketch.judges) * (len(sketch.labels) + 1)
        return Estimates.of(sketch, [free] * numbers, "on this test", how)

    @property
    def _contradiction(self) -> Contradiction | None:
        """The number of the unlabelled evaluation that the labels speak against most; only if all were given."""
        whole = all(label is not None for _, label in self._drawn)
        if self._unlabelled is None or not self._drawn or not whole or not self.done or not self._fair:
            return None
        found = agreement_with_labels(self._with(lambda _: 0), _TRUTH, self._unlabelled)
        return Contradiction(found.what, found.stated, found.p, found.p <= 1 - self._level)
