"""A person who labels the items of a hunt at the terminal, with each picture in a file to look at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.cli._output import tell
from ringtrue.core import Json, Oracle, Query, Reply
from ringtrue.journal import for_owner

if TYPE_CHECKING:
    from ringtrue.study import Study

UNKNOWN = "?"
"""What a person types who cannot tell."""

_SIDE = 256
"""Pixels along a side of a picture, or a little less."""

_LONGEST = 200
"""Characters of a value that are shown."""


class LabelPerson(Oracle):
    """Shows an item and asks a person for its label; what the model said of it is told only with `show_model`.

    An image is written to a file of its own, named after the query and this process, since another person may label
    another item of the study at the same time. It is removed once the item is answered or the person leaves. At the
    end of the input (Ctrl-D) the run stops as it does on an interrupt: everything typed before is kept.
    """

    one_by_one = True
    """Each item is a question of its own, so that a study keeps what was typed before the person stops."""

    def __init__(self, study: Study, *, show_model: bool = False) -> None:
        self._labels = study.plan["labels"]
        self._show_model = show_model

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the person types for these items, in their order."""
        return [Reply(self._asked(query)) for query in queries]

    def _asked(self, query: Query) -> Json:
        tell(err=True)
        tell(f"item {_plainly(query.item.id)}", err=True)
        with ExitStack() as pictures:  # removed however this ends, by an answer, Ctrl-C or Ctrl-D
            for place, (name, value) in enumerate(query.item.values.items()):
                file = Path(f"{query.id.replace(':', '-')}-{place}-{os.getpid()}.png")
                pictures.callback(file.unlink, missing_ok=True)
                tell(f"  {_plainly(name)}: {_shown(value, file)}", err=True)
            if self._show_model:
                tell(f"  the model says: {_plainly(query.said)}", err=True)
            return self._typed()

    def _typed(self) -> Json:
        hint = "" if self._labels is None else f" ({', '.join(self._labels)})"
        while True:
            tell(f"label{hint}, or {UNKNOWN} if you cannot tell: ", nl=False, err=True)
            try:
                typed = input().strip()
            except EOFError:
                raise KeyboardInterrupt from None  # which the study knows: it records, releases and ends
            if typed == UNKNOWN:
                return None
            if typed and (self._labels is None or typed in self._labels):
                return typed
            tell(f"{typed!r} is not a label: type one, or {UNKNOWN}", err=True)


def _plainly(value: Any) -> str:
    """Return a value on one line, without what would steer the terminal.

    >>> _plainly("two\\nlines \\x1b[2Jgone")
    'two lines ?[2Jgone'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(value).split()))


def _shown(value: Any, file: Path) -> str:
    """Return a value in words; an image is written to the file, which is named."""
    from ringtrue.report._pictures import as_picture, enlarged

    array = np.asarray(value)
    picture = as_picture(array) if array.dtype.kind in "iuf" and array.size else None
    if picture is None:
        return _plainly(value)[:_LONGEST]
    low, high = (0.0, 255.0) if array.dtype == np.uint8 or array.max() > 1 else (min(float(array.min()), 0.0), 1.0)
    shades = (picture.astype(np.float64) - low) / (high - low)
    with open(file, "wb", opener=for_owner) as out:
        enlarged(np.clip(shades, 0, 1), _SIDE).save(out, format="PNG")
    return f"picture in {file}"
