"""What `ringtrue worst` cannot use: one line each, before anything is bought and mostly before there is a study."""

import json

import pytest

from ringtrue.study import Study
from support.worst_desk import charged, lay_desk

MORE = """
import math

def nan(rows):
    return [math.nan for row in rows]

def text(rows):
    return ["much" for row in rows]

def fails(rows):
    raise RuntimeError("no weights")
"""

TRAINED = ("--space", "space.toml", "--model", "desk:model", "--tasks", "y", "--oracle", "desk:gold", "--budget", 3)


@pytest.fixture
def desk(cli, tmp_path):
    (tmp_path / "more.py").write_text(MORE)
    return lay_desk(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[parameters]\nx = { low = 2.0, high = -2.0 }\n", ["'x'", "low=2.0 must be below high=-2.0"]),
        ("[parameters]\nx = { low = 1.0, high = 1.0 }\n", ["'x'", "low=1.0 and high=1.0 leave one value"]),
        ("[parameters]\n", ["parameters"]),
        ("[parameters\n", ["is not TOML"]),
        (
            "[parameters]\nx = { low = 1.0, high = 2.0 }\n[[constraints]]\nof = ['x']\nat_most = 0.5\n",
            ["space file 's.toml'"],
        ),
        ("limit = 3\n[parameters]\nx = { low = 0, high = 1.0 }\n", ["unknown key 'limit'"]),
        ("tasks = ['a', 'a']\n[parameters]\nx = { low = 0, high = 1.0 }\n", ["--tasks=['a', 'a']"]),
        ("[input_noise]\ny = 0.1\n[parameters]\nx = { low = 0, high = 1.0 }\n", ["'y'"]),
    ],
)
def test_a_space_that_is_empty_or_inverted(cli, desk, tmp_path, text, words):
    (tmp_path / "s.toml").write_text(text)
    said = cli("worst", *desk, "--space", "s.toml", "--budget", 5)
    assert said.code == 2
    for word in words:
        assert word in said.line
    assert not (tmp_path / "worst.ringtrue").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--space", "no.toml"), ["'no.toml' does not exist"]),
        (("--tasks", "a,,b"), ["--tasks='a,,b'", "empty name"]),
        (("--tasks", "a,a"), ["--tasks=['a', 'a']"]),
        (("--rule", "rising"), ["--rule='rising' is none for a study without --alone", "joint"]),
        (("--alone", "--rule", "risin"), ["--rule='risin' is none for --alone", "rising", "exp3bo"]),
        (("--alone", "--deviation", "rmse"), ["--deviation='rmse' folds", "--alone"]),
        (("--deviation", "cubic"), ["--deviation='cubic' is none of absolute"]),
        (("--deviation", "desk:cubic"), ["--deviation='desk:cubic'", "has no 'cubic'"]),
        (("--sd", "-1"), ["--sd=-1.0"]),
        (("--claim", "error <= 5%"), ["--claim", "deviation <= 0.5 at 95%"]),
        (("--claim", "nonsense"), ["--claim='nonsense'", "deviation <= 0.5 at 95%"]),
        (("--oracle", "desk:god"), ["--oracle='desk:god'", "has no 'god'"]),
        (("--oracle-command", "sim"), ["--oracle and --oracle-command both"]),
        (("--timeout", "0"), ["--timeout=0 must be a positive number"]),
        (("--picture", "desk:draw"), ["--picture='desk:draw'", "has no 'draw'"]),
        (("--price", "much"), ["--price"]),
        (("--budget", "0"), ["--budget"]),
        (("--batch", "0"), ["--batch"]),
        (("--kernel", "linear"), ["--kernel", "matern-5/2"]),
        (("--sheet", "a.csv", "--answers", "b.csv"), ["--sheet and --answers"]),
        (("--model", "more:nan"), ["nan", "item"]),
        (("--model", "more:fails"), ["no weights"]),
    ],
)
def test_an_option_that_names_nothing(cli, desk, tmp_path, options, words):
    said = cli("worst", *desk, "--budget", 5, *options)
    assert said.code == 2
    for word in words:
        assert word in said.line
    assert not (tmp_path / "worst.ringtrue").exists()


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("--space", "is not there yet: to make it, give the space, --space FILE.toml"),
        ("--model", "--model is missing"),
        ("--oracle", "--oracle is missing"),
        ("--budget", "is not there yet: to make it, give how many evaluations, --budget N"),
    ],
)
def test_what_a_new_study_needs(cli, desk, tmp_path, missing, words):
    options = [*desk, "--budget", 5]
    place = options.index(missing)
    said = cli("worst", *options[:place], *options[place + 2 :])
    assert said.code == 2
    assert words in said.line
    assert not (tmp_path / "worst.ringtrue").exists()


def test_the_users_own_deviation_needs_a_model_too(cli, desk, tmp_path):
    said = cli("worst", *desk[:2], *desk[4:], "--budget", 5, "--deviation", "more:nan")
    assert said.code == 2
    assert "--model is missing" in said.line
    assert not (tmp_path / "worst.ringtrue").exists()


@pytest.mark.parametrize(
    ("header", "row", "words"),
    [
        ("x,z", "1,2", "has no column 'y': give x, y"),
        ("y", "2", "has no column 'x': give x, y"),
        ("x,y", "1,much", "column 'y': 'much' is not a finite number"),
        ("x,deviation", "1,nan", "column 'deviation': nan is not a finite number"),
        ("x,y", "much,2", "the model cannot answer it (TypeError"),
        ("x,y", None, "no rows"),
    ],
)
def test_training_data_that_cannot_be_used_costs_no_evaluation(cli, desk, tmp_path, header, row, words):
    (tmp_path / "old.csv").write_text("\n".join([header] if row is None else [header, row]) + "\n")
    said = cli("worst", *TRAINED, "--training", "old.csv")
    assert said.code == 2
    assert words in said.line
    assert charged(tmp_path) == []


def test_training_data_where_a_deviation_is_not_of_one_output(cli, desk, tmp_path):
    (tmp_path / "old.csv").write_text("x,r\n1,2\n")
    both = ("--model", "desk:models", "--oracle", "desk:golds", "--deviation", "rmse", "--tasks", "r")
    said = cli("worst", *desk[:2], *both, "--budget", 3, "--training", "old.csv")
    assert said.code == 2
    assert "has no column 'deviation': add it" in said.line
    assert charged(tmp_path) == []


def test_the_worst_case_of_training_data_stands_beside_the_search(cli, desk, tmp_path):
    """Outputs are compared with the model's; a column `deviation` is taken at its word."""
    (tmp_path / "outputs.csv").write_text("id,x,y\na,0.0,0.5\nb,0.0,-2.0\nc,0.0,1.0\n")
    (tmp_path / "deviations.csv").write_text("x,deviation\n0.25,0.5\n1,0.75\n")
    assert cli("worst", *TRAINED, "--training", "outputs.csv").code == 0
    with Study.open(tmp_path / "worst.ringtrue") as study:
        assert study.kept["training"] == {"point": {"x": 0.0}, "task": "y", "deviation": 2.0, "rows": 3}
    assert cli("worst", "--training", "deviations.csv").code == 0
    with Study.open(tmp_path / "worst.ringtrue") as study:
        assert study.kept["training"] == {"point": {"x": 1}, "task": None, "deviation": 0.75, "rows": 2}
    assert len(charged(tmp_path)) == 3


def test_training_data_outside_the_space_are_told(cli, desk, tmp_path):
    """They deviate more than anything within, and the search cannot begin there."""
    (tmp_path / "old.csv").write_text("x,y\n0.5,0.1\n7,900\n8,900\n")
    told = "2 of 3 training rows outside the space: the search does not go by them, and the report counts them"
    said = cli("worst", *TRAINED, "--training", "old.csv")
    assert said.code == 0
    assert told in said.err
    with Study.open(tmp_path / "worst.ringtrue") as study:
        assert study.kept["training"]["outside"] == 2


def test_with_json_a_refusal_is_an_object(cli, desk):
    said = cli("worst", *desk, "--budget", 5, "--rule", "rising", "--json")
    assert said.code == 2
    assert json.loads(said.out) == {"error": said.err.strip(), "exit_code": 2}


@pytest.mark.parametrize(
    ("options", "instead"),
    [
        (("--gold", "desk:gold"), "--oracle G"),
        (("--gold-command", "sim"), "--oracle-command CMD"),
        (("--noise", "1"), "--sd SD"),
    ],
)
def test_former_options_are_refused_with_the_present_one(cli, options, instead):
    assert instead in cli("worst", *options).line
