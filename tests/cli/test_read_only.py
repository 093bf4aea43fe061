"""What only reads works where nothing can be written: `status`, `check`, `report` to another place, and `--verify`."""

import json
import sys

import pytest

from support import make_pool
from support.reading import READERS, open_place

pytestmark = pytest.mark.usefixtures("undrawn")

# Several commands in one process: to start Python takes longer than most of them. Nobody looks at where words of the
# drawings stand. Prints what each did.
RINGTRUE = """
import contextlib, io, json, sys
from matplotlib.layout_engine import ConstrainedLayoutEngine
from ringtrue.cli._main import run
ConstrainedLayoutEngine.execute = lambda *_: None
done = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run(words)
    done.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


def reads(reader, there, elsewhere, *commands):
    """Run commands as a reader; return the code of each, and what it wrote on either stream."""
    words = json.dumps([[str(word) for word in command] for command in commands])
    done = READERS[reader](there, [sys.executable, "-c", RINGTRUE, words], elsewhere)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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

    commands = (
        status,
        check,
        ("report", there / "loans", "--out", elsewhere / "report.html"),
        ("report", "--verify", there / "loans.json"),
    )
    would_write = ("risk", there / "loans", "--oracle", "truth", "--budget", "20"), ("report", there / "loans")
    every = reads(reader, there, elsewhere, *commands, *would_write)
    done, refused = every[: len(commands)], every[len(commands) :]
    assert [(code, err) for code, _, err in done] == [(0, "")] * len(commands)
    assert json.loads(done[0][1]) == json.loads(cli(*status).out)
    assert json.loads(done[1][1]) == json.loads(cli(*check).out)
    assert told((elsewhere / "report.json").read_text()) == told(before["loans.json"])
    assert {file.name: file.read_bytes() for file in there.iterdir()} == before
    for code, _, err in refused:
        assert code == 2
        assert len(err.splitlines()) == 1, err
        assert "unexpected" not in err
