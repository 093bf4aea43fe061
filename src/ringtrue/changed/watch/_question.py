"""The question that watches a model: a few telling items, or others by chance, one call at a time, for months."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from ringtrue.changed._baseline import Baseline, answer_name
from ringtrue.changed._columns import CHUNK, Columns
from ringtrue.changed.watch._choice import nearest
from ringtrue.changed.watch._finding import watch_sections
from ringtrue.changed.watch._policy import InSight
from ringtrue.changed.watch._watchman import Watchman
from ringtrue.core import (
    NO_SCORES,
    Argument,
    Batch,
    Chip,
    Claim,
    Context,
    InvalidInput,
    Json,
    Model,
    Pool,
    Question,
    Record,
    Scores,
    Section,
)

SENTINELS = 20
"""Items that are watched of a model whose answers vary. Of 10, 20 and 40 on simulated changes of a tenth to half of
them: with 10 the change more often misses all of them, and with 40 each is known by too few answers."""

STEADY_SENTINELS = 100
"""Items that are watched of a model without noise, every other call. Of 20, 50, 100 and 200 on the datasets for tuning
of `benchmarks/changed_tasks.py`, updates of 1% of the answers are found after 35, 23, 24 and 21 calls if they come near
another answer first, and after 96, 84, 64 and 67 if they are spread evenly; larger ones as soon with any."""

BASELINE = 100
"""Calls by which the model is known before the watch begins. With 60 a noise of one answer in ten hides changes that
are found with 100, and 200 find hardly more."""

YEAR = 365
"""Calls of a year, at one a day."""


class Watch(Question):
    """Are the answers of this model still those of before? A few items are asked about again and again, or others.

    Make one with `Watch.of`, which chooses the items.

    Parameters
    ----------
    rows
        The rows of the sentinels: the items that are asked about again and again.
    old
        The column of the old answers.
    baseline
        Calls that show how the model answers before the watch begins; none of a model without noise.
    year
        Calls of a year, over which the chance of a false alarm is stated.
    noise
        0 for a model that always gives the same answer to the same question, and then one other answer is a proof.
        Without it, what varies is learnt from the baseline.
    fresh
        Whether other items are asked about, by chance: each time if there are no sentinels, else every other time of a
        model without noise.
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
        sentinels: int | None = None,
        seed: int = 0,
        noise: float | None = None,
        **choices: Any,
    ) -> Watch:
        """Choose how a model is watched: by sentinels whose old answers were nearly others, by other items, or by both.

        A model without noise is asked about both in turn, because any item may prove a change. Sentinels are chosen by
        the old confidences. Where none is known there are none, and each call is about another item by chance: twenty
        items by chance mostly find less.

        Parameters
        ----------
        pool
            The items, with what is known of each.
        old, confidence
            The columns of the old answers and, if there is one, of the old confidences.
        sentinels, seed
            How many items are sentinels, by default 20, or 100 without noise; and the seed by which ties are broken.
        noise, choices
            `noise`, and `baseline`, `year` and `name`, as `Watch` has them.
        """
        for what, name in (("old", old), ("confidence", confidence)):
            if name is not None and name not in pool.columns:
                known = ", ".join(pool.columns)
                raise InvalidInput(Argument(what, name), f" is not a column of {pool.name}: name one of {known}")
        if sentinels is not None and sentinels < 1:
            raise InvalidInput(Argument("sentinels", sentinels), " must be at least 1: watch some twenty items")
        columns = Columns(old, confidence=confidence)
        said: list[Any] = []
        sure: list[float] = []
        for batch in pool.chunks(CHUNK):
            said += batch.columns[old].tolist()
            sure += columns.sure(batch).tolist()
        if np.isnan(sure).all():
            if sentinels is not None:
                rule = " are chosen by the old confidences, and none is known: leave it out, or give "
                raise InvalidInput(Argument("sentinels", sentinels), rule, Argument("confidence"))
            return cls([], old, noise=noise, fresh=True, **choices)
        number = sentinels or (SENTINELS if noise is None else STEADY_SENTINELS)
        rows = nearest(Baseline.of(old=said).old, np.array(sure), number, seed=seed).tolist()
        return cls(rows, old, noise=noise, fresh=noise is not None, **choices)

    def __init__(
        self,
        rows: Sequence[int],
        old: str,
        *,
        baseline: int = BASELINE,
        year: int = YEAR,
        noise: float | None = None,
        fresh: bool = False,
        name: str = "watch",
    ) -> None:
        if len(set(rows)) < len(rows) or not (rows or fresh):
            raise InvalidInput("rows is empty or names a row twice: give each row that is watched once")
        if noise not in (None, 0):
            rule = " must be 0 or left out: what varies is learnt from the first answers"
            raise InvalidInput(Argument("noise", noise), rule)
        if rows and fresh and noise is None:
            rule = " beside sentinels is for a model without noise: say noise=0, or leave out rows or fresh"
            raise InvalidInput(Argument("fresh", fresh), rule)
        for what, number in (("baseline", baseline), ("year", year)):
            if number < 1:
                raise InvalidInput(Argument(what, number), " must be at least 1: it counts calls")
        self.rows, self.old, self.baseline, self.year = list(rows), old, baseline, year
        self.noise, self.fresh, self.name = noise, fresh, name

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the question that wrote this configuration, which says nothing of sentinels where there are none."""
        return super().from_config({"rows": [], **config}, **given)

    @property
    def steady(self) -> bool:
        """Whether the model always gives the same answer to the same question."""
        return self.noise == 0

    @property
    def before(self) -> int:
        """How many calls come before the watch: none of a model without noise."""
        return 0 if self.steady else self.baseline

    @property
    def policy(self) -> InSight:
        """What decides which item is asked about next."""
        return InSight(self.rows, fresh=self.fresh, steady=self.steady)

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
        calls = {"baseline": self.before, "year": self.year}
        return Watchman(self.rows, size=size, steady=self.steady, fresh=self.fresh, **calls)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return the evidence so far, and a table of the sentinels."""
        return watch_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return whether there is an alarm."""
        raised = finding["raised_at"] is not None
        return Chip("changed", "rings-false") if raised else Chip("no change so far", "not-yet-known")
