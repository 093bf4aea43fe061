"""One door to models and oracles in every verb: a column, a function, an address, a program and a person."""

import io
import sys

import pytest

from ringtrue.models import _post as post_module
from support import numbers_of
from support.services import PROXIES, service

DESK = """
def label(item):
    return item["truth"]

def said(rows):
    return [row["said"] for row in rows]
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line)["KEY"]), flush=True)
"""
VERBS = {
    "risk": ("risk", "s", "--pool", "p.csv"),
    "blind": ("blind", "s", "--pool", "p.csv", "--confidence", "sure", "--distance", "none"),
}
JUDGES = ("judges", "p.csv", "--judges", "said,other,third", "--study", "s")


@pytest.fixture
def folder(cli, tmp_path, monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    turned = {"yes": "no", "no": "yes"}
    lines = ["id,truth,said,other,third,sure"]
    for n in range(30):
        truth = "yes" if n % 3 else "no"
        votes = [turned[truth] if n % k == 0 else truth for k in (10, 5, 4)]
        lines.append(",".join([f"i{n}", truth, *votes, f"{0.7 + n % 3 / 10:.1f}"]))
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "desk.py").write_text(DESK)
    for key in ("truth", "said"):
        (tmp_path / f"{key}.py").write_text(PROGRAM.replace("KEY", key))
    return tmp_path


def oracles(key):
    """Return the options that name someone who knows the truth in each of the five ways."""
    return {
        "column": ("--oracle", "truth"),
        "function": ("--oracle", "desk:label"),
        "function with a limit of time": ("--oracle", "desk:label", "--timeout", "60"),
        "program": ("--oracle-command", f"'{sys.executable}' -S truth.py"),
        "person": ("--oracle", "ask"),
    }[key]


@pytest.mark.parametrize("who", ["column", "function", "function with a limit of time", "program", "person"])
@pytest.mark.parametrize("verb", ["risk", "blind", "judges"])
def test_whoever_knows_the_truth_answers_in_every_verb(cli, folder, monkeypatch, verb, who):
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n" * 6))
    start = JUDGES if verb == "judges" else (*VERBS[verb], "--model", "said")
    said = cli(*start, *oracles(who), "--budget", 6, "--json")
    assert said.code in (0, 3), said.err
    assert numbers_of(said.out)["answers"] == 6


@pytest.mark.parametrize("verb", ["risk", "blind", "judges"])
def test_an_address_answers_in_every_verb(cli, folder, verb):
    with service(lambda rows: (200, {"predictions": [row["truth"] for row in rows]}, {})) as (url, seen):
        start = JUDGES if verb == "judges" else (*VERBS[verb], "--model", "said")
        said = cli(*start, "--oracle", url, "--budget", 3, "--json")
    assert said.code in (0, 3), said.err
    assert numbers_of(said.out)["answers"] == 3
    assert len(seen) >= 3


@pytest.mark.parametrize("model", [("--model", "said"), ("--model", "desk:said"), ("--model-command", "PROGRAM")])
@pytest.mark.parametrize("verb", ["risk", "blind"])
def test_a_model_may_be_a_column_a_function_or_a_program(cli, folder, verb, model):
    named = [word.replace("PROGRAM", f"'{sys.executable}' -S said.py") for word in model]
    said = cli(*VERBS[verb], *named, "--oracle", "truth", "--budget", 30, "--json")
    assert said.code in (0, 3), said.err
    found = numbers_of(said.out)
    assert (found["answers"], found["failures" if verb == "risk" else "errors"]) == (30, 3)
    again = cli(verb, "s", "--json")
    assert again.code in (0, 3), "who was named is remembered"


def test_a_study_remembers_who_answers_and_another_may_take_over(cli, folder):
    assert cli(*VERBS["risk"], "--model", "said", "--oracle", "desk:label", "--budget", 4).code == 0
    assert numbers_of(cli("risk", "s", "--budget", 6, "--json").out)["answers"] == 6
    assert numbers_of(cli("risk", "s", "--oracle", "truth", "--budget", 8, "--json").out)["answers"] == 8
