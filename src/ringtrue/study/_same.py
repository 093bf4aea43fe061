"""Finds out whether a pool, a model and the questions are those that a study was made with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ringtrue.core import (
    Batch,
    Json,
    Model,
    PlanChanged,
    Pool,
    Question,
    Record,
    canonical_json,
    label_of,
    model_answer,
)
from ringtrue.models import differing, holds_floats, is_another, mark_of
from ringtrue.pools import Marks, first_difference
from ringtrue.study._calls import persist
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import as_written_now, describe_pool, describe_space, few_items
from ringtrue.study._things import Things, batch_of, shown_to_model

_BLOCK = 10_000
"""Items that a model is asked about at once, at most."""

_LONGEST = 60
"""Characters of an answer that are shown as an example."""


class Difference(NamedTuple):
    """What is another one than the study was made with ("pool", "space" or "model"), and how it shows."""

    what: str
    how: str


def check_plan(ledger: Ledger, questions: Mapping[str, Question], things: Things) -> None:
    """Stop with the difference unless this is what the study was made with; what is absent is not compared."""
    for name, config in ledger.questions.items():
        how = _told(as_written_now(config), questions[name].config())
        if how:
            raise PlanChanged(
                f"the question {name!r} is not the one this study was made with ({how}): "
                "open it as it was, or add one of another name"
            )
    for difference in differences(ledger, questions, things):
        raise PlanChanged(
            f"the {difference.what} is not the one this study was made with ({difference.how}): "
            "give the original one, or make a new study"
        )


def differences(
    ledger: Ledger, questions: Mapping[str, Question], things: Things, *, by_name: bool = True
) -> Iterator[Difference]:
    """Yield what is not as it was when the study was made, one after the other; what is absent is not compared.

    A model is asked about the items it was first asked about and about every item with a recorded answer, unless its
    answers cost something, or are stored in a pool that is the same. Without `by_name`, one that was renamed is the
    same if its answers are; a column is not, since most of its answers are in no record.
    """
    recorded, pool_is_same = ledger.created, True
    if things.pool is not None:
        how = _told(recorded["pool"], described_as(things.pool, recorded["pool"]))
        pool_is_same = not how
        if how:
            yield Difference("pool", how + row_told(ledger, things.pool))
    if things.space is not None:
        how = _told(recorded["space"], describe_space(things.space))
        if how:
            yield Difference("space", how)
    if things.model is not None and (things.pool is not None or things.space is not None):
        size = min([_BLOCK, *(one.rows for ask in questions.values() for one in ask.passes())])
        how = _model_told(ledger, questions, _Held(things, things.model, size, pool_is_same), by_name)
        if how:
            yield Difference("model", how)


def _model_told(ledger: Ledger, questions: Mapping[str, Question], held: _Held, by_name: bool) -> str:
    """Return how the model differs from the recorded one, in words; nothing if it does not.

    `by_name` says whether another name is a difference although the answers are the same.
    """
    model, stored, pool_is_same = held.model, held.stored, held.pool_is_same
    recorded = ledger.created["model"]
    if recorded is None:
        return _told(None, {"name": model.name})
    paid = any(question.responder == "model" for question in questions.values())
    fickle = recorded["fingerprint"] == mark_of(recorded["name"], None)
    if recorded["name"] != model.name and (by_name or stored or paid):
        return _told({"name": recorded["name"]}, {"name": model.name})
    if (paid and not stored) or (stored and pool_is_same):
        return ""
    how = _few_told(ledger, held.things, model) if pool_is_same and not fickle else ""
    if how or model.remote:
        return how
    return _answers_told(ledger, questions, held, fickle)


def _few_told(ledger: Ledger, things: Things, model: Model) -> str:
    """Return how the answers to the items that the model was first asked about differ from those recorded."""
    recorded, batch = ledger.created["model"], few_items(things)
    if batch is None or recorded["fingerprint"] == recorded["name"]:
        return ""
    found = persist("model", lambda: model.answer(batch).values())
    if "answers" in recorded:
        first = [(item, *pair) for item, *pair in zip(batch.ids, recorded["answers"], found, strict=True)]
        wrong = differing(recorded["answers"], found)
        if wrong:
            again = persist("model", lambda: model.answer(batch).values())
            if not _is_another(first, wrong, [again[place] for place in wrong]):
                return ""
        return _example(first, wrong, "first answers")
    # A study of an earlier version has a hash alone, which the last digits of a number change: then all answers tell.
    if holds_floats(found) and ledger.records:
        return ""
    return _told({"fingerprint": recorded["fingerprint"]}, {"fingerprint": mark_of(recorded["name"], found)})


def _answers_told(ledger: Ledger, questions: Mapping[str, Question], held: _Held, fickle: bool) -> str:
    """Return how the model's answers differ from those recorded; nothing if it differs as much from itself."""
    asked = held.asked([record for record in ledger.records if _recorded(record, questions) is not None])
    pairs = [(record.id, _recorded(record, questions), said) for record, said in asked]
    wrong = differing([told for _, told, _ in pairs], [said for *_, said in pairs])
    if wrong and not held.stored:
        again = held.asked([asked[place][0] for place in wrong])
        if not _is_another(pairs, wrong, [said for _, said in again], fickle=fickle):
            return ""
    return _example(pairs, wrong, "recorded answers")


def _is_another(
    pairs: Sequence[tuple[str, Json, Json]], wrong: Sequence[int], again: Sequence[Json], *, fickle: bool = False
) -> bool:
    """Return whether a model is another one, by what it says again where it differs from what was recorded."""
    told, said = ([pairs[place][side] for place in wrong] for side in (1, 2))
    return is_another(told, said, again, fickle=fickle)


def _recorded(record: Record, questions: Mapping[str, Question]) -> Json:
    """Return the model's answer in a record: beside the oracle's, or the answer itself where the model is paid."""
    if record.responder == "model":
        return record.value if record.state == "answered" else None
    return model_answer(record.said, record.known) if questions[record.question].keeps_model_answers else None


@dataclass(frozen=True, slots=True)
class _Held:
    """A model that is held against records, `size` items at a time."""

    things: Things
    model: Model
    size: int
    pool_is_same: bool

    @property
    def stored(self) -> bool:
        return bool(self.model.stored_in)

    def asked(self, records: Sequence[Record]) -> list[tuple[Record, Json]]:
        """Return what the model says now of the items of some records; items that are no longer there are left out."""
        found: list[tuple[Record, Json]] = []
        of_pool = sorted((record for record in records if record.row is not None), key=lambda record: record.row or 0)
        of_space = [record for record in records if record.row is None]
        for kind, source in ((of_pool, self.things.pool), (of_space, self.things.space)):
            for start in range(0, len(kind) if source is not None else 0, self.size):
                block, batch = self._there(kind[start : start + self.size])
                if block:
                    said = persist("model", partial(_values, self.model, batch))
                    found += zip(block, said, strict=True)
        return found

    def _there(self, records: Sequence[Record]) -> tuple[Sequence[Record], Batch]:
        """Return those of the records whose item is still there, and these items as the model is shown them."""
        if records[0].row is None:
            space = self.things.need_space()
            return records, shown_to_model(batch_of(self.things.items(records)), space)
        pool = self.things.need_pool()
        inside = [record for record in records if record.row is not None and record.row < pool.size]
        batch = pool.take([record.row or 0 for record in inside]) if inside else Batch([], {})
        if self.pool_is_same or not inside:
            return inside, batch
        # Stored answers are part of what an item holds; another model is asked about what it was asked about.
        marks = zip(inside, batch.ids if self.stored else batch.digests(), strict=True)
        same = [record for record, mark in marks if mark == (record.id if self.stored else record.digest)]
        return same, pool.take([record.row or 0 for record in same]) if same else Batch([], {})


def _values(model: Model, batch: Batch) -> list[Json]:
    return model.answer(batch).values()


def _told(recorded: Any, found: Any) -> str:
    """Return the difference of two descriptions in words; nothing if there is none."""
    if recorded == found:
        return ""
    if isinstance(recorded, dict) and isinstance(found, dict):
        keys = [key for key in recorded | found if recorded.get(key) != found.get(key)]
        return "; ".join(f"{key} was {recorded.get(key)!r}, now {found.get(key)!r}" for key in keys)
    return f"was {recorded!r}, now {found!r}"


def _example(pairs: Sequence[tuple[str, Json, Json]], wrong: Sequence[int], what: str) -> str:
    """Return how many answers differ, with the first as an example; nothing if none does."""
    if not wrong:
        return ""
    item, was, now = pairs[wrong[0]]
    if label_of(was) != label_of(now):
        was, now = label_of(was), label_of(now)
    return (
        f"{len(wrong):,} of {len(pairs):,} {what} differ, such as that to item {item!r}: "
        f"was {_shown(was)}, now {_shown(now)}"
    )


def _shown(answer: Json) -> str:
    text = canonical_json(answer)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def marks_of_rows(pool: Pool | None) -> dict[str, Json]:
    """Return what a new study keeps so that a row that differs can be named; nothing of a pool outside memory."""
    marks = None if pool is None else pool.marks(pool.size)
    return {} if marks is None else {"marks": dict(marks)}


def described_as(pool: Pool, recorded: dict[str, Json] | None) -> dict[str, Json] | None:
    """Describe a pool in the words in which a study recorded it.

    A file that was only renamed is the same pool. Earlier versions knew a file by its bytes, not by its values.
    """
    described = describe_pool(pool)
    if described is not None and recorded is not None:
        described["name"] = recorded["name"]
        if recorded["fingerprint"] == pool.hash_of_file:
            described["fingerprint"] = recorded["fingerprint"]
    return described


def row_told(ledger: Ledger, pool: Pool) -> str:
    """Say which row of a pool is the first that differs, as far as the study can tell; nothing if it cannot."""
    recorded = ledger.created["pool"]
    if recorded is None or recorded["columns"] != list(pool.columns):
        return ""
    kept: Any = ledger.created.get("marks")
    size = recorded["size"]
    now = None if kept is None else pool.marks(size)
    if now is not None:
        rows = first_difference(Marks(**kept), Marks(**now), size)
        if rows is None:
            return ""
        if rows[0] == rows[1]:
            return f"; the first row that differs is row {rows[0] + 1} ({_item(pool, rows[0])})"
        return f"; the first row that differs is one of rows {rows[0] + 1} to {rows[1] + 1}"
    asked = sorted({record.row: record.digest for record in ledger.records if record.row is not None}.items())
    inside = [(row, digest) for row, digest in asked if row < pool.size]
    found = pool.take([row for row, _ in inside]).digests() if inside else []
    for (row, before), after in zip(inside, found, strict=True):
        if before != after:
            return f"; of the rows that were asked about, the first that differs is row {row + 1} ({_item(pool, row)})"
    return ""


def _item(pool: Pool, row: int) -> str:
    return f"item {pool.take([row]).ids[0]!r}"
