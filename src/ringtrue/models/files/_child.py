"""The child process: opens one model file, says what it takes and gives, and answers batches until nothing more comes.

What libraries print goes to standard error, so that it never mixes with the answers.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from ringtrue.core import InvalidInput, shortened
from ringtrue.models.files import _wire
from ringtrue.models.files._loaded import Cells, Loaded, Opening
from ringtrue.models.files._table import FORMATS


def main() -> None:
    """Serve one model file on the pipes that were standard input and output."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory is short, this process ends and not the study
    with suppress(_wire.Ended, BrokenPipeError):
        _serve(questions, answers)


def _serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    opening, _ = _wire.receive(questions)
    try:
        loaded = _load(opening)
    except InvalidInput as error:
        return _wire.send(answers, {"error": str(error)})
    except (Exception, SystemExit) as error:
        return _wire.send(answers, {"error": f"cannot be opened ({_line(error)}): export it again"})
    about = loaded.about
    told = {"library": about.library, "inputs": [list(one) for one in about.inputs], "gives": about.gives}
    _wire.send(answers, {**told, "features": about.features, "classes": about.classes})
    while True:
        asked, arrays = _wire.receive(questions)
        try:
            said = loaded.answer(_inputs(asked["columns"], arrays))
            reply: dict[str, Any] = {"labels": _plain(said.labels), "classes": _plain(said.classes)}
            tables = [] if said.table is None else [said.table]
        except (Exception, SystemExit) as error:
            reply, tables = {"error": _line(error)}, []
        _wire.send(answers, reply, tables)


def _load(opening: dict[str, Any]) -> Loaded:
    module = next(one.module for one in FORMATS if one.module == opening["module"])
    found: Loaded = importlib.import_module(f"ringtrue.models.files.{module}").load(
        Opening(opening["path"], opening["trusted"])
    )
    return found


def _inputs(columns: list[Any], arrays: list[Any]) -> list[Cells]:
    return [arrays[one] if isinstance(one, int) else one for one in columns]


def _plain(labels: Sequence[Any] | None) -> list[Any] | None:
    """Return labels as Python's own values."""
    if labels is None:
        return None
    return [label if isinstance(label, str | int | float | bool) else str(label) for label in labels]


def _line(error: BaseException) -> str:
    """Return the words of an error on one line."""
    return shortened(" ".join(f"{type(error).__name__}: {error}".split()), 300)


def _end_with(parent: int) -> None:
    """End when the process that asks is gone, even in the middle of an answer."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    main()
