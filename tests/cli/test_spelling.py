"""Labels that an oracle writes unlike the model: one line of warning, and a field for programs."""

import json

import pytest

from support import make_pool

DESK = """
def label(item):
    return item["truth"].title()
"""


@pytest.fixture
def loans(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    (tmp_path / "desk.py").write_text(DESK)
    assert cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--budget", 10).code == 0


def test_people_are_warned_once_and_the_run_goes_on(cli, loans):
    said = cli("risk", "loans", "--oracle", "desk:label")
    assert said.code == 0
    (line,) = [line for line in said.err.splitlines() if line.startswith("warning: ")]
    assert line.startswith("warning: 3 failures so far differ in spelling alone, as in ")
    assert "10 answers recorded" in said.out


def test_programs_find_it_in_the_json(cli, loans):
    said = cli("risk", "loans", "--oracle", "desk:label", "--json")
    (warning,) = json.loads(said.out)["warnings"]
    assert any(f"'{one}' by the model and '{one.title()}' by the oracle" in warning for one in ("cat", "dog"))
    assert f"warning: {warning}" in said.err
    cli("init", "fine", "--pool", "pool.csv", "--model", "predicted", "--budget", 10)
    said = cli("risk", "fine", "--oracle", "truth", "--json")
    assert json.loads(said.out)["warnings"] == []
    assert "warning" not in said.err
