"""`ringtrue check`: the gate for CI, and the file of claims that it judges."""

from __future__ import annotations

import math
import re
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._consent import Calling, calling_options, would_run
from ringtrue.cli._judged import Judged
from ringtrue.cli._opening import open_to_read, read_toml
from ringtrue.cli._options import json_option
from ringtrue.cli._place import Place
from ringtrue.cli._terminal import Result, say
from ringtrue.core import Claim, InvalidInput, Verdict

if TYPE_CHECKING:
    from ringtrue.core import Finding, Question


_CLAIMS_FORM = 'write [[claim]] tables with study = "loans.ringtrue" and says = "error <= 5% at 95%"'
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
    """Return the claims of a file; anything else in it is an error with its remedy, never passed over."""
    where = f"claims file {str(path)!r}"
    content = read_toml(path, where, _CLAIMS_FORM)
    strange = sorted(set(content) - {"claim"})
    if strange:
        raise InvalidInput(f"{where} has the unknown key {strange[0]!r}: {_CLAIMS_FORM}")
    tables = content.get("claim")
    if not isinstance(tables, list) or not tables:
        raise InvalidInput(f"{where} holds no claim: {_CLAIMS_FORM}")
    return [_entry(f"{where}: claim {place}", table) for place, table in enumerate(tables, start=1)]


def _entry(where: str, table: Any) -> Entry:
    """Return the claim that a table holds; `where` names the table in errors."""
    from ringtrue.journal import is_address, resembles_address

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
    if not is_address(table["study"]) and resembles_address(table["study"]):  # not repeated: it may hold a password
        raise InvalidInput(
            f"{where}: study is not an address that is known: write it like postgresql://HOST/DATABASE#NAME, or give "
            "a file"
        )
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


@dataclass(frozen=True, slots=True)
class _Checked:
    """A claim, what its study says of it, and whether that still speaks of what there is."""

    entry: Entry
    question: Question
    finding: Finding
    judged: Judged

    @property
    def verdict(self) -> Verdict:
        """That of the study, unless something else was judged."""
        return Verdict.NOT_YET_KNOWN if self.judged.because else self.finding.verdict

    @property
    def sentence(self) -> str:
        """What the study says, or why that is no longer known, followed by what it said of what was judged."""
        said = str(self.finding)
        if not self.judged.because:
            return said
        return f"{self.entry.claim} is {self.verdict.value}: {'; '.join(self.judged.because)}; then: {said}"

    def __str__(self) -> str:
        beside = f" ({'; '.join(self.judged.unseen)})" if self.judged.unseen else ""
        return f"{self.entry.study}: {self.sentence}{beside}"

    def to_json(self) -> dict[str, Any]:
        told = Result.of(self.finding, study=self.entry.study, question=self.question.name, kind=self.question.kind)
        found = told.to_json() | {"verdict": self.verdict.value, "sentence": self.sentence}
        if self.judged.because:  # a program that prints one line of it must not print what is no longer known
            why = self.judged.because[0].partition(" (")[0]
            found["details"] |= {"headline": f"{self.entry.claim} is {self.verdict.value}: {why}"}
        return {**found, "judged": self.finding.verdict.value, **self.judged.to_json()}


def _place(where: str, entry: Entry, folder: Path, calling: Calling) -> Place:
    """Return where the study of a claim is. A database is only called if the user names it, too.

    Another user may have written the file, and a connection would send the password of this one to that address.
    """
    from ringtrue.journal import address_and_name, check_address, is_address

    if not is_address(entry.study):
        return Place.of(entry.study if calling.journal is not None else str(folder / entry.study), calling.journal)
    address, name = address_and_name(entry.study)
    check_address(address)
    wanted = _without_user(address)
    if calling.journal is None or _without_user(calling.journal) != wanted:
        raise InvalidInput(
            f"{where} would connect to {wanted!r}, which the file names and you did not: if that is yours, type "
            f"--journal {shlex.quote(wanted)} too; claims about studies elsewhere belong into a file of their own"
        )
    return Place.of(name, calling.journal)


def _without_user(address: str) -> str:
    return re.sub(r"(?<=://)[^/?#@]*@", "", address, count=1)


def _checked(entry: Entry, path: Place, folder: Path, calling: Calling) -> _Checked:
    """Judge one claim by what its study has recorded, and by what there is now."""
    with open_to_read(path) as study:
        asked = entry.question or next(iter(study.questions))
        for name, question in study.questions.items():  # by default the first, or the last that goes on from it
            asked = name if entry.question is None and asked in question.after else asked
        finding = study.finding(claim=entry.claim, question=asked)
        seen = Judged(study, entry, folder, folder if path.journal else path.home, calling)
        try:
            seen.look(time.time())
        except InvalidInput as error:
            raise InvalidInput(f"study {entry.study!r}: {error}") from None
        if study.moved is not None:
            seen.unseen.append(f"it was moved to {study.moved}: what was answered there since was not looked at")
    return _Checked(entry, study.question(asked), finding, seen)


@click.command("check")
@click.argument("claims", metavar="CLAIMS.toml")
@calling_options
@json_option
def command(claims: str, calling: Calling, as_json: bool) -> int:
    """Judge every claim in a file by the answers its study has recorded. Buys nothing.

    \b
    [[claim]]
    study = "loans.ringtrue"          # beside this file, or a name in the database that --journal names
    says = "error <= 5% at 95%"
    pool = "pool.csv"                 # beside this file too; by default where the study remembers it
    model = "desk:predict"            # run only if it is named here; a column of the pool is always read
    max_age = "30 days"               # of the newest answer

    A claim is not yet known if the pool or the model is no longer the one that was judged, or the newest answer is
    too old. What could not be looked at is named, and the verdict stays.

    Exit code: 0 if all ring true, 1 if any rings false, else 3 if any is not yet known.
    """
    path = Path(claims)
    entries = read_claims(path)
    calling.check_used([run for entry in entries for run in would_run(entry.model)])
    folder, where = path.parent, f"claims file {str(path)!r}: claim"
    places = [_place(f"{where} {number}", entry, folder, calling) for number, entry in enumerate(entries, start=1)]
    checked = [_checked(entry, place, folder, calling) for entry, place in zip(entries, places, strict=True)]
    verdicts = [one.verdict for one in checked]
    overall = next(
        (worst for worst in (Verdict.RINGS_FALSE, Verdict.NOT_YET_KNOWN) if worst in verdicts), Verdict.RINGS_TRUE
    )
    result = {"verdict": overall.value, "claims": [one.to_json() for one in checked]}
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict.value}" for verdict in Verdict if verdict in verdicts)
    say(as_json, result, *map(str, checked), *([f"{path.name}: {counts}"] if len(checked) > 1 else []))
    return overall.exit_code
