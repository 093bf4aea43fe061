"""How an item is shown to raters: as fields, each of a kind that the page knows how to draw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ringtrue.core import Argument, InvalidInput, Json, meant, plain

KINDS = ("text", "short", "number", "json", "chat", "image", "side", "hide")
"""What a field may be shown as; `side` fields stand beside each other, `hide` is not shown at all."""

SUFFIXES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""The files that are sent as images. A drawing that may hold scripts is not among them."""

_SHORT = 60
"""Characters of a text that stands in one line beside its name."""


class Picture(NamedTuple):
    """The bytes of an image, and what kind of file they are."""

    content: bytes
    media_type: str


class Fields:
    """Shows items by the kinds that the owner named, and else by what their values are.

    File names are only opened in fields that the owner named as images, and only below one folder.
    """

    def __init__(self, kinds: Mapping[str, str] | None = None, root: Path | None = None) -> None:
        self._kinds, self._root = dict(kinds or {}), None if root is None else root.resolve()
        for name, kind in self._kinds.items():
            if kind not in KINDS:
                known = f"{meant(kind, KINDS)} use one of {', '.join(KINDS)}"
                raise InvalidInput(Argument("show", f"{name}={kind}"), f" is not a kind of field:{known}")

    def check_columns(self, columns: list[str]) -> None:
        """Refuse kinds for columns that the items do not have."""
        for name in self._kinds:
            if columns and name not in columns:
                raise InvalidInput(Argument("show", name), f" is not a column: name one of {', '.join(columns)}")

    def of(self, values: Mapping[str, Any], address: str) -> list[dict[str, Json]]:
        """Return the fields of an item; `address` is where its images are asked for."""
        shown: list[dict[str, Json]] = []
        for place, (name, value) in enumerate(values.items()):
            kind = self._kinds.get(name) or _kind_of(value)
            if kind == "hide":
                continue
            field: dict[str, Json] = {"name": name, "kind": kind}
            if kind == "image":
                field |= {"url": f"{address}/{place}", "alt": f"{name}: the image to label"}
            else:
                field["value"] = _told(value, kind)
            shown.append(field)
        return shown

    def picture(self, values: Mapping[str, Any], place: int) -> Picture | None:
        """Return the image in one field of an item; None if there is none."""
        if not 0 <= place < len(values):
            return None
        name, value = list(values.items())[place]
        if (self._kinds.get(name) or _kind_of(value)) != "image":
            return None
        return self._file(value) if isinstance(value, str) else _drawn(value)

    def _file(self, name: str) -> Picture | None:
        """Return an image file below the root; None for whatever lies elsewhere or is no image."""
        media_type = SUFFIXES.get(Path(name).suffix.lower())
        if self._root is None or media_type is None or "\0" in name:
            return None
        try:
            path = (self._root / name).resolve(strict=True)
            if not path.is_relative_to(self._root) or not path.is_file():
                return None
            return Picture(path.read_bytes(), media_type)
        except (OSError, ValueError):
            return None


def _kind_of(value: Any) -> str:
    """Return what a value is shown as, if its owner does not say."""
    if isinstance(value, np.ndarray) and value.ndim >= 2:
        return "image"
    if isinstance(value, str):
        parsed = _parsed(value)
        if parsed is None:
            return "short" if len(value) <= _SHORT and "\n" not in value else "text"
        value = parsed
    if isinstance(value, list | dict | np.ndarray):
        return "chat" if _is_chat(value) else "json"
    return "number"


def _is_chat(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "content" in one for one in value)


def _parsed(text: str) -> Any:
    """Return the list or the table that a text is in JSON; None if it is none."""
    if not text.startswith(("{", "[")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list | dict) else None


def _told(value: Any, kind: str) -> Json:
    if kind in ("json", "chat") and isinstance(value, str):
        parsed = _parsed(value)
        return value if parsed is None else plain(parsed)
    told = plain(value)
    if kind in ("text", "short", "side") and not isinstance(told, str):
        return "" if told is None else json.dumps(told, ensure_ascii=False)
    return told


def _drawn(value: Any) -> Picture | None:
    """Return an array as a PNG file, in its own number of pixels: the page enlarges it."""
    from ringtrue.report import png_of  # which takes a second: most desks show no arrays

    content = png_of(value)
    return None if content is None else Picture(content, "image/png")
