"""Names that no file can have, on every verb that takes one: one line, and nothing unexpected."""

import json

import pytest

from ringtrue.cli._place import Place
from ringtrue.study import Study
from support import make_pool

NAMES = {"5,000 letters": "n" * 5_000, "a NUL": "a\0b", "a long path": "d/" * 2_500 + "s", "wide letters": "ü" * 140}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_that_no_file_can_have(cli, loans, tmp_path, name):
    make_pool(tmp_path / "pool.csv")
    for arguments in (
        ("init", name, "--pool", "pool.csv", "--model", "predicted"),
        ("risk", name, "--oracle", "truth"),
        ("changed", name, "--old", "pool.csv", "--model", "predicted", "--error", "5%"),
        ("changed", name),
        ("worst", name),
        ("blind", name, "--pool", "pool.csv", "--model", "predicted", "--oracle", "truth", "--budget", 5),
        ("status", name),
        ("report", name),
        ("copy", name, "other"),
        ("copy", "loans", name),
        ("recover", name),
        ("recover", "loans", "--out", name),
    ):
        said = cli(*arguments)
        assert said.code == 2, arguments[0]
        assert "unexpected" not in said.line
        assert len(said.line) < 300
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loans.ringtrue", "pool.csv"]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_other_file(cli, loans, name):
    for arguments in (
        ("init", "s", "--pool", f"{name}.csv", "--model", "predicted"),
        ("changed", "s", "--old", f"{name}.csv", "--model", "predicted", "--error", "5%"),
        ("judges", f"{name}.csv"),
        ("report", "--verify", f"{name}.json"),
        ("report", "loans", "--out", f"{name}.html"),
        ("check", f"{name}.toml"),
        ("worst", "s", "--space", f"{name}.toml", "--oracle", "a:b", "--model", "a:b", "--budget", 3),
    ):
        said = cli(*arguments)
        assert said.code == 2, arguments[0]
        assert "unexpected" not in said.err, said.err
        assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5_000])
def test_a_report_that_is_made_to_harm(cli, tmp_path, value):
    (tmp_path / "r.json").write_text(f'{{"format": {value}}}')
    said = cli("report", "--verify", "r.json")
    assert said.code == 2
    assert "r.json" in said.line
    assert "unexpected" not in said.line
    (tmp_path / "votes.csv").write_text("a,b,c\n" + "x,x,y\ny,y,x\n" * 20)
    (tmp_path / "stream.jsonl").write_text(json.dumps({"a": "x"}) + f'\n{{"a": {value}}}\n')
    said = cli("judges", "votes.csv", "--follow", "stream.jsonl")
    assert said.code == 2
    assert "line 2" in said.err.splitlines()[-1], said.err
    assert "unexpected" not in said.err


@pytest.mark.parametrize("names", [("v1.2", "v1.3"), ("v1.2.ringtrue", "v1.3.ringtrue"), ("loans.may", "loans.june")])
def test_nothing_beside_a_study_or_in_it_has_the_name_of_anothers(cli, tmp_path, names):
    """Reports, items, paid calls and what is recovered; and the queries, by which a sheet finds its study."""
    make_pool(tmp_path / "pool.csv")
    for name in names:
        assert cli("init", name, "--pool", "pool.csv", "--model", "predicted").code == 0
    one, other = (Place.of(name) for name in names)
    for ending in (".html", "-items.jsonl", "-calls.jsonl"):
        assert one.beside(ending) != other.beside(ending)
    queries = []
    for name in names:
        assert cli("report", name).code == 0
        assert cli("recover", name).code == 0
        with Study.open(name, pool="pool.csv", model="predicted") as study:
            queries.append(study.ask(1)[0].id)
    assert queries[0] != queries[1]
    assert len(list(tmp_path.glob("*.html"))) == 2
    assert len(list(tmp_path.glob("*-recovered.ringtrue"))) == 2
