"""Opening a study by its name, to read, to show its items or to ask on, with the pool and model that its notes name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._consent import Run, allow, would_run
from ringtrue.cli._options import Calling
from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput, JournalUnusable

if TYPE_CHECKING:
    from ringtrue.core import Model, Pool, Question
    from ringtrue.study import Study


def read_items(where: Path, notes: Mapping[str, Any]) -> Pool:
    """Read the items in a file; a column that names image files is read as images, relative to where the file lies."""
    from ringtrue.pools import ImagePool, holds_image_files, read_pool

    pool = read_pool(where, id=notes.get("id"))
    column = _only(notes)
    if column is not None and holds_image_files(pool, column):
        return ImagePool(pool, column, where.parent)
    return pool


def model_of(notes: Mapping[str, Any], argument: str, pool: Pool, calling: Calling) -> Model:
    """Return the model that the notes name; with images, a function is given one array with one image per row."""
    from ringtrue.models import ArrayModel, as_model, is_address

    found = responder(notes["model"], argument, pool.columns, addresses=True)
    column = _only(notes)
    if callable(found) and not hasattr(found, "predict") and column is not None and _is_array(pool, column):
        return ArrayModel(found, column)
    if isinstance(found, str) and is_address(found) and found not in pool.columns:
        return calling.model(found, features=notes.get("inputs")).without(pool.id_column)
    return as_model(found)


def _only(notes: Mapping[str, Any]) -> str | None:
    """Return the input, where there is one alone: it may be an image."""
    names: list[str] = notes.get("inputs") or []
    return names[0] if len(names) == 1 else None


def _is_array(pool: Pool, column: str) -> bool:
    if column not in pool.columns:
        return False
    cell = next(iter(pool.take([0]).columns[column].tolist()))
    return isinstance(cell, list) or bool(getattr(cell, "shape", ()))


_BESIDE = ("map", "random", "sobol")
"""The policies of questions that only feed a map or are there for comparison."""


def study_file(name: str) -> Path:
    """Return the file that a study's name stands for."""
    from ringtrue.study import study_path

    if not Path(name.strip()).name:
        raise InvalidInput(f"STUDY={name!r} names no file: give a name such as loans, or its file")
    return study_path(name)


def is_made(path: Path) -> bool:
    """Return whether a study lies there, and not only what a process left that died while making one."""
    from ringtrue.journal import SqliteJournal

    return path.exists() and not SqliteJournal.is_unmade(path)


def existing(name: str) -> Path:
    """Return the file of a study that was made before; a folder gets a hint at the study inside."""
    path, folder = study_file(name), Path(name)
    if folder.is_dir() and not path.is_file():
        inside = [str(found) for found in sorted(folder.glob("*.ringtrue"))] or [str(folder / "NAME.ringtrue")]
        raise InvalidInput(f"STUDY={name!r} is a folder: give the study's file, such as {inside[0]}")
    return path


def open_to_read(name: str) -> Study:
    """Open a study without its pool and model: enough to see what it shows."""
    from ringtrue.study import Study

    study = Study.open(existing(name))
    if not study.questions:  # every study is made with one: its beginning was cut off or overwritten
        study.close()
        raise JournalUnusable(f"study {name!r} holds no question any more: the file is damaged, restore a copy of it")
    return study


def read_made_by(verb: str, name: str) -> Study:
    """Read a study that goes on with this verb; refuse one that was made in another way."""
    with closing_on_error(open_to_read(name)) as study:
        if study.plan["notes"].get("verb") != verb:
            raise InvalidInput(
                f"STUDY={name!r} was not made by `ringtrue {verb}`: name a new study, or open it in Python"
            )
    return study


def latest_question(study: Study, name: str | None) -> str:
    """Return the question of this name; without one, the one asked last that is not there for another's sake."""
    if name is not None:
        return study.question(name).name
    found = [one.name for one in study.questions.values() if one.policy.name not in _BESIDE]
    return (found or list(study.questions))[-1]


def attach_pool(study: Study, name: str, pool: str | None = None) -> None:
    """Give a study its pool, so that its items can be shown; the model is left alone."""
    study.attach(pool=_pool_of(study, name, pool))


def open_to_ask(
    name: str,
    pool: str | None = None,
    *,
    trust: bool,
    calling: Calling,
    named: Collection[str] = (),
    questions: Callable[[Study], tuple[list[Run], Callable[[], list[Question]]]] = lambda _: ([], list),
) -> Study:
    """Open a study with the pool and model that it was made with, or with the pool in its new place.

    Parameters
    ----------
    name
        The study.
    pool
        Where the pool lies now, if it was moved.
    trust
        Whether the user trusts what only the file names.
    calling
        How an address is called.
    named
        What the user names on this command line.
    questions
        Says what the questions of the study run, beside the model, and makes those that the journal cannot hold whole,
        such as one with a function of the user's; made when the user has let it be run.
    """
    with closing_on_error(open_to_read(name)) as study:
        items, notes = _pool_of(study, name, pool), study.plan["notes"]
        if "verb" in notes:  # it hides columns from the model, and knows which
            raise InvalidInput(f"study {name!r} asks its model what changed: run `ringtrue {notes['verb']} {name}`")
        runs, made = questions(study)
        allow(
            study, [*would_run(notes["model"], columns=items.columns), *runs], named=named, trust=trust, calling=calling
        )
        study.attach(pool=items, model=model_of(notes, "the study's model", items, calling), questions=made())
    return study


@contextmanager
def closing_on_error(study: Study) -> Iterator[Study]:
    """Close a study if what is done with it fails; else the caller does."""
    try:
        yield study
    except BaseException:
        study.close()
        raise


def _pool_of(study: Study, name: str, pool: str | None) -> Pool:
    """Read the pool of a study, where it lay or in its new place."""
    notes = study.plan["notes"]
    if not {"pool", "id", "model"} <= set(notes):
        raise InvalidInput(f"study {name!r} was not made by `ringtrue init`: open it with Study.open in Python")
    where = Path(pool) if pool is not None else existing(name).parent / notes["pool"]
    if pool is None and not where.exists():
        raise InvalidInput(
            f"the pool of study {name!r} is no longer at {str(where)!r}: bring it back, or give --pool FILE"
        )
    return read_noted(where, existing(name).parent, notes)


def pool_files(folder: Path, notes: Mapping[str, Any]) -> list[Path]:
    """Return the files that a study in a folder remembers its pool to lie in: one, or two that are joined."""
    return [folder / notes[what] for what in ("pool", "old") if notes.get(what) is not None]


def read_noted(where: Path, folder: Path, notes: Mapping[str, Any]) -> Pool:
    """Read the pool in one file, or joined from two."""
    from ringtrue.pools import read_old

    if notes.get("old") is None:
        return read_items(where, notes)
    names = {what: notes[what] for what in ("id", "answer", "truth", "confidence")}
    return read_old(folder / notes["old"], pool=where, **names).pool
