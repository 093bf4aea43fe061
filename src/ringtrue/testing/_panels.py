"""Panels of judges whose truth is known: judges who err alone, and judges whom the same items fool."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from ringtrue.core import ABSTAINED, Record, Sketch
from ringtrue.judges import Judges
from ringtrue.judges.bought._votes import PatternIndex
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.testing._replayed import asked

FOOLED = 0.8
"""How often a trap fools a judge."""

TRUTH = "truth"


def sketch_of(votes: Ints, *, labels: int = 2, truth: Ints | None = None, labelled: Ints | None = None) -> Sketch:
    """Return the sketch of votes (items, judges); with the truth of the `labelled` rows in a last column."""
    judges = [f"judge {place + 1}" for place in range(votes.shape[1])]
    if truth is not None:
        known = np.full(len(truth), ABSTAINED)
        known[labelled] = truth[labelled]
        votes, judges = np.column_stack([votes, known]), [*judges, TRUTH]
    patterns, counts = np.unique(votes, axis=0, return_counts=True)
    rows = zip(patterns.tolist(), counts.tolist(), strict=True)
    names = [f"label {place + 1}" for place in range(labels)]
    return Sketch(judges, names, {tuple(pattern): times for pattern, times in rows})


def numbers_of(votes: Ints, truth: Ints, labels: int = 2) -> dict[str, Floats]:
    """Return what is true of these very items: shares of labels, accuracies by judge and label, and overall."""
    right = votes == truth[:, None]
    return {
        "prevalence": np.array([np.mean(truth == label) for label in range(labels)]),
        "accuracy": np.array([right[truth == label].mean(axis=0) for label in range(labels)]).T.ravel(),
        "overall": right.mean(axis=0),
    }


@dataclass(frozen=True, slots=True)
class Trapped:
    """Judges with these accuracies; so many items are traps, which fool each judge four times in five, all alike."""

    name: str
    shares: tuple[float, ...]
    accuracies: tuple[float, ...]
    traps: float

    def draw(self, items: int, random: np.random.Generator) -> tuple[Ints, Ints]:
        """Return votes (items, judges) and truth (items,), as places of labels."""
        labels, judges = len(self.shares), len(self.accuracies)
        truth = random.choice(labels, items, p=self.shares)[:, None]
        wrong = (truth + random.integers(1, labels, (items, judges))) % labels
        votes = np.where(random.random((items, judges)) < np.array(self.accuracies), truth, wrong)
        fooled = (random.random((items, 1)) < self.traps) & (random.random((items, judges)) < FOOLED)
        return np.where(fooled, (truth + 1) % labels, votes), truth[:, 0]


def bought(question: Judges, votes: Ints, truth: Ints, *, seed: int, labels: int) -> list[Record]:
    """Return what the question's policy buys, one label at a time.

    Parameters
    ----------
    question
        The question about judges.
    votes, truth
        The votes, (items, judges), and the true labels, (items,), as places of labels.
    seed, labels
        The seed of the study, and how many labels are bought.
    """
    sketch = question.sketch
    index = PatternIndex(sketch)
    told = [
        {judge: sketch.labels[vote] for judge, vote in zip(sketch.judges, row, strict=True)} for row in votes.tolist()
    ]
    records = asked(
        question.policy,
        [sketch.labels[label] for label in truth],
        seed=seed,
        scores={"pattern": np.array([index.place("", None, one) for one in told])},
        said=[{"votes": one} for one in told],
        question=question.name,
    )
    return list(islice(records, labels))
