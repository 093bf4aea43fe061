"""A hunt in a pool whose truth is known, without a study: for simulations and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind._question import Blind
from ringtrue.core import InvalidInput, Record, View

_SAID, _OTHER = "said", "other"


def simulate(
    question: Blind,
    scores: Mapping[str, NDArray[Any]],
    wrong: ArrayLike,
    *,
    budget: int,
    batch: int = 1,
    seed: int = 0,
    untold: AbstractSet[int] = frozenset(),
) -> list[Record]:
    """Return the records of a hunt, answered from what is known of the whole pool.

    Parameters
    ----------
    question
        The hunt.
    scores
        The scores that the question gathered, with what it measured if it does.
    wrong
        Whether the model errs on each row of the pool.
    budget
        The most answers.
    batch
        How many items are chosen at once, before any of them is answered.
    seed
        The seed of the study.
    untold
        The rows of which the oracle cannot tell whether they are wrong.
    """
    errors = np.asarray(wrong, dtype=bool)
    if errors.shape != scores["confidence"].shape:
        raise InvalidInput(
            f"wrong of shape {errors.shape} must have an entry for each of {len(scores['confidence'])} rows"
        )
    records: list[Record] = []
    asked: set[int] = set()
    while len(records) < budget:
        view = View(seed, len(records), len(errors), frozenset(asked), records, None, scores)
        draws = question.policy.propose(view, min(batch, budget - len(records)))
        if not draws:
            break
        for draw in draws:
            assert draw.row is not None
            known = draw.row not in untold
            record = Record(
                number=len(records),
                question=question.name,
                policy=question.policy.name,
                responder="oracle",
                row=draw.row,
                id=str(draw.row),
                digest="",
                probability=draw.probability,
                floor=draw.floor,
                cost=Decimal(0),
                said=_SAID,
                state="answered" if known else "abandoned",
                value=(_OTHER if errors[draw.row] else _SAID) if known else None,
                prediction=draw.prediction,
            )
            records.append(record)
            asked.add(draw.row)
    return records
