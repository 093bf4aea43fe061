"""`ringtrue changed`: what it refuses, each in one line that says what to write instead."""

import csv

import pytest

from ringtrue.changed import METHODS
from ringtrue.changed._question import QUANTITIES
from ringtrue.cli import changed as verb_module

COLUMNS = ("id", "text", "group", "truth", "answer", "confidence", "same", "other")
START = ("changed", "s", "--old", "old.csv")

DESK = """
def ask(rows):
    open("asked", "w").close()
    return ["good" for row in rows]

number = 3
"""


def write(path, rows, columns=COLUMNS):
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


@pytest.fixture
def old(tmp_path):
    """All in one file, old.csv; or the items in items.csv and the old answers in answers.csv; every answer changed."""
    cells = [(f"i{n}", f"text {n}", "xy"[n % 2], "good", "good", 0.5, "good", "bad") for n in range(400)]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in cells]
    write(tmp_path / "old.csv", rows)
    write(tmp_path / "items.csv", rows, ("id", "text", "group", "truth", "other"))
    write(tmp_path / "answers.csv", rows, ("id", "answer", "confidence"))
    (tmp_path / "desk.py").write_text(DESK)
    return rows


MODEL = ["--model", "other"]
ENOUGH = ["--budget", "10"]
BAD = {
    "no old answers": (["--model", "other", *ENOUGH], "--old FILE"),
    "no model": (["--old", "old.csv", *ENOUGH], "--model M"),
    "no end": (["--old", "old.csv", *MODEL], "--error 1%"),
    "no file": (["--old", "nothing.csv", *MODEL, *ENOUGH], "nothing.csv"),
    "no model column": (["--old", "old.csv", "--model", "othr", *ENOUGH], "did you mean 'other'?"),
    "no such model": (["--old", "old.csv", "--model", "qq", *ENOUGH], "an address (http…) or module:function"),
    "no module": (["--old", "old.csv", "--model", "nodesk:ask", *ENOUGH], "nodesk"),
    "no function": (["--old", "old.csv", "--model", "desk:number", *ENOUGH], "is a int"),
    "other scheme": (["--old", "old.csv", "--model", "ftp://x/y", *ENOUGH], "is not an address of a web service"),
    "password": (["--old", "old.csv", "--model", "https://a:b@host/", *ENOUGH], "what stands before its host"),
    "model of old answers": (["--old", "old.csv", "--model", "answer", *ENOUGH], "is the column of the old answers"),
    "model of true labels": (["--old", "old.csv", "--model", "truth", *ENOUGH], "is the column of the true labels"),
    "model of confidences": (["--old", "old.csv", "--model", "confidence", *ENOUGH], "of the old confidences"),
    "answer column": (["--old", "old.csv", *MODEL, *ENOUGH, "--answer", "answr"], "did you mean 'answer'?"),
    "no answer column": (
        ["--old", "old.csv", *MODEL, *ENOUGH, "--answer", "foo"], "--answer='foo': old.csv: there is no column 'foo'",
    ),
    "no truth column": (
        ["--old", "old.csv", *MODEL, *ENOUGH, "--truth", "foo"], "--truth='foo': old.csv: there is no column 'foo'",
    ),
    "no confidence column": (["--old", "old.csv", *MODEL, *ENOUGH, "--confidence", "foo"], "--confidence='foo': "),
    "truth for the answer": (
        ["--old", "old.csv", *MODEL, *ENOUGH, "--truth", "answer"],
        "--truth='answer' leaves no column with a usual name for the old answers: name the one that holds them, "
        "--answer COLUMN;",
    ),
    "truth column": (["--old", "old.csv", *MODEL, *ENOUGH, "--truth", "answer", "--answer", "answer"], "--truth="),
    "confidence": (["--old", "old.csv", *MODEL, *ENOUGH, "--confidence", "text"], "--confidence='none'"),
    "slice column": (["--old", "old.csv", *MODEL, *ENOUGH, "--slice", "grp"], "grp"),
    "too many slices": (["--old", "old.csv", *MODEL, *ENOUGH, "--slice", "text"], "400 values"),
    "feature": (["--old", "old.csv", "--model", "desk:ask", *ENOUGH, "--features", "text,truth"], "true labels"),
    "no feature": (["--old", "old.csv", "--model", "desk:ask", *ENOUGH, "--features", "txt"], "'txt'"),
    "empty feature": (["--old", "old.csv", "--model", "desk:ask", *ENOUGH, "--features", "a,,b"], "empty name"),
    "features of a column": (["--old", "old.csv", *MODEL, *ENOUGH, "--features", "text"], "has no use"),
    "id column": (["--old", "old.csv", *MODEL, *ENOUGH, "--id", "answer"], "same id"),
    "error of nothing": (["--old", "old.csv", *MODEL, "--error", "0"], "--error='0' must be above 0"),
    "error in words": (["--old", "old.csv", *MODEL, "--error", "small"], "small"),
    "noise": (["--old", "old.csv", *MODEL, *ENOUGH, "--noise", "120%"], "--noise='120%'"),
    "claim": (["--old", "old.csv", *MODEL, "--claim", "error <= 5%"], "change or accuracy drop"),
    "claim without labels": (
        ["--old", "old.csv", *MODEL, "--claim", "accuracy drop <= 2%", "--truth", "none"],
        'needs true labels: give --truth COLUMN',
    ),
    "method": (["--old", "old.csv", *MODEL, *ENOUGH, "--method", "magic"], "magic"),
    "money without price": (["--old", "old.csv", *MODEL, "--money", "5"], "--price AMOUNT"),
    "price": (["--old", "old.csv", *MODEL, *ENOUGH, "--price", "-1"], "--price='-1'"),
    "other items": (["--old", "answers.csv", "--pool", "strangers.csv", *MODEL, *ENOUGH], "no id in common"),
    "items without answers": (["--old", "few.csv", "--pool", "items.csv", *MODEL, *ENOUGH], "397 of the 400 items"),
    "duplicate ids": (["--old", "twice.csv", *MODEL, *ENOUGH], "same id 'i0'"),
    "other ids": (["--old", "twice.csv", *MODEL, *ENOUGH], "or name another column with --id COLUMN"),
    "no ids to join by": (["--old", "bare.csv", "--pool", "items.csv", *MODEL, *ENOUGH], "name it, --id COLUMN, in"),
    "missing truth": (["--old", "holed.csv", *MODEL, *ENOUGH], "--truth='none'"),
    "nothing to see": (["--old", "bare.csv", "--model", "desk:ask", *ENOUGH], "no column to be shown"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_get_one_line_and_no_study(cli, old, tmp_path, case):
    write(tmp_path / "strangers.csv", [{**row, "id": f"s{row['id']}"} for row in old], ("id", "text", "other"))
    write(tmp_path / "few.csv", old[:3], ("id", "answer"))
    write(tmp_path / "twice.csv", [*old[:3], old[0]])
    write(tmp_path / "holed.csv", [*old[:2], {**old[2], "truth": ""}])
    write(tmp_path / "bare.csv", old, ("truth", "answer"))
    arguments, words = BAD[case]
    said = cli("changed", "s", *arguments)
    assert said.code == 2
    assert words in said.line
    assert not list(tmp_path.glob("*.ringtrue"))
    assert not (tmp_path / "asked").exists()


CLAIMS = {
    "all is well": "--claim='all is well' cannot be read: ",
    "accurcy >= 5%": "--claim='accurcy >= 5%' speaks of 'accurcy': ",
    "change >= 1%": "--claim='change >= 1%' bounds the change from below: ",
    "error <= 5%": "--claim='error <= 5%' speaks of error, this verb decides change or accuracy drop: ",
    "accuracy >= 90%": "--claim='accuracy >= 90%' speaks of error, this verb decides change or accuracy drop: ",
    "change <= 100%": "--claim='change <= 100%': limit=1 must lie strictly between 0 and 1: ",
    "change <= 1% at 5%": "--claim='change <= 1% at 5%': level=0.05 must lie in [0.5, 1): ",
    "change <= 1..2%": "--claim='change <= 1..2%': '1..2%' is not a number: ",
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS)
def test_bad_claims_get_the_claims_of_this_verb_as_a_remedy(cli, old, claim):
    remedy = 'write it like "change <= 1% at 95%" or "accuracy drop <= 2%"'
    for more in (["--model", "other"], ["--plan"]):
        assert cli(*START, *more, "--claim", claim).line == f"ringtrue: {CLAIMS[claim]}{remedy}"


DIFFERENT = {
    "--model": "same", "--error": "2%", "--noise": "1%", "--method": "uniform", "--answer": "same", "--truth": "none",
    "--confidence": "none", "--seed": 5, "--batch": 7, "--price": "2", "--slice": "group", "--id": "text",
}  # fmt: skip


def test_a_study_goes_on_as_it_was_made(cli, old):
    made = (*START, "--model", "other", "--error", "3%", "--seed", 4, "--batch", 5, "--budget", 20, "--price", "1")
    first = cli(*made)
    assert first.code == 1, first.err
    assert cli(*made).out == first.out, "the same command is no difference"
    for option, value in DIFFERENT.items():
        said = cli("changed", "s", option, value)
        assert said.code == 2
        assert f"{option}=" in said.line
        assert "leave it out, or name a new study" in said.line


def test_money_cannot_limit_a_study_without_a_price(cli, old):
    cli(*START, "--model", "other", "--budget", 5)
    line = cli("changed", "s", "--money", "5").line
    assert line.startswith("ringtrue: --money=5: the study 's.ringtrue' was made without the price of a call: ")
    assert line.endswith("make a new study with --price AMOUNT")


def test_the_methods_and_claims_are_those_there_are():
    assert sorted(verb_module.METHODS) == sorted(METHODS)
    assert verb_module.QUANTITIES == QUANTITIES
