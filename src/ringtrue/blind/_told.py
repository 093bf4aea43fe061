"""What the records of a hunt tell: the path of its numbers, and how reliable its confidences are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._rate import Answered
from ringtrue.blind._scope import EDGES
from ringtrue.blind.measures import expected_calibration_error, overconfidence_path, ratio_path
from ringtrue.core import Json, Record
from ringtrue.stats import PoolEvidence, both_ways, check_prediction, drawn_in, is_even, segmented_pool_sequence


def answer_of(record: Record, question: str, *, left: int, left_in_pool: int) -> Answered:
    """Return a record as the bound on the rate needs it, when so many items of the scope and of the pool were left.

    A hunt's own random draws were even over its scope, and predicted. Another question's draw that was even over the
    whole pool, and fell into the scope, was even over the scope; all else is known and no draw.
    """
    low, high = both_ways(record.failed)
    chance = drawn_in(record, left_in_pool)
    if record.prediction is not None and record.question == question:
        check_prediction(1 / left, 1.0, record.prediction, total=float(left))
        return Answered(low, high, True, record.prediction)
    return Answered(low, high, chance is not None and is_even(*chance, left_in_pool))


def path_of(
    records: Sequence[Record],
    answers: Sequence[Answered],
    confidence: NDArray[np.float64],
    bounds: Sequence[tuple[float, float]],
    level: float,
) -> dict[str, Json]:
    """Return every number of a hunt after each answer, as figures need them.

    An item that the oracle could not tell counts as right in what speaks for errors, and as wrong in what speaks
    against them: whether it can tell may depend on the truth.

    Parameters
    ----------
    records
        The records of the hunt, in the order of asking.
    answers
        The same records as the bound on the rate needs them.
    confidence
        The model's confidence in each of these items.
    bounds
        The lower and the upper bound on the rate after each answer.
    level
        The level of the intervals.
    """
    wrong = [record.failed for record in records]
    told = np.array([answer is not None for answer in wrong], dtype=bool)
    made: dict[str, Json] = {
        "number": [record.number for record in records],
        "row": [record.row for record in records],
        "wrong": list(wrong),
        "random": [answer.random for answer in answers],
        "confidence": confidence.tolist(),
        "rate_low": [low for low, _ in bounds],
        "rate_high": [high for _, high in bounds],
    }
    columns = ("errors", "expected", "ratio", "low", "high", "log_e")
    if not told.any():
        return made | {"answer": list(range(1, len(records) + 1)), **{name: [None] * len(records) for name in columns}}
    found = ratio_path(np.array([answer for answer in wrong if answer is not None]), confidence[told], level=level)
    last = np.cumsum(told) - 1  # what an answer that the oracle could not give leaves as it was
    for name in columns[:5]:
        made[name] = [None if place < 0 else float(getattr(found, name)[place]) for place in last]
    fewest, most = (np.array([error if answer is None else answer for answer in wrong]) for error in (False, True))
    if not told.all():
        below, above = (ratio_path(errors, confidence, level=level) for errors in (fewest, most))
        for name, pick, other in (("low", min, below.low), ("high", max, above.high)):
            made[name] = [
                None if place < 0 else pick(getattr(found, name)[place], other[at]) for at, place in enumerate(last)
            ]
    made["log_e"] = overconfidence_path(fewest, confidence).tolist()
    return made | {"answer": list(range(1, len(records) + 1))}


def calibration_error(answers: Sequence[Answered], confidence: NDArray[np.float64]) -> float | None:
    """Return the expected calibration error among the random draws: what a search picked would say nothing of the
    rest.
    """
    drawn = [place for place, answer in enumerate(answers) if answer.random and answer.low == answer.high]
    if not drawn:
        return None
    return expected_calibration_error(confidence[drawn], np.array([answers[place].low == 0 for place in drawn]))


@dataclass(slots=True)
class BinCounts:
    """How the answers in each bin of confidence came out."""

    _evidence: dict[int, tuple[PoolEvidence, PoolEvidence]] = field(default_factory=dict)
    _items: dict[int, int] = field(default_factory=dict)

    def add(self, answer: Answered, place: int, items: int) -> None:
        """Count an answer in a bin that has so many items in the scope."""
        if place not in self._evidence:
            self._items[place] = items
            self._evidence[place] = PoolEvidence(0.5, population=items), PoolEvidence(0.5, population=items)
        for evidence, error in zip(self._evidence[place], (answer.low, answer.high), strict=True):
            (evidence.draw if answer.random else evidence.know)(bool(error))

    def table(self, level: float) -> list[dict[str, Json]]:
        """Return the accuracy in every bin that has an answer, bounded over all its items from the random draws in
        it.
        """
        made: list[dict[str, Json]] = []
        for place in sorted(self._evidence):
            low, high = self._evidence[place]
            items = self._items[place]
            fewest, most = (
                segmented_pool_sequence(one.segments, population=items, level=level, at=[len(one.segments.draws) - 1])
                for one in (low, high)
            )
            made.append(
                {
                    "low": EDGES[place],
                    "high": EDGES[place + 1],
                    "items": items,
                    "asked": items - low.unknown,
                    "errors": low.known_failures,
                    "random": low.draws,
                    "accuracy_low": 1 - float(most.high[0]),
                    "accuracy_high": 1 - float(fewest.low[0]),
                    "level": level,
                    "method": "pool sequence on the random draws",
                }
            )
        return made
