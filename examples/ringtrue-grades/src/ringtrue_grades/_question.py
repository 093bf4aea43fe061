"""The question: which answers are marked, what a mark may be, and what a reader is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import (
    NO_SCORES,
    Claim,
    Context,
    Draw,
    InvalidInput,
    Json,
    Policy,
    Question,
    Record,
    Scores,
    Section,
    View,
)
from ringtrue.stats import even_draws
from ringtrue_grades._estimator import AverageLoss, loss_of
from ringtrue_grades._sections import grades_sections


class EvenDraws(Policy):
    """Draws every answer with the same chance, in an order that the seed fixes."""

    name = "even"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next answers of the order that were not marked yet."""
        return even_draws(view, n, "grades")


class Grades(Question):
    """What share of the full marks do these answers lose on average?

    The pool holds the answers, so that no model is needed. The oracle gives each a mark from 0 to `full`. A claim such
    as `error <= 30% at 95%` says that on average at most 30% of the full marks are lost.
    """

    kind = "grades"
    unit = "mark"

    def __init__(self, claim: Claim | str | None = None, *, full: float = 10.0, name: str = "grades") -> None:
        if not 0 < full < float("inf"):
            raise InvalidInput(f"full={full!r} must be a positive number: give the best possible mark")
        self.claim = None if claim is None else Claim.parse(claim).about("error")
        self.full, self.name = float(full), name

    @property
    def policy(self) -> Policy:
        """What decides which answer is marked next."""
        return EvenDraws()

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> AverageLoss:  # noqa: ARG002 - no passes
        """Return what turns marks into a finding."""
        return AverageLoss(size=size, claim=None if claim is None else claim.about("error"), full=self.full)

    def check_answer(self, value: Json, record: Record, labels: Sequence[str] | None) -> None:  # noqa: ARG002 - marks
        """Refuse what is not a mark, before it is recorded."""
        if loss_of(value, self.full) is None:
            raise InvalidInput(
                f"answer={value!r} for item {record.id!r} is not a mark: give a number from 0 to {self.full:g}"
            )

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown: the interval, how the marks are spread, and the lowest ones."""
        return grades_sections(context)

    @classmethod
    def gallery(cls, computed: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the answers that a report shows with their content: those with the lowest marks."""
        lowest: Sequence[Mapping[str, Any]] = computed["finding"]["lowest"]
        return lowest
