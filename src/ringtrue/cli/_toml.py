"""TOML files that people write: the claims of `ringtrue check` and the space of `ringtrue worst`."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.core import Claim, InvalidInput

if TYPE_CHECKING:
    from ringtrue.worst.spaces import SearchSpace

_CLAIMS_FORM = 'write [[claim]] tables with study = "loans.ringtrue" and says = "error <= 5% at 95%"'
_NEEDED = ("study", "says")
_KNOWN = (*_NEEDED, "question", "pool", "model", "max_age")
_SECONDS = {"hour": 3600.0, "day": 86_400.0, "week": 604_800.0}

_SPACE_FORM = "write [parameters] with lines such as Cr = { low = 0.01, high = 1.0 }"
_SPACE = ("name", "parameters", "constraints")
_REST = ("tasks", "input_noise")


def _read(path: Path, where: str, form: str) -> dict[str, Any]:
    """Return the tables of a file. `where` names it in errors, and `form` says how it should look."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"{where} does not exist: {form}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{where} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read ({error.strerror}): give a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{where} is not TOML ({' '.join(str(error).split())}): {form}") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """One claim of the file: about which study, saying what; `question` where a study has several.

    `pool` and `model` name what the claim is made about today, and `max_age` how old the newest answer may be.
    """

    study: str
    claim: Claim
    question: str | None = None
    pool: str | None = None
    model: str | None = None
    max_age: str | None = None

    @property
    def most_seconds(self) -> float:
        """How old the newest answer may be, in seconds."""
        return math.inf if self.max_age is None else _seconds(self.max_age)


def read_claims(path: Path) -> list[Entry]:
    """Return the claims of a file; anything else in it is an error with its remedy, never passed over."""
    where = f"claims file {str(path)!r}"
    content = _read(path, where, _CLAIMS_FORM)
    strange = sorted(set(content) - {"claim"})
    if strange:
        raise InvalidInput(f"{where} has the unknown key {strange[0]!r}: {_CLAIMS_FORM}")
    tables = content.get("claim")
    if not isinstance(tables, list) or not tables:
        raise InvalidInput(f"{where} holds no claim: {_CLAIMS_FORM}")
    return [_entry(f"{where}: claim {place}", table) for place, table in enumerate(tables, start=1)]


def _entry(where: str, table: Any) -> Entry:
    """Return the claim that a table holds; `where` names the table in errors."""
    if not isinstance(table, dict):
        raise InvalidInput(f"{where} is not a table: {_CLAIMS_FORM}")
    for key, value in table.items():
        if key not in _KNOWN:
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join(_KNOWN)}")
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(f"{where}: {key}={value!r} must be a text: {_CLAIMS_FORM}")
    for key in _NEEDED:
        if key not in table:
            raise InvalidInput(f"{where} has no {key!r}: {_CLAIMS_FORM}")
    try:
        claim = Claim.parse(table["says"])
        _seconds(table.get("max_age", "1 day"))
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return Entry(claim=claim, **{key: value for key, value in table.items() if key != "says"})


def _seconds(text: str) -> float:
    """Return a time such as "30 days" in seconds.

    >>> _seconds("2 weeks") == 14 * _seconds("1 day") == 336 * _seconds("1 hour")
    True
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *(hour|day|week)s?", text.strip())
    if found is None or not float(found[1]):
        raise InvalidInput(f'max_age={text!r} is not a time: write it like "30 days", in hours, days or weeks')
    return float(found[1]) * _SECONDS[found[2]]


def read_space(path: Path) -> tuple[SearchSpace, dict[str, Any]]:
    """Return the space of a file, named after it if it has no name, and its `tasks` and `input_noise`."""
    from ringtrue.worst.spaces import SearchSpace

    where = f"space file {str(path)!r}"
    content = _read(path, where, _SPACE_FORM)
    for key in content:
        if key not in (*_SPACE, *_REST):
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join((*_SPACE, *_REST))}")
    try:
        table = {"name": path.stem} | {key: content[key] for key in _SPACE if key in content}
        space = SearchSpace.from_table(table)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return space, {key: content[key] for key in _REST if key in content}
