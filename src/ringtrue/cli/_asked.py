"""A study that a verb is ready to ask, how it is run, and what is said in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._consent import Calling
from ringtrue.cli._door import ASK
from ringtrue.cli._progress import Progress
from ringtrue.core import Argument, InvalidInput, Json, Query, count

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._place import Place
    from ringtrue.core import Claim, Question
    from ringtrue.study import Status, Study


@dataclass(slots=True)
class Asked:
    """A study that is ready to ask: what was given and read, and the question to go on with."""

    path: Place
    question: Question
    given: Mapping[str, Any]
    notes: Mapping[str, Any]
    """What the study remembers, with what was given now in its place."""
    source: Any
    """What the verb read: its pool, or more."""
    calling: Calling
    labels: Sequence[str] | None = None
    """The labels that the oracle may give; None for any."""
    study: Study = field(init=False)
    """Set once it is made or opened: what is missing is told before there is a file."""
    oracle: Any = None
    """Who answers, or the column where the truth stands; None where the model does."""
    claim: Claim | None = None
    """What to decide in place of the question's own claim."""
    is_new: bool = False
    first: Sequence[str] = ()
    """Lines to be said before the finding."""
    details: dict[str, Any] = field(default_factory=dict)
    """What programs are told beside the finding's own numbers."""

    def run(
        self,
        question: str,
        claim: Claim | None = None,
        executor: Executor | None = None,
        *,
        planned: int | None = None,
        most: int | None = None,
    ) -> None:
        """Ask one question of the study, with a line that moves; it would overwrite what a person is typing.

        Parameters
        ----------
        question, claim, executor
            The name of the question, what to decide in place of its own claim, and what fans the queries of a batch out
            to workers.
        planned
            How many answers there will be, if that is known: a person is told after each how far it has come.
        most
            Answers after which the run ends; by default no limit.
        """
        from ringtrue.oracles._prompting import Person

        how: dict[str, Any] = {"executor": executor, "show_model": bool(self.given.get("show_model")), "most": most}
        person, now = self.notes.get("oracle") == ASK, self.study.status()
        progress = Progress(claim, question, planned=planned, before=now.answered + now.abandoned, each=person)
        with nullcontext() if person and planned is None else progress as told:
            self.study.run(oracle=self.oracle, until=claim, question=question, progress=told, **how)
        if isinstance(self.oracle, Person):
            self.oracle.hand_in()  # the finding is made next, of what was corrected

    def amend(self, query: Query, answer: Json) -> bool:
        """Correct what a person typed, and return whether it was recorded yet: else there is nothing to correct."""
        self.study.refresh()
        record = self.study.records[int(query.id.rpartition(":")[2])]
        if record.state not in ("answered", "abandoned"):
            return False
        self.study.amend(query, answer, rater=self.given.get("rater"), reason="undo")
        return True


class Told(NamedTuple):
    """What is said in the end, to programs and to people, and the exit code."""

    code: int
    result: Mapping[str, Any]
    lines: Sequence[str]


def check_alone(asked: Asked) -> None:
    """Refuse to have a person answer several questions at a time."""
    if asked.notes.get("oracle") == ASK and asked.given.get("workers", 1) > 1:
        raise InvalidInput(
            Argument("workers", asked.given["workers"]),
            f" with --oracle {ASK}: a person answers one question at a time",
        )


def outlook(path: Place, status: Status, price: str | None) -> list[str]:
    """Say what an open claim waits for: queries that are out, or a larger budget; nothing if it is neither."""
    from ringtrue.study import Budget

    if status.leased:
        out = count(status.leased, "query")
        held = f", and {count(status.held, 'answer')} cannot be used before" if status.held else ""
        return [
            f"{out} out with others{held}: run again later, or give back what is out with "
            f"`ringtrue release {path.typed}`"
        ]
    used, spent = status.answered + status.waiting, status.spent_money + status.reserved_money
    budget = Budget(status.budget_labels, status.budget_money)
    if budget.affords(labels=used, spent=spent, price=Decimal(price or 0)) == 0:
        return ["the budget is spent: the same command with a larger --budget N (or --money) goes on"]
    return []
