"""`copy`, `recover` and `release` from the command line: what they say, and what they leave behind."""

import json
import sqlite3

import pytest

from ringtrue.study import Study
from support import make_pool


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
    refused = cli("release", "loans")
    assert refused.code == 2
    assert "2 queries out: give --yes" in refused.err
    for query in asked:
        assert f"{query.item.id}: with somewhere/1.1/0 until 20" in refused.out
    done = cli("release", "loans", "--yes")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "2 queries given back"
    assert "0 out, 2 waiting to be offered again" in cli("status", "loans").out
