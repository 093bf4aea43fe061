"""PostgreSQL passes the published suite and keeps its own promises: durability, roles, secrets, clear errors."""

import os
import signal
import threading
import time
from contextlib import closing

import pytest

from ringtrue.core import InvalidInput, JournalConflict, JournalUnusable
from ringtrue.journal import (
    PostgresJournal,
    SqliteJournal,
    _postgres_link,
    _postgres_schema,
    address_and_name,
    check_address,
)
from ringtrue.testing import JournalConformance
from support import PATIENCE
from support.racers import make, racers
from support.wire import wire_to

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: no journal in PostgreSQL here")

NOTE = ("note", {"number": 1})


class TestPostgresJournal(JournalConformance):
    @pytest.fixture(autouse=True)
    def _server(self, postgres, database):
        self.server, self.database = postgres, database
        with wire_to(postgres.folder) as self.wire:
            yield

    def open(self, place):
        return PostgresJournal(self.database, create=True)

    def open_cut(self, place):
        return PostgresJournal(self.server.address("test", host=self.wire.folder), create=True), self.wire.cut


@pytest.fixture
def journal(database):
    with closing(PostgresJournal(database, create=True)) as made:
        made.append("s", 0, [NOTE])
        yield made


def kinds(journal):
    return [event.kind for event in journal.read("s", 0)]


@pytest.mark.parametrize(
    "statement",
    ["UPDATE ringtrue.events SET kind = 'x'", "DELETE FROM ringtrue.events", "TRUNCATE ringtrue.events"],
)
def test_a_row_cannot_be_changed_or_removed(journal, postgres, database, statement):
    with pytest.raises(psycopg.errors.RaiseException, match="append only"):
        postgres.run(statement, database="test")
    assert kinds(journal) == ["note"]


def test_a_role_that_may_only_write_and_read_works_on_studies_and_changes_none(journal, postgres, database):
    role = "rater"
    postgres.run(f"CREATE ROLE {role} LOGIN")
    address = postgres.address("test", user=role)
    with pytest.raises(JournalUnusable, match=r"permission denied.*let_write"):
        PostgresJournal(address)
    journal.let_write(role)
    with closing(PostgresJournal(address, create=True)) as limited:
        assert limited.append("s", 1, [NOTE]) == 2
        assert limited.append("t", 0, [NOTE]) == 1
        assert limited.append_alone("s", 0, lambda events: [NOTE] * len(list(events))) == 4
        assert limited.studies() == ["s", "t"]
        assert limited.history("s").events == 4
    for statement in (
        "UPDATE ringtrue.events SET kind = 'x'",
        "DELETE FROM ringtrue.events",
        "DROP TABLE ringtrue.meta",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            postgres.run(statement, database="test", user=role)


def test_what_was_changed_behind_its_back_is_noticed(journal, postgres, database):
    journal.append("s", 1, [NOTE, NOTE])
    postgres.run(
        "ALTER TABLE ringtrue.events DISABLE TRIGGER append_only",
        "UPDATE ringtrue.events SET payload = '{}' WHERE sequence = 2",
        database="test",
    )
    with pytest.raises(JournalUnusable, match="event 2 is not what was written"):
        list(journal.read("s", 0))
    postgres.run("DELETE FROM ringtrue.events WHERE sequence = 2", database="test")
    for after, missing in ((0, 2), (2, 2)):
        with pytest.raises(JournalUnusable, match=f"event {missing} is missing"):
            list(journal.read("s", after))


def test_a_long_study_is_read_a_few_events_at_a_time(journal, monkeypatch):
    """And as a whole all the same: whatever the number of events, of a page, and of those known before."""
    monkeypatch.setattr("ringtrue.journal._postgres._READ_TOGETHER", 4)
    asked, run = [], journal._link.run

    def counted(statement, values=None):
        found = run(statement, values)
        asked.append(len(found))
        return found

    for number in range(1, 10):
        journal.append("s", number, [("note", {"number": number + 1})])
        monkeypatch.setattr(journal._link, "run", counted)
        for after in range(number + 2):
            if after <= number + 1:
                found = [event.sequence for event in journal.read("s", after)]
                assert found == list(range(after + 1, number + 2))
        assert [row[0] for row in journal.rows("s")] == list(range(1, number + 2))
        monkeypatch.undo()
        monkeypatch.setattr("ringtrue.journal._postgres._READ_TOGETHER", 4)
    assert max(asked) == 5, "a page, and the event before it"


@pytest.mark.parametrize("gone", range(1, 10))
def test_what_was_removed_is_missed_wherever_a_page_ends(journal, postgres, monkeypatch, gone):
    monkeypatch.setattr("ringtrue.journal._postgres._READ_TOGETHER", 3)
    journal.append("s", 1, [NOTE] * 9)
    postgres.run(
        "ALTER TABLE ringtrue.events DISABLE TRIGGER append_only",
        f"DELETE FROM ringtrue.events WHERE sequence = {gone}",
        database="test",
    )
    with pytest.raises(JournalUnusable, match=f"event {gone} is missing"):
        list(journal.read("s", 0))


def test_what_was_changed_is_noticed_on_a_later_page(journal, postgres, monkeypatch):
    monkeypatch.setattr("ringtrue.journal._postgres._READ_TOGETHER", 3)
    journal.append("s", 1, [NOTE] * 9)
    postgres.run(
        "ALTER TABLE ringtrue.events DISABLE TRIGGER append_only",
        "UPDATE ringtrue.events SET payload = '{}' WHERE sequence = 8",
        database="test",
    )
    with pytest.raises(JournalUnusable, match="event 8 is not what was written"):
        list(journal.read("s", 0))


def test_the_hashes_are_those_of_a_study_file(journal, database, tmp_path):
    """What is brought to another journal keeps its times, so that its hash is the same; and it goes on alike."""
    journal.append("s", 1, [("other", {"text": "é\u2028\x00", "number": 1e22})])
    from ringtrue.journal import bring_to_file

    bring_to_file(tmp_path / "s.ringtrue", "s", journal.rows("s"), 1)
    with closing(SqliteJournal(tmp_path / "s.ringtrue")) as file:
        assert file.history("s") == journal.history("s")
        assert list(file.read("s", 0)) == list(journal.read("s", 0))
        assert list(file.rows("s")) == list(journal.rows("s"))


def test_the_time_is_the_servers_whatever_the_clocks_of_the_writers_say(journal, monkeypatch, postgres):
    [[before]] = postgres.run("SELECT extract(epoch FROM clock_timestamp())::float8")
    for skew in (-7200, 7200, 0):
        monkeypatch.setattr(time, "time", lambda skew=skew: before + skew)
        journal.append("s", journal.history("s").events, [NOTE])
    monkeypatch.undo()
    [[after]] = postgres.run("SELECT extract(epoch FROM clock_timestamp())::float8")
    times = [event.time for event in journal.read("s", 1)]
    assert times == sorted(times)
    assert before <= times[0] <= times[-1] <= after


def test_a_statement_that_never_arrived_is_sent_again_and_written_once(postgres, database):
    with wire_to(postgres.folder) as wire:
        address = postgres.address("test", host=wire.folder)
        with closing(PostgresJournal(address, create=True)) as journal:
            journal.append("s", 0, [NOTE])
            wire.cut(before=True)
            assert journal.append("s", 1, [("once", {})]) == 2
            wire.cut(b"SELECT sequence")
            assert kinds(journal) == ["note", "once"]
            wire.cut(b"COMMIT\0", before=True)
            with pytest.raises(JournalConflict, match="nothing was written"):
                journal.append_alone("s", 2, lambda _: [("lost", {})])
            assert kinds(journal) == ["note", "once"]
            assert wire.cuts == 3


def test_a_conflict_after_a_lost_reply_is_one(postgres, database):
    """Another writer came first while the connection was away."""
    with wire_to(postgres.folder) as wire, closing(PostgresJournal(database, create=True)) as other:
        with closing(PostgresJournal(postgres.address("test", host=wire.folder))) as journal:
            wire.cut(before=True)
            look = journal._is_written
            journal._is_written = lambda about: (other.append("s", 0, [("first", {})]), look(about))[1]
            with pytest.raises(JournalConflict):
                journal.append("s", 0, [NOTE])
        assert kinds(other) == ["first"]


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hunter2@host/db",
        "postgresql://me:@host/db",
        "postgresql://host/db?user=me&password=hunter2",
        "postgresql://host/db?sslpassword=hunter2",
        "postgresql://me:hunter2/x@host/db",
        "postgresql://me:hun#ter2@host/db",
        "postgresql://me:hun?ter2@host/db",
        "postgresql://me%3Ahunter2@host/db",
        "postgresql://host/db?PASSWORD=hunter2",
        "postgresql://host/db?%70assword=hunter2",
        "postgresql://host/db&password=hunter2",
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(address):
    with pytest.raises(InvalidInput, match=r"holds a password.*PGPASSFILE, PGSERVICE or PGPASSWORD") as caught:
        PostgresJournal(address)
    assert "ter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me@db.example:5433/x?sslmode=require", "postgresql://db.example:5433/x"),
        ("postgres://a:1,b:2/x", "postgresql://a:1,b:2/x"),
        ("postgresql:///x?host=/run/pg&port=6432&sslmode=require", "postgresql:///x?host=/run/pg&port=6432"),
        ("postgresql://?user=me&service=mine", "postgresql://?service=mine"),
        ("postgresql://me@[::1]/x", "postgresql://[::1]/x"),
        ("postgresql://[fe80::1]:5433,[::2],c:/x", "postgresql://[fe80::1]:5433,[::2],c:/x"),
    ],
)
def test_an_address_is_shown_without_its_user_and_other_settings_than_where_it_is(address, shown):
    assert check_address(address) == shown


@pytest.mark.parametrize("name", ["a#b", "v@2", "50%41", "l'oan\"s?&=", "日本 語"])
@pytest.mark.parametrize("address", ["postgresql://me@host/db", "postgresql:///db?host=/run/pg"])
def test_an_address_and_any_name_in_one_are_told_apart_again(address, name):
    assert address_and_name(f"{address}#{name}") == (address, name)


@pytest.mark.parametrize("address", ["postgresql://me:hun#ter2@host/db", "postgresql://me:12#ter2@host#loans"])
def test_no_part_of_a_password_is_taken_for_the_name_of_a_study(address):
    assert address_and_name(address) == (address, "")
    with pytest.raises(InvalidInput, match="holds a password"):
        check_address(address)


@pytest.mark.parametrize(
    "address", ["mysql://host/db", "postgresql://", "loans", "postgresql://[x/db", "postgresql://h/d#x", "host=h"]
)
def test_what_is_no_address_gets_one_line(address):
    with pytest.raises(InvalidInput, match="write it like postgresql://HOST/DATABASE"):
        check_address(address)


def test_a_password_of_the_environment_is_never_shown(monkeypatch, tmp_path):
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    with pytest.raises(JournalUnusable, match="check the address and the server") as caught:
        PostgresJournal(f"postgresql://me@/x?host={tmp_path}")
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_is_made_where_a_study_is_only_opened(database, postgres):
    with pytest.raises(InvalidInput, match="holds no study yet"):
        PostgresJournal(database)
    assert postgres.run("SELECT to_regnamespace('ringtrue')", database="test") == [(None,)]


def test_a_newer_format_is_refused(journal, database, postgres):
    postgres.run("UPDATE ringtrue.meta SET format = 9", database="test")
    with pytest.raises(JournalUnusable, match="has format 9, this ringtrue knows 1: upgrade ringtrue"):
        PostgresJournal(database)


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_lose_answers_is_refused(postgres, database, setting):
    postgres.run(f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
    try:
        wait_for(postgres, setting, "off")
        with pytest.raises(JournalUnusable, match=f"has {setting}=off and may lose what it acknowledged"):
            PostgresJournal(database, create=True)
    finally:
        postgres.run(f"ALTER SYSTEM RESET {setting}", "SELECT pg_reload_conf()")
        wait_for(postgres, setting, "on")


def wait_for(postgres, setting, value):
    """Wait for the server to look at its settings."""
    while postgres.run(f"SHOW {setting}") != [(value,)]:
        time.sleep(0.01)


def test_commits_are_durable_although_the_database_says_otherwise(postgres, database):
    """The setting is part of each transaction; it is looked at by a trigger, at the moment of writing."""
    postgres.run("ALTER DATABASE test SET synchronous_commit = off")
    with closing(PostgresJournal(database, create=True)) as journal:
        postgres.run(
            "CREATE TABLE seen (kept text)",
            "CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
            "CREATE TRIGGER look AFTER INSERT ON ringtrue.events FOR EACH STATEMENT EXECUTE FUNCTION look()",
            database="test",
        )
        journal.append("s", 0, [NOTE])
        journal.append_alone("s", 1, lambda _: [NOTE])
    assert postgres.run("SELECT kept FROM seen", database="test") == [("on",), ("on",)]


def test_a_lock_that_is_held_for_long_is_told_in_one_line(journal, database, monkeypatch):
    short, written = _postgres_link.begin, _postgres_schema.WRITE
    monkeypatch.setattr("ringtrue.journal._postgres.begin", lambda lock: short(lock).replace("30s", "50ms"))
    monkeypatch.setattr(_postgres_schema, "WRITE", written.replace("30s", "50ms"))
    held, over = threading.Event(), threading.Event()

    def hold(_):
        held.set()
        over.wait(PATIENCE)
        return []

    with closing(PostgresJournal(database)) as other:
        holder = threading.Thread(target=other.append_alone, args=("s", 1, hold))
        holder.start()
        held.wait(PATIENCE)
        with pytest.raises(JournalUnusable, match="another process works on the study for long"):
            journal.append_alone("s", 1, lambda _: [NOTE])
        with pytest.raises(JournalUnusable, match="another process works on the study for long: wait") as caught:
            journal.append("s", 1, [NOTE])
        assert "\n" not in str(caught.value)
        assert journal.append("t", 0, [NOTE]) == 1, "other studies do not wait"
        over.set()
        holder.join(PATIENCE)
        assert journal.append_alone("s", 1, lambda _: [NOTE]) == 2


def test_listeners_hear_of_an_append(journal, database):
    with psycopg.connect(database, autocommit=True) as listener:
        listener.execute("LISTEN ringtrue")
        journal.append("s", 1, [NOTE, NOTE])
        [heard] = listener.notifies(timeout=PATIENCE, stop_after=1)
    assert heard.payload == "s:3"


def test_nothing_is_left_in_the_session(journal, database):
    """A proxy may give each transaction another session: no prepared statement, no lock, no setting stays."""
    journal.append_alone("s", 1, lambda _: [NOTE])
    run = journal._link.run
    assert run("SELECT count(*) FROM pg_prepared_statements") == [(0,)]
    assert run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()") == [(0,)]
    assert run("SHOW lock_timeout") == [("0",)]


def test_two_processes_make_one_study(database, tmp_path):
    """One makes it, and the tables; the others are told that it exists."""
    with racers(3, make, database, folder=tmp_path) as pipes:
        assert [pipe.recv() for pipe in pipes] == ["ready"] * 3
        for turn in range(3):
            for pipe in pipes:
                pipe.send(f"race-{turn}")
            said = [pipe.recv() for pipe in pipes]
            assert said.count("made") == 1, said
            assert sum(f"study 'race-{turn}' exists: open it, or choose another name" in out for out in said) == 2, said
        for pipe in pipes:
            pipe.send(None)


def test_one_connection_too_many_is_told_in_one_line(journal, database, postgres):
    [[most]] = postgres.run("SELECT current_setting('max_connections')::int")
    held = []

    def fill():
        for _ in range(most):
            held.append(PostgresJournal(database))

    try:
        with pytest.raises(
            JournalUnusable, match="too many clients already: the server has no connection left"
        ) as caught:
            fill()
    finally:
        for one in held:
            one.close()
    assert "\n" not in str(caught.value)
    assert journal.append("s", 1, [NOTE]) == 2, "who was connected goes on"


def test_a_statement_that_the_server_ends_is_no_lost_connection(journal, postgres):
    sleeps = "BEGIN PERFORM pg_sleep(600); RETURN NULL; END"
    postgres.run(
        f"CREATE FUNCTION ringtrue.slow() RETURNS trigger LANGUAGE plpgsql AS $$ {sleeps} $$",
        "CREATE TRIGGER slow AFTER INSERT ON ringtrue.events FOR EACH STATEMENT EXECUTE FUNCTION ringtrue.slow()",
        database="test",
    )
    journal._link.run("SET statement_timeout = 300")
    with pytest.raises(JournalUnusable, match="canceling statement due to statement timeout"):
        journal.append("s", 1, [NOTE])
    journal._link.run("RESET statement_timeout")
    assert kinds(journal) == ["note"]


@pytest.fixture
def ctrl_c():
    """Ctrl-C does what it does at a terminal, where a shell's background job ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_while_it_waits_for_the_server_leaves_nothing_behind(journal, postgres, database, alone):
    held, over = threading.Event(), threading.Event()

    def hold(_):
        held.set()
        over.wait(PATIENCE)
        return [("held", {})]

    def interrupt():
        waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'test' AND wait_event = 'advisory'"
        end = time.monotonic() + PATIENCE
        while postgres.run(waits) == [(0,)] and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    with closing(PostgresJournal(database)) as other:
        holder = threading.Thread(target=other.append_alone, args=("s", 1, hold))
        holder.start()
        held.wait(PATIENCE)
        threading.Thread(target=interrupt).start()
        try:
            with pytest.raises(KeyboardInterrupt):
                journal.append_alone("s", 1, lambda _: [NOTE]) if alone else journal.append("s", 1, [NOTE])
        finally:
            over.set()
            holder.join(PATIENCE)
    assert kinds(journal) == ["note", "held"]
    assert journal.append("s", 2, [NOTE]) == 3


def test_who_stands_still_with_the_lock_loses_it_and_writes_nothing(journal, database, monkeypatch):
    """Its transaction is ended by the server; so nobody waits for a process that hangs."""
    usual = _postgres_link.begin
    monkeypatch.setattr("ringtrue.journal._postgres.begin", lambda lock: usual(lock).replace("20s", "50ms"))

    with closing(PostgresJournal(database)) as other:

        def hangs(_):
            assert other.append_alone("s", 1, lambda _: [("other", {})]) == 2, "it waited until the lock was free"
            return [("late", {})]

        with pytest.raises(JournalConflict, match="nothing was written"):
            journal.append_alone("s", 1, hangs)
    assert kinds(journal) == ["note", "other"]
