"""A question as a verb: what it reads, makes, asks and tells. A verb overrides what is not so for its question."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ringtrue.cli._consent import Calling, Run, would_run
from ringtrue.cli._door import ASK, model_named, oracle_of, program_model
from ringtrue.cli._opening import read_items
from ringtrue.cli._table import Table
from ringtrue.cli._terminal import Progress, Result
from ringtrue.core import Context, InvalidInput, count, terminal_lines

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.core import Claim, Finding, Model, Oracle, Pool, Question
    from ringtrue.study import Status, Study


@dataclass(slots=True)
class Asked:
    """A study that is ready to ask: what was given and read, and the question to go on with."""

    path: Path
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
    ) -> None:
        """Ask one question of the study, with a line that moves; it would overwrite what a person is typing.

        Where it is `planned` how many answers there will be, a person is told after each how far it has come.
        """
        how: dict[str, Any] = {"executor": executor, "show_model": bool(self.given.get("show_model"))}
        person, now = self.notes.get("oracle") == ASK, self.study.status()
        progress = Progress(claim, question, planned=planned, before=now.answered + now.abandoned, each=person)
        with nullcontext() if person and planned is None else progress as told:
            self.study.run(oracle=self.oracle, until=claim, question=question, progress=told, **how)


class Told(NamedTuple):
    """What is said in the end, to programs and to people, and the exit code."""

    code: int
    result: Mapping[str, Any]
    lines: Sequence[str]


class Verb(ABC):
    """How a question about a pool is asked from the command line. Its docstring is the help.

    A subclass names its options and makes its question; where something is not so for it, it overrides that.
    """

    name: ClassVar[str]
    kind: ClassVar[str] = ""
    """The kind of its questions, where that is not its name."""
    table: ClassVar[Table]
    needed: ClassVar[Sequence[tuple[str, str]]] = (
        ("pool", "the items, --pool FILE"),
        ("model", "the model, --model M"),
    )
    """The options without which no study is made, each with its remedy in words."""
    batch: ClassVar[int] = 1
    """Answers bought at a time, unless the user says otherwise."""
    own: ClassVar[bool] = False
    """Whether only this verb can go on with its studies: they need files or columns that others do not know."""
    always_new: ClassVar[bool] = False
    """Whether it only makes studies, and goes on with none."""
    runs_named: ClassVar[Sequence[str]] = ("model", "model_command")
    """The options that name what is run or called by the study, and are kept in its notes."""

    def question_type(self) -> type[Question]:
        """Return the class of the questions that this verb asks."""
        from ringtrue.study import question_class

        return question_class(self.kind or self.name)

    def own_questions(self, study: Study) -> list[Any]:
        """Return the questions of a study that this verb asks."""
        kind = self.question_type()
        return [one for one in study.questions.values() if isinstance(one, kind)]

    # Making and reading

    def notes(self, given: Mapping[str, Any], home: Path) -> dict[str, Any]:
        """Return what a new study remembers, to read the same again."""
        kept = {name: given.get(name) for name in ("id", "model", "model_command", "oracle", "oracle_command")}
        own = {"verb": self.name} if self.own else {}
        return {"pool": os.path.relpath(given["pool"], home), **kept, **own}

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Any:
        """Read what the study is about, in the files that the notes name or that the user names now."""
        where = Path(given["pool"]) if "pool" in given else home / notes["pool"]
        if "pool" not in given and not where.exists():
            raise InvalidInput(
                f"the pool of the study is no longer at {str(where)!r}: bring it back, or give --pool FILE"
            )
        return read_items(where, notes)

    def pool(self, source: Any) -> Pool | None:
        """Return the pool of what was read."""
        found: Pool = source
        return found

    def columns(self, source: Any) -> Sequence[str]:
        """Return the columns of the pool, if there is one."""
        pool = self.pool(source)
        return () if pool is None else pool.columns

    def model(self, notes: Mapping[str, Any], source: Any, argument: str, calling: Calling) -> Model | None:
        """Return the model that the notes name, if any."""
        if notes.get("model_command") is not None:
            return program_model(notes["model_command"], calling)
        if notes.get("model") is None:
            return None
        return model_named(notes, argument, source, calling)

    def runs(self, notes: Mapping[str, Any], source: Any) -> list[Run]:
        """Return what going on with the study runs or calls."""
        columns = {"model": self.columns(source), "oracle": self.columns(source)}  # nothing else may be one
        return [
            run
            for name in (*self.runs_named, "oracle", "oracle_command")
            for run in would_run(notes.get(name), command=name.endswith("_command"), columns=columns.get(name, ()))
        ]

    @abstractmethod
    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Question]:
        """Return the questions of a new study; the first is asked."""

    def settings(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        """Return further settings of a new study."""
        return {"labels": given["labels"]} if "labels" in given else {}

    def found(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        """Return what a new study remembers of what was found in its files."""
        return {}

    def made(self, asked: Asked) -> None:  # noqa: B027 - most have nothing left to do
        """Do what is left to do once a study is made."""

    def without_study(self, name: str, given: Mapping[str, Any]) -> Told | None:
        """Return what is said where no study is to be made or opened, such as a plan."""
        return None

    # Going on

    def check_made(self, study: Study, path: Path) -> None:
        """Refuse a study that another verb alone can go on with, or none can."""
        notes = study.plan["notes"]
        verb = notes.get("verb")
        if self.own and verb != self.name:
            raise InvalidInput(
                f"STUDY={str(path)!r} was not made by `ringtrue {self.name}`: name a new study, or open it in Python"
            )
        if not self.own and verb is not None:
            raise InvalidInput(f"study {str(path)!r} goes on with the verb that made it: see `ringtrue {verb} --help`")
        if not self.own and not {"pool", "id", "model"} <= set(notes):
            raise InvalidInput(
                f"study {str(path)!r} was not made by `ringtrue init`: open it with Study.open in Python"
            )

    def remembered(self, study: Study, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a study remembers, with whom the user names now in the place of its oracle."""
        kept = dict(study.plan["notes"])
        now = {name: given.get(name) for name in ("oracle", "oracle_command")}
        return kept | now if any(now.values()) else kept

    def whole(self, study: Study, notes: Mapping[str, Any]) -> Callable[[], list[Question]]:
        """Return what makes the questions that the journal cannot hold whole; called once it may run them."""
        return list

    def goes_on(self, study: Study, path: Path, given: Mapping[str, Any], source: Any) -> Question:
        """Return the question to go on with, and refuse options that would make another of it."""
        found = self.own_questions(study)
        if not found:
            raise InvalidInput(f"study {study.name!r} asks another question: run `ringtrue status {path}`")
        question: Question = found[-1]
        self.table.check_same(str(path), study, question, given)
        return question

    def change_budget(self, study: Study, path: Path, question: Question, given: Mapping[str, Any]) -> None:
        """Set what was given of the budget and leave the other side as it is."""
        from ringtrue.study import Budget

        if "money" in given and study.plan["price"][question.responder] is None:
            raise InvalidInput(
                f"--money={given['money']}: the study {str(path)!r} was made without the price of a {question.unit}: "
                "limit it with --budget N, or make a new study with --price AMOUNT"
            )
        now = study.status()
        wanted = Budget(given.get("budget", now.budget_labels), given.get("money", now.budget_money))
        if wanted != Budget(now.budget_labels, now.budget_money):
            study.set_budget(wanted)

    # Asking and telling

    def oracle(self, asked: Asked) -> Oracle | str | None:
        """Return who answers; None where the model does."""
        if asked.question.responder == "model":
            return None
        pool, show = self.pool(asked.source), bool(asked.given.get("show_model"))
        columns = self.columns(asked.source)
        found = oracle_of(asked.notes, asked.calling, columns=columns, labels=asked.labels, show_model=show)
        if isinstance(found, str) and pool is not None:
            from ringtrue.pools import check_column

            check_column(pool, found, labels=asked.labels)
        return found

    def ask(self, asked: Asked, executor: Executor | None) -> None:
        """Ask until the claim is decided, the budget is spent or nothing is left."""
        asked.run(asked.question.name, asked.claim, executor)

    def answer(self, asked: Asked, executor: Executor | None) -> Told:
        """Ask, and return what is said of it."""
        self.ask(asked, executor)
        return self.told(asked)

    def told(self, asked: Asked) -> Told:
        """Return what is said of a study: the finding, what its sections say in brief, what was spent, what is next."""
        study, question = asked.study, asked.question
        finding, status = study.finding(question=question.name, claim=asked.claim), study.status()
        context = Context(finding.to_json(), question=question.config(), study=study.plan, kept=study.kept)
        lines = [*asked.first, str(finding), *terminal_lines(question.sections(context)), str(status)]
        open_for = self.waits(asked, finding)
        waiting = outlook(asked.path, status, study.plan["price"][question.responder]) if open_for else []
        result = Result.of(
            finding,
            study=str(asked.path),
            question=question.name,
            kind=question.kind,
            spending=status.to_json(),
            warnings=study.notices,
            details=asked.details,
        )
        following = waiting or [f"next: ringtrue report {asked.path}"]
        return Told(self.code(finding), result.to_json(), [*lines, *following])

    def waits(self, asked: Asked, finding: Finding) -> bool:
        """Return whether more answers would say more: then the user is told what it waits for."""
        return finding.claim is not None and finding.verdict.exit_code == 3

    def code(self, finding: Finding) -> int:
        """Return the exit code."""
        return 0 if finding.claim is None else finding.verdict.exit_code


def outlook(path: Path, status: Status, price: str | None) -> list[str]:
    """Say what an open claim waits for: queries that are out, or a larger budget; nothing if it is neither."""
    from ringtrue.study import Budget

    if status.leased:
        out = count(status.leased, "query")
        held = f", and {count(status.held, 'answer')} cannot be used before" if status.held else ""
        return [
            f"{out} out with others{held}: run again later, or give back what is out with `ringtrue release {path}`"
        ]
    used, spent = status.answered + status.waiting, status.spent_money + status.reserved_money
    budget = Budget(status.budget_labels, status.budget_money)
    if budget.affords(labels=used, spent=spent, price=Decimal(price or 0)) == 0:
        return ["the budget is spent: the same command with a larger --budget N (or --money) goes on"]
    return []
