"""The question that watches a model: the same few items, one call at a time, for months."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Baseline, answer_name
from ringtrue.changed._columns import CHUNK, Columns
from ringtrue.changed.watch._alarm import Alarm
from ringtrue.changed.watch._choice import nearest
from ringtrue.changed.watch._finding import Sentinel, WatchFinding, watch_sections
from ringtrue.core import (
    NO_SCORES,
    Argument,
    Batch,
    Chip,
    Claim,
    Context,
    Draw,
    Estimator,
    InvalidInput,
    Json,
    Model,
    Policy,
    Pool,
    Question,
    Record,
    Scores,
    Section,
    Verdict,
    View,
)
from ringtrue.stats import generator

SENTINELS = 20
"""Items that are watched. Of 10, 20 and 40 on simulated changes of a tenth to half of them: with 10 the change more
often misses all of them, and with 40 each is known by too few answers."""

BASELINE = 100
"""Calls by which the model is known before the watch begins. With 60 a noise of one answer in ten hides changes that
are found with 100, and 200 find hardly more."""

YEAR = 365
"""Calls of a year, at one a day."""

LEVEL = 0.95
"""An unchanged model raises an alarm in at most one year of twenty."""

_TIES = 0
"""The seed of how ties are broken: any will do that is fixed before the answers."""


class InSight(Policy):
    """Asks about a sentinel chosen by chance, each time anew: so all answers may stand in any order (`Alarm`)."""

    name = "sentinels"
    asks_again = True

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows = list(rows)

    def propose(self, view: View, n: int) -> list[Draw]:
        """Propose the next calls; a proposal ends before a row that stands in it already."""
        draws: dict[int, Draw] = {}
        for step in range(view.step, view.step + n):
            row = self._rows[int(generator(view.seed, "changed/watch", step).random() * len(self._rows))]
            if row in draws:
                break
            draws[row] = Draw(row=row)
        return list(draws.values())


class Watch(Question):
    """Are the answers of this model still those of before? A few items are asked about again and again.

    Make one with `Watch.of`, which chooses the items.

    Parameters
    ----------
    rows
        The rows of the items that are watched.
    old
        The column of the old answers.
    baseline
        Calls that show how the model answers before the watch begins; none of a model without noise.
    year
        Calls of a year, over which the chance of a false alarm is stated.
    noise
        0 for a model that always gives the same answer to the same question, and then one other answer is a proof.
        Without it, what varies is learnt from the baseline.
    name
        The name of the question within its study.
    """

    kind = "watch"
    responder = "model"
    unit = "call"
    needs_model = "any"

    @classmethod
    def of(
        cls,
        pool: Pool,
        *,
        old: str,
        confidence: str | None = None,
        sentinels: int = SENTINELS,
        seed: int = 0,
        **choices: Any,
    ) -> Watch:
        """Choose the items of a pool whose old answers were nearly others, and watch them.

        Parameters
        ----------
        pool
            The items, with what is known of each.
        old, confidence
            The columns of the old answers and, if there is one, of the old confidences; without it chance chooses.
        sentinels, seed
            How many items are watched, and the seed by which ties are broken.
        choices
            `baseline`, `year`, `noise` and `name`, as `Watch` has them.
        """
        for what, name in (("old", old), ("confidence", confidence)):
            if name is not None and name not in pool.columns:
                known = ", ".join(pool.columns)
                raise InvalidInput(Argument(what, name), f" is not a column of {pool.name}: name one of {known}")
        if sentinels < 1:
            raise InvalidInput(Argument("sentinels", sentinels), " must be at least 1: watch some twenty items")
        columns = Columns(old, confidence=confidence)
        said: list[Any] = []
        sure: list[float] = []
        for batch in pool.chunks(CHUNK):
            said += batch.columns[old].tolist()
            sure += columns.sure(batch).tolist()
        codes = Baseline.of(old=said).old
        return cls(nearest(codes, np.array(sure), sentinels, seed=seed).tolist(), old, **choices)

    def __init__(
        self,
        rows: Sequence[int],
        old: str,
        *,
        baseline: int = BASELINE,
        year: int = YEAR,
        noise: float | None = None,
        name: str = "watch",
    ) -> None:
        if not rows or len(set(rows)) < len(rows):
            raise InvalidInput("rows is empty or names a row twice: give each row that is watched once")
        if noise not in (None, 0):
            rule = " must be 0 or left out: what varies is learnt from the first answers"
            raise InvalidInput(Argument("noise", noise), rule)
        for what, number in (("baseline", baseline), ("year", year)):
            if number < 1:
                raise InvalidInput(Argument(what, number), " must be at least 1: it counts calls")
        self.rows, self.old, self.baseline, self.year = list(rows), old, baseline, year
        self.noise, self.name = noise, name

    @property
    def before(self) -> int:
        """How many calls come before the watch: none of a model without noise."""
        return 0 if self.noise == 0 else self.baseline

    @property
    def policy(self) -> InSight:
        """What decides which sentinel is asked about next."""
        return InSight(self.rows)

    def known(self, batch: Batch, model: Model | None) -> list[tuple[Json, dict[str, Json]]]:  # noqa: ARG002
        """Return what is known of each item before it is asked: the old answer."""
        return [(None, {"old": answer_name(value)}) for value in batch.columns[self.old].tolist()]

    def uses(self, record: Record) -> bool:
        """Return whether a record is of this question: other items were chosen otherwise."""
        return record.question == self.name

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> Watchman:  # noqa: ARG002
        """Return what follows the answers."""
        if claim is not None:
            raise InvalidInput(f'claim="{claim}" is not decided by a watch: ask `changed` without --watch')
        return Watchman(self, size)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return the evidence so far, and a table of the sentinels."""
        return watch_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return whether there is an alarm."""
        raised = finding["raised_at"] is not None
        return Chip("changed", "rings-false") if raised else Chip("no change so far", "not-yet-known")


class Watchman(Estimator):
    """Follows the answers about the sentinels, in the order of asking."""

    def __init__(self, question: Watch, size: int) -> None:
        self._question, self._size = question, size
        self._place = {row: place for place, row in enumerate(question.rows)}
        self._given: list[list[tuple[bool, str]]] = [[] for _ in question.rows]
        self._ids: list[tuple[str, str] | None] = [None] * len(question.rows)
        self._unanswerable = self._answers = 0
        self._alarm = Alarm(
            questions=len(question.rows),
            baseline=question.before,
            year=question.year,
            seed=_TIES,
            level=LEVEL,
            steady=question.noise == 0,
        )

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records. One that was given up tells nothing: whether it was is the same before and after."""
        for record in records:
            place = self._place.get(-1 if record.row is None else record.row)
            if place is None:
                raise InvalidInput(f"item {record.id!r} is no sentinel: ask it by the question's own policy")
            if record.state != "answered":
                self._unanswerable += 1
                continue
            label = record.label
            if isinstance(label, list | dict):
                said = f"item {record.id!r} got {label!r}"
                raise InvalidInput(f"{said}: a change is looked for in labels, give a classifier")
            answer, old = answer_name(label), str(record.known.get("old"))
            self._ids[place] = record.id, old
            self._answers += 1
            self._given[place].append((self._answers > self._question.before, answer))
            if self._question.noise == 0:
                self._alarm.expect(place, old)
            self._alarm.take(place, answer)

    @property
    def verdict(self) -> Verdict:
        """A watch may show that a model changed, and never that it did not."""
        return Verdict.NOT_YET_KNOWN if self._alarm.raised_at is None else Verdict.RINGS_FALSE

    def finding(self) -> WatchFinding:
        """Return what the answers show so far."""
        question, alarm = self._question, self._alarm
        sentinels = tuple(
            Sentinel.of(*named, given) for named, given in zip(self._ids, self._given, strict=True) if named is not None
        )
        return WatchFinding(
            answers=self._answers,
            unanswerable=self._unanswerable,
            population=self._size,
            watched=len(question.rows),
            baseline=question.before,
            year=question.year,
            steady=question.noise == 0,
            level=LEVEL,
            threshold=alarm.threshold,
            raised_at=alarm.raised_at,
            path=tuple(alarm.path),
            sentinels=sentinels,
        )
