"""Generic checks that every question about a pool must pass; run them on your own, one row a question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import (
    Claim,
    Draw,
    Interval,
    InvalidInput,
    Json,
    Question,
    Record,
    Responder,
    Verdict,
    View,
    said_and_known,
)
from ringtrue.stats import check_draw, generator

SIZE = 60
"""Items in the pool that the checks use."""

_STATES, _SEEDS = 4, range(24)
"""Between how many answers, and under which seeds, it is seen whether floors stay the same whatever is drawn."""


Answers: TypeAlias = Callable[[int], tuple[Json, Json]]
"""What the model answers and the oracle says of a row."""


def check_question(
    make: Callable[[], Question],
    *,
    claim: str | None = "error <= 20% at 95%",
    answers: Answers | None = None,
    scores: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Raise AssertionError, saying which rule is broken, unless the question keeps the rules of a study.

    `make` gives a new question each time, so that nothing can be remembered from one check to the next. The question
    is asked about a pool of 60 items. By default the model says "right" and so does the oracle, or "wrong" for some
    items, and the scores "score" and "doubt" are random numbers. A question that needs others is given them: `answers`
    by row, and `scores` by name as it would have prepared them.
    """
    question = make()
    assert question.name, "a question has a name"
    assert question.responder in ("oracle", "model"), "a question says who answers"
    assert question.space is None, "these checks are for questions about a pool"
    text = json.dumps(question.config(), allow_nan=False)
    assert json.loads(text) == question.config(), "a configuration is the same after JSON"
    assert make().config() == question.config(), "a configuration does not change by itself"
    if question.kind:
        again = type(question).from_config(question.config())
        assert again.config() == question.config(), "a question is made again from its configuration"
    told = _right_or_wrong() if answers is None else answers
    chance = generator(0, "check", 1).random(SIZE)
    prepared = {"score": chance, "doubt": chance} if scores is None else scores
    one, other, large = (_led_through(make(), portion, told, prepared) for portion in (1, 1, 7))
    assert one == other, "a policy asks the same when it sees the same"
    for records in (one, large):
        rows = [record.row for record in records]
        assert len(set(rows)) == len(rows) == SIZE, "a policy asks about every item, and about none twice"
        _check_probabilities(records)
    _check_floors(question, one, prepared)
    _check_estimator(make, one, None if claim is None else Claim.parse(claim), prepared)


def _right_or_wrong() -> Answers:
    fails = set(generator(0, "check", 0).choice(SIZE, SIZE // 10, replace=False).tolist())
    return lambda row: ("right", "wrong" if row in fails else "right")


def _led_through(
    question: Question, portion: int, answers: Answers, scores: Mapping[str, NDArray[Any]]
) -> list[Record]:
    """Lead the policy through the whole pool, so many items at a time, with made-up answers."""
    records: list[Record] = []
    while len(records) < SIZE:
        asked = {record.row for record in records if record.row is not None}
        view = View(seed=5, step=len(records), size=SIZE, asked=asked, records=tuple(records), scores=scores)
        draws = question.policy.propose(view, portion)
        assert 0 < len(draws) <= portion, "a policy proposes at most what it is asked for, and something while it can"
        for draw in draws:
            assert draw.row is not None, "a draw from a pool names its row"
            asker = question.name, question.policy.name, question.responder
            records.append(answered(draw, len(records), asker, answers(draw.row)))
    return records


def answered(draw: Draw, number: int, asker: tuple[str, str, Responder], told: tuple[Json, Json]) -> Record:
    """Return the record of a draw: `asker` are the question, the policy and who answers.

    `told` is what the model answers and what the oracle says; None where the oracle cannot tell.
    """
    (said, known), truth = said_and_known(told[0]), told[1]
    return Record(
        number,
        *asker,
        row=draw.row,
        id=str(draw.row),
        digest="",
        probability=draw.probability,
        floor=draw.floor,
        cost=Decimal(0),
        said=said,
        state="abandoned" if truth is None else "answered",
        value=truth,
        known=known,
        prediction=draw.prediction,
        note=draw.note,
    )


def _check_probabilities(records: list[Record]) -> None:
    for place, record in enumerate(records):
        try:
            check_draw(record.probability, record.floor, SIZE - place)
        except InvalidInput as error:
            raise AssertionError(f"a policy says of a draw what can be true: {error}") from None


def _check_floors(question: Question, records: list[Record], scores: Mapping[str, NDArray[Any]]) -> None:
    """Check that the floor of a draw is fixed before it: with another seed another item comes, and has at least it."""
    for end in range(0, SIZE, SIZE // _STATES):
        before = tuple(records[:end])
        asked = {record.row for record in before if record.row is not None}
        views = (View(seed=seed, step=0, size=SIZE, asked=asked, records=before, scores=scores) for seed in _SEEDS)
        draws = [draw for view in views for draw in question.policy.propose(view, 1)]
        chances = [draw.probability for draw in draws if draw.probability is not None]
        floors = [draw.floor for draw in draws if draw.probability is not None and draw.floor is not None]
        if chances and floors:
            assert min(chances) >= max(floors) * (1 - 1e-9), "a floor does not depend on which item is drawn"


def _check_estimator(
    make: Callable[[], Question], records: list[Record], claim: Claim | None, scores: Mapping[str, NDArray[Any]]
) -> None:
    whole, single = (make().estimator(size=SIZE, claim=claim, scores=scores) for _ in range(2))
    _check_finding(whole.finding())
    whole.update(records)
    for record in records:
        single.update([record])
        assert isinstance(single.verdict, Verdict), "a verdict can be asked for after every answer"
    assert whole.finding().to_json() == single.finding().to_json(), "one by one or together, the finding is the same"
    _check_finding(whole.finding())


def _check_finding(finding: Any) -> None:
    text = json.dumps(finding.to_json(), allow_nan=False)
    assert text, "a finding is JSON without NaN"
    assert str(finding), "a finding reads as a sentence"
    assert "\n" not in str(finding), "a sentence is one line"
    for line in finding.assumptions:
        assert isinstance(line, str), "assumptions are sentences"
    assert finding.answers >= 0, "a finding counts its answers"
    assert finding.unanswerable >= 0, "a finding counts what the oracle could not answer"
    assert finding.estimate is None or isinstance(finding.estimate, Interval), "an estimate has an interval"
    for low, high in _intervals(finding.to_json()):
        assert np.isfinite([low, high]).all() and low <= high, "an interval has ends in order"  # noqa: PT018


def _intervals(entry: Any) -> list[tuple[float, float]]:
    if isinstance(entry, dict):
        own = [(entry["low"], entry["high"])] if isinstance(entry.get("low"), float) and "high" in entry else []
        return own + [pair for value in entry.values() for pair in _intervals(value)]
    return [pair for value in entry for pair in _intervals(value)] if isinstance(entry, list) else []
