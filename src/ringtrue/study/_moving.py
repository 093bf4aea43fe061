"""Moves a study from one journal to another: copied, compared, and only then sealed where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ringtrue.core import Event, InvalidInput, JournalConflict, count
from ringtrue.journal import PostgresJournal, Row, SqliteJournal, bring_to_file
from ringtrue.study._book import Events, study_name
from ringtrue.study._leases import what_is_out
from ringtrue.study._ledger import Ledger

_TRIES = 10
"""How often the copying begins again because somebody wrote meanwhile."""


@dataclass(frozen=True, slots=True)
class Home:
    """Where a study is, or is to be: in a file, or in the journal behind an address, under the name of the file."""

    file: Path
    journal: str | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """A study that was moved."""

    study: str
    place: str
    """Where it is now, without a user or a secret."""
    events: int
    link: str

    def __str__(self) -> str:
        return f"{self.study} is now at {self.place}: {count(self.events, 'event')}, the last with the hash {self.link}"


def move(source: Home, target: Home) -> Moved:
    """Move a study; what it was is sealed by a last event that names the new place, and can still be read.

    The seal is written once the copy has as many events, the same last one and the same hash over them all. A move
    that was interrupted before that goes on.
    """
    with _opened(source) as journal:
        name = _only(journal) if source.journal is None else study_name(source.file, source.journal)
        for _ in range(_TRIES):
            try:
                return _moved(journal, name, target)
            except JournalConflict:
                continue
    raise InvalidInput(f"study {name!r} is written to all the time: end its runs and desks, and move it then")


def _moved(journal: SqliteJournal | PostgresJournal, name: str, target: Home) -> Moved:
    if name not in journal.studies():
        raise InvalidInput(f"no study {name!r} is in this journal: check the name")
    rows, ledger = journal.rows(name), Ledger()
    ledger.apply(journal.read(name, 0))
    ledger.check_here()
    if len(rows) != ledger.sequence:
        raise JournalConflict("it was written to while it was read")
    if any(one.at_work for one in what_is_out(ledger)):
        raise InvalidInput(f"a run on this machine is at work on study {name!r}: end it, and move the study then")
    since = journal.history(name).since
    told: list[Moved] = []

    def seal(fresh: Iterator[Event]) -> Events:
        if next(fresh, None) is not None:
            raise JournalConflict("it was written to while it was copied")
        place = _bring(target, name, rows, len(rows) + 1 if since is None else since)
        told.append(Moved(name, place, len(rows), rows[-1][4]))
        return [("moved", {"to": place, "events": len(rows), "link": rows[-1][4]})]

    journal.append_alone(name, len(rows), seal)
    return told[0]


def _bring(target: Home, name: str, rows: Sequence[Row], since: int) -> str:
    """Write the events at the target, unless an interrupted move did; return the place, once they are the same."""
    if target.journal is None:
        if not target.file.exists():
            bring_to_file(target.file, name, rows, since)
        place = str(target.file)
    with _opened(target, create=True) as journal:
        if isinstance(journal, PostgresJournal):
            journal.bring(name, rows, since)
            place = f"{journal.place}#{name}"
        there = journal.rows(name)
        if (len(there), there[-1:]) != (len(rows), rows[-1:]):
            raise InvalidInput(f"a study {name!r} is at {place} already, with other events: choose another place")
    return place


@contextmanager
def _opened(home: Home, *, create: bool = False) -> Iterator[SqliteJournal | PostgresJournal]:
    given = SqliteJournal(home.file) if home.journal is None else PostgresJournal(home.journal, create=create)
    with closing(given) as journal:
        yield journal


def _only(journal: SqliteJournal | PostgresJournal) -> str:
    names = journal.studies()
    if len(names) != 1:
        raise InvalidInput(f"the file holds {count(len(names), 'study')}: a move takes one")
    return names[0]
