"""A person who labels the items of a hunt at the terminal, with each picture in a file to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ringtrue.core import Json, Query, Reply

if TYPE_CHECKING:
    from ringtrue.blind import Blind
    from ringtrue.study import Study

UNKNOWN = "?"
"""What a person types who cannot tell."""

_SIDE = 256
"""Pixels along a side of a picture, or a little less."""

_LONGEST = 200
"""Characters of a value that are shown."""


class LabelPerson:
    """Shows an item and asks a person for its label. What the model said is not told: it would sway them.

    An image is written to a file of the study's name, which is overwritten by the next. At the end of the input
    (Ctrl-D) the run stops as it does on an interrupt: everything typed before is kept.
    """

    one_by_one = True
    """Each item is a question of its own, so that a study keeps what was typed before the person stops."""

    def __init__(self, study: Study, question: Blind) -> None:
        self._labels = study.plan["labels"]
        self._hidden = {study.plan["notes"].get("model"), question.score}
        self._picture = Path(f"{study.name}-item.png")

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """What the person types for these items, in their order."""
        return [Reply(self._asked(query)) for query in queries]

    def _asked(self, query: Query) -> Json:
        click.echo(f"\nitem {query.item.id}", err=True)
        for name, value in query.item.values.items():
            if name not in self._hidden:
                click.echo(f"  {name}: {self._shown(value)}", err=True)
        hint = "" if self._labels is None else f" ({', '.join(self._labels)})"
        while True:
            click.echo(f"label{hint}, or {UNKNOWN} if you cannot tell: ", nl=False, err=True)
            try:
                typed = input().strip()
            except EOFError:
                raise KeyboardInterrupt from None  # which the study knows: it records, releases and ends
            if typed == UNKNOWN:
                return None
            if typed and (self._labels is None or typed in self._labels):
                return typed
            click.echo(f"{typed!r} is no label: type one, or {UNKNOWN}", err=True)

    def _shown(self, value: Any) -> str:
        from ringtrue.report._pictures import as_picture, enlarged

        array = np.asarray(value)
        picture = as_picture(array) if array.dtype.kind in "iuf" and array.size else None
        if picture is None:
            return " ".join(str(value).split())[:_LONGEST]
        low, high = (0.0, 255.0) if array.dtype == np.uint8 or array.max() > 1 else (min(float(array.min()), 0.0), 1.0)
        shades = (picture.astype(np.float64) - low) / (high - low)
        enlarged(np.clip(shades, 0, 1), _SIDE).save(self._picture)
        return f"picture in {self._picture}"
