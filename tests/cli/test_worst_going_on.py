"""`ringtrue worst` comes back to a study: the same command, a larger budget, another claim, a sheet of answers."""

import csv
import sys

import pytest

from ringtrue.study import Study
from support import make_pool, numbers_of
from support.worst_desk import SPACE, charged, lay_desk


@pytest.fixture
def desk(cli, tmp_path):
    return lay_desk(tmp_path)


@pytest.fixture
def made(cli, desk, tmp_path):
    """A search of five evaluations, done."""
    assert cli("worst", "hill", *desk, "--budget", 5).code == 0
    return tmp_path / "hill.ringtrue"


def points(path):
    with Study.open(path) as study:
        return [record.point for record in study.records]


def test_the_same_command_again_buys_nothing(cli, desk, made, tmp_path):
    assert cli("worst", "hill", *desk, "--budget", 5, "--kernel", "squared-exponential", "--seed", 0).code == 0
    assert len(charged(tmp_path)) == 5


def test_a_larger_budget_goes_on_from_what_is_known(cli, made, tmp_path):
    said = cli("worst", "hill", "--budget", 7, "--json")
    assert said.code == 0, said.err
    found = numbers_of(said.out)
    assert (found["answers"], found["evaluations"], found["initial"]) == (7, 7, 3)
    assert found["path"]["phase"][5:] == ["search", "search"]
    assert len(charged(tmp_path)) == len(set(charged(tmp_path))) == 7
    assert cli("worst", "hill", "--budget", 7).code == 0
    assert len(charged(tmp_path)) == 7
    assert numbers_of(cli("worst", "hill", "--json").out)["answers"] == 7
    assert cli("status", "hill").out.splitlines()[0] == "7 answers recorded; 0 of 7 labels left"


def test_a_search_at_random_goes_on_too_and_baselines_stay_as_long_as_they_were(cli, desk, tmp_path):
    options = ("worst", "r", *desk, "--rule", "random", "--baseline", "sobol")
    assert cli(*options, "--budget", 3).code == 0
    assert len(charged(tmp_path)) == 6
    assert cli(*options, "--budget", 3).code == 0
    assert len(charged(tmp_path)) == 6
    assert numbers_of(cli(*options, "--budget", 5, "--json").out)["answers"] == 5
    assert len(charged(tmp_path)) == 8


def test_a_claim_may_be_made_later_and_another_one_after_it(cli, made, tmp_path):
    assert cli("worst", "hill", "--claim", "deviation <= 5 at 95%").code == 3
    assert cli("worst", "hill").code == 3, "the claim stays with the study"
    said = cli("worst", "hill", "--claim", "deviation <= 0.5 at 95%")
    assert said.code == 1
    assert said.out.startswith("deviation <= 0.5 at 95% rings false")
    assert len(charged(tmp_path)) == 5, "it speaks of the same evaluations"


@pytest.fixture
def small(cli, desk, tmp_path):
    """A search of two evaluations, done: enough to be another one than what is asked for."""
    (tmp_path / "wider.toml").write_text(SPACE.replace("2.0 }", "3.0 }"))
    (tmp_path / "shaken.toml").write_text(f"name = 'space'\ninput_noise = {{ x = 0.1 }}\n{SPACE}")
    (tmp_path / "named.toml").write_text(f"name = 'space'\ntasks = ['y']\n{SPACE}")
    assert cli("worst", "hill", *desk, "--budget", 2).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model", "desk:zero"), ["--model=desk:zero", "made with desk:model"]),
        (("--deviation", "squared"), ["--deviation=squared", "made with absolute"]),
        (("--deviation", "desk:zero"), ["--deviation=desk:zero", "made with absolute"]),
        (("--alone",), ["--alone:", "made without it"]),
        (("--tasks", "a,b"), ["--tasks=a,b", "made with deviation"]),
        (("--rule", "sobol"), ["--rule=sobol", "made with joint"]),
        (("--kernel", "matern-5/2"), ["--kernel=matern-5/2", "made with squared-exponential"]),
        (("--acquisition", "upper-bound"), ["--acquisition=upper-bound", "made with improvement"]),
        (("--sd", "0.5"), ["--sd=0.5", "made with 0.0"]),
        (("--seed", "1"), ["--seed=1", "made with 0"]),
        (("--batch", "2"), ["--batch=2", "made with 1"]),
        (("--price", "3"), ["--price=3", "made without it"]),
        (("--baseline", "random"), ["--baseline=random", "made without it"]),
        (("--budget", "1"), ["--budget=1", "2 evaluations made", "give 2 or more"]),
        (("--space", "wider.toml"), ["--space=wider.toml is not the one"]),
        (("--space", "shaken.toml"), ["--space=shaken.toml is not the one"]),
        (("--space", "named.toml"), ["--tasks=y", "made with deviation"]),
    ],
)
def test_an_option_that_would_make_it_another_study_is_refused(cli, small, tmp_path, options, words):
    said = cli("worst", "hill", *options)
    assert said.code == 2
    for word in (*words, "name a new study"):
        assert word in said.line
    assert len(charged(tmp_path)) == 2


def test_a_seed_of_nought_is_a_seed(cli, desk, tmp_path):
    cli("worst", "s", *desk, "--budget", 2, "--seed", 4)
    said = cli("worst", "s", "--seed", 0)
    assert said.code == 2
    assert "--seed=0: the study 's.ringtrue' was made with 4" in said.line


def test_a_model_that_answers_otherwise_now_is_another_model(cli, small, tmp_path):
    text = (tmp_path / "desk.py").read_text()
    (tmp_path / "desk.py").write_text(text.replace('math.sin(2 * row["x"])', 'math.sin(3 * row["x"])'))
    del sys.modules["desk"]
    said = cli("worst", "hill", "--budget", 7)
    assert said.code == 2
    assert "the model is not the one this study was made with" in said.line
    assert len(charged(tmp_path)) == 2


def test_the_gold_standard_may_move(cli, desk, tmp_path):
    """From a function to a program and back: the study notes whom it was made with."""
    cli("worst", "m", *desk, "--budget", 2)
    said = cli("worst", "m", "--budget", 3, "--oracle-command", "false")
    assert said.code == 2
    assert "--oracle and --oracle-command" not in said.err
    assert cli("worst", "m").code == 0
    assert len(charged(tmp_path)) == 3


def test_a_study_of_another_verb_is_left_alone(cli, desk, tmp_path):
    make_pool(tmp_path / "pool.csv")
    assert cli("init", "loans", "--pool", "pool.csv", "--model", "predicted").code == 0
    said = cli("worst", "loans", *desk, "--budget", 5)
    assert said.code == 2
    assert "'loans.ringtrue' was not made by `ringtrue worst`" in said.line


def sheet(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path, rows, **columns):
    """Send these rows of a sheet back, with a column filled in by a function of the input."""
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows({**row, **{name: told(float(row["x"])) for name, told in columns.items()}} for row in rows)


LAB = ("--space", "space.toml", "--model", "desk:models", "--tasks", "a,b", "--budget", 6, "--batch", 2)


def test_a_laboratory_answers_late_and_out_of_order(cli, desk, tmp_path):
    assert cli("worst", "lab", *LAB, "--sheet", "one.csv").code == 0
    assert cli("worst", "lab", "--sheet", "two.csv").code == 0
    one, two = sheet(tmp_path / "one.csv"), sheet(tmp_path / "two.csv")
    assert [row["query"] for row in one + two] == ["lab:0", "lab:1", "lab:2", "lab:3"]
    assert set(one[0]) == {"query", "x", "a", "b"}
    # The last row comes back first; of its neighbour nobody can tell.
    lost = float(two[0]["x"])
    fill(tmp_path / "two.csv", two[::-1], a=lambda x: "?" if x == lost else x, b=lambda x: "?" if x == lost else 3.0)
    said = cli("worst", "lab", "--answers", "two.csv")
    assert said.code == 0, said.err
    assert said.out.startswith("recorded 2 answers from two.csv\n")
    assert "1 answer recorded; 2 out" in said.out
    assert cli("worst", "lab", "--sheet", "three.csv").code == 0
    three = sheet(tmp_path / "three.csv")
    fill(tmp_path / "three.csv", three, a=lambda x: 0.0, b=lambda x: x)
    fill(tmp_path / "one.csv", one, a=lambda x: 0.0, b=lambda x: x)
    assert cli("worst", "lab", "--answers", "three.csv").code == 0
    assert cli("worst", "lab", "--answers", "one.csv").code == 0
    found = numbers_of(cli("worst", "lab", "--answers", "one.csv", "--json").out)
    assert (found["answers"], found["unanswerable"]) == (5, 1)
    assert found["worst"]["deviation"] == pytest.approx(abs(float(two[1]["x"]) - 3.0))
    assert len(set(points(tmp_path / "lab.ringtrue"))) == 6


def test_a_sheet_read_twice_records_once(cli, desk, tmp_path):
    cli("worst", "lab", *LAB, "--sheet", "one.csv")
    rows = sheet(tmp_path / "one.csv")
    fill(tmp_path / "one.csv", rows, a=lambda x: 0.0, b=lambda x: 1.0)
    first = cli("worst", "lab", "--answers", "one.csv")
    fill(tmp_path / "one.csv", rows, a=lambda x: 9.0, b=lambda x: 9.0)
    again = cli("worst", "lab", "--answers", "one.csv")
    kept, otherwise = again.out.splitlines()[0].split("; ")
    assert kept == "recorded 0 answers from one.csv, 2 recorded before stay as they are"
    assert otherwise.startswith("2 of them say otherwise now: correct an answer with `ringtrue amend lab.ringtrue 0")
    assert again.out.splitlines()[1:] == first.out.splitlines()[1:]


def test_a_budget_below_the_evaluations_made_is_refused_with_their_number(cli, desk, tmp_path):
    cli("worst", "lab", *LAB, "--sheet", "one.csv")
    fill(tmp_path / "one.csv", sheet(tmp_path / "one.csv"), a=lambda x: 0.0, b=lambda x: x)
    cli("worst", "lab", "--answers", "one.csv")
    said = cli("worst", "lab", "--budget", 1, "--sheet", "two.csv")
    assert said.code == 2
    assert "--budget=1 is less than the 2 evaluations made: give 6 or more" in said.err
    assert "plans 6 evaluations" in cli("worst", "lab", "--budget", 3, "--sheet", "two.csv").err


def test_a_lost_sheet_is_written_again_and_nothing_is_bought_twice(cli, desk, tmp_path):
    cli("worst", "lab", *LAB, "--sheet", "one.csv")
    cli("worst", "lab", "--sheet", "two.csv")
    rows = [*sheet(tmp_path / "one.csv"), *sheet(tmp_path / "two.csv")]
    status = cli("status", "lab").out
    said = cli("worst", "lab", "--sheet", "again.csv", "--again")
    assert said.code == 0
    assert sheet(tmp_path / "again.csv") == rows
    assert cli("status", "lab").out == status, "nothing new is out"
    fill(tmp_path / "again.csv", rows, a=lambda x: 0.0, b=lambda x: x)
    assert f"recorded {len(rows)} answers" in cli("worst", "lab", "--answers", "again.csv").out
    fill(tmp_path / "one.csv", rows[:1], a=lambda x: 0.0, b=lambda x: x)  # it turns up after all
    assert "recorded 0 answers" in cli("worst", "lab", "--answers", "one.csv").out
    assert "nothing is out with the laboratory" in cli("worst", "lab", "--sheet", "none.csv", "--again").out
    assert not (tmp_path / "none.csv").exists()
    said = cli("worst", "lab", "--again")
    assert said.code == 2
    assert "--sheet FILE.csv" in said.err


def test_a_sheet_that_cannot_be_written_takes_no_query_along(cli, desk, tmp_path):
    cli("worst", "lab", *LAB, "--sheet", "one.csv")
    for name, words in (("one.csv", "exists, and may be filled in"), ("no/folder.csv", "cannot be written")):
        said = cli("worst", "lab", "--sheet", name)
        assert said.code == 2
        assert words in said.line
    assert len(points(tmp_path / "lab.ringtrue")) == 2
    for name in ("two.csv", "three.csv", "four.csv"):
        assert cli("worst", "lab", "--sheet", name).code == 0
    assert not (tmp_path / "four.csv").exists(), "nothing was left to ask"
    assert len(points(tmp_path / "lab.ringtrue")) == 6


def test_answers_that_are_not_to_this_study_or_no_numbers(cli, desk, tmp_path):
    cli("worst", "lab", *LAB, "--sheet", "one.csv")
    rows = sheet(tmp_path / "one.csv")
    for changed, words in (
        ([{**rows[0], "query": "lab:9", "a": 1, "b": 1}], "query='lab:9' was never asked"),
        ([{**rows[0], "a": 1, "b": 1}, {**rows[1], "a": "much", "b": 1}], "'much' is not a number"),
    ):
        fill(tmp_path / "back.csv", changed)
        said = cli("worst", "lab", "--answers", "back.csv")
        assert said.code == 2
        assert words in said.line
    assert "0 answers recorded; 2 out" in cli("status", "lab").out, "one wrong row refuses the sheet"
