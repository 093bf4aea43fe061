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
    *,
    question: str,
    size: int,
    seed: int,
    scores: Mapping[str, Any],
    said: Sequence[Json],
    truth: Sequence[Json],
) -> Iterator[Record]:
    """Yield answered records one at a time, as a study would ask for them with nothing out.

    Parameters
    ----------
    policy
        Proposes what to ask.
    question
        The name under which it is asked.
    size
        How many items the pool has.
    seed
        Of the study.
    scores
        What was prepared of the items.
    said
        By row, what the model answers: a label, or the votes of a panel.
    truth
        By row, what the oracle answers; None where the oracle cannot tell.
    """
    records: list[Record] = []
    rows: set[int] = set()
    while len(records) < size:
        (draw,) = policy.propose(View(seed, len(records), size, rows, records, None, scores), 1)
        assert draw.row is not None
        records.append(
            answered(draw, len(records), (question, policy.name, "oracle"), (said[draw.row], truth[draw.row]))
        )
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
    errors
        Which items the model fails on.
    doubt
        How likely that seemed beforehand.
    method
        How items are chosen.
    seed
        Of the study.
    answers
        The most answers.
    claim
        What is to be decided, if there is a claim.
    level
        Of the bounds.
    weight
        How much more often the profile meets each item; without it there is no profile.
    watch
        Told of each record before it counts.
    until
        Whether the witness has seen enough.
    """
    size = len(errors)
    scored = method != "simple-random"
    wanted = None if claim is None else Claim.parse(claim)
    aim = None if wanted is None else wanted.limit
    limit = 0.5 if aim is None else aim
    profile = None if weight is None else "profile"
    policy: Policy = ScoredDraws(method, limit=aim, profile=profile) if scored else SimpleRandom()
    witness = Witness(size, (limit, limit), level, weights=None if weight is None else (float(weight.max()), 0.0))
    scores = {"doubt": doubt} | ({} if weight is None else {"weight": weight}) if scored else {}
    truth = ["wrong" if error else "right" for error in errors]
    records = asked(policy, question="risk", size=size, seed=seed, scores=scores, said=["right"] * size, truth=truth)
    for record in islice(records, answers):
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
    errors
        Which items the model fails on.
    doubt
        How likely that seemed beforehand.
    method
        How items are chosen.
    seed
        The seed of the study.
    claim
        What is to be decided.
    """
    enough = -math.log1p(-Claim.parse(claim).level)

    def decided(witness: Witness) -> bool:
        return witness.may_decide() and max(witness.evidence()) >= enough

    found = follow(errors, doubt, method=method, seed=seed, answers=len(errors), claim=claim, until=decided)
    return len(found.rows)
