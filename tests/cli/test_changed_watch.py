"""`ringtrue changed --watch`: one call per run, when it is due, and an alarm."""

import csv
import json

import pytest

from ringtrue.study import Study

MODEL = """
import csv, os

def ask(rows):
    with open("asked.log", "a") as file:
        file.writelines(row["text"] + "\\n" for row in rows)
    if os.path.exists("stop"):
        raise KeyboardInterrupt
    with open("answers.csv") as file:
        said = {row["text"]: row["answer"] for row in csv.DictReader(file)}
    other = {"good": "bad", "bad": "good"} if os.path.exists("changed") else {}
    return [other.get(said[row["text"]], said[row["text"]]) for row in rows]
"""
DAY = 86_400


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "watched_desk.py").write_text(MODEL)
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "answer", "confidence", "same", "other"])
        for place in range(120):
            answer = "good" if place % 3 else "bad"
            other = "bad" if answer == "good" else "good"
            rows.writerow([f"i{place}", f"text {place}", answer, place / 120, answer, other])
    return tmp_path


@pytest.fixture
def later(monkeypatch):
    """Move the clock of the command, and with it that of the study, which notes when an answer came."""
    ahead = [0.0]
    import time

    import ringtrue.cli._changed_watch as watch

    true = time.time
    monkeypatch.setattr(watch.time, "time", lambda: true() + ahead[0])

    def move(seconds):
        ahead[0] += seconds

    return move


WATCH = ("changed", "guard", "--old", "answers.csv", "--watch")


def asked(folder):
    return len((folder / "asked.log").read_text().splitlines())


def test_the_first_run_learns_and_each_later_one_asks_once_when_due(folder, cli, later):
    first = cli(*WATCH, "--model", "watched_desk:ask")
    assert first.code == 0
    assert "no change so far: 0 calls to 20 sentinels" in first.out
    assert "due" in first.out
    assert asked(folder) == 100
    early = cli("changed", "guard", "--trust")
    assert (early.code, asked(folder)) == (0, 100)
    doctor = json.loads(cli("doctor", "guard", "--json").out)
    assert doctor["asks"][0]["command"] == "ringtrue changed guard.ringtrue"
    assert "the model was not looked at, since its answers are paid for" in doctor["facts"]
    later(DAY * 0.97)  # a scheduler that was a little early
    assert cli("changed", "guard", "--trust").code == 0
    assert asked(folder) == 101


def test_a_clock_that_was_set_back_does_not_end_the_watch(folder, cli, monkeypatch):
    import time

    import ringtrue.cli._changed_watch as watch

    true = time.time
    assert cli(*WATCH, "--model", "watched_desk:ask").code == 0
    monkeypatch.setattr(watch.time, "time", lambda: true() - 400 * DAY)
    assert cli("changed", "guard", "--trust").code == 0
    assert asked(folder) == 101


def test_an_alarm_ends_the_watch(folder, cli, later):
    assert cli(*WATCH, "--model", "watched_desk:ask", "--every", "hour").code == 0
    (folder / "changed").touch()
    runs, code = 0, 0
    while code == 0 and runs < 30:
        later(3_600)
        found = cli("changed", "guard", "--trust", "--json")
        runs, code = runs + 1, found.code
    assert found.code == 1
    told = json.loads(found.out)
    assert told["details"]["raised_at"] == 100 + runs == told["answers"]
    assert told["details"]["year"] == 8_760
    assert told["verdict"] == "rings false"
    assert told["details"]["due"] is None, "after an alarm nothing more is asked"
    later(3_600)
    assert cli("changed", "guard", "--trust").code == 1
    assert asked(folder) == 100 + runs
    report = cli("report", "guard")
    assert report.code == 0
    page = (folder / "guard.html").read_text()
    assert "Sentinels" in page
    assert "alarm: 20 to 1" in page or "alarm after" in page
    assert cli("report", "--verify", "guard.json").code == 0


def test_a_run_that_is_stopped_goes_on(folder, cli):
    (folder / "stop").touch()
    stopped = cli(*WATCH, "--model", "watched_desk:ask")
    assert stopped.code not in (0, 1)
    (folder / "stop").unlink()
    before = asked(folder)
    assert cli("changed", "guard", "--trust").code == 0
    with Study.open(folder / "guard.ringtrue") as study:
        assert len(study.records) == 100
        assert all(record.state == "answered" for record in study.records)
    assert asked(folder) <= before + 100


def test_stored_answers_are_proof_at_once(folder, cli):
    found = cli(*WATCH, "--model", "other", "--sentinels", "4")
    assert found.code == 1
    assert "alarm after 1 call;" in found.out
    calm = cli("changed", "calm", "--old", "answers.csv", "--watch", "--model", "same", "--json")
    assert calm.code == 0
    told = json.loads(calm.out)
    assert (told["answers"], told["details"]["false_alarms_a_year"]) == (1, 0)


def test_without_confidences_items_come_by_chance(folder, cli):
    found = cli(*WATCH, "--model", "same", "--confidence", "none")
    assert found.code == 0
    assert "no change so far: 1 call to items by chance" in found.out
    refused = cli("changed", "few", "--old", "answers.csv", "--watch", "--model", "same", "--confidence", "none",
                  "--sentinels", "5")  # fmt: skip
    assert refused.code == 2
    assert "--sentinels=5 are chosen by the old confidences, and none is known" in refused.err
    report = cli("report", "guard")
    assert report.code == 0
    assert cli("report", "--verify", "guard.json").code == 0


def test_the_budget_is_kept(folder, cli):
    found = cli(*WATCH, "--model", "watched_desk:ask", "--budget", "30")
    assert found.code == 3
    assert "the watch begins: 30 of 100 first calls" in found.out
    assert "the budget is spent" in found.out
    assert asked(folder) == 30


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--error", "1%"), "--error=0.01 has no use with --watch"),
        (("--claim", "change <= 1%"), "has no use with --watch"),
        (("--method", "masa"), "--method='masa' has no use with --watch"),
        (("--noise", "2%"), "--noise=0.02 must be 0 or left out"),
        (("--plan",), "--plan has no use with --watch"),
        (("--slice", "text", "--slice", "id"), "--slice='text' --slice='id' has no use with --watch"),
    ],
)
def test_what_a_watch_cannot_use_is_refused(folder, cli, options, says):
    found = cli(*WATCH, "--model", "watched_desk:ask", *options)
    assert found.code == 2
    assert says in found.err
    assert not (folder / "guard.ringtrue").exists()


@pytest.mark.parametrize("options", [("--every", "day"), ("--sentinels", "5")])
def test_what_belongs_to_a_watch_is_refused_without_it(folder, cli, options):
    found = cli("changed", "plain", "--old", "answers.csv", "--model", "same", "--budget", "5", *options)
    assert found.code == 2
    assert "belongs to --watch" in found.err


def test_a_study_goes_on_as_it_was_made(folder, cli):
    cli(*WATCH, "--model", "same")
    assert cli("changed", "guard", "--watch").code == 0
    other = cli("changed", "guard", "--sentinels", "7")
    assert other.code == 2
    assert "made with 100" in other.err  # stored answers do not vary
    planned = cli("changed", "guard", "--plan")
    assert planned.code == 2
    assert "--plan has no use with --watch" in planned.err
    cli("changed", "plain", "--old", "answers.csv", "--model", "same", "--budget", "5")
    found = cli("changed", "plain", "--watch")
    assert found.code == 2
    assert "made without it" in found.err
