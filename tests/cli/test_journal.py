"""`--journal postgresql://…`: a study under its name in a database, by every verb that makes or opens one."""

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import httpx
import pytest

from ringtrue.cli import _progress
from ringtrue.cli._main import VERBS, ringtrue
from ringtrue.journal import PostgresJournal
from ringtrue.report import _document
from support import PATIENCE, make_pool

CLAIM = "error <= 20% at 95%"


@pytest.fixture
def made(cli, database, tmp_path):
    """A study `loans` in a database, of forty items."""
    make_pool(tmp_path / "pool.csv")
    said = cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", CLAIM, "--journal", database)
    assert said.code == 0, said.err
    [following] = [shlex.split(line)[1:4] for line in said.out.splitlines() if line.startswith("next: ")]
    assert following == ["ringtrue", "risk", f"{database}#loans"], "as a shell reads it, ? and all"
    return ("--journal", database)


def test_a_study_is_made_asked_looked_at_reported_and_judged(cli, made, database, tmp_path):
    said = cli("risk", "loans", "--oracle", "truth", *made)
    assert said.code == 0, said.err
    assert "rings true" in said.out
    file = cli("risk", "alone", "--pool", "pool.csv", "--model", "predicted", "--claim", CLAIM, "--oracle", "truth")
    assert said.out.splitlines()[0] == file.out.splitlines()[0], "the same is asked and found as in a file"
    status = json.loads(cli("status", "loans", "--json", *made).out)
    assert status["study"] == f"{database}#loans"
    assert status["spending"] == json.loads(cli("status", "alone", "--json").out)["spending"]
    assert cli("amend", "loans", "0", "cat", *made).code == 0
    assert cli("release", "loans", *made).out == "nothing is out\n"
    assert cli("report", "loans", *made).code == 0
    assert (tmp_path / "loans.html").exists()
    assert not (tmp_path / "loans.ringtrue").exists()
    (tmp_path / "claims.toml").write_text(f'[[claim]]\nstudy = "loans"\nsays = "{CLAIM}"\n')
    assert cli("check", "claims.toml", *made).code == 0
    (tmp_path / "claims.toml").write_text(f'[[claim]]\nstudy = "{database}#loans"\nsays = "{CLAIM}"\n')
    assert cli("check", "claims.toml", *made).code == 0
    assert "type --journal 'postgresql:///test?host=" in cli("check", "claims.toml").line
    assert "a file of their own" in cli("check", "claims.toml", "--journal", "postgresql://elsewhere/db").line


def test_the_twin_of_a_large_study_has_its_name_alone_and_is_verified_where_the_user_says(
    cli, made, database, tmp_path, monkeypatch
):
    monkeypatch.setattr(_document, "LISTED", 2)
    assert cli("risk", "loans", "--oracle", "truth", *made).code == 0
    assert cli("report", "loans", *made).code == 0
    twin = tmp_path / "loans.json"
    assert json.loads(twin.read_text())["records"]["study"] == "loans"
    assert not [word for word in ("postgresql", "owner", "rt-pg-") if word in twin.read_text()]
    said = cli("report", "--verify", "loans.json")
    assert "report STUDY --verify loans.json" in said.line
    assert "'postgresql://HOST/DATABASE#loans'" in said.line
    for named in ((f"{database}#loans",), ("loans", *made)):
        said = cli("report", *named, "--verify", "loans.json")
        assert said.code == 0, said.err
        assert "agrees" in said.out


def test_an_address_and_a_name_in_one_are_the_same_study(cli, made, database):
    one, other = cli("status", f"{database}#loans"), cli("status", "loans", *made)
    assert (one.code, one.out) == (0, other.out)


def test_a_doctor_looks_at_a_study_and_lists_those_that_are_there(cli, made, database):
    one, other = cli("doctor", "loans", *made), cli("doctor", f"{database}#loans")
    assert (one.code, one.out) == (0, other.out)
    assert "the chain of all is sound" in one.out
    said = cli("doctor", database)
    assert said.code == 0, said.err
    assert "is a database with 1 study" in said.out
    assert "study: loans" in said.out
    typed = shlex.split(said.out.splitlines()[-1])
    assert cli(*typed[1:]).out == one.out
    assert json.loads(cli("doctor", database, "--json").out)["details"]["studies"] == ["loans"]
    assert "`ringtrue doctor ADDRESS` lists" in cli("status", database).line


def test_every_verb_that_opens_a_study_takes_a_journal():
    """But for those that copy and mend a file: a database has tools of its own."""
    takes = set()
    for verb in VERBS:
        command = ringtrue.get_command(click.Context(ringtrue), verb)
        takes |= {verb} if any("--journal" in one.opts for one in command.params) else set()
    assert set(VERBS) - takes == {"demo", "plan", "copy", "recover"}


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"user": "stranger"}, "name one that the server knows, in PGUSER or before the host"),
        ({"database": "nowhere"}, "check the name of the database"),
        ({"host": "/nowhere"}, "check the address and the server; what was acknowledged is safe"),
    ],
)
def test_a_server_that_lets_no_one_in_is_told_with_what_to_do(cli, postgres, change, remedy):
    said = cli("status", "loans", "--journal", postgres.address(**{"database": "test"} | change))
    assert said.code == 2
    assert remedy in said.line


def test_a_database_without_a_study_is_told_how_to_make_one(cli, database):
    for arguments in (("doctor", database), ("status", "loans", "--journal", database)):
        assert "holds no study yet: make one with `ringtrue init`" in cli(*arguments).line


def test_without_psycopg_the_extra_is_named(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for arguments in (("doctor", "postgresql://h/db"), ("status", "loans", "--journal", "postgresql://h/db")):
        said = cli(*arguments)
        assert said.code == 2
        assert said.line == "ringtrue: a journal in PostgreSQL needs psycopg: pip install 'ringtrue[postgres]'"


def test_a_server_without_a_connection_left(cli, made, database, postgres):
    postgres.run("CREATE ROLE guest LOGIN CONNECTION LIMIT 0")
    try:
        said = cli("status", "loans", "--journal", database.replace("owner@", "guest@"))
        assert "the server has no connection left" in said.line
    finally:
        postgres.run("DROP ROLE guest")


@pytest.mark.parametrize("name", ["a#b", "v@2", "50%41", "l'oan\"s ?&=;", "日本 語"])
def test_a_study_of_any_name_is_found_by_the_command_that_is_printed(cli, made, database, name):
    said = cli("init", name, "--pool", "pool.csv", "--model", "predicted", "--claim", CLAIM, *made)
    assert said.code == 0, said.err
    for line in (said.out.splitlines()[-1].removeprefix("next: "), cli("doctor", name, *made).out.splitlines()[-1]):
        _, _, place, *_ = shlex.split(line)
        found = cli("status", place)
        assert (found.code, found.out) == (0, cli("status", name, *made).out)
    assert name in json.loads(cli("doctor", database, "--json").out)["details"]["studies"]


def test_a_new_study_that_cannot_be_scanned_stays_in_a_database_and_that_is_said(cli, made, tmp_path):
    (tmp_path / "sure.csv").write_text("said,truth,sure\n" + "".join(f"a,a,0.{n}\n" for n in range(50, 90)))
    given = ("--pool", "sure.csv", "--model", "said", "--oracle", "truth", "--confidence", "sure", "--budget", "5")
    said = cli("risk", "s", *given, "--processes", "99999", *made)
    assert said.code == 2
    assert "study 's' is in the database all the same: go on with it, or take another name" in said.line
    assert cli("risk", "s", "--oracle", "truth", *made).code == 0


def test_the_journal_keeps_nothing_of_its_address(made, database):
    journal = PostgresJournal(database)
    texts = [row[2] for row in journal.rows("loans")]
    journal.close()
    assert not [text for text in texts if "postgresql" in text or "owner" in text]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("status", "other"), "no study 'other' is in this journal"),
        (("init", "loans", "--pool", "pool.csv", "--model", "predicted"), "study 'loans' exists: open it"),
        (("status", "a/loans"), "without folders"),
        (("status", "postgresql:///x#y"), "both name a journal"),
        (("move", "loans", "postgresql://h/db"), "is of the same kind as STUDY: move it into a file, and from there"),
    ],
)
def test_what_is_wrong_gets_one_line(cli, made, arguments, words):
    said = cli(*arguments, *made)
    assert said.code == 2
    assert words in said.line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("status", "loans", "--journal", "postgresql://me:hunter2@h/db"), "holds a password"),
        (("status", "postgresql://me:hunter2@h/db#loans"), "holds a password"),
        (("risk", "loans", "--journal", "postgresql://me:hunter2@h/db"), "holds a password"),
        (("move", "loans", "postgresql://me:hunter2@h/db"), "holds a password"),
        (("move", "loans", "POSTGRESQL://me@h/hunter2"), "is not one of PostgreSQL: write it like postgresql://HOST/"),
        (("move", "loans", "mysql://h/hunter2"), "is not one of PostgreSQL: write it like postgresql://HOST/DATABASE"),
        (("move", "loans", "postgresql://h/db#other"), "ends with the name of a study: leave out # and the name"),
        (("status", "loans", "--journal", "postgresql://h/db#loans"), "ends with the name of a study"),
        (("status", "loans", "--journal", "mysql://h/hunter2"), "is not one of PostgreSQL"),
        (("status", "postgresql://h/db"), "is not the name of a study"),
        (("status", "loans", "--journal", "loans.db"), "write it like postgresql://HOST/DATABASE"),
        (("copy", "postgresql://h/db#loans", "here"), "is in a database"),
        (("recover", "postgresql://h/db#loans"), "is in a database"),
        (("status", "POSTGRESQL://me:hunter2@h/db#loans"), "write it like postgresql://HOST/DATABASE#NAME"),
        (("status", "postgresql+psycopg://me:hunter2@h/db#loans"), "write it like postgresql://HOST/DATABASE#NAME"),
        (("status", "postgresql:/me:hunter2@h/db#loans"), "write it like postgresql://HOST/DATABASE#NAME"),
        (("report", "--verify", "loans.json", "--journal", "postgresql://h/db"), "give the name of the study too"),
    ],
)
def test_an_address_that_is_no_good_is_refused_before_anything_is_called(cli, loans, arguments, words):
    said = cli(*arguments)
    assert said.code == 2
    assert words in said.line
    assert "hunter2" not in said.line


def test_a_study_is_moved_there_and_back(cli, loans, database, tmp_path):
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    said = cli("move", "loans", database)
    assert said.code == 0, said.err
    assert "#loans: " in said.out
    assert "loans.ringtrue is sealed" in said.out
    sealed = cli("status", "loans")
    assert sealed.code == 0
    assert "it was moved to postgresql:///test" in sealed.out
    assert "it was moved to postgresql:///test" in cli("report", "loans").out
    Path("claims.toml").write_text('[[claim]]\nstudy = "loans.ringtrue"\nsays = "error <= 5% at 95%"\n')
    checked = cli("check", "claims.toml")
    assert checked.code == 1, "the answers before the move are still evidence"
    assert "what was answered there since was not looked at" in checked.out
    assert "was moved to" in cli("risk", "loans", "--oracle", "truth", "--budget", "99").line
    there = cli("risk", "loans", "--oracle", "truth", "--journal", database)
    assert there.code == 0, there.err
    assert cli("move", "loans", "back", "--journal", database).code == 0
    assert cli("risk", "back", "--oracle", "truth").out.splitlines()[0] == there.out.splitlines()[0]
    assert "is of the same kind" in cli("move", "back", "elsewhere").line


def test_a_doctor_sends_nobody_to_a_study_that_was_moved(cli, loans, database):
    assert "ringtrue risk loans.ringtrue" in cli("doctor", "loans.ringtrue").out
    assert cli("move", "loans", database).code == 0
    said = cli("doctor", "loans.ringtrue").out
    assert "it was moved to postgresql:///test" in said
    assert "ringtrue risk" not in said


@pytest.mark.parametrize("doing", ["reading the study", "writing the copy", "reading the copy"])
def test_an_interrupted_move_says_one_line_and_the_same_command_goes_on(cli, loans, database, monkeypatch, doing):
    monkeypatch.setattr("ringtrue.study._moving._TOLD", 1)
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    told = cli("risk", "loans", "--oracle", "truth").out
    there, back = ("move", "loans", database), ("move", "loans", "back", "--journal", database)
    for command, study in ((there, ("loans",)), (back, ("loans", "--journal", database))):
        with monkeypatch.context() as patched:
            patched.setattr(_progress.Preparing, "__call__", interrupt_at(doing))
            said = cli(*command)
        assert said.code == 130
        assert said.line == "interrupted: every recorded answer is kept; run the same command again to go on"
        assert "it was moved" not in cli("status", *study).out
        assert cli(*command).code == 0
    assert cli("risk", "back", "--oracle", "truth").out.splitlines()[0] == told.splitlines()[0]


def interrupt_at(doing):
    """Return what is told how far a move is, and interrupts it there."""

    def told(self, what, *_):
        if what == doing:
            raise KeyboardInterrupt

    return told


def test_people_answer_a_study_in_a_database_at_a_desk(cli, made, tmp_path):
    pytest.importorskip("starlette", reason="the extra `desk` is not installed")
    command = [sys.executable, "-c", "from ringtrue.cli import main; main()", "desk", "loans", "--port", "0", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    desk = subprocess.Popen([*command, "--rater", "ann", "--labels", "cat,dog", "--hide", "truth", *made], **pipes)
    try:
        told = json.loads(desk.stdout.readline())
        token = told["raters"]["ann"].rpartition("=")[2].rpartition("#")[2]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=told["url"], headers=headers, timeout=PATIENCE) as rater:
            [query] = rater.post("/api/ask", json={"n": 1}).json()["queries"]
            said = rater.post("/api/tell", json={"query": query["id"], "answer": "cat"}).json()
        assert said["saved"]
    finally:
        desk.send_signal(signal.SIGINT)
        _, err = desk.communicate(timeout=PATIENCE)
    assert desk.returncode in (0, 3), err
    assert "1 answer recorded" in cli("status", "loans", *made).out


def test_the_report_of_another_database_is_not_written_over(cli, made, database, postgres, tmp_path):
    postgres.run("CREATE DATABASE other")
    try:
        other = ("--journal", postgres.address("other"))
        assert cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", CLAIM, *other).code == 0
        assert cli("report", "loans", *other).code == 0
        before = (tmp_path / "loans.html").read_bytes()
        refused = cli("report", "loans", *made)
        assert refused.code == 2
        assert "'loans.html' is the report of another study of that name, kept elsewhere: give --out" in refused.line
        assert (tmp_path / "loans.html").read_bytes() == before
        assert cli("report", "loans", "--out", "mine.html", *made).code == 0
        assert cli("risk", "loans", "--oracle", "truth", *other).code == 0
        assert cli("report", "loans", *other).code == 0, "its own is written anew"
        assert (tmp_path / "loans.html").read_bytes() != before
    finally:
        postgres.run("DROP DATABASE other WITH (FORCE)")
