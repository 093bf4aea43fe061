"""What only reads works where nothing can be written: `status`, `check`, `report` to another place, and `--verify`."""

import json
import sys

import pytest

from support import make_pool
from support.reading import READERS, open_place

RINGTRUE = [sys.executable, "-c", "from ringtrue.cli import main; main()"]


@pytest.fixture
def places(cli):
    """A folder with a study that has answers, its pool, a report on it and a claims file; and one for who reads it."""
    with open_place() as (there, elsewhere):
        make_pool(there / "pool.csv")
        study = there / "loans"
        assert cli("init", study, "--pool", there / "pool.csv", "--model", "predicted", "--budget", 10).code == 0
        assert cli("risk", study, "--oracle", "truth").code == 0
        assert cli("report", study).code == 0
        (there / "claims.toml").write_text('[[claim]]\nstudy = "loans"\nsays = "error <= 90% at 95%"\n')
        yield there, elsewhere


def told(text):
    """What a report tells, but for when it was written."""
    return {key: value for key, value in json.loads(text).items() if key not in ("written", "hashes")}


@pytest.mark.parametrize("reader", READERS)
def test_looking_checking_reporting_and_verifying(reader, places, cli):
    there, elsewhere = places
    status, check = ("status", there / "loans", "--json"), ("check", there / "claims.toml", "--json")
    before = {file.name: file.read_bytes() for file in there.iterdir()}

    def read(*words):
        done = READERS[reader](there, [*RINGTRUE, *words], elsewhere)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    assert json.loads(read(*status)) == json.loads(cli(*status).out)
    assert json.loads(read(*check)) == json.loads(cli(*check).out)
    read("report", there / "loans", "--out", elsewhere / "report.html")
    assert told((elsewhere / "report.json").read_text()) == told(before["loans.json"])
    read("report", "--verify", there / "loans.json")
    assert {file.name: file.read_bytes() for file in there.iterdir()} == before


@pytest.mark.parametrize("reader", READERS)
def test_what_would_write_there_says_so_in_one_line(reader, places):
    there, elsewhere = places
    for words in (("risk", there / "loans", "--oracle", "truth", "--budget", "20"), ("report", there / "loans")):
        done = READERS[reader](there, [*RINGTRUE, *words], elsewhere)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "unexpected" not in done.stderr
