"""A question as a verb: what it reads, makes, asks and tells. A verb overrides what is not so for its question."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ringtrue.cli._asked import Asked as Asked
from ringtrue.cli._asked import Told as Told
from ringtrue.cli._asked import check_alone, outlook
from ringtrue.cli._chat_model import chat_runs
from ringtrue.cli._consent import Calling, Run, would_run
from ringtrue.cli._door import model_named, oracle_of, program_model
from ringtrue.cli._model_files import file_runs
from ringtrue.cli._opening import is_there, read_items
from ringtrue.cli._options import MANY_FILES, by_sheet
from ringtrue.cli._scoring import prepare_pool
from ringtrue.cli._table import Table
from ringtrue.cli._terminal import Result
from ringtrue.core import Context, InvalidInput, Model, terminal_lines

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ringtrue.cli._from_log import Brought
    from ringtrue.cli._place import Place
    from ringtrue.cli._sheet_forms import Form
    from ringtrue.core import Finding, Oracle, Pool, Question
    from ringtrue.study import Study


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
    workers: ClassVar[int] = 1
    """Answers of a batch asked for at once, unless the user says otherwise."""
    own: ClassVar[bool] = False
    """Whether only this verb can go on with its studies: they need files or columns that others do not know."""
    always_new: ClassVar[bool] = False
    """Whether it only makes studies, and goes on with none."""
    runs_named: ClassVar[Sequence[str]] = ("model", "model_command")
    """The options that name what is run or called by the study, and are kept in its notes."""
    sheet_rater: ClassVar[str] = "the labellers"
    """With whom the queries of a sheet are out, unless the user names a rater."""
    rows: ClassVar[int] = 20
    """How many queries a sheet has in a study whose batch is one."""

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
        own: dict[str, Any] = {"verb": self.name} if self.own else {}
        if "labels" in given and "://" in str(given.get("model")):
            own["labels"] = given["labels"]  # a server may count its classes: these are their names
        many = {option.name: True for option in MANY_FILES if option.name in given}
        return {"pool": os.path.relpath(given["pool"], home), **kept, **own, **many}

    def read(self, notes: Mapping[str, Any], given: Mapping[str, Any], home: Path) -> Any:
        """Read what the study is about, in the files that the notes name or that the user names now."""
        where = Path(given["pool"]) if "pool" in given else home / notes["pool"]
        if "pool" not in given and not is_there(where):
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

    def runs(self, notes: Mapping[str, Any], source: Any, calling: Calling) -> list[Run]:
        """Return what going on with the study runs or calls."""
        columns = {"model": self.columns(source), "oracle": self.columns(source)}  # nothing else may be one
        named = [
            run
            for name in (*self.runs_named, "oracle", "oracle_command")
            for run in would_run(notes.get(name), command=name.endswith("_command"), columns=columns.get(name, ()))
        ]
        place = calling.home, columns["model"]
        return [*named, *file_runs(notes, *place), *chat_runs(notes, *place)]

    def check_money(self, given: Mapping[str, Any]) -> None:
        """Refuse a budget in money for a new study where it is not known what an answer costs."""
        if "money" in given and "price" not in given:
            raise InvalidInput(f"--money={given['money']} needs the price of one answer: give --price AMOUNT")

    @abstractmethod
    def questions(self, given: Mapping[str, Any], source: Any, model: Any) -> Sequence[Question]:
        """Return the questions of a new study; the first is asked."""

    def settings(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        """Return further settings of a new study."""
        return {"labels": given["labels"]} if "labels" in given else {}

    def found(self, given: Mapping[str, Any], source: Any, model: Any) -> dict[str, Any]:
        """Return what a new study remembers of what was found in its files, and of what its model is sent."""
        # That of a space may still be a plain function.
        served = isinstance(model, Model) and model.remote and model.features
        return {"sent": list(model.features)} if served else {}

    def made(self, asked: Asked) -> None:  # noqa: B027 - most have nothing left to do
        """Do what is left to do once a study is made."""

    def without_study(self, path: Place, given: Mapping[str, Any]) -> Told | None:
        """Return what is said where no study is to be made or opened, such as a plan."""
        return None

    def from_log(self, given: Mapping[str, Any], *, new: bool) -> Brought | None:
        """Return the items of the log that `--from` names, for a study that is `new` or goes on; None without one."""
        return None

    # Going on

    def check_made(self, study: Study, path: Place) -> None:
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
        """Return what a study remembers, with whom the user names now as its oracle; where a sheet is used, no one."""
        kept = dict(study.plan["notes"])
        if by_sheet(given):
            return kept | dict.fromkeys(("oracle", "oracle_command"))
        now = {name: given.get(name) for name in ("oracle", "oracle_command")}
        return kept | now if any(now.values()) else kept

    def whole(self, study: Study, notes: Mapping[str, Any]) -> Callable[[], list[Question]]:
        """Return what makes the questions that the journal cannot hold whole; called once it may run them."""
        return list

    def goes_on(self, study: Study, path: Place, given: Mapping[str, Any], source: Any) -> Question:
        """Return the question to go on with, and refuse options that would make another of it."""
        found = self.own_questions(study)
        if not found:
            raise InvalidInput(f"study {study.name!r} asks another question: run `ringtrue status {path.typed}`")
        question: Question = found[-1]
        self.table.check_same(str(path), study, question, given)
        return question

    def change_budget(self, study: Study, path: Place, question: Question, given: Mapping[str, Any]) -> None:
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
        """Return who answers; None where the model does, or people on a sheet."""
        if asked.question.responder == "model" or by_sheet(asked.given):
            return None
        check_alone(asked)
        pool, show = self.pool(asked.source), bool(asked.given.get("show_model"))
        columns = self.columns(asked.source)
        who: dict[str, Any] = {"rater": asked.given.get("rater"), "amend": asked.amend}
        found = oracle_of(asked.notes, asked.calling, columns=columns, labels=asked.labels, show_model=show, **who)
        if isinstance(found, str) and pool is not None:
            from ringtrue.pools import check_column

            check_column(pool, found, labels=asked.labels)
        return found

    def ask(self, asked: Asked, executor: Executor | None) -> None:
        """Ask until the claim is decided, the budget is spent or nothing is left."""
        asked.run(asked.question.name, asked.claim, executor)

    def form(self, asked: Asked) -> Form:
        """Return what people fill in on a sheet."""
        from ringtrue.cli._sheet_forms import Labels

        return Labels(asked.study.plan["labels"], self.columns(asked.source))

    def typed(self, asked: Asked) -> str:
        """Return the command that goes on with the study."""
        return f"ringtrue {self.name} {asked.path.typed}"

    def prepare(self, asked: Asked) -> None:
        """Do what comes before the first query: scan the pool for what the question goes by."""
        prepare_pool(asked)

    def keep(self, asked: Asked) -> None:  # noqa: B027 - most have nothing to do
        """Keep what a report shows, once there are answers."""

    def answer(self, asked: Asked, executor: Executor | None) -> Told:
        """Ask, or write or read a sheet, and return what is said of it."""
        from ringtrue.cli._sheet_verbs import record_answers, write_next_sheet

        self.prepare(asked)
        if "sheet" in asked.given:
            return write_next_sheet(self, asked)
        if "answers" in asked.given:
            asked.first = [record_answers(self, asked)]
        else:
            self.ask(asked, executor)
        self.keep(asked)
        return self.told(asked)

    def told(self, asked: Asked) -> Told:
        """Return what is said of a study: the finding, what its sections say in brief, what was spent, what is next."""
        study, question = asked.study, asked.question
        finding, status = study.finding(question=question.name, claim=asked.claim), study.status()
        context = Context(finding.to_json(), question=question.config(), study=study.plan, kept=study.kept)
        lines = [
            *asked.first,
            str(finding),
            *terminal_lines(question.sections(context)),
            *study.caveats,
            str(status),
        ]
        open_for = self.waits(asked, finding)
        waiting = outlook(asked.path, status, study.plan["price"][question.responder]) if open_for else []
        if open_for and not waiting and "answers" in asked.given:
            waiting = [f"next: {self.typed(asked)} --sheet FILE for further answers"]
        result = Result.of(
            finding,
            study=str(asked.path),
            question=question.name,
            kind=question.kind,
            spending=status.to_json(),
            warnings=study.notices,
            details=asked.details,
        )
        following = waiting or [f"next: ringtrue report {asked.path.typed}"]
        return Told(self.code(finding), result.to_json(), [*lines, *following])

    def waits(self, asked: Asked, finding: Finding) -> bool:
        """Return whether more answers would say more: then the user is told what it waits for."""
        return finding.claim is not None and finding.verdict.exit_code == 3

    def code(self, finding: Finding) -> int:
        """Return the exit code."""
        return 0 if finding.claim is None else finding.verdict.exit_code
