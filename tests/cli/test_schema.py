"""`--json` has one shape, whatever the verb: docs/result.schema.json says which, and these results keep to it."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "result.schema.json").read_text(encoding="utf-8"))
SPACE = "[parameters]\nx = { low = 0.0, high = 1.0 }\n"
DESK = """
def model(rows):
    return [[0.0] for row in rows]

def gold(item):
    return item["x"] ** 2

def class_of(rows):
    return ["yes" if row["x"] > 3 else "no" for row in rows]
"""
VERBS = {
    "risk": "risk r --pool p.csv --model said --oracle truth --budget 12 --claim",
    "risk again": "risk r --budget 14",
    "risk, a map": "risk m --pool p.csv --model desk:class_of --map x,y --cells 4 --known truth",
    "changed": "changed c --old p.csv --answer said --truth truth --model other --budget 12",
    "blind": "blind b --pool p.csv --model said --confidence sure --oracle truth --budget 5 --distance none",
    "worst": "worst w --space s.toml --model desk:model --oracle desk:gold --budget 4",
    "judges, votes": "judges p.csv --judges said,other,third",
    "judges, labels": "judges p.csv --judges said,other,third --truth truth",
    "judges, a study": "judges p.csv --judges said,other,third --study j --oracle truth --budget 6",
    "report": "report r",
    "status": "status r",
    "check": "check claims.toml",
}
MEANS = {"report": "report", "status": "status", "check": "check"}


@pytest.fixture
def world(cli, tmp_path):
    rows = [
        (
            n,
            n % 7,
            n % 5,
            "yes" if n % 7 > 3 else "no",
            "yes" if n % 7 > 2 else "no",
            "no" if n % 3 else "yes",
            0.6 + n % 4 / 10,
        )
        for n in range(40)
    ]
    lines = [
        ",".join(map(str, (n, x, y, truth, said, other, truth if n % 9 else said, sure)))
        for n, x, y, truth, said, other, sure in rows
    ]
    (tmp_path / "p.csv").write_text("\n".join(["id,x,y,truth,said,other,third,sure", *lines]) + "\n")
    (tmp_path / "desk.py").write_text(DESK)
    (tmp_path / "s.toml").write_text(SPACE)
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "r"\nsays = "error <= 30%"\n')
    made = cli(*VERBS["risk"].split(), "error <= 30% at 95%", "--json")
    assert made.code in (0, 1, 3), made.err
    return cli


def keeps(shape, told):
    """Check one object against the definition of its shape."""
    Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{shape}"}]}).validate(told)


@pytest.mark.parametrize("verb", [name for name in VERBS if name != "risk"])
def test_every_verb_keeps_the_shape(world, verb):
    said = world(*VERBS[verb].split(), "--json")
    assert said.code in (0, 1, 3), said.err
    keeps(MEANS.get(verb, "finding"), json.loads(said.out))


def test_a_verdict_comes_with_its_interval_level_and_method(world):
    told = json.loads(world("risk", "r", "--json").out)
    assert told["claim"] == "error <= 30% at 95%"
    assert 0 <= told["estimate"]["low"] <= told["estimate"]["estimate"] <= told["estimate"]["high"] <= 1
    assert (told["estimate"]["level"], told["answers"]) == (0.95, told["spending"]["answered"])
    assert told["estimate"]["method"]
    assert told["sentence"].startswith("error <= 30% at 95% ")


def test_a_refusal_keeps_the_shape(world):
    keeps("error", json.loads(world("risk", "r", "--seed", 3, "--json").out))


def test_the_schema_is_one_and_refuses_another_shape(world):
    Draft202012Validator.check_schema(SCHEMA)
    told = json.loads(world("risk", "r", "--json").out)
    for wrong in (
        {**told, "verdict": "fine"},
        {**told, "more": 1},
        {key: told[key] for key in told if key != "estimate"},
    ):
        assert not Draft202012Validator(SCHEMA).is_valid(wrong)
    assert Draft202012Validator(SCHEMA).is_valid(told)
