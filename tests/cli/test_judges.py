"""`ringtrue judges`: the verdict first, exit codes, one line for every bad input, labels bought, streams followed."""

import csv
import io
import json
import random
import shutil
import signal
import subprocess
import sys

import pytest

from support import PATIENCE, numbers_of

pytestmark = pytest.mark.usefixtures("undrawn")

SKILL = {"ant": 0.92, "bee": 0.9, "cat": 0.85, "dog": 0.85, "elk": 0.8}
OTHER = {"good": "bad", "bad": "good"}


def ballots(number, *, seed=3, skill=SKILL, share=0.7):
    draw = random.Random(seed)
    rows = []
    for place in range(number):
        truth = "good" if draw.random() < share else "bad"
        votes = {judge: truth if draw.random() < rate else OTHER[truth] for judge, rate in skill.items()}
        rows.append({"id": f"a{place}", **votes, "truth": truth})
    return rows


def write(path, rows, columns=("id", *SKILL)):
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("votes"), ballots(2000)
    write(folder / "votes.csv", rows)
    write(folder / "gold.csv", random.Random(1).sample(rows, 250), ("id", "truth"))
    write(folder / "graded.csv", rows, ("id", *SKILL, "truth"))
    return folder, rows


@pytest.fixture
def votes(made, tmp_path):
    folder, rows = made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return rows


def test_the_verdict_comes_first_and_votes_alone_do_not_look_like_intervals(cli, votes):
    said = cli("judges", "votes.csv")
    assert said.code == 3
    lines = said.out.splitlines()
    assert lines[0].startswith("not yet known: it takes about ")
    assert lines[1] == "  5 judges on 2,000 items, no labels"
    assert "From votes alone, only if the judges share nothing but the truth" in lines
    assert any(line.startswith("  ? no label was looked at") for line in lines)
    for judge in SKILL:
        (row, _) = (line for line in lines if line.strip().startswith(f"{judge} is right"))
        assert row.count("(") == 3
        assert "[" not in row
    assert sum("not 95% intervals: only if the judges share nothing but the truth" in line for line in lines) == 2
    assert any("whatever the truth is" in line for line in lines)


def test_labels_from_a_file_or_a_column_say_who_is_good_enough(cli, votes):
    from_file = cli("judges", "votes.csv", "--truth", "gold.csv", "--at-least", "70%")
    assert "decided at 95% for all judges at once by 250 labels chosen by chance" in from_file.out
    assert "With labels: these judges on items like these" in from_file.out
    assert "by the labels, a number from votes alone may be off by" in from_file.out
    column = cli("judges", "graded.csv", "--truth", "truth", "--at-least", "70%")
    assert column.code == 0, column.out
    assert column.out.startswith("good enough: all 5 judges are good enough, right on at least 70% of the items of")
    assert "decided at 95% for all judges at once by all labels" in column.out
    strict = cli("judges", "graded.csv", "--truth", "truth", "--at-least", "90%")
    assert strict.code == 1, strict.out
    assert "elk may not stand in for people: right on at most" in strict.out


def test_stating_independence_is_another_way(cli, votes):
    said = cli("judges", "votes.csv", "--independent", "--at-least", "70%")
    assert said.code == 0
    assert "as stated, the judges share nothing but the truth" in said.out
    (row, _) = (line for line in said.out.splitlines() if line.strip().startswith("ant is right"))
    assert row.count("[") == 3


def test_json_is_one_object_with_verdict_reasons_and_intervals(cli, votes):
    said = cli("judges", "votes.csv", "--json", "--at-least", "99%")
    assert said.code == 1
    found = numbers_of(said.out)
    assert (found["verdict"], found["standing"]) == ("rings false", "not all good enough")
    assert set(found["standings"]["judges"]) == set(SKILL)
    alone = found["votes_alone"]
    assert alone["reserve"] == "only if the judges share nothing but the truth"
    assert len(alone["in_general"]["accuracy"]) == 5
    assert set(alone["in_general"]["prevalence"][0]) == {"estimate", "low", "high", "level", "method", "n"}
    assert found["with_labels"] is None


def test_long_tables_and_crowd_kit_names_are_read(cli, votes, tmp_path):
    long = [(row["id"], judge, row[judge]) for row in votes for judge in SKILL]
    for names, file in ((("item", "rater", "label"), "long.csv"), (("task", "worker", "label"), "crowd.csv")):
        with open(tmp_path / file, "w", newline="") as handle:
            csv.writer(handle).writerows([names, *long])
        said = cli("judges", file, "--json")
        wide = numbers_of(cli("judges", "votes.csv", "--json").out)
        assert numbers_of(said.out)["votes_alone"]["evaluation"] == wide["votes_alone"]["evaluation"]


def test_a_report_is_written_and_can_be_checked(cli, votes, tmp_path):
    said = cli("judges", "votes.csv", "--truth", "gold.csv", "--out", "panel.html")
    assert "wrote panel.html" in said.out
    checked = cli("report", "--verify", "panel.json")
    assert (checked.code, checked.out[:6]) == (0, "agrees")
    twin = json.loads((tmp_path / "panel.json").read_text())
    twin["computed"]["finding"]["votes_alone"]["evaluation"]["prevalence"][0] += 0.01
    (tmp_path / "changed.json").write_text(json.dumps(twin))
    assert cli("report", "--verify", "changed.json").code == 1
    twin = json.loads((tmp_path / "panel.json").read_text())
    twin["question"]["sketch"]["counts"][0][1] += 40
    (tmp_path / "changed.json").write_text(json.dumps(twin))
    found = cli("report", "--verify", "changed.json")
    assert found.code == 1
    assert "hashes.plan" in found.out or "computed" in found.out


def test_a_study_reads_its_table_once(cli, votes, monkeypatch):
    from ringtrue.pools import _read

    read, files = _read.read_csv, []

    def counted(path, **options):
        files.append(path)
        return read(path, **options)

    monkeypatch.setattr(_read, "read_csv", counted)
    said = cli("judges", "graded.csv", "--study", "panel", "--oracle", "truth", "--budget", 5)
    assert said.code == 0, said.err
    assert files == ["graded.csv"]


def test_labels_are_bought_resumed_and_never_twice(cli, votes):
    arguments = ["judges", "graded.csv", "--judges", ",".join(SKILL), "--study", "panel", "--oracle", "truth"]
    first = cli(*arguments, "--budget", 20, "--json")
    assert first.code == 0, first.err
    assert numbers_of(first.out)["answers"] == 20
    second = cli(*arguments, "--budget", 60, "--json")
    found = numbers_of(second.out)
    assert found["answers"] == 60
    assert found["spending"]["answered"] == 60
    assert "--judges=ant,bee,cat: the study" in cli(*arguments[:2], "--judges", "ant,bee,cat", *arguments[4:]).line
    report = cli("report", "panel", "--json")
    assert report.code == 0, report.err
    assert cli("report", "--verify", "panel.json").code == 0


def test_a_claim_about_every_judge_is_decided(cli, votes):
    arguments = ["judges", "graded.csv", "--judges", ",".join(SKILL), "--oracle", "truth", "--budget", 900]
    true = cli(*arguments, "--study", "yes", "--claim", "accuracy >= 60%")
    assert true.code == 0, true.out
    assert "rings true" in true.out
    false = cli(*arguments, "--study", "no", "--claim", "accuracy >= 95%")
    assert false.code == 1
    assert "rings false" in false.out


def test_a_number_of_labels_fixed_beforehand_is_looked_at_once(cli, votes):
    arguments = ["judges", "graded.csv", "--study", "panel", "--oracle", "truth"]
    early = cli(*arguments, "--fixed", 120, "--budget", 50)
    assert early.code == 0, early.err
    assert "70 more to come before anything is said" in early.out
    done = cli(*arguments, "--budget", 400)
    assert "(95%, looked at once, after 120 labels): 120 labels on 5 judges" in done.out
    found = numbers_of(cli(*arguments, "--fixed", 120, "--json").out)
    assert (found["answers"], found["spending"]["answered"]) == (120, 120), "no label is bought beyond the number"
    assert found["planned"] == {"answers": 120, "fair": True}
    assert "--fixed=130: the study 'panel.ringtrue' was made with 120" in cli(*arguments, "--fixed", 130).line
    assert cli("report", "panel").code == 0
    assert cli("report", "--verify", "panel.json").code == 0
    watched = [*arguments[:3], "watched", *arguments[4:]]
    said = cli(*watched, "--budget", 120)
    assert "valid while you watch" in said.out
    assert "watched: 120 labels for intervals" in said.out
    assert "--fixed=120: the study 'watched.ringtrue' was made without it" in cli(*watched, "--fixed", 120).line
    assert "must not exceed the 2,000 items" in cli(*arguments[:3], "more", *arguments[4:], "--fixed", 2001).line
    assert "with --study" in cli("judges", "votes.csv", "--fixed", 10).line


def test_a_claim_may_be_decided_by_one_look(cli, votes):
    arguments = ["judges", "graded.csv", "--oracle", "truth", "--fixed", 300]
    assert cli(*arguments, "--study", "yes", "--claim", "accuracy >= 70%").code == 0
    assert cli(*arguments, "--study", "no", "--claim", "accuracy >= 92%").code == 1


def test_a_stream_that_changed_is_alarmed_and_one_that_did_not_is_not(cli, votes, monkeypatch, tmp_path):
    for rows, code, words in (
        (ballots(2000, seed=8, skill={**SKILL, "bee": 0.6}), 1, "judge bee moved"),
        (ballots(2000, seed=9), 0, "no alarm: 2,000 events"),
    ):
        write(tmp_path / "later.csv", rows)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "later.csv").read_bytes())))
        said = cli("judges", "votes.csv", "--follow", "-", "--out", "stream.html")
        assert said.code == code, said.out
        assert words in said.out
        assert words.split(",")[0] in (tmp_path / "stream.html").read_text()
        assert cli("report", "--verify", "stream.json").code == 0


THREE = ("bad", "fair", "good")


def thirds(number, *, seed, copy=False):
    """Votes with three labels; with `copy` the last judge votes as the first does."""
    draw, rows = random.Random(seed), []
    for _ in range(number):
        truth = draw.choices(THREE, (2, 3, 5))[0]
        votes = {
            judge: truth if draw.random() < rate else draw.choice([label for label in THREE if label != truth])
            for judge, rate in {"ant": 0.9, "bee": 0.85, "cat": 0.8, "dog": 0.75}.items()
        }
        rows.append({**votes, "dog": votes["ant"]} if copy else votes)
    return rows


def followed(cli, monkeypatch, tmp_path, seed, *arguments):
    names = ("ant", "bee", "cat", "dog")
    write(tmp_path / "usual.csv", thirds(1000, seed=seed), names)
    write(tmp_path / "later.csv", thirds(400, seed=100 + seed, copy=True), names)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "later.csv").read_bytes())))
    return cli("judges", "usual.csv", "--follow", "-", *arguments)


@pytest.mark.parametrize("seed", range(6))
def test_a_judge_who_becomes_a_copy_is_alarmed_and_the_two_are_named(cli, monkeypatch, tmp_path, seed):
    said = followed(cli, monkeypatch, tmp_path, seed)
    assert said.code == 1, said.err
    first, second = said.out.splitlines()
    assert first.startswith("ALARM after ")
    assert second.startswith("  ant and dog now vote alike")


def test_the_alarm_is_on_the_terminal_before_it_is_explained(cli, monkeypatch, tmp_path, capsys):
    """Also with --json, whose one document comes after the explanation: then the line goes to the other stream."""
    from ringtrue.judges import PanelAlarm

    before = []

    def explain(self):
        before.append(capsys.readouterr())
        raise KeyboardInterrupt

    monkeypatch.setattr(PanelAlarm, "explain", explain)
    said = followed(cli, monkeypatch, tmp_path, 0)
    assert said.code == 1
    assert before[0].out.startswith("ALARM after ")
    assert "stopped before it was explained" in said.out
    said = followed(cli, monkeypatch, tmp_path, 0, "--json")
    assert before[1].err.startswith("ALARM after ")
    assert json.loads(said.out)["alarmed_at"] is not None


def test_a_report_that_cannot_be_written_takes_nothing_from_the_alarm(cli, monkeypatch, tmp_path):
    (tmp_path / "page.html").mkdir()
    said = followed(cli, monkeypatch, tmp_path, 0, "--out", "page.html", "--json")
    assert said.code == 1
    assert json.loads(said.out)["alarmed_at"] is not None
    assert "the report was not written" in said.err


def test_a_stream_of_json_objects_with_gaps(cli, votes, monkeypatch):
    lines = "".join(json.dumps({"ant": row["ant"], "bee": row["bee"], "x": 1}) + "\n" for row in votes[:32])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    said = cli("judges", "votes.csv", "--follow", "-", "--json")
    assert json.loads(said.out)["events"] == 32


def test_a_growing_file_is_followed_until_the_alarm(votes, tmp_path):
    """A real process follows a real file; lines are added while it runs, one of them in two halves."""
    later = tmp_path / "later.csv"
    write(later, ballots(16, seed=9))
    command = [sys.executable, "-m", "ringtrue", "judges", "votes.csv", "--follow", "later.csv", "--json"]
    command[1:3] = ["-c", "from ringtrue.cli import main; main()"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "following later.csv" in process.stderr.readline()
        with open(later, "a") as file:
            for row in ballots(3000, seed=8, skill={**SKILL, "bee": 0.4, "cat": 0.4}):
                line = ",".join(row[name] for name in ("id", *SKILL)) + "\n"
                file.write(line[:5])
                file.flush()
                file.write(line[5:])
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    found = json.loads(out)
    assert 16 < found["alarmed_at"] < 3016


# Says when it first finds that the file has not grown, which is when it has seen all that is there.
WATCHED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from ringtrue.cli import main, _judges_follow

class Clock:
    def sleep(self, seconds):
        print("it pauses", file=sys.stderr, flush=True)
        time.sleep(seconds)

_judges_follow.time = Clock()
main()
"""


def test_ctrl_c_ends_the_watch_and_says_what_was_seen(votes, tmp_path):
    write(tmp_path / "later.csv", ballots(48, seed=9))
    command = [sys.executable, "-c", WATCHED, "judges", "votes.csv", "--follow", "later.csv"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "following later.csv" in process.stderr.readline()
        assert process.stderr.readline() == "it pauses\n", "all that is in the file was read"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out.startswith("no alarm: 48 events")


def test_two_judges_in_two_strata(cli, tmp_path):
    draw = random.Random(4)
    rows = []
    for place in range(6000):
        kind = "new" if place % 2 else "old"
        truth = "good" if draw.random() < (0.8 if kind == "new" else 0.3) else "bad"
        votes = {judge: truth if draw.random() < 0.85 else OTHER[truth] for judge in ("ant", "bee")}
        rows.append({"id": place, "kind": kind, **votes})
    write(tmp_path / "two.csv", rows, ("id", "kind", "ant", "bee"))
    said = cli("judges", "two.csv", "--strata", "kind", "--json")
    assert said.code == 3, said.err
    found = numbers_of(said.out)
    assert found["strata"] == ["new", "old"]
    for stratum, share in (("new", 0.2), ("old", 0.7)):
        one = found["intervals"][stratum]["prevalence"][0]
        assert one["low"] - 0.05 < share < one["high"] + 0.05
    said = cli("judges", "two.csv", "--strata", "kind")
    assert "ant is right" in said.out


def test_a_table_with_a_row_per_vote_cannot_be_bought_from(cli, votes, tmp_path):
    long = [(row["id"], judge, row[judge]) for row in votes for judge in SKILL]
    with open(tmp_path / "long.csv", "w", newline="") as handle:
        csv.writer(handle).writerows([("item", "rater", "label"), *long])
    (tmp_path / "desk.py").write_text("def label(item):\n    return 'good'\n")
    said = cli("judges", "long.csv", "--study", "x", "--oracle", "desk:label", "--budget", 5)
    assert said.code == 2
    assert "row per vote" in said.line or "more than once" in said.line or "twice" in said.line
    assert not list(tmp_path.glob("*.ringtrue"))


def test_planning_before_and_after_there_are_votes(cli, votes):
    ahead = cli("judges", "--accuracy", "80%", "--standard-error", "2%", "--json")
    assert ahead.code == 0
    assert [case["judges"] for case in json.loads(ahead.out)["cases"]] == [3, 4, 5, 7, 10]
    assert "2,885" in cli("judges", "--accuracy", "80%", "--standard-error", "2%").out
    assert "err independently" in cli("judges", "votes.csv", "--standard-error", "1%").out


def test_a_column_of_numbers_is_no_judge_and_is_said_to_be_left_out(cli, votes, tmp_path):
    """Thirty rows with thirty values did not return within minutes when the numbers were taken for a judge's labels."""
    rows = [{**row, "score": f"{place * 0.37 % 1:.4f}"} for place, row in enumerate(votes[:30])]
    write(tmp_path / "scored.csv", rows, ("id", *SKILL, "score", "truth"))
    said = cli("judges", "scored.csv", "--truth", "truth", "--json")
    assert numbers_of(said.out)["judges"] == list(SKILL)
    assert said.err == ("left out: score (30 different numbers in 30 rows); name the judges to choose otherwise\n")
    bought = cli("judges", "scored.csv", "--study", "few", "--oracle", "truth", "--budget", 5, "--json")
    assert "left out: score" in bought.err
    assert len(numbers_of(bought.out)["judges"]) == 5
    named = cli("judges", "scored.csv", "--judges", "ant,bee,score")
    assert named.code == 2
    assert "'score' has 30 different numbers in 30 rows" in named.line
    assert "--judges A,B,C" in named.line


BAD = {
    "empty file": ("", "is empty"),
    "header only": ("ant,bee,cat\n", "no rows"),
    "one label only": ("ant,bee,cat\nyes,yes,yes\n", "label"),
    "ragged": ("ant,bee,cat\nyes,no\n", "row 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_line(cli, tmp_path, name):
    content, words = BAD[name]
    (tmp_path / "bad.csv").write_text(content)
    said = cli("judges", "bad.csv")
    assert said.code == 2
    assert words in said.line


def test_bytes_that_are_no_text_get_one_line(cli, tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"ant,bee,cat\nyes,n\xff,yes\n")
    said = cli("judges", "bad.csv")
    assert said.code == 2
    assert "UTF-8" in said.line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["votes.csv", "--labels", "bad,fine"], "good"),
        (["votes.csv", "--judges", "ant,fox"], "fox"),
        (["votes.csv", "--truth", "nothing.csv"], "nothing.csv"),
        (["votes.csv", "--prevalence", "120%"], "--prevalence='120%' must be"),
        (["votes.csv", "--better", "fox"], "fox"),
        (["votes.csv", "--study", "x"], "--oracle"),
        (["graded.csv", "--study", "x", "--oracle", "truth"], "--budget"),
        (["graded.csv", "--study", "x", "--oracle", "trth", "--budget", 5], "trth"),
        (
            ["graded.csv", "--study", "x", "--oracle", "ant", "--judges", "ant,bee,cat", "--budget", 5],
            "one of the judges",
        ),
        (["graded.csv", "--study", "x", "--oracle", "truth", "--budget", 5, "--level", "90%"], "--level has no use"),
        (["votes.csv", "--strata", "ant", "--truth", "gold.csv"], "--truth has no use with --strata"),
        (["votes.csv", "--better", "ant", "--prevalence", "30%"], "contradict each other"),
        (["--accuracy", "80%", "--out", "x.html"], "--out has no use without VOTES"),
        (["votes.csv", "--budget", "5"], "--study"),
        (["votes.csv", "--accuracy", "5%"], "without VOTES"),
        (["votes.csv", "--follow", "nowhere.csv"], "is not a file"),
        (["votes.csv", "--strata", "nowhere"], "is not a column"),
        (["votes.csv", "--out", "report.txt"], ".html"),
        ([], "give VOTES"),
        (["missing.csv"], "missing.csv"),
    ],
)
def test_bad_arguments_get_one_line(cli, votes, tmp_path, arguments, words):
    said = cli("judges", *arguments)
    assert said.code == 2
    assert words in said.line
    assert not list(tmp_path.glob("*.ringtrue")), "a study that was refused leaves no file"


def test_a_stream_with_an_unknown_label_stops_with_its_line(cli, votes, monkeypatch):
    text = "ant,bee,cat,dog,elk\ngood,good,good,good,good\ngood,good,what,good,good\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    said = cli("judges", "votes.csv", "--follow", "-")
    assert said.code == 2
    assert "line 3" in said.line
    assert "'what'" in said.line


def test_a_constant_judge_and_clones_are_barred_not_refused(cli, votes, tmp_path):
    rows = [{**row, "cat": "good", "dog": row["ant"]} for row in votes]
    write(tmp_path / "odd.csv", rows)
    said = cli("judges", "odd.csv")
    assert said.code == 1
    assert "judge cat always votes good" in said.out
    assert "ant and dog vote alike" in said.out


def test_a_judge_with_one_vote_is_kept_and_wide_open(cli, votes, tmp_path):
    rows = [{**row, "elk": row["elk"] if place == 0 else ""} for place, row in enumerate(votes)]
    write(tmp_path / "few.csv", rows)
    said = cli("judges", "few.csv", "--json")
    assert said.code in (1, 3)
    found = numbers_of(said.out)
    assert found["abstentions"] == 1999
    low, high = (found["votes_alone"]["in_general"]["overall"][4][end] for end in ("low", "high"))
    assert high - low > 0.5


def test_a_budget_of_nothing_buys_nothing_and_can_be_raised(cli, votes):
    arguments = ["judges", "graded.csv", "--study", "panel", "--oracle", "truth", "--seed", 0]
    first = cli(*arguments, "--budget", 0, "--json")
    assert first.code == 0, first.err
    assert numbers_of(first.out)["answers"] == 0
    assert cli("report", "panel").code == 0
    assert numbers_of(cli(*arguments[:-2], "--budget", 3, "--json").out)["answers"] == 3
    assert "--seed=1: the study 'panel.ringtrue' was made with 0" in cli(*arguments[:-1], 1, "--budget", 4).line


@pytest.mark.parametrize(
    ("options", "instead"),
    [
        (("--label-names", "bad,good"), "--labels NO,YES"),
        (("--item", "id"), "--id COLUMN"),
        (("--error", "2%"), "--standard-error SHARE"),
        (("--labels", "gold.csv"), "--truth gold.csv"),
    ],
)
def test_former_options_are_refused_with_the_present_one(cli, votes, options, instead):
    assert instead in cli("judges", "votes.csv", *options).line
