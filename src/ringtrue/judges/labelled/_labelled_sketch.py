"""A sketch with some labels, as arrays: all items by vote pattern, and the labelled ones by pattern and label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, InvalidInput, Sketch
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._arrays import arrays_of


@dataclass(frozen=True, slots=True, eq=False)
class LabelledSketch:
    """Counts of all items by pattern, shape (k,), and of the labelled ones by pattern and label, shape (k, labels).

    The patterns are those of `arrays_of(votes)`.
    """

    votes: Sketch
    patterns: NDArray[np.int64]
    items: Floats
    labelled: Floats

    @classmethod
    def of(cls, sketch: Sketch, truth: str) -> LabelledSketch:
        """The sketch split at the judge `truth`, whose votes are the labels."""
        place = sketch.place_of(truth)
        if len(sketch.judges) < 2:
            raise InvalidInput(f"truth={truth!r} is the only judge: give the votes of those to be judged, too")
        votes = sketch.without(truth)
        patterns, items = arrays_of(votes)
        where = {tuple(pattern): row for row, pattern in enumerate(patterns.tolist())}
        labelled = np.zeros((len(patterns), len(sketch.labels)))
        for pattern, times in sketch.items():
            if pattern[place] != ABSTAINED:
                labelled[where[pattern[:place] + pattern[place + 1 :]], pattern[place]] += times
        if not labelled.any():
            raise InvalidInput(f"truth={truth!r} has no label at all: label some items, chosen by chance")
        return cls(votes, patterns, items, labelled)

    @property
    def size(self) -> int:
        """How many items there are."""
        return self.votes.size

    @property
    def labels(self) -> int:
        """How many items are labelled."""
        return int(self.labelled.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """One number to estimate: the items that count `of` those that could, by pattern and true label, 0 or 1 each."""

    counts: Floats
    of: Floats


def prevalence_ratio(sketch: LabelledSketch, label: int) -> Ratio:
    """The share of items that have a label."""
    counts = np.zeros(sketch.labelled.shape)
    counts[:, label] = 1
    return Ratio(counts, np.ones(counts.shape))


def accuracy_ratio(sketch: LabelledSketch, judge: int, label: int) -> Ratio:
    """The share of right votes among a judge's votes on the items of a label."""
    ratio = overall_ratio(sketch, judge)
    only = np.zeros(sketch.labelled.shape)
    only[:, label] = 1
    return Ratio(ratio.counts * only, ratio.of * only)


def overall_ratio(sketch: LabelledSketch, judge: int) -> Ratio:
    """The share of right votes among a judge's votes."""
    votes = sketch.patterns[:, judge]
    right = votes[:, None] == np.arange(sketch.labelled.shape[1])[None, :]
    voted = np.broadcast_to((votes != ABSTAINED)[:, None], right.shape)
    return Ratio(right.astype(float), voted.astype(float))
