"""The study is one file: it is noticed when it goes away, copied while it is in use, and read without writing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from earlier.files import UNCHAINED
from ringtrue.core import InvalidInput, JournalUnusable
from ringtrue.journal import SqliteJournal, copy_journal
from support import PATIENCE
from support.racers import make, racers
from support.reading import READERS, open_place


@pytest.fixture
def journal(tmp_path):
    made = SqliteJournal(tmp_path / "s.ringtrue", create=True)
    made.append("s", 0, [("note", {"number": number}) for number in range(5)])
    yield made
    made.close()


@pytest.fixture
def old(tmp_path):
    """A file of the first format, with a write-ahead log, as its process left it when it was killed."""
    made = tmp_path / "made" / "old.ringtrue"
    made.parent.mkdir()
    connection = sqlite3.connect(made, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(UNCHAINED)
    for number in range(1, 8):
        row = ("s", number, "note", json.dumps({"number": number}), 1_700_000_000.5 + number)
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
    path = tmp_path / "old.ringtrue"
    for ending in ("", "-wal"):
        shutil.copyfile(f"{made}{ending}", f"{path}{ending}")
    connection.close()
    return path


def numbers(journal):
    return [event.payload["number"] for event in journal.read("s", 0)]


@pytest.mark.parametrize("change", ["moved", "deleted", "replaced"])
def test_a_file_that_goes_away_stops_the_writer(journal, tmp_path, change):
    if change == "moved":
        journal.path.rename(tmp_path / "elsewhere.ringtrue")
    elif change == "deleted":
        journal.path.unlink()
    else:
        shutil.copyfile(journal.path, tmp_path / "other")
        (tmp_path / "other").replace(journal.path)
    with pytest.raises(JournalUnusable, match="moved, deleted or replaced") as caught:
        journal.append("s", 5, [("note", {"number": 5})])
    assert "\n" not in str(caught.value)
    if change == "moved":
        moved = SqliteJournal(tmp_path / "elsewhere.ringtrue")
        assert numbers(moved) == list(range(5))
        moved.close()
        (tmp_path / "elsewhere.ringtrue").rename(journal.path)
        assert journal.append("s", 5, [("note", {"number": 5})]) == 6, "it was brought back"


def test_a_file_that_goes_away_during_the_commit_is_noticed_before_the_answer_is_acknowledged(journal, tmp_path):
    journal._writer.set_trace_callback(
        lambda statement: journal.path.rename(tmp_path / "away") if statement == "COMMIT" else None
    )
    with pytest.raises(JournalUnusable, match="holds every acknowledged answer"):
        journal.append("s", 5, [("note", {"number": 5})])
    journal._writer.set_trace_callback(None)


def test_a_folder_may_be_changed_meanwhile(journal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = SqliteJournal("s.ringtrue")
    monkeypatch.chdir("/")
    assert here.append("s", 5, [("note", {"number": 5})]) == 6
    here.close()


def test_nothing_stays_beside_a_file_that_is_closed(tmp_path):
    journal = SqliteJournal(tmp_path / "s.ringtrue", create=True)
    journal.append("s", 0, [("note", {})])
    journal.close()
    assert [found.name for found in tmp_path.iterdir()] == ["s.ringtrue"]


def test_copies_made_while_others_write_are_sound_and_hold_what_was_acknowledged(journal, tmp_path):
    acknowledged, stop = [5], threading.Event()

    def write():
        while not stop.is_set() and acknowledged[0] < 3_000:
            acknowledged[0] = journal.append("s", acknowledged[0], [("note", {"number": acknowledged[0]})])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(10):
            before = acknowledged[0]
            copied = copy_journal(journal.path, tmp_path / f"copy-{number}.ringtrue")
            assert before <= copied <= acknowledged[0] + 1
            opened = SqliteJournal(tmp_path / f"copy-{number}.ringtrue")
            assert numbers(opened) == list(range(copied))
            opened.close()
    finally:
        stop.set()
        writer.join(timeout=PATIENCE)


def test_a_copy_by_hand_while_others_write_is_refused_or_holds_what_was_acknowledged(journal, tmp_path):
    """`cp` may tear the file; then the chain says so."""
    acknowledged, stop = [5], threading.Event()

    def write():
        while not stop.is_set() and acknowledged[0] < 3_000:
            note = {"number": acknowledged[0], "text": "x" * 500}
            acknowledged[0] = journal.append("s", acknowledged[0], [("note", note)])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            before = acknowledged[0]
            subprocess.run(["cp", journal.path, tmp_path / "copy.ringtrue"], check=True, timeout=PATIENCE)
            try:
                with closing(SqliteJournal(tmp_path / "copy.ringtrue")) as opened:
                    found = numbers(opened)
            except JournalUnusable:
                continue
            assert found == list(range(len(found)))
            assert len(found) >= before
    finally:
        stop.set()
        writer.join(timeout=PATIENCE)


def test_a_copy_never_overwrites(journal, tmp_path):
    (tmp_path / "there.ringtrue").write_text("mine")
    with pytest.raises(InvalidInput, match="choose another name"):
        copy_journal(journal.path, tmp_path / "there.ringtrue")
    with pytest.raises(InvalidInput, match="choose another place"):
        copy_journal(journal.path, tmp_path / "no" / "folder.ringtrue")
    assert (tmp_path / "there.ringtrue").read_text() == "mine"


def test_an_old_file_is_read_as_it_is_and_gets_its_chain_with_the_next_write(old):
    journal = SqliteJournal(old)
    assert numbers(journal) == list(range(1, 8))
    assert journal.history("s") == (7, None, None)
    times = [event.time for event in journal.read("s", 0)]
    assert journal.append("s", 7, [("note", {"number": 8})]) == 8
    assert journal.history("s")[::2] == (8, 8)
    journal.close()
    assert not Path(f"{old}-wal").exists()
    again = SqliteJournal(old)
    assert numbers(again) == list(range(1, 9))
    assert [event.time for event in again.read("s", 0)][:7] == times
    again.close()
    connection = sqlite3.connect(old)
    connection.execute("DROP TRIGGER events_are_never_changed")
    connection.execute("UPDATE events SET payload = '{}' WHERE sequence = 3")
    connection.commit()
    connection.close()
    with (
        closing(SqliteJournal(old)) as changed,
        pytest.raises(JournalUnusable, match="event 3 is not what was written"),
    ):
        list(changed.read("s", 0))


def test_an_old_file_waits_for_all_who_have_it_open_before_it_is_changed(old, monkeypatch):
    monkeypatch.setattr("ringtrue.journal._connect.BUSY_SECONDS", 0.1)
    one, other = SqliteJournal(old), SqliteJournal(old)
    with pytest.raises(JournalUnusable, match="another process holds it: wait"):
        one.append("s", 7, [("note", {"number": 8})])
    assert numbers(one) == numbers(other) == list(range(1, 8))
    other.close()
    assert one.append("s", 7, [("note", {"number": 8})]) == 8
    one.close()


READ = """
import sys
from ringtrue.journal import SqliteJournal
journal = SqliteJournal(sys.argv[1])
print(sum(1 for _ in journal.read("s", 0)))
journal.close()
"""


@pytest.fixture
def there():
    """A folder for a study that is only read, and one for who reads it."""
    with open_place() as (folder, elsewhere):
        yield folder, elsewhere


def laid(path, there):
    """A copy of a study file, with what lies beside it, where it is only read."""
    for ending in ("", "-journal", "-wal"):
        if os.path.exists(f"{path}{ending}"):
            shutil.copyfile(f"{path}{ending}", there[0] / f"{path.name}{ending}")
    return there[0] / path.name


def count_read(reader, path, there):
    """How many events are read of a file where nothing can be written; nothing there may change, nor appear."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    done = READERS[reader](path.parent, [sys.executable, "-c", READ, path], there[1])
    assert done.returncode == 0, done.stderr
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    return int(done.stdout)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_is_read_where_nothing_can_be_written(journal, there, reader):
    assert count_read(reader, laid(journal.path, there), there) == 5


@pytest.mark.parametrize("reader", READERS)
def test_it_is_read_there_although_its_process_died_in_the_middle_of_a_commit(journal, there, reader):
    """What lies beside is needed to take the half commit back; who may not write reads a copy."""
    journal._writer.execute("PRAGMA cache_size = 1")  # so that the file itself is written to before the commit
    journal._writer.execute("BEGIN IMMEDIATE")
    journal._writer.execute("CREATE TABLE half (text)")
    journal._writer.executemany("INSERT INTO half VALUES (?)", [("x" * 3_000,)] * 50)
    dead = laid(journal.path, there)
    journal._writer.execute("ROLLBACK")
    assert count_read(reader, dead, there) == 5
    own = SqliteJournal(dead)
    assert numbers(own) == list(range(5))
    own.close()


@pytest.mark.parametrize("reader", READERS)
def test_an_old_file_is_read_where_nothing_can_be_written(old, there, reader):
    assert count_read(reader, laid(old, there), there) == 7


def test_two_processes_make_one_study(tmp_path):
    """One makes it; the others are told that it exists."""
    with racers(3, make, folder=tmp_path) as pipes:
        assert [pipe.recv() for pipe in pipes] == ["ready"] * 3
        for turn in range(5):
            for pipe in pipes:
                pipe.send(str(tmp_path / f"race-{turn}.ringtrue"))
            said = [pipe.recv() for pipe in pipes]
            assert said.count("made") == 1, said
            assert sum("exists: open it, or choose another name" in out for out in said) == 2, said
        for pipe in pipes:
            pipe.send(None)
