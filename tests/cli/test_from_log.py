"""`--from`: the log of an evaluation tool in `risk`, `judges` and `changed`."""

import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "logs" / "fixtures"
LABELS, PANEL, TESTS = FIXTURES / "label_studio.json", FIXTURES / "mlflow_traces.json", FIXTURES / "promptfoo.json"


def inspect_log(path, wrong=(), *, items=60, epochs=1, scorers=("match",), start=0, **more):
    """Write a log of Inspect AI in which some items are answered wrongly."""
    samples = [
        {
            "id": f"q{n}",
            "epoch": epoch,
            "input": f"What is {n} + 1?",
            "target": str(n + 1),
            "output": {"completion": "?" if n in wrong else str(n + 1)},
            "scores": {name: {"value": "I" if n in wrong else "C"} for name in scorers},
            **more,
        }
        for n in range(start, start + items)
        for epoch in range(1, epochs + 1)
    ]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {"task": "sums"}, "samples": samples}))
    return path


@pytest.fixture
def log(cli, tmp_path):
    return inspect_log(tmp_path / "log.json", {3, 17})


CLAIM = ("--claim", "error <= 20% at 95%")


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_claim_about_a_log_is_decided_and_goes_on(cli, log, tmp_path):
    command = ("risk", "sums", "--from", log, "--oracle", "match", *CLAIM)
    said = cli(*command)
    assert said.code == 0, said.err
    assert "log.json (Inspect AI, version 2): 60 items x 1 judge\n" in said.err
    assert "wrote sums-items.jsonl: 60 items, which the study reads again" in said.err
    assert "rings true" in said.out
    assert rows(tmp_path / "sums-items.jsonl")[3] == {
        "id": "q3",
        "input": "What is 3 + 1?",
        "output": "?",
        "target": "4",
        "claimed": "right",
        "match": "wrong",
    }
    again = cli(*command)
    assert (again.code, again.out) == (said.code, said.out)
    assert "wrote" not in again.err
    assert cli("risk", "sums").out == said.out
    assert cli("report", "sums").code == 0
    assert cli("report", "--verify", "sums.json").code == 0


def test_the_study_and_its_json_remember_what_was_read(cli, log, tmp_path):
    said = cli("risk", "sums", "--from", log, "--oracle", "match", *CLAIM, "--json")
    told = json.loads(said.out)["details"]["log"]
    assert (told["tool"], told["items"], told["voters"]) == ("Inspect AI", 60, {"match": "judge"})
    from ringtrue import Study

    with Study.open(tmp_path / "sums") as study:
        assert study.plan["notes"]["log"] == told


def test_another_log_does_not_take_the_place_of_the_first(cli, log, tmp_path):
    assert cli("risk", "sums", "--from", log, "--oracle", "match", *CLAIM).code == 0
    inspect_log(tmp_path / "other.json", {5})
    before = (tmp_path / "sums-items.jsonl").read_text()
    said = cli("risk", "sums", "--from", tmp_path / "other.json", "--oracle", "match", *CLAIM)
    assert said.code == 2
    assert "gives other items than 'sums-items.jsonl': go on without --from, or name a new study" in said.err
    assert (tmp_path / "sums-items.jsonl").read_text() == before


def test_nothing_is_left_behind_where_no_study_is_made(cli, log, tmp_path):
    said = cli(
        "risk", "sums", "--from", log, "--oracle", "match", "--claim", "error <= 20% at 95%", "--confidence", "none"
    )
    assert said.code == 2
    assert [path.name for path in tmp_path.iterdir() if "sums" in path.name] == []


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), 'ringtrue: --oracle is missing: name who knows the truth, a voter of log.json (match), "ask" for you, or'),
        (
            ("--oracle", "mtch"),
            "--oracle='mtch' is not in the log: name who knows the truth, a voter of log.json (match)",
        ),
        (("--oracle", "match", "--pool", "x.csv"), "--pool and --from both name the items: leave one out"),
        (("--oracle", "match", "--confidence", "match"), "--confidence='match' is what knows the truth, too: name"),
        (("--oracle", "truth"), "--oracle='truth' is not in the log: name who knows the truth, a voter of"),
        (("--oracle", "match", "--of", "gpt"), "--of='gpt' is not a model of log.json: it has no name"),
        (("--truth", "gold.csv"), "gold.csv: no such file"),
    ],
)
def test_what_must_be_chosen_is_refused_with_the_candidates(cli, log, options, why):
    said = cli("risk", "sums", "--from", log, *CLAIM, *options)
    assert said.code == 2
    assert why in said.err.splitlines()[-1]


@pytest.mark.parametrize(("option", "value"), [("--of", "a"), ("--right-from", "0.5"), ("--truth", "gold.csv")])
def test_options_of_logs_are_refused_without_one(cli, option, value):
    said = cli("risk", "sums", "--pool", "x.csv", "--model", "m", option, value)
    assert "is for the log of a tool: give --from FILE, or leave it out" in said.line


def test_true_labels_are_joined_by_id(cli, log, tmp_path):
    (tmp_path / "gold.csv").write_text(
        "id,label\n" + "".join(f"q{n},{'no' if n == 5 else 'yes'}\n" for n in range(50)) + "zz,yes\n"
    )
    said = cli("risk", "sums", "--from", log, "--truth", "gold.csv", *CLAIM)
    assert said.code == 0, said.err
    assert "1 true label of gold.csv without an item in log.json left out" in said.err
    assert "10 items without truth left out: claims are about the other 50" in said.err
    found = {row["id"]: row["truth"] for row in rows(tmp_path / "sums-items.jsonl")}
    assert (len(found), found["q5"], found["q6"]) == (50, "wrong", "right")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id,label\nq1,maybe\n", "--truth='gold.csv' has the label 'maybe': say right or wrong of what the model said"),
        ("id,label\nx1,yes\n", "--truth='gold.csv' and log.json have no id in common (such as 'x1' and 'q0')"),
    ],
)
def test_true_labels_that_do_not_fit_are_refused(cli, log, tmp_path, text, why):
    (tmp_path / "gold.csv").write_text(text)
    assert why in cli("risk", "sums", "--from", log, "--truth", "gold.csv", *CLAIM).err.splitlines()[-1]


def test_people_who_judge_a_log_do_not_see_what_others_said(cli, log, tmp_path):
    said = cli("risk", "sums", "--from", log, "--sheet", "ann.csv", "--rater", "ann", "--rows", "5", *CLAIM)
    assert said.code in (0, 3), said.err
    header = (tmp_path / "ann.csv").read_text(encoding="utf-8-sig").splitlines()[0]
    assert "output" in header
    assert "match" not in header
    assert "claimed" not in header


def test_a_study_of_a_log_is_made_and_asked_later(cli, log, tmp_path):
    assert cli("init", "sums", "--from", log, *CLAIM).code == 0
    header, *_ = rows(tmp_path / "sums-items.jsonl")
    assert set(header) == {"id", "input", "output", "target", "claimed"}
    said = cli("risk", "sums", "--sheet", "ann.csv", "--rater", "ann", "--rows", "5")
    assert said.code in (0, 3), said.err
    (tmp_path / "sums-items.jsonl").unlink()
    said = cli("init", "sums", "--from", log, *CLAIM)
    assert said.code == 2
    assert not (tmp_path / "sums-items.jsonl").exists()  # what was not there before is not left behind


def test_doubt_by_the_scores_of_a_judge(cli, log, tmp_path):
    (tmp_path / "gold.csv").write_text(
        "id,label\n" + "".join(f"q{n},{'I' if n in (3, 17) else 'C'}\n" for n in range(60))
    )
    said = cli("risk", "sums", "--from", log, "--truth", "gold.csv", "--confidence", "match", *CLAIM)
    assert said.code == 0, said.err
    assert rows(tmp_path / "sums-items.jsonl")[3]["match"] == 0.0


def test_epochs_are_one_item_and_an_even_vote_is_not_right(cli, tmp_path):
    path = inspect_log(tmp_path / "log.json", epochs=2, items=30)
    log = json.loads(path.read_text())
    log["samples"][0]["scores"]["match"]["value"] = "I"
    path.write_text(json.dumps(log))
    said = cli("risk", "sums", "--from", path, "--oracle", "match", *CLAIM)
    assert "up to 2 epochs of an item folded into one" in said.err
    found = {row["id"]: row["match"] for row in rows(tmp_path / "sums-items.jsonl")}
    assert (len(found), found["q0"], found["q1"]) == (30, "wrong", "right")


def test_a_failed_run_is_neither_right_nor_wrong(cli, tmp_path):
    inspect_log(tmp_path / "log.json", {3})
    log = json.loads((tmp_path / "log.json").read_text())
    log["samples"][7] |= {"error": {"message": "ReadTimeout"}, "scores": {}}
    (tmp_path / "log.json").write_text(json.dumps(log))
    said = cli("risk", "sums", "--from", "log.json", "--oracle", "match", *CLAIM)
    assert "59 items x 1 judge, 1 failed run left out" in said.err
    assert "q7" not in {row["id"] for row in rows(tmp_path / "sums-items.jsonl")}


def test_scores_need_a_limit(cli, tmp_path):
    path = inspect_log(tmp_path / "log.json")
    log = json.loads(path.read_text())
    for number, sample in enumerate(log["samples"]):
        sample["scores"]["match"]["value"] = number / 60
    path.write_text(json.dumps(log))
    said = cli("risk", "sums", "--from", path, "--oracle", "match", *CLAIM)
    assert "say from which score on an answer is right with --right-from SCORE" in said.err
    assert cli("risk", "sums", "--from", path, "--oracle", "match", "--right-from", "0.5", *CLAIM).code == 1
    assert "is not a number" in cli("risk", "x", "--from", path, "--right-from", "high").line


def test_labels_of_people_and_predictions_of_a_model(cli, tmp_path):
    said = cli("risk", "mood", "--from", LABELS, "--oracle", "truth", "--claim", "error <= 90% at 80%")
    assert "12 labels not blind: a prediction was in sight" in said.err
    assert "5 items without v1 or truth left out: claims are about the other 3" in said.err
    assert rows(tmp_path / "mood-items.jsonl")[2] == {"id": "3", "text": "text 2", "v1": "neg", "truth": "pos"}


def test_a_report_says_which_log_it_rests_on(cli, tmp_path):
    assert cli("risk", "mood", "--from", LABELS, "--oracle", "truth", "--claim", "error <= 90% at 80%").code == 0
    assert cli("report", "mood").code == 0
    page = (tmp_path / "mood.html").read_text()
    assert "the items are those of label_studio.json (Label Studio): 8 items x 3 judges" in page
    assert "labels that are given with a prediction in sight lean towards it" in page
    assert cli("report", "--verify", "mood.json").code == 0
    twin = json.loads((tmp_path / "mood.json").read_text())
    twin["log"]["labels_not_blind"] = 0
    (tmp_path / "mood.json").write_text(json.dumps(twin))
    assert cli("report", "--verify", "mood.json").code == 1


# Judges


def test_judges_of_a_log_with_what_people_know(cli):
    said = cli("judges", "--from", PANEL, "--truth", "correctness (ann)", "--json")
    found = json.loads(said.out)
    assert said.code == 3
    assert found["question"] == "mlflow_traces.json"
    assert found["details"]["log"]["left_out"] == {"overridden assessment": 1, "failed run": 1, "judge error": 1}
    assert "7 items x 3 judges, 1 vote missing" in said.err


def test_labels_are_bought_for_the_judges_of_a_log(cli, tmp_path):
    command = ("judges", "--from", LABELS, "--study", "panel", "--oracle", "v1", "--budget", "3")
    said = cli(*command)
    assert said.code == 2  # the model has not answered every item
    assert not (tmp_path / "panel-items.jsonl").exists()
    path = inspect_log(tmp_path / "log.json", {3, 17}, scorers=("ann", "bob", "eve"))
    command = ("judges", "--from", path, "--judges", "ann,bob", "--study", "panel", "--oracle", "eve", "--budget", "9")
    said = cli(*command)
    assert said.code in (0, 3), said.err
    assert rows(tmp_path / "panel-items.jsonl")[3] == {"id": "q3", "ann": "wrong", "bob": "wrong", "eve": "wrong"}
    assert cli(*command).code == said.code
    assert cli("judges", "panel-items.jsonl", "--study", "panel").code == said.code
    from ringtrue import Study

    with Study.open(tmp_path / "panel") as study:
        assert study.plan["notes"]["log"]["items"] == 60


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ("--from", FIXTURES / "deepeval.json"),
            "what is voted on differs between them: name those who vote on one question",
        ),
        (
            ("--from", FIXTURES / "lm_eval_choices.jsonl"),
            "holds the votes of acc, acc_norm, and none of them is known to be",
        ),
        (
            ("--from", TESTS, "--judges", "a,b"),
            "--judges='a' did not vote in promptfoo.json: it has contains, llm-rubric",
        ),
        (("votes.csv", "--from", TESTS), "VOTES='votes.csv' and --from both name votes: leave one out"),
        (("votes.csv", "--right-from", "1"), "--right-from=1.0 is for the log of a tool: give --from FILE"),
    ],
)
def test_a_panel_that_must_be_chosen_is_refused(cli, options, why):
    said = cli("judges", *options)
    assert said.code == 2
    assert why in said.err.splitlines()[-1]


def test_a_panel_that_is_chosen_is_judged(cli):
    names = "Correctness (judge-a),Correctness (judge-b)"
    assert cli("judges", "--from", FIXTURES / "deepeval.json", "--judges", names).code in (0, 1, 3)


def test_judges_in_strata_of_a_log(cli, tmp_path):
    path = inspect_log(tmp_path / "log.json", {3, 17}, scorers=("ann", "bob"), metadata={"level": "easy"})
    log = json.loads(path.read_text())
    for sample in log["samples"][:30]:
        sample["metadata"] = {"level": "hard"}
    path.write_text(json.dumps(log))
    said = cli("judges", "--from", path, "--strata", "metadata.level")
    assert said.code == 3, said.err
    assert "in the strata easy and hard of metadata.level" in said.out


# Changed


def test_two_logs_are_compared_by_verdicts(cli, tmp_path):
    inspect_log(tmp_path / "old.json", {3})
    inspect_log(tmp_path / "new.json", {3, 4, 5, 6}, start=2)
    command = ("changed", "sums", "--from", "old.json", "--to", "new.json")
    said = cli(*command)
    assert said.code == 1, said.err
    assert "2 items of old.json without an answer in both left out" in said.err
    assert "2 items of new.json without an answer in both left out" in said.err
    assert "3 of 58 answers changed" in said.out
    again = cli(*command)
    assert (again.code, again.out) == (said.code, said.out)


def test_two_logs_are_compared_by_what_was_said(cli, tmp_path):
    inspect_log(tmp_path / "old.json", {3})
    inspect_log(tmp_path / "new.json", {3, 4})
    said = cli("changed", "sums", "--from", "old.json", "--to", "new.json", "--answer", "output", "--truth", "target")
    assert said.code == 2
    assert "say right or wrong" in said.err
    said = cli("changed", "sums", "--from", "old.json", "--to", "new.json", "--answer", "output")
    assert "1 of 60 answers changed" in said.out


def test_runs_that_differ_by_themselves_are_told(cli, tmp_path):
    path = inspect_log(tmp_path / "old.json", epochs=2)
    log = json.loads(path.read_text())
    log["samples"][0]["scores"]["match"]["value"] = "I"
    path.write_text(json.dumps(log))
    said = cli("changed", "sums", "--from", path, "--to", path)
    assert said.code == 0
    assert "the runs of 1 of 60 items in old.json differ among themselves" in said.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--from", "two.json"), "--from is the log of the old answers: give that of the new ones with --to FILE"),
        (("--from", "two.json", "--to", "two.json"), "--answer is missing: name what is compared, a, b, output"),
        (("--from", "two.json", "--to", "two.json", "--answer", "c"), "--answer='c' is not in both logs: name what"),
        (("--from", "two.json", "--to", "far.json"), "have no answered item in common (such as 'q0' and 'q500')"),
        (("--from", "two.json", "--to", "two.json", "--model", "m:f"), "the new answers of --from are those of --to"),
        (("--to", "two.json"), "--to='two.json' is for the log of a tool: give --from FILE"),
        (("--from", "two.json", "--to", "two.json", "--plan"), "--plan is for answers that are still to be asked for"),
    ],
)
def test_two_logs_that_cannot_be_compared_are_refused(cli, tmp_path, options, why):
    inspect_log(tmp_path / "two.json", scorers=("a", "b"))
    inspect_log(tmp_path / "far.json", scorers=("a",), start=500)
    said = cli("changed", "sums", *options)
    assert said.code == 2
    assert why in said.err.splitlines()[-1]
    assert list(tmp_path.glob("sums*")) == []


def test_other_inputs_under_the_same_id_are_told(cli, tmp_path):
    inspect_log(tmp_path / "old.json")
    inspect_log(tmp_path / "new.json", input="another question")
    said = cli("changed", "sums", "--from", "old.json", "--to", "new.json")
    assert "warning: 60 items have other inputs in new.json under the same id" in said.err


# Strangers


@pytest.mark.parametrize("verb", [("risk", "s"), ("judges",), ("changed", "s", "--to", "log.json")])
@pytest.mark.parametrize("text", ["[" * 1_000_000, "{}", "\xff", '{"version": 9, "eval": {"task": "t"}}'])
def test_a_stranger_gets_one_line(cli, tmp_path, verb, text):
    (tmp_path / "log.json").write_text(text, encoding="latin-1")
    said = cli(*verb, "--from", "log.json")
    assert said.code == 2
    assert "log.json" in said.line


def test_a_log_cannot_steer_the_terminal(cli, tmp_path):
    inspect_log(tmp_path / "log.json", scorers=("\x1b[2J\nrings true",))
    said = cli("risk", "s", "--from", "log.json")
    assert "\x1b" not in said.err
    assert len(said.err.splitlines()) == 2


def test_the_items_beside_a_study_are_their_owners_alone(cli, tmp_path):
    cli("init", "s", "--from", FIXTURES / "inspect_ai_later.json", "--labels", "right,wrong")
    assert oct((tmp_path / "s-items.jsonl").stat().st_mode & 0o777) == "0o600"
