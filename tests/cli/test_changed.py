"""`ringtrue changed`: exit codes, what is printed, answers that are paid once, and what the model sees."""

import csv
import json
import random
import re

import pytest

from ringtrue.study import Study
from support import numbers_of

OTHER = {"good": "bad", "bad": "good"}
COLUMNS = ("id", "text", "group", "truth", "answer", "confidence", "same", "other")

DESK = """
import json
from support import numbers_of

def _note(rows):
    with open("asked.jsonl", "a") as file:
        file.writelines(json.dumps(row) + "\\n" for row in rows)

def ask(rows):
    _note(rows)
    return ["good" if int(row["id"][1:]) % 2 else "bad" for row in rows]

def dumb(rows):
    _note(rows)
    return [None for row in rows]

def stops(rows):
    with open("asked.jsonl") as file:
        if len(file.readlines()) >= 40:
            raise KeyboardInterrupt
    return ask(rows)

def broken(rows):
    raise RuntimeError("no more credit")
"""


def rows_of(size=400, *, seed=3, changed=0.2):
    """Items whose old answer is right 9 times in 10; `same` repeats it, `other` differs for a share of the items."""
    draw = random.Random(seed)
    for place in range(size):
        truth = draw.choice(["good", "bad"])
        answer = truth if draw.random() < 0.9 else OTHER[truth]
        other = OTHER[answer] if draw.random() < changed else answer
        sure = round(draw.random(), 3)
        yield dict(
            zip(
                COLUMNS,
                (f"i{place}", f"text {place}", draw.choice("xy"), truth, answer, sure, answer, other),
                strict=True,
            )
        )


def write(path, rows, columns):
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


@pytest.fixture
def old(tmp_path):
    """All in one file, old.csv; or the items in items.csv and the old answers, with some for others, in answers.csv."""
    rows = list(rows_of())
    write(tmp_path / "old.csv", rows, COLUMNS)
    write(tmp_path / "items.csv", rows, ("id", "text", "group", "truth", "other"))
    surplus = [{**row, "id": f"z{row['id']}"} for row in rows[:7]]
    write(tmp_path / "answers.csv", [*rows[::-1], *surplus], ("id", "answer", "confidence"))
    (tmp_path / "desk.py").write_text(DESK)
    (tmp_path / "asked.jsonl").write_text("")
    return rows


def asked(folder):
    return [json.loads(line) for line in (folder / "asked.jsonl").read_text().splitlines()]


START = ("changed", "s", "--old", "old.csv")


def test_an_unchanged_model_rings_true(cli, old):
    said = cli(*START, "--model", "same", "--claim", "change <= 10% at 95%")
    assert said.code == 0, said.err
    assert "rings true" in said.out.splitlines()[0]
    assert "flips seen: none" in said.out
    assert said.out.splitlines()[-1] == "next: ringtrue report s.ringtrue"
    chosen = "old answers in column 'answer'; true labels in 'truth'; confidences in 'confidence'"
    assert said.err.splitlines()[0] == chosen


def test_a_changed_model_rings_false_and_what_changed_is_said(cli, old):
    said = cli(*START, "--model", "other", "--claim", "change <= 1% at 95%")
    assert said.code == 1, said.err
    lines = said.out.splitlines()
    assert "rings false" in lines[0]
    assert re.fullmatch(r"accuracy: 8\S+% before, \S+% now, -\S+ \[-\S+, \S+\] points", lines[1])
    assert any(line.split()[:4] == ["true", "label", "answer", "before"] for line in lines)
    (flips,) = (line for line in lines if line.startswith("flips seen: "))
    assert "from right to wrong" in flips
    assert "answers recorded" in lines[-2]


def test_json_is_the_finding_with_the_study_and_its_status(cli, old):
    said = cli(*START, "--model", "other", "--claim", "change <= 1% at 95%", "--json")
    found = numbers_of(said.out)
    assert (said.code, found["verdict"], found["study"]) == (1, "rings false", "s.ringtrue")
    assert found["answers"] == found["spending"]["answered"] > 0
    assert found["change"]["low"] > 0.01
    assert found["noise"]["assumed"] == 0, "what is stored does not vary"


def test_an_error_is_asked_for_until_it_holds(cli, old):
    said = cli(*START, "--model", "other", "--error", "5%", "--json")
    found = numbers_of(said.out)
    assert said.code == 1
    assert found["error"]["required"] == 0.05
    assert found["error"]["bound"] <= 0.05 or found["answers"] == found["population"]
    assert "error of the shift: at most" in cli("changed", "s").out


def test_without_true_labels_nothing_is_said_of_accuracy(cli, old):
    said = cli(*START, "--model", "other", "--truth", "none", "--budget", 60)
    assert said.code == 1, said.err
    assert "accuracy" not in said.out
    assert "old answer" in said.out
    assert "no true labels" in said.err.splitlines()[0]


def test_a_spent_budget_is_not_yet_known_and_more_goes_on_without_paying_twice(cli, old, tmp_path):
    arguments = (*START, "--model", "desk:ask", "--claim", "change <= 60%", "--noise", "0", "--batch", 10)
    first = cli(*arguments, "--budget", 20)
    assert first.code == 3, first.out
    assert "the budget is spent" in first.out
    assert len(asked(tmp_path)) == 20
    second = cli(*arguments, "--budget", 50, "--json")
    found = numbers_of(second.out)
    assert found["spending"]["answered"] == found["answers"] == 50
    ids = [row["id"] for row in asked(tmp_path)]
    assert len(ids) == len(set(ids)) == 50
    third = cli("changed", "s", "--json")
    assert numbers_of(third.out)["answers"] == 50, "nothing is asked when nothing is allowed"
    assert len(asked(tmp_path)) == 50


def test_a_run_that_ends_with_calls_left_does_not_say_that_they_are_spent(cli, old, monkeypatch):
    monkeypatch.setattr(Study, "run", lambda study, **_: study.finding())  # as when it waits for another run's answers
    said = cli(*START, "--model", "other", "--error", "1%", "--budget", 40, "--price", "1", "--money", "9")
    assert said.code == 3, said.err
    assert "40 of 40 calls left" in said.out
    assert "spent:" not in said.out
    assert "the budget is spent: " in cli("changed", "s", "--money", "0.50").out
    assert "the budget is spent: " in cli("changed", "s", "--money", "9", "--budget", 0).out


def test_nothing_is_said_of_the_error_before_the_first_answer(cli, old):
    assert "error of the shift" not in cli(*START, "--model", "other", "--error", "1%", "--budget", 0).out
    assert "error of the shift" in cli("changed", "s", "--budget", 5).out


def test_what_second_answers_were_is_counted(cli, old):
    found = numbers_of(cli(*START, "--model", "desk:ask", "--error", "5%", "--budget", 60, "--json").out)
    noise = found["noise"]
    assert noise["asked_twice"] == noise["persisted"] > 0, "this model always says the same"
    (line,) = (line for line in cli("changed", "s").out.splitlines() if line.startswith("asked again: "))
    times = noise["asked_twice"]
    same = f"{times} answered the same again, 0 went back to the old answer, 0 gave a third"
    assert line == f"asked again: {times} items; {same}"


def test_money_is_a_budget_too(cli, old, tmp_path):
    arguments = (*START, "--model", "desk:ask", "--error", "1%", "--noise", "0", "--price", "0.10")
    said = cli(*arguments, "--money", "2.55", "--json")
    assert said.code == 1, said.err
    assert json.loads(said.out)["spending"]["spent_money"] == "2.50"
    assert len(asked(tmp_path)) == 25
    assert "the budget is spent" in cli("changed", "s").out, "what is left does not pay for one more"
    assert numbers_of(cli(*arguments, "--money", "3", "--json").out)["spending"]["spent_money"] == "3.00"


def test_the_model_is_shown_the_inputs_alone(cli, old, tmp_path):
    cli(*START, "--model", "desk:ask", "--budget", 5)
    assert set(asked(tmp_path)[0]) == set(COLUMNS) - {"truth", "answer", "confidence"}


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--slice", "group"], {"id", "text", "same", "other"}),
        (["--slice", "group", "--features", "id,group"], {"id", "group"}),
        (["--truth", "none", "--confidence", "none"], {"id", "text", "group", "same", "other"}),
    ],
)
def test_what_the_model_is_shown_can_be_chosen(cli, old, tmp_path, options, shown):
    said = cli(*START, "--model", "desk:ask", "--noise", "0", "--budget", 5, *options)
    assert said.code == 1, said.err
    assert set(asked(tmp_path)[0]) == shown
    assert f"the model is shown {', '.join(asked(tmp_path)[0])}" in said.err.splitlines()[0]
    cli("changed", "s", "--budget", 10)
    assert set(asked(tmp_path)[-1]) == shown, "also when the study goes on"


@pytest.mark.parametrize("options", [[], ["--truth", "none"], ["--answer", "old", "--truth", "gold"]])
def test_a_second_column_of_answers_or_labels_is_not_shown_either(cli, old, tmp_path, options):
    rows = [{**row, "old": row["answer"], "label": row["truth"], "gold": row["truth"], "conf": 1} for row in old]
    columns = ("id", "text", "old", "answer", "label", "gold", "confidence", "conf")
    write(tmp_path / "two.csv", rows, columns)
    arguments = ("changed", "two", "--old", "two.csv", "--model", "desk:ask", "--budget", 5, *options)
    assert cli(*arguments).err.splitlines()[0].endswith("; the model is shown id, text")
    assert {*asked(tmp_path)[0]} == {"id", "text"}


def test_a_column_with_a_usual_name_may_be_asked_for(cli, old, tmp_path):
    write(tmp_path / "two.csv", [{**row, "score": 7} for row in old], ("id", "text", "answer", "confidence", "score"))
    arguments = ("--old", "two.csv", "--model", "desk:ask", "--budget", 5, "--features", "id,score")
    assert "the model is shown id, score" in cli("changed", "two", *arguments).err
    assert {*asked(tmp_path)[0]} == {"id", "score"}


def test_slices_are_told_apart(cli, old):
    found = numbers_of(cli(*START, "--model", "other", "--slice", "group", "--budget", 80, "--json").out)
    assert {(part["column"], part["value"]) for part in found["slices"]} == {("group", "x"), ("group", "y")}


def test_no_answer_is_an_answer(cli, old):
    found = numbers_of(cli(*START, "--model", "desk:dumb", "--noise", "0", "--budget", 40, "--json").out)
    assert found["verdict"] == "rings false"
    assert "(empty)" in found["answer_names"]
    assert found["unanswerable"] == 0


def test_items_and_old_answers_in_two_files(cli, old, tmp_path):
    (tmp_path / "deep").mkdir()
    arguments = ("changed", "deep/s", "--old", "answers.csv", "--pool", "items.csv")
    said = cli(*arguments, "--model", "other", "--budget", 100, "--json")
    assert said.code == 1, said.err
    assert "7 old answers belong to no item and are left out" in said.err.splitlines()[0]
    assert numbers_of(said.out)["population"] == 400
    again = cli("changed", "deep/s", "--json")
    assert numbers_of(again.out)["answers"] == numbers_of(said.out)["answers"]
    one_file = cli(*START, "--model", "other", "--budget", 100, "--json")
    assert numbers_of(one_file.out)["shift"] == numbers_of(said.out)["shift"], "the same items, the same draws"
    report = cli("report", "deep/s", "--json")
    assert report.code == 0, report.err
    assert "left out" not in report.err
    flipped = numbers_of(said.out)["flips"]["items"][0]["id"]
    assert f"text {flipped[1:]}" in (tmp_path / "deep" / "s.html").read_text(), "the items that flipped are shown"
    assert cli("report", "--verify", "deep/s.json").code == 0
    shown = cli("changed", "deep/s", "--model", "desk:ask")
    assert "was made with other" in shown.line


def test_the_model_of_two_files_is_shown_what_is_in_the_items_file(cli, old, tmp_path):
    cli("changed", "s", "--old", "answers.csv", "--pool", "items.csv", "--model", "desk:ask", "--budget", 5)
    assert set(asked(tmp_path)[0]) == {"id", "text", "group", "other"}


def test_files_that_were_moved(cli, old, tmp_path):
    cli(*START, "--model", "other", "--budget", 40)
    (tmp_path / "old.csv").rename(tmp_path / "moved.csv")
    assert "is not at 'old.csv'" in cli("changed", "s").line
    assert cli("changed", "s", "--old", "moved.csv", "--json").code == 1
    (tmp_path / "moved.csv").write_text((tmp_path / "moved.csv").read_text().replace("text 1,", "text one,"))
    assert "not the one this study was made with" in cli("changed", "s", "--old", "moved.csv").line


def test_workers_change_nothing_but_the_time(cli, old, tmp_path):
    arguments = ("--old", "old.csv", "--model", "desk:ask", "--error", "3%", "--noise", "0", "--budget", 60, "--json")
    alone = numbers_of(cli("changed", "alone", *arguments).out)
    many = numbers_of(cli("changed", "many", *arguments, "--workers", 4).out)
    assert {**alone, "study": ""} == {**many, "study": ""}
    assert "--workers=40 share a batch of 20" in cli("changed", "more", *arguments, "--workers", 40).err


def test_ctrl_c_keeps_what_was_answered(cli, old, tmp_path):
    arguments = (*START, "--model", "desk:stops", "--error", "1%", "--noise", "0", "--budget", 100)
    said = cli(*arguments)
    assert said.code == 130
    assert "every recorded answer is kept" in said.err
    assert len(asked(tmp_path)) == 40
    status = json.loads(cli("status", "s", "--json").out)["spending"]
    assert status["answered"] == 40
    (tmp_path / "asked.jsonl").rename(tmp_path / "before.jsonl")
    (tmp_path / "asked.jsonl").write_text("")
    cli(*arguments)
    before = {json.loads(line)["id"] for line in (tmp_path / "before.jsonl").read_text().splitlines()}
    assert before.isdisjoint(row["id"] for row in asked(tmp_path))


def test_a_model_that_keeps_failing_stops_the_study(cli, old):
    said = cli(*START, "--model", "desk:broken", "--budget", 40)
    assert said.code == 2
    assert "no more credit" in said.err.splitlines()[-1]


def test_planning_asks_nothing_and_makes_nothing(cli, old, tmp_path):
    said = cli(*START, "--error", "1%", "--claim", "change <= 2%", "--plan")
    assert said.code == 0, said.err
    assert "400 items" in said.out
    assert "change <= 2% at 95%" in said.out
    found = json.loads(cli(*START, "--claim", "accuracy drop <= 2% at 90%", "--plan", "--json").out)
    assert (found["items"], found["accuracy_drop"], found["level"], found["change"]) == (400, 0.02, 0.9, None)
    assert not list(tmp_path.glob("*.ringtrue"))
    assert asked(tmp_path) == []
    cli(*START, "--model", "other", "--error", "4%", "--claim", "change <= 3%", "--budget", 5)
    found = json.loads(cli("changed", "s", "--plan", "--json").out)
    assert (found["error"], found["change"]) == (0.04, 0.03), "a study plans for what it was made for"
    assert "--old FILE" in cli("changed", "elsewhere", "--plan").line


def test_another_claim_may_be_decided(cli, old):
    assert cli(*START, "--model", "other", "--claim", "change <= 1%").code == 1
    assert cli("changed", "s", "--claim", "change <= 60%").code == 0


def test_studies_of_other_questions_are_left_alone(cli, old, loans):
    assert "was not made by `ringtrue changed`" in cli("changed", "loans").line
    assert "was not made by `ringtrue changed`" in cli("changed", "loans", "--plan").line
    cli(*START, "--model", "desk:ask", "--budget", 5)
    assert "see `ringtrue changed --help`" in cli("risk", "s", "--oracle", "truth").line


def test_help_has_examples_and_exit_codes(cli):
    said = cli("changed", "--help")
    assert said.code == 0
    assert "--old answers.parquet --model https://" in said.out
    assert "Exit code: 0 unchanged within the claim, 1 changed, 3 not yet known." in said.out
