"""The one runner of the verbs: make the study or go on with it, ask, and say what was found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._chat_model import with_key
from ringtrue.cli._consent import Calling, allow, calling_options, note_named
from ringtrue.cli._door import NEW
from ringtrue.cli._from_log import BROUGHT, kept_items
from ringtrue.cli._model_files import placed, remembered_of, tell_columns
from ringtrue.cli._opening import open_to_read
from ringtrue.cli._options import SHEET_LEASE, check_sheets
from ringtrue.cli._place import Place
from ringtrue.cli._terminal import say, single, tell
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
        check_sheets(given)
        if as_json:  # what a model prints, such as a progress bar of its own, must not stand before the JSON
            ending.enter_context(redirect_stdout(sys.stderr))
        path = Place.of(name, calling.journal)
        said = verb.without_study(path, given)
        if said is None:
            new = verb.always_new or not path.is_made()
            given = placed(ending.enter_context(kept_items(verb.from_log(given, new=new), path, given)), path.home)
            calling = replace(calling, home=path.home)
            asked = _make(verb, path, name, given, calling) if new else go_on(verb, path, given, calling)
            ending.enter_context(asked.study)
            asked.details |= {"log": given[BROUGHT]} if BROUGHT in given else {}
            if isinstance(asked.oracle, Oracle):
                ending.callback(asked.oracle.close)
            said = verb.answer(asked, ending.enter_context(_threads(given.get("workers", verb.workers), asked.study)))
    say(as_json, said.result, *single(said.lines))
    return said.code


def _make(verb: Verb, path: Place, name: str, given: Mapping[str, Any], calling: Calling) -> Asked:
    """Make a new study. All that can be wrong is found out before there is a file: a wrong one would go on."""
    from ringtrue.study import Budget, Study

    if "answers" in given:
        raise InvalidInput(f"STUDY={name!r} is not there yet, so that no sheet of it can be out: check the name")
    for option, remedy in verb.needed:
        if option not in given and f"{option}_command" not in given and not (option == "oracle" and "sheet" in given):
            raise InvalidInput(f"STUDY={name!r} is not there yet: to make it, give {remedy}")
    verb.check_money(given)
    notes = verb.notes(given, path.home) | remembered_of(given)
    source = verb.read(notes, given, path.home)
    runs = verb.runs(notes, source, calling)
    calling.check_used(runs, notes.get("oracle"))
    model = verb.model(notes, source, NEW, calling)
    notes |= tell_columns(model)
    questions = verb.questions(given, source, model)
    settings: dict[str, Any] = {
        "budget": Budget(given.get("budget"), given.get("money")),
        "price": given.get("price"),
        "seed": given.get("seed", 0),
        "batch": given.get("batch", verb.batch),
        "notes": notes,
    } | ({"lease": SHEET_LEASE} if "sheet" in given else {})
    if calling.timeout is not None:
        notes["timeout"] = calling.timeout
    settings |= verb.settings(given, source, model)
    notes |= verb.found(given, source, model)
    notes |= {"log": given[BROUGHT]} if BROUGHT in given else {}
    asked = Asked(path, questions[0], given, notes, source, calling, labels=settings.get("labels"), is_new=True)
    asked.oracle = verb.oracle(asked)
    try:
        path.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"folder {str(path.home)!r} cannot be made ({error.strerror})"
        raise InvalidInput(f"STUDY: {why}: choose another") from None
    settings |= {"pool": verb.pool(source), "model": model, "journal": path.journal}
    asked.study = Study.create(path.file, question=list(questions), **settings)
    note_named(asked.study, runs)
    verb.made(asked)
    return asked


def go_on(verb: Verb, path: Place, given: Mapping[str, Any], calling: Calling) -> Asked:
    """Open the study that lies there, with the files, the model and the question that it was made with."""
    calling = replace(calling, home=path.home)
    with ExitStack() as on_error:
        study = on_error.enter_context(open_to_read(path))
        verb.check_made(study, path)
        notes = verb.remembered(study, given)
        source = verb.read(notes, given, path.home)
        runs = verb.runs(notes, source, calling)
        calling.check_used(runs, notes.get("oracle"))
        if calling.timeout is None:
            calling = replace(calling, timeout=notes.get("timeout"))
        allow(study, runs, given, with_key(notes, verb.columns(source), calling))
        whole = verb.whole(study, notes)
        model = verb.model(notes, source, "the study's model", calling)
        tell_columns(model)
        study.attach(pool=verb.pool(source), model=model, questions=whole())
        question = verb.goes_on(study, path, given, source)
        asked = Asked(path, question, given, notes, source, calling, study.plan["labels"], claim=given.get("claim"))
        asked.study = study
        asked.oracle = verb.oracle(asked)
        verb.change_budget(study, path, question, given)
        on_error.pop_all()  # the caller closes it
    return asked


def _threads(workers: int, study: Study) -> ThreadPoolExecutor | nullcontext[None]:
    """Return workers for the queries of a batch; more of them than a batch has queries stand idle, which is said."""
    batch = study.plan["batch"]
    if workers > batch:
        tell(f"--workers={workers} share a batch of {batch}: make a study with --batch {workers}", err=True)
    return ThreadPoolExecutor(workers) if workers > 1 else nullcontext()
