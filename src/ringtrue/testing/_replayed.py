"""Studies replayed without a journal, on a pool or a panel of judges whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ringtrue.core import ABSTAINED, Claim, Json, Policy, Record, Sketch, View
from ringtrue.judges import Judges
from ringtrue.judges.bought._draws import PatternIndex
from ringtrue.risk import ScoredDraws, SimpleRandom
from ringtrue.risk._draw_row import draw_row
from ringtrue.risk._evidence import Witness
from ringtrue.stats import Bools
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.testing.questions import answered


def asked(
    policy: Policy,
    truth: Sequence[Json],
    *,
    seed: int,
    scores: Mapping[str, Any],
    said: Sequence[Json] | None = None,
    question: str = "risk",
) -> Iterator[Record]:
    """Yield answered records one at a time, as a study would ask for them with nothing out.

    Parameters
    ----------
    policy, truth
        Proposes what to ask; by row, what the oracle answers, None where it cannot tell.
    seed, scores
        The seed of the study, and what was prepared of the items.
    said, question
        By row, what the model answers, by default that all is right; the name under which it is asked.
    """
    size = len(truth)
    told: Sequence[Json] = ["right"] * size if said is None else said
    records: list[Record] = []
    rows: set[int] = set()
    while len(records) < size:
        (draw,) = policy.propose(View(seed, len(records), size, rows, records, None, scores), 1)
        assert draw.row is not None
        answer = told[draw.row], truth[draw.row]
        records.append(answered(draw, len(records), (question, policy.name, "oracle"), answer))
        rows.add(draw.row)
        yield records[-1]


def follow(
    errors: Bools,
    doubt: Floats,
    *,
    method: str,
    seed: int,
    answers: int,
    claim: str | None = None,
    level: float = 0.95,
    weight: Floats | None = None,
    watch: Callable[[Record], None] | None = None,
    until: Callable[[Witness], bool] | None = None,
) -> Witness:
    """Return the witness after so many answers, of each of which `watch` is told, or after the first that ends it.

    Parameters
    ----------
    errors, doubt
        Which items the model fails on, and how likely that seemed beforehand.
    method, seed, answers
        How items are chosen, the seed of the study, and the most answers.
    claim, level
        What is to be decided, if there is a claim, and the level of the bounds.
    weight
        How much more often the profile meets each item; without it there is no profile.
    watch, until
        Told of each record before it counts; whether the witness has seen enough.
    """
    scored = method != "simple-random"
    aim = None if claim is None else Claim.parse(claim).limit
    limit = 0.5 if aim is None else aim
    profile = None if weight is None else "profile"
    policy: Policy = ScoredDraws(method, limit=aim, profile=profile) if scored else SimpleRandom()
    witness = Witness(
        len(errors), (limit, limit), level, weights=None if weight is None else (float(weight.max()), 0.0)
    )
    scores = {"doubt": doubt} | ({} if weight is None else {"weight": weight}) if scored else {}
    truth = np.where(errors, "wrong", "right").tolist()
    for record in islice(asked(policy, truth, seed=seed, scores=scores), answers):
        assert record.row is not None
        if watch is not None:
            watch(record)
        times = 1.0 if weight is None else float(weight[record.row])
        witness.add(draw_row(record, weight=times, profile=profile))
        if until is not None and until(witness):
            break
    return witness


def labels_to_decide(errors: Bools, doubt: Floats, *, method: str, seed: int, claim: str) -> int:
    """Return how many labels a study takes until the claim rings true or false.

    Parameters
    ----------
    errors, doubt
        Which items the model fails on, and how likely that seemed beforehand.
    method, seed, claim
        How items are chosen, the seed of the study, and what is to be decided.
    """
    enough = -math.log1p(-Claim.parse(claim).level)

    def decided(witness: Witness) -> bool:
        return witness.may_decide() and max(witness.evidence()) >= enough

    found = follow(errors, doubt, method=method, seed=seed, answers=len(errors), claim=claim, until=decided)
    return len(found.rows)


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
