"""`copy`, `recover` and `release` from the command line: what they say, and what they leave behind."""

import json
import sqlite3

import pytest

from ringtrue.journal import SqliteJournal
from ringtrue.study import Study
from ringtrue.study._leases import new_holder
from support import make_pool
from support.worst_desk import lay_desk


@pytest.fixture
def bought(cli, tmp_path):
    """A study with 30 labels."""
    make_pool(tmp_path / "pool.csv", 200, 20)
    cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--budget", "30")
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    return tmp_path


def test_a_copy_is_a_study(cli, bought):
    said = cli("copy", "loans", "backup")
    assert said.code == 0
    assert "all sound" in said.out
    assert cli("status", "backup").out == cli("status", "loans").out
    again = cli("copy", "loans", "backup")
    assert again.code == 2
    assert "exists: choose another name" in again.line


def test_a_damaged_study_is_named_and_what_is_sound_is_saved(cli, bought):
    with sqlite3.connect(bought / "loans.ringtrue") as base:
        base.execute("DROP TRIGGER events_are_never_changed")
        base.execute("UPDATE events SET payload = replace(payload, 'cat', 'dog') WHERE sequence = 20")
    base.close()
    for verb in (["status", "loans"], ["report", "loans"], ["risk", "loans", "--oracle", "truth"]):
        said = cli(*verb)
        assert said.code == 2
        assert "event 20 is not what was written: restore a copy, or save what is sound" in said.line
    saved = cli("recover", "loans", "--json")
    assert saved.code == 0
    assert json.loads(saved.out)["events"] == 19
    assert json.loads(saved.out)["lost_events"][0] == 20
    assert cli("status", "loans-recovered").code == 0


def test_what_is_out_is_listed_and_given_back(cli, bought):
    assert cli("release", "loans").out == "nothing is out\n"
    with Study.open(bought / "loans.ringtrue", pool=bought / "pool.csv", model="predicted") as study:
        study.set_budget(study.status().answered + 2)
        asked = study.ask(2, rater="somewhere/1.1/0")
    done = cli("release", "loans")
    assert done.code == 0
    for query in asked:
        assert f"{query.item.id}: with somewhere/1.1/0 until 20" in done.out
    assert done.out.splitlines()[-1] == "2 queries given back"
    assert "0 out, 2 waiting to be offered again" in cli("status", "loans").out


def test_what_a_run_here_is_at_work_on_stays_with_it(cli, bought):
    with Study.open(bought / "loans.ringtrue", pool=bought / "pool.csv", model="predicted") as study:
        study.set_budget(study.status().answered + 1)
        study.ask(1, rater=new_holder())
    said = cli("release", "loans")
    assert "at work on this machine" in said.out
    assert said.out.splitlines()[-1] == "0 queries given back"
    with Study.open(bought / "loans.ringtrue") as study:
        assert len(study.leases) == 1


MAKING = {
    "init": "init s --pool pool.csv --model said",
    "changed": "changed s --old pool.csv --answer said --truth none --model truth --budget 4",
    "worst": "worst s --space space.toml --model desk:model --oracle desk:gold --budget 4",
    "blind": "blind s --pool pool.csv --model said --confidence sure --oracle truth --budget 4 --distance none",
    "judges": "judges pool.csv --judges said --study s --oracle truth --budget 4",
}


@pytest.mark.parametrize("left", ["nothing", "tables"])
@pytest.mark.parametrize("verb", MAKING)
def test_a_study_whose_maker_died_is_made_by_the_same_command(cli, tmp_path, verb, left):
    lines = [f"i{n},yes,{'yes' if n % 5 else 'no'},0.9" for n in range(40)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,said,truth,sure", *lines]) + "\n")
    lay_desk(tmp_path)
    path, command = tmp_path / "s.ringtrue", MAKING[verb].split()
    if left == "tables":
        SqliteJournal(path, create=True).close()
    else:
        path.touch()
    said = cli(*command)
    assert said.code in (0, 1, 3), said.err
    with Study.open(path) as study:
        assert study.status().answered == (0 if verb == "init" else 4)
    again = cli(*command)
    if verb == "init":
        assert "exists: open it, or choose another name" in again.line
    else:
        assert again.code == said.code
        with Study.open(path) as study:
            assert study.status().answered == 4


@pytest.mark.parametrize("content", ["id,predicted", "", "SQLite format 3\0"])
def test_a_file_that_is_not_a_study_is_not_taken_for_one_that_was_being_made(tmp_path, content):
    path = tmp_path / "s.ringtrue"
    path.write_text(content)
    assert SqliteJournal.is_unmade(path) is (content == "")
    with sqlite3.connect(tmp_path / "other.db") as base:
        base.execute("CREATE TABLE events (x)")
        base.execute("INSERT INTO events VALUES (1)")
    base.close()
    assert not SqliteJournal.is_unmade(tmp_path / "other.db")
