"""Studies replayed without a journal: a policy, and its estimator of a failure rate, on a pool whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, Json, Policy, Record, View, said_and_known
from ringtrue.risk import ScoredDraws, SimpleRandom
from ringtrue.risk._draw_row import draw_row
from ringtrue.risk._evidence import Witness, source_bound
from ringtrue.stats import pool_rate_sequence


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
        told, (label, known) = truth[draw.row], said_and_known(said[draw.row])
        record = Record(
            number=len(records),
            question=question,
            policy=policy.name,
            responder="oracle",
            row=draw.row,
            id=str(draw.row),
            digest="",
            probability=draw.probability,
            floor=draw.floor,
            cost=Decimal(0),
            said=label,
            state="abandoned" if told is None else "answered",
            value=told,
            known=known,
            prediction=draw.prediction,
            note=draw.note,
        )
        records.append(record)
        rows.add(draw.row)
        yield record


def upper_bounds(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], ends: Sequence[int], *, method: str, seed: int, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often at most a pool fails, and how often its source does, after each number of answers in `ends`.

    Parameters
    ----------
    errors
        Which items the model fails on.
    doubt
        How likely that seemed beforehand.
    ends
        Numbers of answers, rising.
    method
        How items are chosen.
    seed
        Of the study.
    level
        Of each one-sided bound.
    """
    witness = follow(errors, doubt, method=method, seed=seed, answers=max(ends), level=level)
    even, size = method == "simple-random", len(errors)
    source = np.array([source_bound(witness, end, size, level, even=even)[0] for end in ends])
    return witness.bounds(list(ends), level=level, side="upper").high, source


def simple_upper(errors: NDArray[np.bool_], ends: NDArray[np.int64], *, seed: int, level: float) -> NDArray[np.float64]:
    """Return the upper bounds of simple random draws after each number of answers."""
    order = np.random.default_rng(seed).permutation(len(errors))
    failures = np.cumsum(errors[order])[ends - 1]
    return pool_rate_sequence(failures, ends, population=len(errors), level=level, side="upper").high


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
    witness = Witness(size, (limit, limit), level, heaviest=None if weight is None else float(weight.max()))
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
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, claim: str, level: float = 0.95
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
    level
        The level of the bounds.
    """
    enough = -math.log1p(-level)

    def decided(witness: Witness) -> bool:
        return witness.may_decide() and max(witness.evidence()) >= enough

    found = follow(
        errors, doubt, method=method, seed=seed, answers=len(errors), claim=claim, level=level, until=decided
    )
    return len(found.rows)
