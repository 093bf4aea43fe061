"""The claims file of `ringtrue check`: TOML tables, each a study and what it is claimed to say."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringtrue.cli._toml import read_toml
from ringtrue.core import Claim, InvalidInput

_FORM = 'write [[claim]] tables with study = "loans.ringtrue" and says = "error <= 5% at 95%"'
_NEEDED = ("study", "says")
_KNOWN = (*_NEEDED, "question", "pool", "model", "max_age")
_SECONDS = {"hour": 3600.0, "day": 86_400.0, "week": 604_800.0}


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
    """The claims of a file; anything else in it is an error with its remedy, never passed over."""
    where = f"claims file {str(path)!r}"
    content = read_toml(path, where, _FORM)
    strange = sorted(set(content) - {"claim"})
    if strange:
        raise InvalidInput(f"{where} has the unknown key {strange[0]!r}: {_FORM}")
    tables = content.get("claim")
    if not isinstance(tables, list) or not tables:
        raise InvalidInput(f"{where} holds no claim: {_FORM}")
    return [_entry(f"{where}: claim {place}", table) for place, table in enumerate(tables, start=1)]


def _entry(where: str, table: Any) -> Entry:
    if not isinstance(table, dict):
        raise InvalidInput(f"{where} is no table: {_FORM}")
    for key, value in table.items():
        if key not in _KNOWN:
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join(_KNOWN)}")
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(f"{where}: {key}={value!r} must be a text: {_FORM}")
    for key in _NEEDED:
        if key not in table:
            raise InvalidInput(f"{where} has no {key!r}: {_FORM}")
    try:
        claim = Claim.parse(table["says"])
        _seconds(table.get("max_age", "1 day"))
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return Entry(claim=claim, **{key: value for key, value in table.items() if key != "says"})


def _seconds(text: str) -> float:
    """A time such as "30 days" in seconds.

    >>> _seconds("2 weeks") == 14 * _seconds("1 day") == 336 * _seconds("1 hour")
    True
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *(hour|day|week)s?", text.strip())
    if found is None or not float(found[1]):
        raise InvalidInput(f'max_age={text!r} is no time: write it like "30 days", in hours, days or weeks')
    return float(found[1]) * _SECONDS[found[2]]
