"""Every importer on a log of its tool: what it reads, what it leaves out, and what it refuses."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from ringtrue.core import InvalidInput
from ringtrue.logs import IMPORTERS, read_log, voted, votes_table

FIXTURES = Path(__file__).parent / "fixtures"

zstandard = pytest.mark.skipif(find_spec("zstandard") is None, reason="zstandard is not installed")

SENTENCES = {
    "inspect_ai.eval": (
        "Inspect AI, version 2",
        "12 items x 3 judges",
        "1 vote missing",
        "1 failed run left out",
        "1 judge error left out",
        "up to 2 epochs of an item folded into one",
    ),
    "inspect_ai_later.json": (
        "Inspect AI, version 2",
        "12 items x 3 judges",
        "1 vote missing",
        "1 judge error left out",
        "1 failed run left out",
        "up to 2 epochs of an item folded into one",
    ),
    "promptfoo.json": (
        "promptfoo, version 3",
        "7 items x 4 judges",
        "2 votes missing",
        "1 judge error left out",
        "1 failed run left out",
    ),
    "lm_eval_choices.jsonl": (
        "lm-evaluation-harness",
        "6 items x 2 judges",
    ),
    "lm_eval_filters.jsonl": (
        "lm-evaluation-harness",
        "6 items x 2 judges",
    ),
    "openai_evals.jsonl": (
        "OpenAI evals",
        "4 items x 2 judges",
        "5 votes missing",
        "1 failed run left out",
        "1 judge error left out",
    ),
    "deepeval.json": (
        "DeepEval",
        "8 items x 3 judges",
        "1 vote missing",
        "1 judge error left out",
        "up to 2 runs of an item folded into one",
    ),
    "mlflow_traces.json": (
        "MLflow, version 3",
        "7 items x 3 judges",
        "1 vote missing",
        "1 overridden assessment left out",
        "1 failed run left out",
        "1 judge error left out",
        "up to 2 runs of an item folded into one",
        "'correctness (ann)' knows 4 items",
    ),
    "mlflow_table.json": (
        "MLflow",
        "6 items x 1 judge",
    ),
    "label_studio.json": (
        "Label Studio",
        "8 items x 3 judges",
        "1 vote missing",
        "1 skipped label left out",
        "'truth' knows 4 items",
        "12 labels not blind: a prediction was in sight",
    ),
    "argilla.json": (
        "argilla",
        "6 items x 3 judges",
        "4 votes missing",
        "3 possible drafts left out",
        "9 labels not blind: a prediction was in sight",
    ),
    "argilla_flat.json": (
        "argilla",
        "6 items x 3 judges",
        "2 votes missing",
        "1 discarded response left out",
        "9 labels not blind: a prediction was in sight",
    ),
}
"""Of each fixture the tool, and the parts of its sentence."""


def test_every_fixture_is_read_by_a_test():
    assert set(SENTENCES) == {path.name for path in FIXTURES.iterdir() if path.suffix != ".md"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=zstandard) if name.endswith(".eval") else name for name in SENTENCES]
)
def test_a_log_says_what_was_read_and_left_out(name):
    log = read_log(FIXTURES / name)
    tool, *parts = SENTENCES[name]
    assert str(log) == f"{name} ({tool}): {', '.join(parts)}"
    assert log.to_json()["sentence"] == str(log)
    assert json.loads(json.dumps(log.to_json())) == log.to_json()


def test_every_importer_has_a_fixture():
    assert {one.tool for one in IMPORTERS} == {
        read_log(FIXTURES / name).tool for name in SENTENCES if ".eval" not in name
    }


def test_one_importer_alone_knows_a_log():
    from ringtrue.logs._bounded import open_content

    for name in SENTENCES:
        content = open_content(str(FIXTURES / name))
        assert len([one.tool for one in IMPORTERS if one.knows(content)]) == 1, name


def changed(tmp_path, name, change, to=None):
    """Write a fixture again after a change to what it holds."""
    value = json.loads((FIXTURES / name).read_text())
    change(value)
    path = tmp_path / (to or name)
    path.write_text(json.dumps(value))
    return path


def raised(path):
    with pytest.raises(InvalidInput) as caught:
        read_log(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("inspect_ai_later.json", lambda log: log.update(version=3)),
        ("promptfoo.json", lambda log: log["results"].update(version=4)),
        (
            "mlflow_traces.json",
            lambda log: log[0]["info"]["trace_metadata"].update({"mlflow.trace_schema.version": "9"}),
        ),
    ],
)
def test_an_unknown_version_is_refused(tmp_path, name, change):
    line = raised(changed(tmp_path, name, change))
    assert "has version " in line
    assert "is known: write the log with another release" in line


def test_inspect_grades_numbers_and_parts(tmp_path):
    def change(log):
        log["samples"] = log["samples"][:1]
        values = {
            "graded": "P",
            "counted": 0.25,
            "yes": True,
            "named": "toxic",
            "many": {"a": 1, "b": "I"},
            "list": [1],
        }
        log["samples"][0]["scores"] = {name: {"value": value} for name, value in values.items()}
        log["samples"][0]["scores"]["failed"] = {"value": "I", "reason": "grader_failed"}
        log["samples"][0]["scores"]["edited"] = {"value": "C", "history": [{"value": "I"}, {"value": "C"}]}
        log["status"] = "cancelled"

    log = read_log(changed(tmp_path, "inspect_ai_later.json", change))
    assert log.items[0].votes == {
        "graded": (0.5,),
        "counted": (0.25,),
        "yes": (1.0,),
        "named": ("toxic",),
        "many.a": (1.0,),
        "many.b": (0.0,),
        "edited": (1.0,),
    }
    assert log.left_out == {"judge error": 2}  # the list, and the grader that failed
    assert str(log).endswith("1 early end (cancelled), 1 edited score")


def test_a_run_of_inspect_without_scores_is_read_and_one_without_samples_refused(tmp_path):
    def unscored(log):
        for sample in log["samples"]:
            sample["scores"] = {}

    assert read_log(changed(tmp_path, "inspect_ai_later.json", unscored)).voters == ()
    assert "no item was run to its end" in raised(
        changed(tmp_path, "inspect_ai_later.json", lambda log: log.pop("samples"))
    )


def test_a_run_of_inspect_that_crashed_is_read_from_its_journal(tmp_path):
    import zipfile

    path = tmp_path / "crashed.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "t"}}))
        file.writestr(
            "samples/1_epoch_1.json", json.dumps({"id": 1, "epoch": 1, "input": "?", "scores": {"s": {"value": "C"}}})
        )
    assert str(read_log(path)) == "crashed.eval (Inspect AI, version 2): 1 item x 1 judge"


def test_an_error_of_a_judge_of_promptfoo_is_no_vote():
    log = read_log(FIXTURES / "promptfoo.json")
    (item,) = [one for one in log.items if one.inputs["word"] == "word4"]
    assert item.votes == {
        "contains": (0.0,),
        "llm-rubric (mild)": (0.0,),
    }  # neither the failed judge nor the whole test
    assert [voter.name for voter in log.voters if voter.role == "judge"] == [
        "llm-rubric (file://grader.cjs)",
        "llm-rubric (mild)",
    ]
    assert len({voter.question for voter in log.voters if voter.role == "judge"}) == 1  # one rubric: a panel
    assert {name for row in votes_table(log) for name in row} == {"id", *log.named("judge")}


def test_several_models_of_promptfoo_are_kept_apart(tmp_path):
    def another(log):
        rows = log["results"]["results"]
        log["results"]["results"] = [
            *rows,
            *({**row, "provider": {"id": "other"}, "success": False} for row in rows[:2]),
        ]

    log = read_log(changed(tmp_path, "promptfoo.json", another))
    with pytest.raises(
        InvalidInput, match=r"holds the answers of 2 models \(echo-model, other\): choose one with of=…"
    ):
        log.of_model(None)
    with pytest.raises(InvalidInput, match=r"of='third' is not a model of promptfoo\.json: it has echo-model, other"):
        log.of_model("third")
    one = log.of_model("other")
    assert (len(one.items), one.models) == (2, ("other",))
    assert voted(one, "passed") == dict.fromkeys((item.id for item in one.items), "wrong")


def test_ids_of_promptfoo_are_those_of_the_variables_else_their_hash(tmp_path):
    def named(log):
        for number, row in enumerate(log["results"]["results"]):
            row["vars"]["id"] = f"n{number}"

    assert [item.id for item in read_log(changed(tmp_path, "promptfoo.json", named)).items][:2] == ["n0", "n1"]


def test_choices_of_the_harness_are_what_was_likeliest():
    log = read_log(FIXTURES / "lm_eval_choices.jsonl")
    assert {item.output.strip() for item in log.items} <= {"yes", "no"}
    assert all(
        (item.output.strip() == ["yes", "no"][int(item.target)]) == (item.votes["acc"] == (1.0,)) for item in log.items
    )


def test_filters_of_the_harness_look_at_one_run():
    log = read_log(FIXTURES / "lm_eval_filters.jsonl")
    assert {item.runs for item in log.items} == {1}
    assert log.named("rule") == ("exact_match (strict)", "exact_match (flexible)")


def test_a_choice_of_openai_evals_that_was_none_of_those_offered_is_no_vote():
    log = read_log(FIXTURES / "openai_evals.jsonl")
    votes = {item.id: dict(item.votes) for item in log.items}
    assert votes == {
        "sums.dev.0": {"match": (1.0,)},
        "sums.dev.1": {"match": (0.0,)},
        "sums.dev.3": {"choice": (1.0,)},
        "sums.dev.4": {},
    }
    assert log.items[2].output == "6"  # and not what the grader said


def test_an_error_of_a_metric_of_deepeval_is_no_vote_and_equal_cases_are_one_item():
    log = read_log(FIXTURES / "deepeval.json")
    by_input = {item.inputs["input"]: item for item in log.items}
    assert "Correctness (judge-b)" not in by_input["Question 4"].votes
    assert by_input["Question 7"].runs == 2


def test_people_of_mlflow_know_the_truth_and_what_was_overridden_is_left_out():
    log = read_log(FIXTURES / "mlflow_traces.json")
    by_input = {item.inputs["question"]: item for item in log.items}
    assert by_input["question 1"].votes["correctness (ann)"] == (0.0,)
    assert by_input["question 6"].votes["correctness (judge-c)"] == (0.0,)  # the later one
    assert by_input["question 0"].votes["correctness (judge-a)"] == (1.0, 0.0)  # asked twice
    assert by_input["question 2"].target == "QUESTION 2"


def test_a_table_of_mlflow_has_a_vote_per_column_of_scores():
    log = read_log(FIXTURES / "mlflow_table.json")
    assert [item.votes["same"] for item in log.items] == [(1.0,), (1.0,), (0.0,), (1.0,), (1.0,), (1.0,)]
    assert (log.items[2].output, log.items[2].target, log.items[2].inputs) == ("?", "Q2", {"inputs": "q2"})


def test_roles_in_an_export_of_label_studio():
    log = read_log(FIXTURES / "label_studio.json")
    assert not log.judged
    assert log.named("judge") == ("ann@example.org", "bob@example.org", "3")
    assert (log.named("model"), log.named("truth")) == (("v1",), ("truth",))
    assert [item.sighted for item in log.items] == [4, 4, 4, 0, 0, 0, 0, 0]


def test_several_questions_of_label_studio_name_their_voters(tmp_path):
    def another(tasks):
        for task in tasks:
            for one in task["annotations"]:
                one["result"] += [{"from_name": "stars", "to_name": "t", "type": "rating", "value": {"rating": 4}}]
                one["result"] += [{"from_name": "box", "type": "rectanglelabels", "value": {"x": 1}}]

    log = read_log(changed(tmp_path, "label_studio.json", another))
    assert "stars: ann@example.org" in log.named("judge")
    assert log.left_out["unlabelled mark"] == 27
    with pytest.raises(InvalidInput, match="what is voted on differs between them: name those"):
        votes_table(log)


def test_the_short_form_of_label_studio_is_refused(tmp_path):
    path = tmp_path / "short.json"
    path.write_text(
        json.dumps([{"id": 1, "text": "a", "mood": "pos", "annotator": 1, "annotation_id": 2, "lead_time": 1.0}])
    )
    assert raised(path) == "short.json (Label Studio) is the short form of an export: export as JSON, not as JSON-MIN"


def test_both_forms_of_argilla_agree_on_what_was_submitted():
    nested, flat = (read_log(FIXTURES / name) for name in ("argilla.json", "argilla_flat.json"))
    for one, other in zip(nested.items[:4], flat.items[:4], strict=True):
        assert one.votes == other.votes
    assert nested.named("model") == flat.named("model") == ("model-1",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "is not a log of a tool that is known: give one of Inspect AI, promptfoo, lm-evaluation-harness"),
        ("[]", "is not a log of a tool that is known"),
        ("[1]", "is not a log of a tool that is known"),
        ("3", "is not a log of a tool that is known"),
        ('{"eval": {"task": "t"}, "version": 2, "samples": 3}', "samples is not a list of objects"),
        ('{"eval": {"task": "t"}, "version": true}', "has version True of the format, and only 2 is known"),
        ('{"eval": {"task": "t"}, "version": 2, "samples": [{}]}', "has a sample without an id"),
        ('{"evalId": "e", "results": {"version": 3, "results": {}}}', "results.results is not a list of objects"),
        ('{"evalId": "e", "results": []}', "has no version of the format"),
        ('{"testCases": [], "testPassed": 0}', "has no test cases"),
        ('{"testCases": {}, "testPassed": 0}', "has no test cases"),
        ('{"columns": ["a"], "data": [[1, 2]]}', "row 1 has 2 cells, not 1"),
        ('{"columns": 3, "data": []}', "is not a table of columns and rows"),
        ('[{"data": {}, "annotations": []}]', "task 1 has no id"),
        ('[{"_server_id": null, "fields": {}}]', "record 1 has no id"),
        ('[{"info": {"trace_id": "t"}}, 3]', "traces is not a list of objects"),
    ],
)
def test_what_is_not_of_the_form_is_refused_in_one_line(tmp_path, text, why):
    path = tmp_path / "log.json"
    path.write_text(text)
    line = raised(path)
    assert why in line
    assert "\n" not in line


def corrupted(value, depth=0):
    """Yield a document with one of its parts replaced by something else, wherever that is."""
    strange = (None, 3, "x", [], {}, [None], {"a": [{}]})
    if isinstance(value, dict):
        for key, part in value.items():
            for other in corrupted(part, depth + 1):
                yield {**value, key: other}
    elif isinstance(value, list) and value:
        for other in corrupted(value[0], depth + 1):
            yield [other, *value[1:2]]
    if depth:
        yield from strange


@pytest.mark.parametrize("name", [name for name in SENTENCES if ".json" in name])
def test_a_part_of_another_type_is_read_or_refused_and_never_crashes(tmp_path, name):
    """Each part of a log in turn is replaced by null, numbers, texts, lists and objects."""
    path, text = tmp_path / name, (FIXTURES / name).read_text()
    lines = text.splitlines() if name.endswith(".jsonl") else [text]
    texts = [
        "\n".join([*lines[:place], json.dumps(strange), *lines[place + 1 :]])
        for place, line in enumerate(lines[:9])
        for strange in corrupted(json.loads(line))
    ]
    for changed_text in texts:
        path.write_text(changed_text)
        said = ""
        try:
            said = str(read_log(path))
        except InvalidInput as error:
            said = str(error)
        assert said.count("\n") == 0
    assert len(texts) > 10
