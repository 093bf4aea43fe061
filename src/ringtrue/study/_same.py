"""Finds out whether a pool, a model and the questions are those that a study was made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ringtrue.core import (
    Batch,
    Json,
    Model,
    PlanChanged,
    Question,
    Record,
    canonical_json,
    label_of,
    model_answer,
)
from ringtrue.models import differing, holds_floats, is_another, mark_of
from ringtrue.study._calls import persist
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import as_written_now, describe_space, few_items
from ringtrue.study._pool_same import described_as, files_told, row_told
from ringtrue.study._things import Things, batch_of, shown_to_model

_BLOCK = 10_000
"""Items that a model is asked about at once, at most."""

_LONGEST = 60
"""Characters of an answer that are shown as an example."""


class Difference(NamedTuple):
    """What is another one than the study was made with ("pool", "space" or "model"), and how it shows."""

    what: str
    how: str


def check_plan(ledger: Ledger, questions: Mapping[str, Question], things: Things) -> list[str]:
    """Stop with the difference unless this is what the study was made with; what is absent is not compared.

    Returns what was noticed and does not stop: of a served model that never repeated itself, or another version of it.
    """
    for name, config in ledger.questions.items():
        how = _told(as_written_now(config), questions[name].config())
        if how:
            raise PlanChanged(
                f"the question {name!r} is not the one this study was made with ({how}): "
                "open it as it was, or add one of another name"
            )
    noticed: list[str] = []
    for difference in differences(ledger, questions, things, noticed=noticed):
        raise PlanChanged(
            f"the {difference.what} is not the one this study was made with ({difference.how}): "
            "give the original one, or make a new study"
        )
    return noticed


def differences(
    ledger: Ledger,
    questions: Mapping[str, Question],
    things: Things,
    *,
    by_name: bool = True,
    noticed: list[str] | None = None,
) -> Iterator[Difference]:
    """Yield what is not as it was when the study was made, one after the other; what is absent is not compared.

    A model is asked about the items it was first asked about and about every item with a recorded answer, unless its
    answers cost something, or are stored in a pool that is the same.

    Parameters
    ----------
    ledger, questions, things
        The study, its questions, and what is compared with what it was made with.
    by_name
        Whether a model of another name is another one. If not, one that was renamed is the same if its answers are; a
        column is not, since most of its answers are in no record.
    noticed
        Where to put what is no difference for certain, in words.
    """
    recorded, pool_is_same = ledger.created, True
    if things.pool is not None:
        how = _told(recorded["pool"], described_as(things.pool, recorded["pool"]))
        pool_is_same = not how
        if how:
            yield Difference("pool", how + files_told(ledger, things.pool) + row_told(ledger, things.pool))
    if things.space is not None:
        how = _told(recorded["space"], describe_space(things.space))
        if how:
            yield Difference("space", how)
    if things.model is not None and (things.pool is not None or things.space is not None):
        comparison = _Comparison(ledger, questions, things, things.model, pool_is_same)
        how = comparison.told(by_name)
        if noticed is not None:
            noticed += comparison.noticed
        if how:
            yield Difference("model", how)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A model that is held against what a study recorded of its own."""

    ledger: Ledger
    questions: Mapping[str, Question]
    things: Things
    model: Model
    pool_is_same: bool
    noticed: list[str] = field(default_factory=list)
    """What does not say for certain that the model is another one, in words."""

    def told(self, by_name: bool) -> str:
        """Return how the model differs from the recorded one, in words; nothing if it does not.

        `by_name` says whether another name is a difference although the answers are the same.
        """
        model, recorded = self.model, self.ledger.created["model"]
        if recorded is None:
            return _told(None, {"name": model.name})
        paid = any(question.responder == "model" for question in self.questions.values())
        fickle = recorded["fingerprint"] == mark_of(recorded["name"], None)
        if recorded["name"] != model.name and (by_name or model.stored_in or paid):
            return _told({"name": recorded["name"]}, {"name": model.name})
        if (paid and not model.stored_in) or (model.stored_in and self.pool_is_same):
            return ""
        how = self._few_told(recorded, fickle) if self.pool_is_same else ""
        if not model.remote:
            how = how or self._answers_told(fickle)
            # The same answers by another version of a library are the same model.
            return how + (f"; {versions}" if how and (versions := self._versions_told(recorded)) else "")
        if fickle and how:  # by chance in one opening of a hundred: too often to stop
            self.noticed.append(f"the {model.name} seems to have changed since this study was made: {how}")
            return ""
        if not how and (versions := self._versions_told(recorded)):
            why = "its answers to the first items are as they were" if self.pool_is_same else "its pool is another one"
            self.noticed.append(f"the {model.name} tells of {versions}: {why}")
        return how

    def _versions_told(self, recorded: Mapping[str, Any]) -> str:
        """Return how what tells of the model's version differs from what did; nothing where either is not known."""
        known = recorded.get("versions") and self.model.versions
        how = _told(recorded["versions"], dict(self.model.versions)) if known else ""
        return f"another version ({how})" if how else ""

    def _few_told(self, recorded: Mapping[str, Any], fickle: bool) -> str:
        """Return how the answers to the items that the model was first asked about differ from those recorded."""
        kept: list[Json] | None = recorded.get("answers")
        # A study of an earlier version has as few answers of a served model as of any other.
        batch = few_items(self.things, served="twice" in recorded)
        if batch is None or recorded["fingerprint"] == recorded["name"] or (fickle and kept is None):
            return ""
        found = self._answers(batch)
        if kept is not None:
            first = list(zip(batch.ids, kept, found, strict=True))
            return _example(first, "first answers", lambda wrong: _at(wrong, self._answers(batch)), fickle=fickle)
        # A study of an earlier version has a hash alone, which the last digits change: then all answers tell.
        if holds_floats(found) and self.ledger.records:
            return ""
        return _told({"fingerprint": recorded["fingerprint"]}, {"fingerprint": mark_of(recorded["name"], found)})

    def _answers_told(self, fickle: bool) -> str:
        """Return how the model's answers differ from those recorded; nothing if it differs as much from itself."""
        asked = self._asked([record for record in self.ledger.records if self._recorded(record) is not None])
        pairs = [(record.id, self._recorded(record), said) for record, said in asked]

        def again(wrong: Sequence[int]) -> list[Json]:
            return [said for _, said in self._asked([asked[place][0] for place in wrong])]

        return _example(pairs, "recorded answers", None if self.model.stored_in else again, fickle=fickle)

    def _answers(self, batch: Batch) -> list[Json]:
        return persist("model", lambda: self.model.answer(batch).values())

    def _recorded(self, record: Record) -> Json:
        """Return the model's answer in a record: beside the oracle's, or the answer itself where the model is paid."""
        if record.responder == "model":
            return record.value if record.state == "answered" else None
        kept = self.questions[record.question].keeps_model_answers
        return model_answer(record.said, record.known) if kept else None

    def _asked(self, records: Sequence[Record]) -> list[tuple[Record, Json]]:
        """Return what the model says now of the items of some records; items that are no longer there are left out."""
        size = min([_BLOCK, *(one.rows for ask in self.questions.values() for one in ask.passes())])
        found: list[tuple[Record, Json]] = []
        of_pool = sorted((record for record in records if record.row is not None), key=lambda record: record.row or 0)
        of_space = [record for record in records if record.row is None]
        for kind, source in ((of_pool, self.things.pool), (of_space, self.things.space)):
            for start in range(0, len(kind) if source is not None else 0, size):
                block, batch = self._there(kind[start : start + size])
                found += zip(block, self._answers(batch) if block else [], strict=True)
        return found

    def _there(self, records: Sequence[Record]) -> tuple[Sequence[Record], Batch]:
        """Return those of the records whose item is still there, and these items as the model is shown them."""
        if records[0].row is None:
            return records, shown_to_model(batch_of(self.things.items(records)), self.things.need_space())
        pool, stored = self.things.need_pool(), self.model.stored_in
        inside = [record for record in records if record.row is not None and record.row < pool.size]
        batch = pool.take([record.row or 0 for record in inside]) if inside else Batch([], {})
        if self.pool_is_same or not inside:
            return inside, batch
        # Stored answers are part of what an item holds; another model is asked about what it was asked about.
        marks = zip(inside, batch.ids if stored else batch.digests(), strict=True)
        same = [record for record, mark in marks if mark == (record.id if stored else record.digest)]
        return same, pool.take([record.row or 0 for record in same]) if same else Batch([], {})


def _told(recorded: Any, found: Any) -> str:
    """Return the difference of two descriptions in words; nothing if there is none."""
    if recorded == found:
        return ""
    if isinstance(recorded, dict) and isinstance(found, dict):
        keys = [key for key in recorded | found if recorded.get(key) != found.get(key)]
        return "; ".join(f"{key} was {recorded.get(key)!r}, now {found.get(key)!r}" for key in keys)
    return f"was {recorded!r}, now {found!r}"


def _example(
    pairs: Sequence[tuple[str, Json, Json]],
    what: str,
    again: Callable[[Sequence[int]], Sequence[Json]] | None,
    *,
    fickle: bool = False,
) -> str:
    """Return how many answers differ, with the first as an example; nothing if none does, or all do so by themselves.

    `again` tells what the model says a second time in some places, where it can be asked.
    """
    told, said = ([pair[side] for pair in pairs] for side in (1, 2))
    wrong = differing(told, said)
    if not wrong:
        return ""
    if again is not None and not is_another(_at(wrong, told), _at(wrong, said), again(wrong), fickle=fickle):
        return ""
    item, was, now = pairs[wrong[0]]
    if label_of(was) != label_of(now):
        was, now = label_of(was), label_of(now)
    texts = map(canonical_json, (was, now))
    before, after = (text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in texts)
    return f"{len(wrong):,} of {len(pairs):,} {what} differ, such as that to item {item!r}: was {before}, now {after}"


def _at(places: Sequence[int], values: Sequence[Json]) -> list[Json]:
    return [values[place] for place in places]
