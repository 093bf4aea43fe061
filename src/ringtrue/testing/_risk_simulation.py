"""Studies of a failure rate replayed without a journal: a policy and its estimator on a pool whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Record, View
from ringtrue.risk import Risk
from ringtrue.risk._estimates import estimates
from ringtrue.risk._operation import source_bound
from ringtrue.risk._told import note_of, told
from ringtrue.risk._witness import Witness


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """What a study could say after each number of answers in `ends`.

    `low` and `high` are two-sided; `upper`, and `operation` for the source that the pool was drawn from, one-sided.
    """

    ends: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    upper: NDArray[np.float64]
    estimate: NDArray[np.float64]
    operation: NDArray[np.float64]


def replay(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, ends: Sequence[int],
    claim: str | None = None, level: float = 0.95,
) -> Replay:  # fmt: skip
    """Label items of a pool as a study would, one at a time, up to the last of `ends`.

    `errors` says which items the model fails on, `doubt` how likely that seemed beforehand.
    """
    size = len(errors)
    witness = follow(errors, doubt, method=method, seed=seed, answers=max(ends), claim=claim, level=level)
    places = sorted(ends)
    both = witness.bounds(places, level=level, side="both")
    upper = witness.bounds(places, level=level, side="upper").high
    found = estimates(witness.rows, [row.failed for row in witness.rows], size, 0.0)[places]
    source = np.array([source_bound(witness, end, size, level)[0] for end in places])
    return Replay(np.array(places), both.low, both.high, upper, found, source)


def follow(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, answers: int,
    claim: str | None = None, level: float = 0.95,
) -> Witness:  # fmt: skip
    """The witness after so many answers."""
    size = len(errors)
    scored = method != "simple-random"
    question = Risk(claim, method=method, confidence="confidence" if scored else None)
    limit = 0.5 if question.claim is None else question.claim.limit
    witness = Witness(size, (limit, limit), level)
    records: list[Record] = []
    asked: set[int] = set()
    scores = {"doubt": doubt} if scored else {}
    while len(records) < answers:
        view = View(seed, len(records), size, asked, records, None, scores)
        (draw,) = question.policy.propose(view, 1)
        row = draw.row if draw.row is not None else -1
        record = Record(
            len(records), "risk", method, "oracle", row, str(row), "", draw.probability, draw.floor, Decimal(0),
            {"label": "right", **(draw.note or {})}, state="answered", value="wrong" if errors[row] else "right",
        )  # fmt: skip
        records.append(record)
        asked.add(row)
        witness.add(told(bool(errors[row]), draw.probability, draw.floor, 1.0, note_of(record, None)))
    return witness
