"""`ringtrue worst` with every kind of gold standard: programs, services and people, and what they do wrong."""

import io
import os
import sys

import pytest

from ringtrue.models import _post as post_module
from ringtrue.study import Study
from support import numbers_of
from support.services import PROXIES, service
from support.worst_desk import charged, lay_desk

MODEL = ("--space", "space.toml", "--model", "desk:zero")

# Answers three times, then does something else.
FAULTS = """
import math, os
from support import numbers_of

def _nth():
    with open("calls.txt", "a+") as file:
        file.write("x")
        return file.tell()

def _after_three(other):
    def gold(values):
        return values["x"] if _nth() <= 3 else other()
    return gold

def _fail():
    raise RuntimeError("no\\npower")

raises = _after_three(_fail)
nan = _after_three(lambda: math.nan)
inf = _after_three(lambda: math.inf)
text = _after_three(lambda: "much")
two = _after_three(lambda: [1.0, 2.0])
nothing = _after_three(lambda: [])
yes = _after_three(lambda: True)

def lost_once(values):
    return None if _nth() == 4 else values["x"]

def lost(values):
    return None
"""


@pytest.fixture
def desk(cli, tmp_path):
    (tmp_path / "faults.py").write_text(FAULTS)
    return lay_desk(tmp_path)


def states(folder, name="worst"):
    with Study.open(folder / f"{name}.ringtrue") as study:
        return [record.state for record in study.records]


def test_a_program_answers_line_by_line(cli, desk, tmp_path):
    (tmp_path / "gold.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    print(2 * json.loads(line)['x'], flush=True)\n"
    )
    said = cli("worst", *MODEL, "--oracle-command", f"'{sys.executable}' -S gold.py", "--budget", 4, "--json")
    assert said.code == 0, said.err
    found = numbers_of(said.out)
    assert found["path"]["deviation"] == [abs(2 * x) for x in found["inputs"]["x"]]


def test_a_web_service_answers(cli, desk, monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    with service(lambda rows: (200, {"predictions": [3 * row["x"] for row in rows]}, {})) as (url, seen):
        said = cli("worst", *MODEL, "--oracle", url, "--budget", 4, "--batch", 2, "--json")
    assert said.code == 0, said.err
    asked = [row["x"] for _, _, sent in seen for row in sent["instances"]]
    found = numbers_of(said.out)
    assert found["inputs"]["x"] == asked
    assert found["path"]["deviation"] == [abs(3 * x) for x in asked]


def test_a_person_types_numbers_and_may_not_know(cli, desk, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("0.5\n?\nmuch\n-2\n"))
    said = cli("worst", *MODEL, "--oracle", "ask", "--budget", 2, "--json")
    assert said.code == 0, said.err
    found = numbers_of(said.out)
    assert (found["path"]["deviation"], found["unanswerable"]) == ([0.5, 2.0], 1)
    assert "left;" not in said.err, "no moving line where somebody types"
    assert states(tmp_path) == ["answered", "abandoned", "answered"]


def test_a_person_who_stops_loses_nothing(cli, desk, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("0.5\n"))
    said = cli("worst", *MODEL, "--oracle", "ask", "--budget", 3)
    assert said.code == 130
    assert said.err.splitlines()[-1].endswith("run the same command again to go on")
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n2\n"))
    found = numbers_of(cli("worst", "--json").out)
    assert found["path"]["deviation"] == [0.5, 1.0, 2.0]


def test_a_person_answers_one_question_at_a_time(cli, desk):
    said = cli("worst", *MODEL, "--oracle", "ask", "--budget", 3, "--batch", 2, "--workers", 2)
    assert said.code == 2
    assert "--workers=2 with --oracle ask" in said.line


def test_a_gold_standard_that_hangs_is_stopped_and_no_process_is_left(cli, desk, tmp_path):
    hanging = "import os, time; open('pids.txt', 'a').write(f'{os.getpid()} '); time.sleep(9999)"
    said = cli(
        "worst", *MODEL, "--oracle-command", f"'{sys.executable}' -S -c \"{hanging}\"", "--budget", 3, "--timeout", 0.5
    )
    assert said.code == 2
    assert "no answer in time at 3 points in a row" in said.err.splitlines()[-1]
    written = tmp_path / "pids.txt"  # on a busy machine a program may be ended before it has written anything
    for pid in written.read_text().split() if written.exists() else []:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    assert states(tmp_path) == ["abandoned", "abandoned", "abandoned", "waiting"]


def test_one_that_fails_is_asked_three_times_and_what_it_answered_is_kept(cli, desk, tmp_path):
    said = cli("worst", *MODEL, "--oracle", "faults:raises", "--budget", 6)
    assert said.code == 2
    last = said.err.splitlines()[-1]
    assert "failed 3 times the same way in a row (RuntimeError: no power)" in last
    assert (tmp_path / "calls.txt").read_text() == "x" * 6
    assert states(tmp_path) == ["answered"] * 3 + ["waiting"]
    assert cli("worst", "--oracle", "desk:gold").code == 0
    assert states(tmp_path) == ["answered"] * 6
    assert len(charged(tmp_path)) == 3


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("nan", "answered nan"),
        ("inf", "answered inf"),
        ("text", "answered 'much': give one number"),
        ("two", "gave 1 output and the gold standard 2"),
        ("nothing", "answered []"),
        ("yes", "answered True"),
    ],
)
def test_an_answer_that_is_no_deviation_is_refused_and_the_others_are_kept(cli, desk, tmp_path, fault, words):
    said = cli("worst", *MODEL, "--oracle", f"faults:{fault}", "--budget", 5)
    assert said.code == 2
    last = said.err.splitlines()[-1]
    assert words in last
    assert "item '" in last
    assert (tmp_path / "calls.txt").read_text() == "xxxx", "it is not asked over and over"
    assert states(tmp_path) == ["answered"] * 3 + ["waiting"]


def test_a_point_that_nobody_can_tell_is_given_up_and_the_search_goes_on(cli, desk, tmp_path):
    said = cli("worst", *MODEL, "--oracle", "faults:lost_once", "--budget", 5, "--json")
    assert said.code == 0, said.err
    found = numbers_of(said.out)
    assert (found["answers"], found["unanswerable"]) == (5, 1)
    assert states(tmp_path) == ["answered"] * 3 + ["abandoned"] + ["answered"] * 2


def test_one_that_never_knows_is_not_asked_for_ever(cli, desk, tmp_path):
    said = cli("worst", *MODEL, "--oracle", "faults:lost", "--budget", 5)
    assert said.code == 2
    assert "could not tell 20 times in a row" in said.err.splitlines()[-1]
    assert states(tmp_path).count("abandoned") == 20


def test_the_users_own_deviation_must_be_a_number(cli, desk, tmp_path):
    (tmp_path / "own.py").write_text("def broken(model, gold):\n    return float('nan')\n")
    said = cli("worst", *MODEL, "--oracle", "desk:wave", "--budget", 3, "--deviation", "own:broken")
    assert said.code == 2
    assert "deviation=nan" in said.line
    assert len(charged(tmp_path)) == 1
