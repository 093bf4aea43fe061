"""`ringtrue check`: the gate. Its exit code is what a pipeline believes."""

import json

import pytest

from ringtrue.cli._main import run
from support import CountingOracle, make_study


@pytest.fixture
def studies(tmp_path):
    """Three studies: of a good model, of a bad one and one that has asked nothing yet."""
    for name, failing in (("good", 0), ("bad", 38), ("new", 4)):
        folder = tmp_path / name
        folder.mkdir()
        with make_study(folder, failing=failing) as study:
            if name != "new":
                study.run(CountingOracle())
    return tmp_path


def claims(folder, *names, says="error <= 20% at 95%"):
    path = folder / "claims.toml"
    path.write_text("".join(f'[[claim]]\nstudy = "{name}/study.ringtrue"\nsays = "{says}"\n' for name in names))
    return path


@pytest.mark.parametrize(
    ("names", "code", "verdict"),
    [
        (["good"], 0, "rings true"),
        (["bad"], 1, "rings false"),
        (["new"], 3, "not yet known"),
        (["good", "good"], 0, "rings true"),
        (["good", "new"], 3, "not yet known"),
        (["new", "bad"], 1, "rings false"),
        (["bad", "new", "good"], 1, "rings false"),
    ],
)
def test_the_worst_verdict_decides(cli, studies, names, code, verdict):
    said = cli("check", claims(studies, *names))
    assert (said.code, said.err) == (code, "")
    assert len(said.out.splitlines()) == len(names) + (len(names) > 1)
    made = json.loads(cli("check", "claims.toml", "--json").out)
    assert made["verdict"] == verdict
    assert [entry["study"] for entry in made["claims"]] == [f"{name}/study.ringtrue" for name in names]


def test_studies_lie_beside_the_file_wherever_it_is_called_from(studies, monkeypatch):
    path = claims(studies, "good")
    (studies / "elsewhere").mkdir()
    monkeypatch.chdir(studies / "elsewhere")
    assert run(["check", str(path)]) == 0


def test_it_buys_and_changes_nothing(cli, studies):
    before = (studies / "new" / "study.ringtrue").read_bytes()
    cli("check", claims(studies, "new"))
    assert (studies / "new" / "study.ringtrue").read_bytes() == before


def test_a_stronger_claim_than_the_studys_own_is_judged_as_it_is_written(cli, studies):
    assert cli("check", claims(studies, "good", says="error <= 1% at 95%")).code == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["holds no claim", "[[claim]]"]),
        (b"[[claim]", ["is not TOML", "[[claim]]"]),
        (b'claim = "x"', ["holds no claim"]),
        (b"claim = []", ["holds no claim"]),
        (b"claim = [1]", ["claim 1 is not a table"]),
        (b"[claims]\nx = 1", ["unknown key 'claims'", "[[claim]]"]),
        (b'title = "x"\n[[claim]]\nstudy = "a"\nsays = "error <= 5%"', ["unknown key 'title'"]),
        (b'[[claim]]\nstudy = "a"\nsays = "error <= 5%"\nlevel = 3', ["claim 1", "unknown key 'level'"]),
        (b'[[claim]]\nstudy = "a"', ["claim 1 has no 'says'"]),
        (b'[[claim]]\nsays = "error <= 5%"', ["claim 1 has no 'study'"]),
        (b'[[claim]]\nstudy = "a"\nsays = 5', ["says=5", "must be a text"]),
        (b'[[claim]]\nstudy = ""\nsays = "error <= 5%"', ["study=''", "must be a text"]),
        (b'[[claim]]\nstudy = "a"\nsays = "mostly fine"', ["claim 1", "'mostly fine' cannot be read"]),
        (b'[[claim]]\nstudy = "a"\nsays = "\xff"', ["not UTF-8 at byte", "save it as UTF-8"]),
        (b'[[claim]]\nstudy = "gone"\nsays = "error <= 5%"', ["gone.ringtrue", "does not exist"]),
    ],
)
def test_a_file_that_cannot_be_judged_is_no_verdict(cli, tmp_path, content, words):
    (tmp_path / "claims.toml").write_bytes(content)
    said = cli("check", "claims.toml")
    assert said.code == 2
    assert all(word in said.line for word in words), said.line


def test_a_missing_file_a_folder_and_an_unknown_question(cli, studies):
    assert "does not exist" in cli("check", "nowhere.toml").line
    assert "cannot be read" in cli("check", ".").line
    path = claims(studies, "good")
    path.write_text(path.read_text() + 'question = "speed"\n')
    said = cli("check", path)
    assert said.code == 2
    assert "'speed'" in said.line
    assert "risk" in said.line


def test_one_broken_claim_among_good_ones_fails_the_whole(cli, studies):
    path = claims(studies, "good", "gone")
    assert cli("check", path).code == 2
