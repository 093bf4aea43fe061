"""Moves a study from one journal to another: copied, compared, and only then sealed where it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ringtrue.core import Event, InvalidInput, JournalConflict, count
from ringtrue.journal import PostgresJournal, Row, SqliteJournal, bring_to_file
from ringtrue.study._book import Events, study_name
from ringtrue.study._leases import what_is_out
from ringtrue.study._ledger import Ledger
from ringtrue.study._passes import Advance

Tell: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, and how many events of how many are done."""

_TOLD = 10_000
"""Events between two times that it is told how far a move is: a study of fewer takes no time."""

_TRIES = 10
"""How often the copying begins again because another process wrote meanwhile."""


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


def move(source: Home, target: Home, *, advance: Advance | None = None) -> Moved:
    """Move a study; what it was is sealed by a last event that names the new place, and can still be read.

    The seal is written once the copy has as many events, the same last one and the same hash over them all. A move
    that was interrupted before that goes on. `advance` is called with what is being done, and how many events of how
    many are done.
    """
    with _opened(source) as journal:
        name = _only(journal) if source.journal is None else study_name(source.file)
        for _ in range(_TRIES):
            try:
                return _moved(journal, name, target, advance)
            except JournalConflict:
                continue
    raise InvalidInput(f"study {name!r} is written to all the time: end its runs and desks, and move it then")


def _moved(journal: SqliteJournal | PostgresJournal, name: str, target: Home, advance: Advance | None) -> Moved:
    if name not in journal.studies():
        raise InvalidInput(f"no study {name!r} is in this journal: check the name")
    history, tell = journal.history(name), partial(_tell, advance)
    events = _check_free(name, journal.read(name, 0))
    rows = list(_counted(journal.rows(name), "reading the study", history.events, tell))
    if len(rows) != events:
        raise JournalConflict("it was written to while it was read")
    told: list[Moved] = []

    def seal(fresh: Iterator[Event]) -> Events:
        if next(fresh, None) is not None:
            raise JournalConflict("it was written to while it was copied")
        place = _bring(target, name, rows, len(rows) + 1 if history.since is None else history.since, tell)
        told.append(Moved(name, place, len(rows), rows[-1][4]))
        return [("moved", {"to": place, "events": len(rows), "link": rows[-1][4]})]

    journal.append_alone(name, len(rows), seal)
    return told[0]


def _check_free(name: str, events: Iterator[Event]) -> int:
    """Refuse a study that was moved, or that a run is at work on; return how many events it has."""
    ledger = Ledger()
    ledger.apply(events)
    ledger.check_here()
    if any(one.at_work for one in what_is_out(ledger)):
        raise InvalidInput(f"a run on this machine is at work on study {name!r}: end it, and move the study then")
    return ledger.sequence


def _bring(target: Home, name: str, rows: Sequence[Row], since: int, tell: Tell) -> str:
    """Write the events at the target, unless an interrupted move did; return the place, once they are the same."""
    doing, number = "writing the copy", len(rows)
    if target.journal is None:
        if not target.file.exists():
            bring_to_file(target.file, name, _counted(rows, doing, number, tell), since)
        place = str(target.file)
    with _opened(target, create=True) as journal:
        if isinstance(journal, PostgresJournal):
            journal.bring(name, rows, since, lambda done: tell(doing, done, number))
            place = f"{journal.place}#{name}"
        last: deque[Row] = deque(_counted(journal.rows(name), "reading the copy", number, tell), maxlen=1)
        if list(last) != list(rows[-1:]):
            raise InvalidInput(f"a study {name!r} is at {place} already, with other events: choose another place")
    return place


def _counted(rows: Iterable[Row], doing: str, number: int, tell: Tell) -> Iterator[Row]:
    """Give rows, and tell how many of all were given."""
    for done, row in enumerate(rows, start=1):
        if done % _TOLD == 0:
            tell(doing, done, number)
        yield row


def _tell(advance: Advance | None, doing: str, done: int, number: int) -> None:
    if advance is not None and number >= _TOLD:
        advance(doing, done, number, "event")


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
