"""Studies replayed without a journal: a policy, and its estimator of a failure rate, on a pool whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, Json, Policy, Record, View
from ringtrue.risk import ScoredDraws, SimpleRandom
from ringtrue.risk._draw_row import draw_row
from ringtrue.risk._evidence import Witness
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
    told = ["right"] * size if said is None else said
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
    errors: NDArray[np.bool_],
    doubt: NDArray[np.float64],
    *,
    method: str,
    seed: int,
    answers: int,
    claim: str | None = None,
    level: float = 0.95,
    weight: NDArray[np.float64] | None = None,
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
    witness = Witness(len(errors), (limit, limit), level, heaviest=None if weight is None else float(weight.max()))
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


def labels_to_decide(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, claim: str
) -> int:
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
