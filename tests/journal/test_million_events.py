"""A million events of a study come back in their order, in a file and in a database, a few at a time."""

import time
import tracemalloc
from contextlib import closing

import pytest

from ringtrue.journal import PostgresJournal, SqliteJournal

EVENTS, TOGETHER = 10**6, 10_000
SECONDS = 60.0
"""Of processor time for reading them all: a fraction of it where every event is read once, hours where each looks back
at all before it."""


def fill(journal):
    for first in range(0, EVENTS, TOGETHER):
        some = [("note", {"number": number}) for number in range(first, first + TOGETHER)]
        assert journal.append("s", first, some) == first + TOGETHER


def check(journal):
    began = time.process_time()
    for expected, event in enumerate(journal.read("s", 0), start=1):
        assert (event.sequence, event.payload["number"]) == (expected, expected - 1)
    assert expected == EVENTS
    assert time.process_time() - began < SECONDS
    assert journal.history("s").events == EVENTS


@pytest.mark.slow
def test_in_a_file(tmp_path):
    with closing(SqliteJournal(tmp_path / "s.ringtrue", create=True)) as journal:
        fill(journal)
    with closing(SqliteJournal(tmp_path / "s.ringtrue")) as journal:
        check(journal)


def check_memory(journal):
    """The memory is that of some thousand events, whatever their number."""
    for first in range(0, 200_000, TOGETHER):
        journal.append("s", first, [("note", {"text": "x" * 200})] * TOGETHER)
    tracemalloc.start()
    try:
        assert sum(1 for _ in journal.read("s", 0)) == 200_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40e6, "all of them take over 100 MB"


@pytest.mark.slow
def test_a_file_is_read_a_few_at_a_time(tmp_path):
    with closing(SqliteJournal(tmp_path / "s.ringtrue", create=True)) as journal:
        check_memory(journal)


@pytest.mark.slow
def test_a_database_is_read_a_few_at_a_time(database):
    with closing(PostgresJournal(database, create=True)) as journal:
        check_memory(journal)


@pytest.mark.slow
def test_in_a_database(database):
    with closing(PostgresJournal(database, create=True)) as journal:
        fill(journal)
        check(journal)
