"""`--show-model`: what the model says is hidden from functions and people, on every verb that asks an oracle."""

import json

import pytest

from support import make_pool

DESK = """
import json

def label(item):
    with open("seen.jsonl", "a") as file:
        print(json.dumps(item), file=file)
    return item["truth"]

def peeks(item):
    return item["predicted"]
"""


@pytest.fixture
def desk(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    (tmp_path / "desk.py").write_text(DESK)
    return tmp_path


def seen(folder):
    lines = (folder / "seen.jsonl").read_text().splitlines()
    (folder / "seen.jsonl").unlink()
    return {frozenset(json.loads(line)) for line in lines}


def test_risk(cli, desk):
    for name, options, shown in (("a", (), set()), ("b", ("--show-model",), {"predicted"})):
        cli("init", name, "--pool", "pool.csv", "--model", "predicted", "--budget", 5)
        assert cli("risk", name, "--oracle", "desk:label", *options).code == 0
        assert seen(desk) == {frozenset({"id", "feature", "truth"} | shown)}
    said = cli("risk", "a", "--oracle", "desk:peeks", "--budget", 6)
    assert said.code == 2
    assert "looks at the column 'predicted'" in said.err
    assert "--show-model" in said.err


def test_judges(cli, desk):
    lines = (desk / "pool.csv").read_text().replace("feature,predicted", "ann,bob").splitlines()
    rows = [[one[0], one[2], one[3], one[3]] for one in (line.split(",") for line in lines[1:])]
    (desk / "votes.csv").write_text("\n".join(map(",".join, [["id", "ann", "bob", "truth"], *rows])))
    for name, options, shown in (("a", (), set()), ("b", ("--show-model",), {"ann", "bob"})):
        bought = ("--study", name, "--oracle", "desk:label", "--budget", 5, "--judges", "ann,bob")
        assert cli("judges", "votes.csv", *bought, *options).code == 0
        assert seen(desk) == {frozenset({"id", "truth"} | shown)}
    assert "has no use" in cli("judges", "votes.csv", "--strata", "truth", "--show-model").line


def test_a_person(cli, desk, monkeypatch):
    lines = (desk / "pool.csv").read_text().splitlines()
    scored = [f"{lines[0]},sure", *(f"{line},0.9" for line in lines[1:])]
    (desk / "pool.csv").write_text("\n".join(scored))
    monkeypatch.setattr("builtins.input", lambda: "cat")
    options = ("--pool", "pool.csv", "--model", "predicted", "--confidence", "sure", "--features", "feature")
    hunt = (*options, "--oracle", "ask", "--budget", 3, "--gallery", 0)
    said = cli("blind", "a", *hunt)
    assert said.code == 0, said.err
    assert said.err.count("  feature: ") == 3
    assert "predicted: " not in said.err
    assert "sure: " not in said.err
    said = cli("blind", "b", *hunt, "--show-model")
    assert said.err.count("  predicted: ") == said.err.count("  sure: ") == said.err.count("  the model says: ") == 3
