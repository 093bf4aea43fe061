"""Times, in one version of the package, what it takes to watch a bound: used by bench_watched_bound.py.

Prints one line of JSON per number of answers: the CPU seconds of drawing so many items one by one, of taking their
answers one by one with a look at the verdict after each, and of a finding at the end; and a hash of what was drawn.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from ringtrue.blind import Blind
from ringtrue.changed import Changed
from ringtrue.core import Batch, Draw, Measured, Record, Sketch, View
from ringtrue.judges import Judges
from ringtrue.pools import TablePool
from ringtrue.risk import Risk

ITEMS = 40_000

Answer = Callable[[int], tuple[Any, Any, Any]]
"""Of a row: what the model says, what else is known, and the answer that is paid for; None if there is none."""


def record_of(number: int, question: Any, draw: Draw, answer: Answer) -> Record:
    """Make the record of a draw, as this version of the package has it."""
    said, known, value = answer(int(draw.row or 0))
    names = {field.name for field in fields(Record)}
    made = {
        "number": number, "question": question.name, "policy": question.policy.name, "responder": question.responder,
        "row": draw.row, "id": str(draw.row), "digest": "", "probability": draw.probability, "floor": draw.floor,
        "cost": Decimal(0), "state": "abandoned" if value is None else "answered", "value": value,
    }  # fmt: skip
    if "predicted" in names:
        from ringtrue.core import with_note

        made["predicted"] = with_note(said if known is None else known, draw)
    else:
        made |= {"said": said, "known": known or {}, "prediction": draw.prediction, "note": draw.note}
    return Record(**made)


def drawn(question: Any, scores: dict[str, Any], answer: Answer) -> Iterator[Record]:
    """Let a policy draw one item after another."""
    records: list[Record] = []
    asked: set[int] = set()
    while True:
        draw = question.policy.propose(View(3, len(records), ITEMS, asked, records, None, scores), 1)[0]
        records.append(record_of(len(records), question, draw, answer))
        asked.add(int(draw.row))
        yield records[-1]


def risk(method: str) -> tuple[Any, dict[str, Any], Iterator[Record]]:
    rng = np.random.default_rng(1)
    doubt = rng.beta(0.3, 9, ITEMS)
    wrong, hard = rng.random(ITEMS) < doubt, rng.random(ITEMS) < 0.01
    question = Risk("error <= 3.1%", method=method, confidence=None if method == "simple-random" else "sure")
    scores = {} if method == "simple-random" else {"doubt": doubt}

    def answer(row: int) -> tuple[Any, Any, Any]:
        return "right", None, None if hard[row] else ("wrong" if wrong[row] else "right")

    return question, scores, drawn(question, scores, answer)


def changed() -> tuple[Any, dict[str, Any], Iterator[Record]]:
    rng = np.random.default_rng(2)
    names, truth, sure = np.array(["a", "b", "c", "d"]), rng.integers(0, 3, ITEMS), rng.random(ITEMS)
    old = np.where(rng.random(ITEMS) < 0.5 + 0.45 * sure, truth, (truth + 1) % 3)
    new = np.where(rng.random(ITEMS) < 0.1 * (1 - sure), rng.integers(0, 4, ITEMS), old)
    columns = {"old": names[old], "truth": names[truth], "sure": sure, "region": rng.choice(["n", "s"], ITEMS)}
    pool = TablePool(columns, name="shift")
    question = Changed.of(
        pool, old="old", truth="truth", confidence="sure", slices=["region"], noise=0, claim="change <= 3.6%"
    )
    batch = pool.take(range(ITEMS))
    if hasattr(question, "passes"):
        known = [told for _, told in question.known(batch, None)]
        scores = question.passes()[0].run(Measured(batch, {}), Measured(Batch([], {}), {}), None, rng)
    else:  # an earlier version
        known, scores = question.known(batch), question.prepare(batch, None, rng)
    return question, scores, drawn(question, scores, lambda row: (None, known[row], str(names[new[row]])))


def judges() -> tuple[Any, dict[str, Any], Iterator[Record]]:
    rng = np.random.default_rng(3)
    truth = (rng.random(ITEMS) < 0.4).astype(int)
    votes = np.where(rng.random((ITEMS, 4)) < [0.95, 0.9, 0.8, 0.7], truth[:, None], 1 - truth[:, None])
    names, labels = ["ann", "bob", "cyd", "dan"], ["no", "yes"]
    sketch = Sketch(names, labels, Counter(map(tuple, votes.tolist())))
    question = Judges(sketch, claim="error <= 30.4%")
    patterns = {pattern: place for place, pattern in enumerate(map(tuple, question._index.patterns.tolist()))}
    scores = {"pattern": np.array([patterns[tuple(row)] for row in votes.tolist()])}

    def answer(row: int) -> tuple[Any, Any, Any]:
        told = {"votes": {name: labels[vote] for name, vote in zip(names, votes[row].tolist(), strict=True)}}
        return None, told, labels[truth[row]]

    return question, scores, drawn(question, scores, answer)


def blind() -> tuple[Any, dict[str, Any], Iterator[Record]]:
    """Of a hunt only the records: every other item is drawn at random, with an expectation; the rest are picks."""
    rng = np.random.default_rng(4)
    sure = 0.65 + 0.35 * rng.random(ITEMS)
    expected = np.clip(1.1 - sure + 0.05 * rng.normal(size=ITEMS), 0.01, 0.6)
    wrong, order = rng.random(ITEMS) < 1 - sure, rng.permutation(ITEMS)
    question = Blind(None, threshold=0.5, score="sure", features=["x"], floor=0.5, claim="error <= 17.6%")
    scores = {
        "scope": np.full(ITEMS, ITEMS), "bin": np.zeros(ITEMS, dtype=int), "bin_items": np.full(ITEMS, ITEMS),
        "confidence": sure,
    }  # fmt: skip

    def records() -> Iterator[Record]:
        rest = float(expected.sum())
        for number, row in enumerate(order.tolist()):
            left = ITEMS - number
            said = {"guess": float(expected[row]), "rest": rest, "least": -0.6 * left, "most": 0.99 * left}
            draw = Draw(row=row)
            if number % 2:
                draw = Draw(row=row, probability=1 / left, floor=1 / left, **noted(said))
            rest -= expected[row]
            yield record_of(number, question, draw, lambda row: ("a", None, "b" if wrong[row] else "a"))

    return question, scores, records()


def noted(said: dict[str, float]) -> dict[str, Any]:
    """What was predicted of a random draw of a hunt, as this version of the package has it."""
    if "prediction" not in Draw._fields:
        return {"note": {"random": True, **said}}
    from ringtrue.core import Prediction

    return {"prediction": Prediction(**said)}


USERS: dict[str, Callable[[], tuple[Any, dict[str, Any], Iterator[Record]]]] = {
    "risk, even": lambda: risk("simple-random"),
    "risk, by doubt": lambda: risk("stratified"),
    "risk, weighted": lambda: risk("importance"),
    "changed": changed,
    "judges": judges,
    "blind": blind,
}


def timed(steps: Iterator[Any], sizes: list[int]) -> Iterator[float]:
    """Take so many steps, and give the CPU seconds since the first; the clock is slow, so it is looked at seldom."""
    start, done = time.process_time(), 0
    for size in sizes:
        for _ in islice(steps, size - done):
            pass
        done = size
        yield time.process_time() - start


def taken(estimator: Any, records: list[Record]) -> Iterator[None]:
    """Take the answers one by one, with a look at the verdict after each."""
    for record in records:
        estimator.update([record])
        estimator.verdict  # noqa: B018 - a look
        yield


def main() -> None:
    """Print the cells of one user."""
    user, sizes = sys.argv[1], [int(word) for word in sys.argv[2].split(",")]
    question, scores, source = USERS[user]()
    records: list[Record] = []
    drawing = list(timed((records.append(one) for one in source), sizes))
    if hasattr(question, "passes"):
        estimator = question.estimator(size=ITEMS, claim=question.claim, scores=scores)
    else:  # an earlier version
        estimator = question.estimator(size=ITEMS, claim=question.claim)
        if hasattr(estimator, "weigh"):
            estimator.weigh(scores)
    looking = 0.0
    for size, draw, take in zip(sizes, drawing, timed(taken(estimator, records), sizes), strict=True):
        start = time.process_time()
        verdict = str(estimator.finding().verdict.value)
        look = time.process_time() - start
        asked = [(record.row, record.probability, record.floor) for record in records[:size]]
        mark = hashlib.blake2b(repr(asked).encode(), digest_size=8).hexdigest()
        cell = {"answers": size, "draw": draw, "take": take - looking, "look": look, "drawn": mark, "verdict": verdict}
        print(json.dumps(cell), flush=True)
        looking += time.process_time() - start


if __name__ == "__main__":
    main()
