"""A model file on the command line: where it lies, what it is sent, and what loading it needs the user's word for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._chat_model import chat_named
from ringtrue.cli._consent import Run
from ringtrue.cli._terminal import tell
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.models import FileModel


def file_named(spec: str | None, home: Path, columns: Sequence[str] = ()) -> Path | None:
    """Return the file that a model's text names, from the folder of the study; None if it names something else.

    A column of that name comes first, and with a colon it is a file only if there is one.
    """
    from ringtrue.models import is_model_file

    if not spec or spec in columns or "://" in spec:
        return None
    path = home / spec
    if ":" in spec and not path.exists():
        return None
    return path if is_model_file(str(path)) else None


def placed(given: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """Return what was given with the path of a model file as the study keeps it: from its own folder, as the pool's."""
    chat = chat_named(given.get("model"), Path())
    if chat is not None:
        judge = f"#{chat.judge}" if chat.judge else ""
        return {**given, "model": os.path.relpath(chat.path, home) + judge}
    path = file_named(given.get("model"), Path())
    return dict(given) if path is None else {**given, "model": os.path.relpath(path, home)}


def remembered_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a study remembers to load a model file in the same way again."""
    kept = {"trust_types": list(given.get("trust_types", ())), "labels": list(given.get("labels", ()))}
    return {name: value for name, value in kept.items() if value} if "model" in given else {}


def file_runs(notes: Mapping[str, Any], home: Path, columns: Sequence[str]) -> list[Run]:
    """Return what loading the model file of a study runs: the file, and the types that are trusted in it."""
    path = file_named(notes.get("model"), home, columns)
    types = notes.get("trust_types") or ()
    if path is None and types:
        raise InvalidInput(f"--trust-type={types[0]!r} is for a model file that ends in .skops: leave it out")
    return [] if path is None else [Run("file", str(notes["model"])), *(Run("type", name) for name in types)]


def file_model(
    path: Path, notes: Mapping[str, Any], columns: Sequence[str], withheld: Sequence[str | None] = ()
) -> FileModel:
    """Return the model in a file, which is sent what it was sent before, what the user names, or all not `withheld`."""
    from ringtrue.models import FileModel

    chosen = notes.get("sent") or notes.get("features") or notes.get("inputs")
    model = FileModel(path, features=chosen, trusted=notes.get("trust_types") or ())
    if notes.get("labels"):
        model = model.with_classes(notes["labels"])
    return model.showing(model.sent(columns, withheld))


def tell_columns(model: Any) -> dict[str, Any]:
    """Say which columns a file or a language model is sent, before its first answer; return what a study remembers."""
    from ringtrue.models import FileModel
    from ringtrue.models.chat import ChatModel

    if isinstance(model, ChatModel):
        tell(f"model {model.name} is sent: {', '.join(model.features or ())}", err=True)
    if not isinstance(model, FileModel) or model.features is None:
        return {}
    tell(f"model {model.path.name} is sent: {', '.join(model.features)}", err=True)
    return {"sent": list(model.features)}
