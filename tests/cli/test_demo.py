"""`ringtrue demo`, end to end: five real studies, a real crash, and numbers that are measured."""

import contextlib
import csv
import html
import io
import json
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ringtrue.cli._demo_digits import load, moved_by, of_images
from ringtrue.cli._demo_questions import Answer
from ringtrue.cli._main import ringtrue, run
from ringtrue.cli.demo import STOPS, Stop, clear, write_index
from ringtrue.report import verify_report
from support.undrawn import without_drawings

VERBS = [stop.verb for stop in STOPS]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


@dataclass
class Tour:
    folder: Path
    made: dict
    err: str

    @property
    def index(self):
        return (self.folder / "index.html").read_text(encoding="utf-8")

    def answer(self, verb):
        return next(answer for answer in self.made["questions"] if answer["verb"] == verb)

    def document(self, verb):
        return json.loads((self.folder / f"{verb}.json").read_text(encoding="utf-8"))


def demo(folder, *arguments):
    """Run the demo in this process; return its exit code and what it wrote on either stream."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["demo", "--out", str(folder), *arguments])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """The whole tour, once, in a folder where another one was interrupted."""
    folder = tmp_path_factory.mktemp("demo") / "some where" / "tour"
    with pytest.MonkeyPatch.context() as patched, without_drawings():
        # Offline: whoever opens a connection in this process fails the test.
        patched.setattr("socket.socket.connect", lambda *_: pytest.fail("the demo went to the network"))
        interrupt(folder, patched)
        code, out, err = demo(folder, "--json")
    assert code == 0, err
    return Tour(folder, json.loads(out), err)


def interrupt(folder, patched):
    """Run the demo until Ctrl-C comes while it waits for its worker."""
    start, started = subprocess.Popen, []

    def ctrl_c(_):
        raise KeyboardInterrupt

    with patched.context() as waiting:
        waiting.setattr(
            "subprocess.Popen", lambda *given, **named: started.append(start(*given, **named)) or started[-1]
        )
        waiting.setattr("ringtrue.cli._demo_questions.read_account", ctrl_c)
        code, out, err = demo(folder)
    assert code == 130
    assert err.splitlines()[-1].startswith("interrupted: ")
    assert "Traceback" not in out + err
    assert [worker.returncode for worker in started] == [-signal.SIGKILL], "the worker was not ended"
    assert not (folder / "index.html").exists()


def test_risk_survives_the_kill_and_buys_each_label_once(tour):
    made = tour.made
    assert made["killed_at"] > 0
    assert "SIGKILL" in tour.err
    assert made["labels_bought"] == made["labels_in_journal"] > made["killed_at"] - 1
    assert made["bought_twice"] == 0
    assert made["verdict"] == "rings false"

    # Every number again, from the files the demo left.
    account = rows(tour.folder / "desk" / "account.csv")
    assert len(account) == made["labels_bought"]
    assert len({item for _, item in account}) == len(account)
    truth = dict(rows(tour.folder / "desk" / "truth.csv")[1:])
    said = {row[0]: row[1] for row in rows(tour.folder / "pool.csv")[1:]}
    assert made["pool"] == len(said) == len(truth)
    assert made["failing_in_pool"] == sum(said[name] != truth[name] for name in said)
    failed = sum(said[item] != truth[item] for _, item in account)
    assert f"{failed} failures in {len(account)} answers" in made["sentence"]
    assert made["labels_bought"] < made["fixed_size_labels"] < made["pool"]


def test_the_hunt_finds_the_planted_weakness(tour):
    """Most errors found are eights, and there are far more of them than chance would have found."""
    images = np.load(tour.folder / "digits.npz")
    truth = dict(zip(images["id"].tolist(), images["digit"].tolist(), strict=True))
    wrong = [truth[one["id"]] for one in tour.document("blind")["records"] if one["said"] != truth[one["id"]]]
    answer = tour.answer("blind")
    assert f"{len(wrong)} errors" in answer["claimed"]
    assert f"Eights among them: {wrong.count('8')}." in answer["claimed"]
    assert wrong.count("8") > len(wrong) / 2
    sure = images["confidence"] > 0.9
    by_chance = np.mean(images["answer"][sure] != images["digit"][sure]) * answer["answers"]
    assert len(wrong) > 5 * by_chance
    assert answer["verdict"] == "rings false"


def test_what_is_claimed_is_true(tour):
    """The demo knows the truth about every digit, so that each claim can be held against it."""
    digits = load()
    images = np.load(tour.folder / "digits.npz")
    assert images["digit"].tolist() == digits.truth.astype(str).tolist()
    after = of_images(digits.second)(images["image"])[0]
    drop = np.mean(images["answer"] == images["digit"]) - np.mean(after == images["digit"])
    assert tour.answer("changed")["verdict"] == "rings true"
    assert drop <= 0.01

    worst = max(tour.document("worst")["records"], key=lambda record: record["value"])
    point = dict(zip(("rotation", "shift", "blur", "noise"), worst["point"], strict=True))
    assert tour.answer("worst")["verdict"] == "rings false"
    assert worst["value"] > 0.5
    assert worst["value"] == pytest.approx(moved_by(digits)(point))

    names, *votes = rows(tour.folder / "votes.csv")
    right = [np.mean([row[place] == row[-1] for row in votes]) for place in range(1, len(names) - 1)]
    assert tour.answer("judges")["verdict"] == "rings true"
    assert len(right) == 5
    assert min(right) >= 0.7


def test_every_report_agrees_and_every_study_is_one_like_any_other(tour, cli, undrawn):
    assert tour.made["verified"] is True
    assert [answer["verb"] for answer in tour.made["questions"]] == list(VERBS)
    for verb in VERBS:
        assert verify_report(tour.folder / f"{verb}.json").agrees
        assert cli("status", tour.folder / verb).code == 0
    assert cli("report", tour.folder / "risk", "--out", "risk.html").err == ""


def test_the_first_page_says_what_was_found_and_links_to_every_report(tour):
    page, text = tour.index, html.unescape(re.sub(r"<[^>]+>", "", tour.index))
    for answer in tour.made["questions"]:
        assert answer["claimed"] in text
        assert answer["took"] in text
        assert 0 < answer["answers"] < tour.made["pool"]
        assert re.search(rf"\b{answer['answers']}\b", answer["took"])
    links = re.findall(r'href="([^"]*)"', page)
    assert links == [f"{verb}.html" for verb in VERBS]
    assert all((tour.folder / link).stat().st_size > 1_000 for link in links)
    assert "<script" not in page
    assert "src=" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src 'none'" in page
    assert 'name="viewport"' in page


def test_every_word_on_the_first_page_is_escaped(tmp_path):
    evil = "<script>alert('x')</script>"
    stop = Stop("risk", evil, evil, (evil,))
    found = SimpleNamespace(headline=evil)
    write_index(tmp_path / "index.html", [(stop, Answer("risk", evil, evil, evil, found, Path("a.html"), None, True))])
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert page.count(html.escape("<script>")) >= 6


def test_the_commands_on_the_page_have_options_that_there_are(tour):
    commands = [html.unescape(code) for code in re.findall(r"<code>(ringtrue [^<]*)</code>", tour.index)]
    named = [shlex.split(command)[1:] for command in commands if "VERB" not in command]
    assert {words[0] for words in named} >= set(VERBS)
    for verb, *words in named:
        found = ringtrue.get_command(None, verb)
        context = found.make_context(verb, list(words), resilient_parsing=True)
        assert not context.args, "the options take all words"
        assert {word for word in words if word.startswith("--")} <= {name for one in found.params for name in one.opts}


def test_each_step_tells_how_far_it_is(tour):
    for place, verb in enumerate(VERBS, 1):
        _, found, after = tour.err.partition(f"\n{place} of 5, {verb}: ")
        assert found
        step = after.partition(" of 5, ")[0]
        assert " left" in step, "the run does not say what it has found so far"
        assert "writing the report: 1 of 1 part" in step


def test_another_tour_begins_with_an_empty_folder_but_for_what_is_not_the_demos(tour, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(tour.folder, folder)
    (folder / "mine.txt").write_text("keep me")
    note = folder / "README.txt"
    note.write_text(note.read_text().splitlines()[0] + "\n\nother files, as an earlier version listed them\n")
    clear(folder)
    assert {path.name for path in folder.iterdir()} == {"README.txt", "desk", "mine.txt"}
    assert not any((folder / "desk").iterdir())


def test_it_never_touches_what_it_did_not_make(cli, tmp_path):
    mine = tmp_path / "desk" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("keep me")
    said = cli("demo", "--out", tmp_path)
    assert said.code == 2
    assert "not the demo's: name a new folder" in said.line
    assert mine.read_text() == "keep me"


def test_a_file_is_no_folder(cli, tmp_path):
    (tmp_path / "taken").write_text("x")
    said = cli("demo", "--out", "taken")
    assert said.code == 2
    assert "'taken'" in said.line
