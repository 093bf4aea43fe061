"""The space file of `ringtrue worst`: TOML tables of parameters and constraints, and what else the search is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._toml import read_toml
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.worst.spaces import SearchSpace

_FORM = "write [parameters] with lines such as Cr = { low = 0.01, high = 1.0 }"
_SPACE = ("name", "parameters", "constraints")
_REST = ("tasks", "input_noise")


def read_space(path: Path) -> tuple[SearchSpace, dict[str, Any]]:
    """The space of a file, named after it if it has no name, and its `tasks` and `input_noise`, as they stand there."""
    from ringtrue.worst.spaces import SearchSpace

    where = f"space file {str(path)!r}"
    content = read_toml(path, where, _FORM)
    for key in content:
        if key not in (*_SPACE, *_REST):
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join((*_SPACE, *_REST))}")
    try:
        table = {"name": path.stem} | {key: content[key] for key in _SPACE if key in content}
        space = SearchSpace.from_table(table)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return space, {key: content[key] for key in _REST if key in content}
