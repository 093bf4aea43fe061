"""The pool and the model of a study as its notes name them: tables, arrays, or images in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._calling import Calling
from ringtrue.cli._responders import responder

if TYPE_CHECKING:
    from ringtrue.core import Model, Pool


def read_items(where: Path, notes: Mapping[str, Any]) -> Pool:
    """The items in a file; a column that names image files is read as images, relative to where the file lies."""
    from ringtrue.pools import ImagePool, holds_image_files, read_pool

    pool = read_pool(where, id=notes.get("id"))
    column = _only(notes)
    if column is not None and holds_image_files(pool, column):
        return ImagePool(pool, column, where.parent)
    return pool


def model_of(notes: Mapping[str, Any], argument: str, pool: Pool, calling: Calling) -> Model:
    """The model that the notes name; with images, a function is given one array with an image a row."""
    from ringtrue.models import ArrayModel, as_model, is_address

    found = responder(notes["model"], argument, pool.columns, addresses=True)
    column = _only(notes)
    if callable(found) and not hasattr(found, "predict") and column is not None and _is_array(pool, column):
        return ArrayModel(found, column)
    if isinstance(found, str) and is_address(found) and found not in pool.columns:
        return calling.model(found, features=notes.get("inputs")).without(getattr(pool, "id_column", None))
    return as_model(found)


def _only(notes: Mapping[str, Any]) -> str | None:
    """The input, where there is one alone: it may be an image."""
    names: list[str] = notes.get("inputs") or []
    return names[0] if len(names) == 1 else None


def _is_array(pool: Pool, column: str) -> bool:
    if column not in pool.columns:
        return False
    cell = next(iter(pool.take([0]).columns[column].tolist()))
    return isinstance(cell, list) or bool(getattr(cell, "shape", ()))
