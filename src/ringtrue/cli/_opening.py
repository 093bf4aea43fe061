"""Opening a study by its name, and the files beside it: the pool that its notes name, a space, any TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, JournalUnusable

if TYPE_CHECKING:
    from ringtrue.cli._place import Place
    from ringtrue.core import Pool
    from ringtrue.study import Study
    from ringtrue.worst.spaces import SearchSpace


_SPACE_FORM = "write [parameters] with lines such as Cr = { low = 0.01, high = 1.0 }"
_SPACE = ("name", "parameters", "constraints")
_REST = ("tasks", "scales", "input_noise")


def read_items(where: Path, notes: Mapping[str, Any]) -> Pool:
    """Read the items in a place; a column that names image files is read as images, relative to where the file lies."""
    from ringtrue.pools import ImagePool, find_place, holds_image_files, read_pool

    pool = read_pool(where, id=notes.get("id"), **many_files(notes))
    column = only_input(notes)
    if column is not None and holds_image_files(pool, column):
        return ImagePool(pool, column, find_place(where).folder)
    return pool


def many_files(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a pool of many Parquet files is read."""
    return {name: bool(notes.get(name)) for name in ("partitions", "all_bytes")}


def is_there(where: Path) -> bool:
    """Return whether a pool lies there: a file or a sheet of it, a folder, or files that a pattern names."""
    from ringtrue.pools import find_place

    return find_place(where).is_there()


def only_input(notes: Mapping[str, Any]) -> str | None:
    """Return the input, where there is one alone: it may be an image."""
    names: list[str] = notes.get("inputs") or []
    return names[0] if len(names) == 1 else None


_BESIDE = ("map", "random", "sobol")
"""The policies of questions that only feed a map or are there for comparison."""


def open_to_read(place: Place, *, whole: bool = False) -> Study:
    """Open a study without its pool and model: enough to see what it shows; `whole`, to go through all its events."""
    study = place.existing().open(whole=whole)
    if not study.questions:  # every study is made with one: its beginning was cut off or overwritten
        study.close()
        raise JournalUnusable(
            f"study {str(place)!r} holds no question any more: the file is damaged, restore a copy of it"
        )
    return study


def latest_question(study: Study, name: str | None) -> str:
    """Return the question of this name; without one, the one asked last that is not there for another's sake."""
    if name is not None:
        return study.question(name).name
    found = [one.name for one in study.questions.values() if one.policy.name not in _BESIDE]
    return (found or list(study.questions))[-1]


def attach_pool(study: Study, place: Place, pool: str | None = None) -> None:
    """Give a study its pool, where it lay or in its new place, so that its items can be shown; the model stays away."""
    notes, home, name = study.plan["notes"], place.home, str(place)
    if not {"pool", "id", "model"} <= set(notes):
        raise InvalidInput(f"study {name!r} was not made by `ringtrue init`: open it with Study.open in Python")
    where = Path(pool) if pool is not None else home / notes["pool"]
    if pool is None and not is_there(where):
        raise InvalidInput(
            f"the pool of study {name!r} is no longer at {str(where)!r}: bring it back, or give --pool FILE"
        )
    study.attach(pool=read_noted(where, home, notes))


def read_noted(where: Path, folder: Path, notes: Mapping[str, Any]) -> Pool:
    """Read the pool in one file, or joined from two."""
    from ringtrue.pools import read_old

    if notes.get("old") is None:
        return read_items(where, notes)
    how = {what: notes[what] for what in ("id", "answer", "truth", "confidence")} | many_files(notes)
    return read_old(folder / notes["old"], pool=where, **how).pool


def read_toml(path: Path, where: str, form: str, **how: Any) -> dict[str, Any]:
    """Return the tables of a file. `where` names it in errors, `form` says how it should look, `how` is for tomllib."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), **how)
    except FileNotFoundError:
        raise InvalidInput(f"{where} does not exist: {form}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{where} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read ({error.strerror}): give a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{where} is not TOML ({' '.join(str(error).split())}): {form}") from None
    except RecursionError:
        raise InvalidInput(f"{where} has lists within each other deeper than can be read: {form}") from None


def read_space(path: Path) -> tuple[SearchSpace, dict[str, Any]]:
    """Return the space of a file, named after it if it has no name, and its `tasks`, `scales` and `input_noise`."""
    from ringtrue.worst.spaces import SearchSpace

    where = f"space file {str(path)!r}"
    content = read_toml(path, where, _SPACE_FORM)
    for key in content:
        if key not in (*_SPACE, *_REST):
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join((*_SPACE, *_REST))}")
    try:
        table = {"name": path.stem} | {key: content[key] for key in _SPACE if key in content}
        space = SearchSpace.from_table(table)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return space, {key: content[key] for key in _REST if key in content}
