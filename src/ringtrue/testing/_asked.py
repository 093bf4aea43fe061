"""Studies without a journal: a policy asks about a pool whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ringtrue.core import Json, Policy, Record, View, said_and_known


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

    Parameters:
        policy: proposes what to ask.
        question: the name under which it is asked.
        size: how many items the pool has.
        seed: of the study.
        scores: what was prepared of the items.
        said: by row, what the model answers: a label, or the votes of a panel.
        truth: by row, what the oracle answers; None where the oracle cannot tell.
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
