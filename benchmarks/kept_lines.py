"""What a long benchmark leaves: its runs as lines of JSON, so that it may be stopped, and its tables in a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def lines_of(path: Path | None) -> list[Line]:
    """Return what was kept; a last line that was cut off when a run was stopped is passed over."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def begun(path: Path | None) -> list[Line]:
    """Return what was kept, and make the file ready for more: what was cut off is removed."""
    lines = lines_of(path)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.read_bytes().endswith(b"\n"):
            _rewrite(path, lines)
    return lines


def forget(path: Path, done_again: Callable[[Line], bool]) -> None:
    """Leave some lines out of what was kept, so that these runs are done again."""
    _rewrite(path, [line for line in lines_of(path) if not done_again(line)])


def add(path: Path | None, line: Mapping[str, Any]) -> None:
    """Keep one more line."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _rewrite(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def write(text: str, page: Path, begin: str, end: str) -> None:
    """Put tables into a page, between two marks."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
