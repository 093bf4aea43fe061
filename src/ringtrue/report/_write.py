"""Writes the two files of a report: both or neither half-written, and nothing that is not a report written over."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ringtrue.core import Claim, InvalidInput, Json, Sketch
from ringtrue.journal import for_owner
from ringtrue.report._document import document
from ringtrue.report._page import render
from ringtrue.report._templates import GENERATOR
from ringtrue.study import Study, question_class


def write_report(
    study: Study, path: str | os.PathLike[str], *, claim: Claim | str | None = None, question: str | None = None
) -> tuple[Path, Path]:
    """Write the page to `path` and its JSON twin beside it; return both paths."""
    return _write_files(path, lambda: document(study, claim=claim, question=question))


def write_panel_report(
    sketch: Sketch,
    path: str | os.PathLike[str],
    *,
    name: str = "votes",
    stream: Mapping[str, Json] | None = None,
    **options: Any,
) -> tuple[Path, Path]:
    """Write the page of a panel to `path` and its JSON twin beside it; return both paths.

    Parameters
    ----------
    sketch
        The votes, as counts of their patterns.
    path
        Where the page is written; it must end in .html.
    name
        What the page calls the votes, such as the name of their file.
    stream
        What an alarm on later votes found, as `PanelAlarm.to_json` gives it.
    options
        Those of `evaluate`.
    """
    return _write_files(path, lambda: panel_document(sketch, name=name, stream=stream, **options))


def panel_document(
    sketch: Sketch, *, name: str = "votes", stream: Mapping[str, Json] | None = None, **options: Any
) -> dict[str, Any]:
    """Return everything a page says of a panel: its study asks nothing, and nothing of it needs to be kept."""
    panel: Any = question_class("panel")
    question = panel(sketch, name=name, **options)
    with TemporaryDirectory() as folder, Study.create(Path(folder) / "panel", question=question) as study:
        if stream is not None:
            study.keep("stream", dict(stream))
        return document(study)


_BEGINNING = '{\n "format":'
_LOOK = 1_000  # bytes at the head of a file in which a report of ours is recognised


def _write_files(path: str | os.PathLike[str], make: Callable[[], Mapping[str, Any]]) -> tuple[Path, Path]:
    """Make the document, write its page to `path` and the JSON twin beside it; return both paths.

    Nothing is computed before it is clear that the files may be written.
    """
    page, twin = Path(path), Path(path).with_suffix(".json")
    if page.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(
            f"report {str(page)!r} is for the page: let it end in .html, the JSON twin is named after it"
        )
    _check_ours(page, GENERATOR)
    _check_ours(twin, _BEGINNING)
    made = make()
    text = render(made)
    _replace(twin, pieces(made))
    _replace(page, [text])
    return page, twin


def _check_ours(path: Path, mark: str) -> None:
    """Refuse to write over anything but an earlier report: the file may be a study or a pool of the user."""
    try:
        with open(path, "rb") as file:
            head = file.read(_LOOK).decode("utf-8", "replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unwritable(path, error) from None
    if head and mark not in head:
        raise InvalidInput(
            f"report {str(path)!r} would replace a file that is not a report: choose another name (--out)"
        )


def pieces(made: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON text of a document, of a list one entry at a time: all at once takes twice the memory."""
    encode = json.JSONEncoder(ensure_ascii=False, indent=1, allow_nan=False).encode
    before = "{\n "
    for key, value in made.items():
        yield f"{before}{encode(key)}: "
        before = ",\n "
        if isinstance(value, list) and value:
            opening = "[\n  "
            for entry in value:
                yield opening + encode(entry).replace("\n", "\n  ")
                opening = ",\n  "
            yield "\n ]"
        else:
            yield encode(value).replace("\n", "\n ")
    yield "\n}"


def _replace(path: Path, text: Iterable[str]) -> None:
    """Write aside and move into place, so that a reader never meets half a file; who may read a report stays so."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(aside, "w", encoding="utf-8", opener=for_owner) as file:
            file.writelines(text)
        with suppress(FileNotFoundError):
            aside.chmod(path.stat().st_mode & 0o666)
        aside.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"report {str(path)!r} cannot be written ({error.strerror}): choose another place (--out)")
