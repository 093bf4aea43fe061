"""`ringtrue risk` by doubt, by profile and with a map: real files, real studies, real refusals."""

import contextlib
import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ringtrue.cli._main import run
from support import numbers_of

MODEL = """
def model(rows):
    return [int(float(row["x2"]) > 0.5 + 0.15 * round(float(row["x1"]) * 3) / 3) for row in rows]
"""


pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a pool of 1,500 points, where the model errs near the border, and its confidence is low there."""
    folder = tmp_path_factory.mktemp("plane")
    rng = np.random.default_rng(11)
    points = rng.uniform(size=(1500, 2))
    border = 0.5 + 0.15 * points[:, 0]
    model = points[:, 1] > 0.5 + 0.15 * np.round(points[:, 0] * 3) / 3
    truth = points[:, 1] > border
    confidence = 1 - 0.5 * np.exp(-np.abs(points[:, 1] - border) / 0.02)
    with open(folder / "pool.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "x1", "x2", "region", "predicted", "score", "truth"])
        for place, (x1, x2) in enumerate(points.tolist()):
            region = "north" if x1 < 0.5 else "south"
            rows.writerow([f"p{place}", x1, x2, region, int(model[place]), confidence[place], int(truth[place])])
    with open(folder / "ops.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["x1", "x2", "region"])
        rows.writerows([0.9, 0.5, "south"] if place % 5 else [0.1, 0.5, "north"] for place in range(500))
    (folder / "plane_model.py").write_text(MODEL)
    with contextlib.chdir(folder):
        assert run(["init", "plane", "--pool", "pool.csv", "--model", "predicted", "--claim", "failure <= 6%"]) == 0
    return folder, truth != model


@pytest.fixture
def plane(cli, made, tmp_path):
    """A copy of that folder; where the model errs."""
    folder, wrong = made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return wrong


def test_doubt_decides_with_a_question_of_its_own_and_goes_on_with_it(cli, plane):
    first = cli("risk", "plane", "--oracle", "truth", "--confidence", "score", "--budget", "30", "--json")
    result = numbers_of(first.out)
    assert first.code == 3
    assert result["question"] == "risk by score"
    assert result["method"] == "stratified"
    assert "added the question 'risk by score'" in first.err
    again = cli("risk", "plane", "--oracle", "truth", "--budget", "1500", "--json")
    told = numbers_of(again.out)
    assert told["question"] == "risk by score"
    assert again.code == 0
    assert told["verdict"] == "rings true"
    assert told["bound"]["high"] <= 0.06
    assert told["interval"]["low"] <= plane.mean() <= told["interval"]["high"]
    assert sum(row["answers"] for row in told["strata"]) == told["answers"]
    assert told["operation"]["high"] > told["bound"]["high"]


def test_a_study_can_be_made_with_doubt_at_once(cli, plane):
    made = cli("init", "b", "--pool", "pool.csv", "--model", "predicted", "--confidence", "score", "--budget", "60")
    assert made.code == 0
    result = numbers_of(cli("risk", "b", "--oracle", "truth", "--json").out)
    assert result["question"] == "risk"
    assert result["method"] == "stratified"


def test_a_profile_makes_the_claim_one_about_operation(cli, plane):
    asked = cli(
        "risk", "plane", "--oracle", "truth", "--profile", "ops.csv", "--on", "region", "--budget", "400", "--json"
    )
    result = numbers_of(asked.out)
    assert result["profile"]["name"] == "ops"
    weights = {one["values"][0]: one["weight"] for one in result["profile"]["classes"]}
    assert weights["south"] > 1.5 > 0.5 > weights["north"]
    assert "error under profile ops" in result["sentence"]
    north = np.array([",north," in line for line in Path("pool.csv").read_text().splitlines()[1:]])
    operation = 0.2 * plane[north].mean() + 0.8 * plane[~north].mean()
    assert result["interval"]["low"] <= operation <= result["interval"]["high"]


def test_profiles_are_priced_beside_even_draws_and_refused_where_labels_are_too_few(cli, plane):
    arguments = [
        "risk",
        "plane",
        "--oracle",
        "truth",
        "--method",
        "simple-random",
        "--profile",
        "ops.csv",
        "--on",
        "region",
    ]
    few = numbers_of(cli(*arguments, "--budget", "20", "--json").out)
    assert few["profiles"][0]["interval"] is None
    assert "below the floor" in few["profiles"][0]["refusal"]
    said = cli(*arguments, "--budget", "300")
    assert "profile ops: error" in said.out
    assert "even labels" in said.out


def test_the_map_shows_where_it_fails_and_buys_labels_where_it_lacks_them(cli, plane):
    cli("init", "m", "--pool", "pool.csv", "--model", "plane_model:model")
    known = cli("risk", "m", "--map", "x1,x2", "--cells", "20", "--known", "truth", "--json")
    result = numbers_of(known.out)
    assert known.code == 0
    assert result["spending"]["answered"] == 0
    assert result["grid"]["cells"] == [20, 20]
    assert result["interval"]["low"] <= plane.mean() <= result["interval"]["high"]
    bought = cli("risk", "m", "--map", "x1,x2", "--cells", "20", "--oracle", "truth", "--budget", "40", "--json")
    after = numbers_of(bought.out)
    assert after["spending"]["answered"] == 40
    assert after["census"]["normal"] + after["census"]["cross"] == 40, "one label for each empty cell"
    written = cli("report", "m")
    assert written.code == 0
    page = Path("m.html").read_text(encoding="utf-8")
    assert "The map" in page
    assert cli("report", "--verify", "m.json").code == 0


def test_reports_of_every_method_verify(cli, plane):
    for options in (["--confidence", "score"], ["--confidence", "score", "--profile", "ops.csv", "--on", "region"]):
        cli("risk", "plane", "--oracle", "truth", *options, "--budget", "80")
        assert cli("report", "plane").code == 0
        verified = cli("report", "--verify", "plane.json")
        assert verified.code == 0, verified.out
    assert cli("report", "plane", "--question", "risk").code == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "--oracle is missing"),
        (["--oracle", "truth", "--confidence", "sure"], "confidence='sure' is not a column"),
        (["--oracle", "truth", "--confidence", "region"], "confidence='region' is not a column of numbers"),
        (["--oracle", "truth", "--confidence", "model"], "confidence='model' needs a model that gives probabilities"),
        (["--oracle", "truth", "--method", "importance"], "method='importance' needs something to go by"),
        (["--oracle", "truth", "--shake", "x1,x2"], "its answers are stored"),
        (["--oracle", "truth", "--shake", "x1,,x2"], "--shake='x1,,x2' has an empty name"),
        (["--oracle", "truth", "--on", "region"], "--on='region' compares a profile"),
        (["--oracle", "truth", "--profile", "none.csv"], "none.csv"),
        (["--oracle", "truth", "--profile", "ops.csv", "--on", "colour"], "colour"),
        (["--map", "x1,x2", "--known", "truth"], "its answers are stored"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(cli, plane, arguments, problem):
    said = cli("risk", "plane", *arguments)
    assert said.code == 2
    assert problem in said.line
    assert list(json.loads(cli("status", "plane", "--json").out)["findings"]) == ["risk"], "nothing was added"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--map", "x1,x2"], "a map needs labels"),
        (["--map", "x1,region", "--known", "truth"], "--map='region' is not a column of numbers"),
        (["--map", "x1,x9", "--known", "truth"], "--map='x9' is not a column"),
        (["--map", "x1,x2", "--known", "label"], "--known='label' is not a column"),
        (["--map", "x1,x2", "--cells", "100000", "--known", "truth"], "give fewer"),
        (["--map", "x1,x2", "--oracle", "truth"], "give --budget N"),
    ],
)
def test_what_cannot_be_mapped_is_said_in_one_line(cli, plane, arguments, problem):
    cli("init", "m", "--pool", "pool.csv", "--model", "plane_model:model")
    said = cli("risk", "m", *arguments)
    assert said.code == 2
    assert problem in said.err


def test_a_map_of_picked_labels_alone_is_held_against_nothing(cli, plane):
    cli("init", "m", "--pool", "pool.csv", "--model", "plane_model:model", "--budget", "30")
    said = cli("risk", "m", "--map", "x1,x2", "--cells", "10", "--oracle", "truth", "--json")
    assert said.code == 0
    assert numbers_of(said.out)["contradiction"] is None, "picked labels are no sample of operation"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--map", "x1,x2", "--known", "truth", "--method", "importance"], "--method does nothing with --map"),
        (["--map", "x1,x2", "--known", "truth", "--workers", "2"], "--workers does nothing with --map"),
        (["--map", "x1,x2", "--known", "truth", "--mode", "paper", "--look", "lattice"], "--look does nothing"),
        (["--map", "x1,x2", "--known", "truth", "--claim", "failure <= 1%"], "--claim is not decided by a map"),
        (["--map", "x1,x1", "--known", "truth"], "names a column twice"),
        (["--map", "x1", "--known", "truth"], "the model fails on these alone (KeyError: 'x2')"),
        (["--oracle", "truth", "--cells", "9"], "--cells is for --map"),
    ],
)
def test_options_are_refused_rather_than_passed_over(cli, plane, arguments, problem):
    cli("init", "m", "--pool", "pool.csv", "--model", "plane_model:model")
    said = cli("risk", "m", *arguments)
    assert said.code == 2
    assert problem in said.line


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--shake", "x1"], "its answers are stored"),
        (["--confidence", "model"], "gives probabilities"),
        (["--profile", "ops.csv"], "--profile needs --on A,B here"),
        (["--fixed", "9999"], "--fixed=9999 must not exceed the 1,500 items"),
    ],
)
def test_init_makes_no_study_that_could_not_be_run(cli, plane, options, problem):
    said = cli("init", "n", "--pool", "pool.csv", "--model", "predicted", *options)
    assert said.code == 2
    assert problem in said.line
    assert not Path("n.ringtrue").exists()


def test_operation_that_the_pool_lacks_is_said_and_a_claim_below_it_refused(cli, plane):
    rows = ["region", *["north"] * 6, *["east"] * 4]
    Path("half.csv").write_text("\n".join(rows) + "\n")
    asked = ["risk", "plane", "--oracle", "truth", "--profile", "half.csv", "--on", "region", "--budget", "50"]
    refused = cli(*asked, "--claim", "failure <= 30%")
    assert refused.code == 2
    assert "can never ring true under profile 'half': 40% of operation" in refused.err
    said = cli(*asked, "--claim", "failure <= 60%")
    assert "40% of operation is of kinds the pool lacks" in said.out


def test_a_claim_without_a_question_is_about_the_one_the_study_was_made_with(cli, plane):
    cli("risk", "plane", "--oracle", "truth", "--budget", "40")
    cli("risk", "plane", "--oracle", "truth", "--confidence", "score", "--budget", "60")
    Path("claims.toml").write_text('[[claim]]\nstudy = "plane.ringtrue"\nsays = "failure <= 90% at 95%"\n')
    assert cli("check", "claims.toml").code == 0


def test_a_number_of_labels_is_fixed_before_the_first(cli, plane):
    assert (
        cli("init", "f", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 9%", "--fixed", "120").code
        == 0
    )
    done = cli("risk", "f", "--oracle", "truth")
    assert done.code == 0
    assert "looked at once, after 120 answers" in done.out
    late = cli("risk", "plane", "--oracle", "truth", "--budget", "10")
    assert late.code == 3
    assert "must be settled before the first label" in cli("risk", "plane", "--oracle", "truth", "--fixed", "50").line


def test_a_budget_below_the_fixed_number_is_said(cli, plane):
    early = cli("risk", "f", "--pool", "pool.csv", "--model", "predicted", "--oracle", "truth", "--confidence", "score",
                "--fixed", "120", "--budget", "50")  # fmt: skip
    assert early.code == 0
    assert "; 70 more to come before anything is said" in early.out
    assert "the budget is spent: the same command with a larger --budget N" in early.out
    done = cli("risk", "f", "--budget", "120")
    assert "; looked at once, after 120 answers" in done.out
    assert "next: ringtrue report f.ringtrue" in done.out


def test_a_fixed_number_with_doubt_is_shared_out_and_one_of_an_earlier_version_goes_on(cli, plane):
    command = (
        "--pool",
        "pool.csv",
        "--model",
        "predicted",
        "--oracle",
        "truth",
        "--confidence",
        "score",
        "--fixed",
        "90",
    )
    said = cli("risk", "g", *command)
    assert said.code == 0
    assert "looked at once, after 90 answers" in said.out
    assert "exact stratified, 90 answers" in cli("status", "g", "--json").out
    # Earlier versions drew such labels by the method that --method stratified names now.
    assert cli("risk", "h", *command, "--method", "stratified", "--budget", "20").code == 0
    again = cli("risk", "h", *command, "--budget", "90", "--json")
    assert again.code == 0, again.err
    assert (numbers_of(again.out)["answers"], numbers_of(again.out)["question"]) == (90, "risk")
    assert "one planned bet" in cli("status", "h", "--json").out


CHOSEN = [
    ("--fixed", "12"), ("--confidence", "score"), ("--confidence", "score", "--fixed", "12"),
    ("--method", "simple-random"),
]  # fmt: skip


@pytest.mark.parametrize("chosen", CHOSEN)
def test_the_same_command_goes_on_with_the_same_question(cli, tmp_path, chosen):
    rows = [f"i{n},a,{'b' if n % 9 == 0 else 'a'},{0.5 + n % 5 / 10}" for n in range(60)]
    (tmp_path / "scored.csv").write_text("id,said,truth,score\n" + "\n".join(rows) + "\n")
    command = ("risk", "s", "--pool", "scored.csv", "--model", "said", "--oracle", "truth", *chosen)
    assert cli(*command, "--budget", 6).code == 0
    again = cli(*command, "--budget", 12, "--json")
    assert again.code == 0, again.err
    assert (numbers_of(again.out)["answers"], numbers_of(again.out)["question"]) == (12, "risk")
    assert list(json.loads(cli("status", "s", "--json").out)["findings"]) == ["risk"], "nothing was added"
    other = cli(*command, "--claim", "error <= 50% at 95%", "--json")
    assert numbers_of(other.out)["claim"] == "error <= 50% at 95%", "another claim is decided by the same answers"
