"""What a laboratory tells `ringtrue worst`: how it was really set, and numbers with decimal commas."""

import csv
import io
import sys

import pytest

from ringtrue.study import Study
from support import numbers_of

SPACE = """
[parameters]
heat = { low = 250, high = 400, step = 5 }
kind = { options = ["a", "b"] }
"""
DESK = """
def model(rows):
    return [2 * row["heat"] for row in rows]

def furnace(values):
    return {"label": 0.0, "set": {"heat": min(values["heat"] + 1.25, 400.0)}}
"""
LAB = ("--space", "space.toml", "--model", "desk:model", "--budget", 6, "--batch", 3)


@pytest.fixture
def lab(cli, tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    (tmp_path / "desk.py").write_text(DESK)
    return tmp_path


def sheet(cli, lab):
    """The rows of the first sheet."""
    assert cli("worst", "lab", *LAB, "--sheet", "out.csv").code == 0
    with open(lab / "out.csv", encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(lab, rows, delimiter=","):
    with open(lab / "in.csv", "w", newline="") as file:
        out = csv.DictWriter(file, rows[0], delimiter=delimiter)
        out.writeheader()
        out.writerows(rows)


def other(row, by=1.75):
    heat = float(row["heat"])
    return heat + by if heat < 400 else heat - by


def test_a_sheet_goes_out_on_the_grid(cli, lab):
    assert {float(row["heat"]) % 5 for row in sheet(cli, lab)} == {0.0}


def test_an_input_that_is_not_as_asked_is_refused_unless_it_is_said_that_it_was_set_so(cli, lab):
    rows = sheet(cli, lab)
    asked, heats = [float(row["heat"]) for row in rows], [other(row) for row in rows]
    rows = [{**row, "heat": heat, "value": 1000} for row, heat in zip(rows[:2], heats, strict=False)]
    fill(lab, rows)
    said = cli("worst", "lab", "--answers", "in.csv")
    assert said.code == 2
    assert f"sheet 'in.csv', row 2: heat is '{heats[0]}' where {asked[0]} was asked for" in said.line
    assert "give --as-set if that is how it was set" in said.line
    said = cli("worst", "lab", "--answers", "in.csv", "--as-set")
    assert said.out.startswith("recorded 2 answers from in.csv\n")
    with Study.open(lab / "lab.ringtrue") as study:
        values = [record.value for record in study.records if record.state == "answered"]
        assert values == [{"label": 1000.0, "set": {"heat": heat}, "said": 2 * heat} for heat in heats[:2]]
        told = study.finding().to_json()
    assert told["inputs"]["heat"] == heats[:2]
    assert told["path"]["deviation"] == [1000 - 2 * heat for heat in heats[:2]]
    assert "(set; " in said.out.splitlines()[1]
    assert " asked), kind=" in said.out.splitlines()[1]


def test_decimal_commas_are_read_in_inputs_and_outputs(cli, lab):
    rows = sheet(cli, lab)
    heats = [other(row) for row in rows]
    told = [
        {**row, "heat": f"{heat}".replace(".", ","), "value": "71,5"} for row, heat in zip(rows, heats, strict=True)
    ]
    fill(lab, told, delimiter=";")
    assert cli("worst", "lab", "--answers", "in.csv", "--as-set").code == 0
    with Study.open(lab / "lab.ringtrue") as study:
        values = [record.value for record in study.records if record.state == "answered"]
    assert [(value["label"], value["set"]["heat"]) for value in values] == [(71.5, heat) for heat in heats]


def test_a_row_that_was_set_as_asked_needs_no_word(cli, lab):
    rows = sheet(cli, lab)
    fill(lab, [{**row, "value": "71,5", "heat": row["heat"].replace(".", ",")} for row in rows], delimiter=";")
    assert cli("worst", "lab", "--answers", "in.csv").code == 0
    with Study.open(lab / "lab.ringtrue") as study:
        assert [record.value for record in study.records] == [71.5] * 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"heat": "500"}, "row 2: set otherwise than asked: heat=500.0 must be a number in [250, 400]; correct it"),
        ({"heat": "hot"}, "row 2: heat='hot' is not a number: write what was set"),
        ({"kind": "c"}, "row 2: set otherwise than asked: parameter 'kind': 'c' is none of its options"),
    ],
)
def test_what_cannot_have_been_set_is_refused_with_its_row(cli, lab, changed, words):
    rows = sheet(cli, lab)
    fill(lab, [{**rows[0], "value": "1", **changed}])
    said = cli("worst", "lab", "--answers", "in.csv", "--as-set")
    assert said.code == 2
    assert words in said.line
    with Study.open(lab / "lab.ringtrue") as study:
        assert study.status().answered == 0


def test_as_set_is_about_answers(cli, lab):
    said = cli("worst", "lab", *LAB, "--sheet", "out.csv", "--as-set")
    assert said.code == 2
    assert "--as-set says how to read a filled sheet: give --answers FILE.csv too" in said.line


ALONE = (*LAB[:5], 3)


def test_a_person_types_what_was_really_set_and_sees_what_was_read(cli, lab, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("71,5 heat=301,75\n80 heat=500\n80 kind=b\n7\n"))
    said = cli("worst", *ALONE, "--oracle", "ask", "--json")
    assert said.code == 0, said.err
    assert "read: value 71.5, heat set to 301.75" in said.err
    assert "set otherwise than asked: heat=500.0 must be a number in [250, 400]; correct it" in said.err
    assert "; largest deviation 532 at heat=301.8 (set; " in said.err
    assert said.err.count("of 3 evaluations") == 3
    found = numbers_of(said.out)
    assert found["inputs"]["heat"][0] == 301.75
    assert found["inputs"]["kind"][1] == "b"
    assert found["path"]["deviation"][0] == 2 * 301.75 - 71.5


def test_a_gold_standard_may_tell_it_and_the_report_shows_it(cli, lab, undrawn):
    said = cli("worst", *ALONE, "--oracle", "desk:furnace")
    assert said.code == 0, said.err
    assert "(set; " in said.out.splitlines()[0]
    assert cli("report", "worst").code == 0
    assert "worst point, as it was set" in (lab / "worst.html").read_text()
    assert cli("report", "--verify", "worst.json").code == 0


def test_training_data_may_have_decimal_commas(cli, lab):
    (lab / "old.csv").write_text("heat;kind;strength;note\n351,5;a;700,5;1,5 or so\n300;b;0,25;none\n")
    said = cli("worst", *ALONE, "--tasks", "strength", "--oracle", "desk:furnace", "--training", "old.csv")
    assert said.code == 0, said.err
    with Study.open(lab / "worst.ringtrue") as study:
        training = study.kept["training"]
    assert training == {"point": {"heat": 300.0, "kind": "b"}, "task": "strength", "deviation": 599.75, "rows": 2}


@pytest.mark.parametrize("timeout", [(), ("--timeout", 60)])
def test_a_program_or_a_process_may_tell_it_too(cli, lab, timeout):
    program = "import sys, json\nfor line in sys.stdin: print(json.dumps({'label': 0.0, 'set': {'heat': 301.25}}))"
    (lab / "gold.py").write_text(program)
    known = ("--oracle", "desk:furnace") if timeout else ("--oracle-command", f"{sys.executable} gold.py")
    said = cli("worst", *ALONE, *known, *timeout, "--json")
    assert said.code == 0, said.err
    found = numbers_of(said.out)
    assert found["moved"] == 3
    assert all(heat % 5 == 1.25 for heat in found["inputs"]["heat"])
