"""Opening a study from its file's name: to read, to show its items, or to ask on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._calling import Calling
from ringtrue.cli._consent import Run, allow, would_run
from ringtrue.cli._model_and_pool import model_of, read_items
from ringtrue.core import InvalidInput, JournalUnusable

if TYPE_CHECKING:
    from ringtrue.core import Pool, Question
    from ringtrue.study import Study


_BESIDE = ("map", "random", "sobol")
"""The policies of questions that only feed a map or are there for comparison."""


def study_file(name: str) -> Path:
    """The file that a study's name stands for."""
    from ringtrue.study import study_path

    if not Path(name.strip()).name:
        raise InvalidInput(f"STUDY={name!r} names no file: give a name such as loans, or its file")
    return study_path(name)


def is_made(path: Path) -> bool:
    """Return whether a study lies there, and not only what a process left that died while making one."""
    from ringtrue.journal import SqliteJournal

    return path.exists() and not SqliteJournal.is_unmade(path)


def existing(name: str) -> Path:
    """The file of a study that was made before; a folder gets a hint at the study inside."""
    path, folder = study_file(name), Path(name)
    if folder.is_dir() and not path.is_file():
        inside = [str(found) for found in sorted(folder.glob("*.ringtrue"))] or [str(folder / "NAME.ringtrue")]
        raise InvalidInput(f"STUDY={name!r} is a folder: give the study's file, such as {inside[0]}")
    return path


def open_to_read(name: str) -> Study:
    """A study without its pool and model: enough to see what it shows."""
    from ringtrue.study import Study

    study = Study.open(existing(name))
    if not study.questions:  # every study is made with one: its beginning was cut off or overwritten
        study.close()
        raise JournalUnusable(f"study {name!r} holds no question any more: the file is damaged, restore a copy of it")
    return study


def latest_question(study: Study, name: str | None) -> str:
    """The question of this name; without one, the one asked last that is not there for another's sake."""
    if name is not None:
        return study.question(name).name
    found = [one.name for one in study.questions.values() if one.policy.name not in _BESIDE]
    return (found or list(study.questions))[-1]


def open_to_show(name: str, pool: str | None = None) -> Study:
    """A study with its pool, so that its items can be shown; the model is left alone."""
    from ringtrue.study import Study

    items, _ = _pool_and_glance(name, pool)
    return Study.open(existing(name), pool=items)


def open_to_ask(
    name: str, pool: str | None = None, *, trust: bool, calling: Calling, named: Collection[str] = (),
    runs: Collection[Run] = (), questions: Callable[[], Sequence[Question]] = tuple,
) -> Study:  # fmt: skip
    """A study with the pool and model that it was made with, or the pool's new place.

    Args:
        name: the study.
        pool: where the pool lies now, if it was moved.
        trust: whether the user trusts what only the file names.
        calling: how an address is called.
        named: what the user names on this command line.
        runs: what the questions run, beside the model.
        questions: makes those that the journal cannot hold whole, such as one with a function of the user's; called
            when the user has let it be run.
    """
    from ringtrue.study import Study

    items, glance = _pool_and_glance(name, pool)
    notes = glance.plan["notes"]
    if "verb" in notes:  # it hides columns from the model, and knows which
        raise InvalidInput(f"study {name!r} asks its model what changed: run `ringtrue {notes['verb']} {name}`")
    runs = [*would_run(notes["model"], columns=items.columns), *runs]
    allow(glance, runs, named=named, trust=trust, calling=calling)
    model = model_of(notes, "the study's model", items, calling)
    return Study.open(existing(name), pool=items, model=model, questions=questions())


def _pool_and_glance(name: str, pool: str | None) -> tuple[Pool, Study]:
    """The pool of a study, and the study as it was read: what is allowed to run is then what is run."""
    with open_to_read(name) as glance:
        notes = glance.plan["notes"]
    if not {"pool", "id", "model"} <= set(notes):
        raise InvalidInput(f"study {name!r} was not made by `ringtrue init`: open it with Study.open in Python")
    where = Path(pool) if pool is not None else existing(name).parent / notes["pool"]
    if pool is None and not where.exists():
        raise InvalidInput(
            f"the pool of study {name!r} is no longer at {str(where)!r}: bring it back, or give --pool FILE"
        )
    return read_noted(where, existing(name).parent, notes), glance


def notes_of(name: str) -> dict[str, Any]:
    """What the maker of a study wrote down."""
    with open_to_read(name) as glance:
        return dict(glance.plan["notes"])


def pool_files(folder: Path, notes: Mapping[str, Any]) -> list[Path]:
    """The files that a study in a folder remembers its pool to lie in: one, or two that are joined."""
    return [folder / notes[what] for what in ("pool", "old") if notes.get(what) is not None]


def read_noted(where: Path, folder: Path, notes: Mapping[str, Any]) -> Pool:
    """The pool in one file, or joined from two."""
    from ringtrue.pools import read_old

    if notes.get("old") is None:
        return read_items(where, notes)
    names = {what: notes[what] for what in ("id", "answer", "truth", "confidence")}
    return read_old(folder / notes["old"], pool=where, **names).pool
