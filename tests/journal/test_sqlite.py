"""SQLite passes the published suite and keeps its own promises: durability settings, clear errors, history."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ringtrue.core import InvalidInput, JournalUnusable
from ringtrue.journal import SqliteJournal
from ringtrue.testing import JournalConformance


class TestSqliteJournal(JournalConformance):
    def open(self, place: Path) -> SqliteJournal:
        path = place / "study.ringtrue"
        return SqliteJournal(path, create=not path.exists())


@pytest.fixture
def journal(tmp_path):
    with_one = SqliteJournal(tmp_path / "s.ringtrue", create=True)
    with_one.append("s", 0, [("note", {})])
    yield with_one
    with_one.close()


def test_every_connection_syncs_each_commit(journal):
    other = SqliteJournal(journal.path)
    other.append("s", 1, [("note", {})])
    for opened in (journal, other):
        names = ("journal_mode", "synchronous", "busy_timeout")
        pragma = {name: opened._writer.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
        assert pragma == {"journal_mode": "persist", "synchronous": 2, "busy_timeout": 30_000}
    other.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET kind = 'x'",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT study, sequence, 'x', payload, time, link FROM events",
        "REPLACE INTO events SELECT study, sequence, 'x', payload, time, link FROM events",
    ],
)
def test_history_cannot_be_rewritten(journal, statement):
    with pytest.raises(sqlite3.IntegrityError, match="append only"):
        journal._writer.execute(statement)


def message(path, **options):
    with pytest.raises((InvalidInput, JournalUnusable)) as caught:
        SqliteJournal(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_missing_file(tmp_path):
    assert "does not exist" in message(tmp_path / "none.ringtrue")


def test_existing_file_is_not_overwritten(journal):
    assert "choose another name" in message(journal.path, create=True)


def test_text_file(tmp_path):
    path = tmp_path / "text.ringtrue"
    path.write_text("not a database at all, just a long line of text " * 50)
    assert "ringtrue init" in message(path)


def test_another_sqlite_file(tmp_path):
    path = tmp_path / "other.db"
    sqlite3.connect(path).execute("CREATE TABLE t (a)").connection.close()
    assert "not a ringtrue study" in message(path)


def test_newer_format(journal):
    journal._writer.execute("PRAGMA user_version = 99")
    assert "upgrade ringtrue" in message(journal.path)


def test_unwritable_folder_is_one_line(tmp_path):
    assert "check the path" in message(tmp_path / "no" / "such" / "folder.ringtrue", create=True)


@pytest.mark.parametrize("left", ["nothing", "an empty file", "the table alone"])
def test_what_a_process_that_died_while_making_a_study_left_is_taken_over(tmp_path, left):
    path = tmp_path / "s.ringtrue"
    if left == "an empty file":
        path.touch()
    elif left == "the table alone":
        SqliteJournal(path, create=True).close()
    journal = SqliteJournal(path, create=True)
    assert journal.append("s", 0, [("note", {})]) == 1
    journal.close()
    assert "choose another name" in message(path, create=True)


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.95])
def test_a_file_cut_short_is_never_read_as_a_shorter_study(tmp_path, kept):
    path = tmp_path / "s.ringtrue"
    journal = SqliteJournal(path, create=True)
    for number in range(60):
        journal.append("s", number, [("note", {"text": "x" * 300})])
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(JournalUnusable) as caught, closing(SqliteJournal(path)) as cut:
        list(cut.read("s", 0))
    assert "\n" not in str(caught.value)
