"""Runs the parts of a pass for a question: with the model if it is free, and with chance that is the part's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ringtrue.core import (
    Batch,
    InvalidInput,
    Labels,
    Measured,
    Model,
    Pass,
    Question,
    ResponderStopped,
    RingtrueError,
    Vectors,
)
from ringtrue.stats import generator
from ringtrue.study._arrays import Arrays
from ringtrue.study._scan import why_of
from ringtrue.study._things import Things

_FEW = 20
"""Rows on which a question is tried out."""


@dataclass(frozen=True, slots=True)
class Running:
    """Runs the parts of a pass of a question, with the model of the study where there is one that is free."""

    run: Callable[..., Arrays]
    question: str
    model: Model | None
    purpose: str
    """What its chance is for."""
    seed: int

    def __call__(self, items: Measured, beside: Measured, number: int) -> Arrays:
        """Return what one part gives, a function of its items, its number and the seed alone."""
        scores, size = self.run(items, beside, self.ask, generator(self.seed, self.purpose, number)), len(items.batch)
        for key, values in scores.items():
            if np.shape(values)[:1] != (size,):
                raise InvalidInput(
                    f"question {self.question!r} prepared {key!r} with shape {np.shape(values)} for {size} items: "
                    "give one number per item"
                )
        return {key: np.asarray(values) for key, values in scores.items()}

    def ask(self, batch: Batch) -> Labels | Vectors:
        """Return what the model answers; refuse where there is none."""
        if self.model is None:
            raise InvalidInput(f"question {self.question!r} asks the model, and there is none: give model=…")
        return self.model.answer(batch)


def running(question: Question, place: int, things: Things, seed: int) -> Running:
    """Return what runs the parts of a pass."""
    one, model = question.passes()[place], things.free_model(question)
    _check_model(question, one, model)
    return Running(one.run, question.name, model, f"{'measure' if place else 'probe'}/{question.name}", seed)


def try_out(question: Question, things: Things) -> None:
    """Run the first pass on a few rows and forget them: what it cannot do is refused before it is in the journal."""
    for one in list(question.passes())[:1]:
        if things.pool is not None and one.blocks is None:
            run, few = running(question, 0, things, 0), things.pool.take(range(min(_FEW, things.pool.size)))
            try:
                run(Measured(few, {}), Measured(Batch([], {}), {}), 0)
            except RingtrueError:
                raise
            except Exception as error:
                raise ResponderStopped(
                    f"rows 0 to {len(few) - 1:,} of the pool failed ({why_of(error)}), on which question "
                    f"{question.name!r} was tried out: mend what scores them"
                ) from error


def _check_model(question: Question, one: Pass, model: Model | None) -> None:
    if one.around and model is not None and model.stored_in:
        raise InvalidInput(
            f"question {question.name!r} asks how the model answers around the items, and its answers are stored: "
            "give a model that can be asked, such as module:function"
        )
