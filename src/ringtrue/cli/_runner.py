"""The one runner of the verbs: make the study or go on with it, ask, and say what was found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._calling import Calling, calling_options
from ringtrue.cli._consent import allow, note_named
from ringtrue.cli._opening import closing_on_error, is_made, open_to_read, study_file
from ringtrue.cli._output import say, single, tell
from ringtrue.cli._verb import Asked, Verb
from ringtrue.core import InvalidInput, Oracle

if TYPE_CHECKING:
    from ringtrue.study import Study


def command_of(verb: type[Verb], **argument: Any) -> click.Command:
    """Return the command of a verb: its docstring is the help, its table the options. `argument` is about STUDY."""

    def callback(study: str, calling: Calling, **typed: Any) -> int:
        return run_verb(verb(), study, typed, calling)

    study = click.argument("study", metavar="STUDY", **argument)
    return click.command(verb.name, help=cleandoc(verb.__doc__ or ""))(study(calling_options(verb.table.add(callback))))


def run_verb(verb: Verb, name: str, typed: Mapping[str, Any], calling: Calling) -> int:
    """Ask the question of a verb: in a new study, or in the one of this name."""
    with verb.table.in_words(), ExitStack() as ending:
        given = verb.table.given(typed)
        as_json = bool(given.pop("as_json", False))
        if as_json:  # what a model prints, such as a progress bar of its own, must not stand before the JSON
            ending.enter_context(redirect_stdout(sys.stderr))
        early = verb.without_study(name, given)
        if early is not None:
            ending.close()
            say(as_json, early.result, *early.lines)
            return early.code
        asked = opened(verb, name, given, calling)
        ending.enter_context(asked.study)
        if isinstance(asked.oracle, Oracle):
            ending.callback(asked.oracle.close)
        executor = ending.enter_context(_threads(given.get("workers", 1), asked.study))
        said = verb.answer(asked, executor)
    say(as_json, said.result, *single(said.lines))
    return said.code


def opened(verb: Verb, name: str, given: Mapping[str, Any], calling: Calling) -> Asked:
    """Open the study of this name, made first if it is not there."""
    path = study_file(name)
    return _go_on(verb, path, given, calling) if is_made(path) else make(verb, path, name, given, calling)


def make(verb: Verb, path: Path, name: str, given: Mapping[str, Any], calling: Calling) -> Asked:
    """Make a new study. All that can be wrong is found out before there is a file: a wrong one would go on.

    Parameters
    ----------
    verb
        The verb that makes it.
    path
        The study's file.
    name
        The study, as the user typed it.
    given
        What the user gave, by the names of the options.
    calling
        How addresses are called.
    """
    from ringtrue.study import Budget, Study

    for option, remedy in verb.needed:
        if option not in given and f"{option}_command" not in given:
            raise InvalidInput(f"STUDY={name!r} is not there yet: to make it, give {remedy}")
    if "money" in given and "price" not in given:
        raise InvalidInput(f"--money={given['money']} needs the price of one answer: give --price AMOUNT")
    notes = verb.notes(given, path.parent)
    source = verb.read(notes, given, path.parent)
    runs = verb.runs(notes, source)
    calling.check_used(runs, notes.get("oracle"))
    model = verb.model(notes, source, "--model", calling)
    questions = verb.questions(given, source, model)
    settings: dict[str, Any] = {
        "budget": Budget(labels=given.get("budget"), money=given.get("money")),
        "price": given.get("price"),
        "seed": given.get("seed", 0),
        "batch": given.get("batch", verb.batch),
        "notes": notes,
    }
    if calling.timeout is not None:
        notes["timeout"] = calling.timeout
    settings |= verb.settings(given, source, model)
    notes |= verb.found(given, source, model)
    asked = Asked(path, questions[0], given, notes, source, calling, labels=settings.get("labels"), is_new=True)
    asked.oracle = verb.oracle(asked)
    make_folder(path.parent)
    asked.study = Study.create(path, pool=verb.pool(source), model=model, question=list(questions), **settings)
    note_named(asked.study, runs)
    verb.made(asked)
    return asked


def _go_on(verb: Verb, path: Path, given: Mapping[str, Any], calling: Calling) -> Asked:
    """Open the study that lies there, with the files, the model and the question that it was made with."""
    with closing_on_error(open_to_read(str(path))) as study:
        verb.check_made(study, path)
        notes = verb.remembered(study, given)
        source = verb.read(notes, given, path.parent)
        texts = [text for text in given.values() if isinstance(text, str)]
        runs = verb.runs(notes, source)
        calling.check_used(runs, notes.get("oracle"))
        if calling.timeout is None:
            calling = replace(calling, timeout=notes.get("timeout"))
        allow(study, runs, named=texts, trust=bool(given.get("trust")), calling=calling)
        whole = verb.whole(study, notes)
        model = verb.model(notes, source, "the study's model", calling)
        study.attach(pool=verb.pool(source), model=model, questions=whole())
        question = verb.goes_on(study, path, given, source)
        asked = Asked(path, question, given, notes, source, calling, study.plan["labels"], claim=given.get("claim"))
        asked.study, asked.oracle = study, verb.oracle(asked)
        verb.change_budget(study, path, question, given)
    return asked


def make_folder(folder: Path) -> None:
    """Make the folder that a new study will lie in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"STUDY: folder {str(folder)!r} cannot be made ({error.strerror}): choose another") from None


def _threads(workers: int, study: Study) -> ThreadPoolExecutor | nullcontext[None]:
    """Return workers for the queries of a batch; more of them than a batch has queries stand idle, which is said."""
    batch = study.plan["batch"]
    if workers > batch:
        tell(f"--workers={workers} share a batch of {batch}: make a study with --batch {workers}", err=True)
    return ThreadPoolExecutor(workers) if workers > 1 else nullcontext()
