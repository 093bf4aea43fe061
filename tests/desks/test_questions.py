"""A desk for every question that asks people, in the words that its pages are told."""

import json

import pytest

from cli.test_sheets import CASES
from ringtrue.cli._consent import Calling
from ringtrue.cli.desk import _fields, _known_truth, _opened, _outputs
from ringtrue.core import InvalidInput
from ringtrue.desk._desk import Desk
from ringtrue.desk._export import answers, as_csv
from ringtrue.desk._live import Live
from ringtrue.study import Owner, Raters, Study

pytest_plugins = ("cli.conftest",)

FORBIDDEN = {
    "risk": ("predicted",), "blind": ("said", "sure"), "judges": ("a", "b", "c"), "worst": (),
}  # fmt: skip


@pytest.fixture
def opened(request, cli, tmp_path):
    """The desk of a question, as the command opens it."""
    verb = request.param
    case = CASES[verb]
    case.lay(tmp_path)
    cli(*case.new, "--sheet", "first.csv")
    cli("release", "s")
    asked, found = _opened("s", {}, Calling())
    with asked.study as study:
        found.prepare(asked)
        if verb in ("risk", "blind"):
            Owner(study).set_desk(labels=["cat", "dog"])
        raters = Raters(study, question=asked.question.name, hidden=_known_truth(study))
        yield verb, Desk(raters, _fields(asked, found, {}), _outputs(asked, found))


every_verb = pytest.mark.parametrize("opened", CASES, indirect=True)


@every_verb
def test_raters_answer_blind_and_the_owner_sees_it(opened, tmp_path):
    verb, desk = opened
    told = {"numbers": ["351,8"]} if verb == "worst" else {"answer": desk.labels[0]}
    seen = []
    for rater in ("ann", "bob"):
        for _ in range(2):
            [query] = desk.ask(rater, 1)["queries"]
            seen.append(query)
            saved = desk.tell(rater, {"query": query["id"], "seconds": 3, **told})
            assert saved["saved"] is True
            assert saved["read"] == (["351.8"] if verb == "worst" else None)
    assert len({query["id"] for query in seen}) == 4
    names = {field["name"] for query in seen for field in query["fields"]}
    assert names.isdisjoint(FORBIDDEN[verb])
    with Study.open(tmp_path / "s.ringtrue") as watched:
        live = Live(desk, watched)
        view = json.loads(json.dumps(live.view()))
        rows = answers(watched)
    assert view["spending"]["answered"] == 4
    assert [rater["name"] for rater in view["raters"]] == ["ann", "bob"]
    assert [rater["seconds"] for rater in view["raters"]] == [3, 3]
    assert {row["rater"] for row in rows} == {"ann", "bob"}
    assert as_csv(rows).count("\n") == 5


@every_verb
def test_what_is_wrong_is_said_in_a_sentence(opened):
    verb, desk = opened
    [query] = desk.ask("ann", 1)["queries"]
    name = query["id"]
    wrong = [
        ({"query": "never", "answer": None}, "was never asked here"),
        ({"query": name}, "answer is missing"),
        ({"query": name, "answer": None, "seconds": "long"}, "seconds='long'"),
    ]
    if verb == "worst":
        wrong += [
            ({"query": name, "answer": "hot"}, "asks for numbers"),
            ({"query": name, "numbers": ["1.234,5"]}, "is not a number"),
            ({"query": name, "numbers": ["1", "2"]}, "must be a list of 1"),
        ]
    else:
        wrong += [
            *([({"query": name, "answer": "eggs"}, "is not a known label")] if verb == "judges" else []),
            ({"query": name, "answer": " "}, "is empty"),
            ({"query": name, "numbers": [1]}, "must be a list of 0"),
        ]
    for told, why in wrong:
        with pytest.raises(InvalidInput, match=why):
            desk.tell("ann", told)
    with pytest.raises(InvalidInput, match="at least 1"):
        desk.ask("ann", 0)
    assert desk.mine("ann") == 0


@pytest.mark.parametrize("opened", ["risk"], indirect=True)
def test_names_of_queries_say_nothing_and_are_known_after_a_restart(opened):
    _, desk = opened
    Owner(desk.raters.study).second(1.0)
    [query] = desk.ask("ann", 1)["queries"]
    desk.tell("ann", {"query": query["id"], "answer": desk.labels[0]})
    [second] = desk.ask("bob", 1)["queries"]
    assert second == query | {"until": second["until"]}
    assert len(query["id"]) == 10
    again = Desk(desk.raters, desk.fields)
    assert again.number(query["id"]) == desk.number(query["id"])
    assert again.picture(query["id"], 0, "ann") is None


def test_a_study_that_the_model_answers_has_no_desk(cli, tmp_path):
    (tmp_path / "old.csv").write_text("id,text,answer\n" + "".join(f"{n},t{n},yes\n" for n in range(20)))
    (tmp_path / "now.py").write_text("def predict(rows):\n    return ['yes' for _ in rows]\n")
    cli("changed", "c", "--old", "old.csv", "--model", "now:predict", "--budget", 5)
    error = cli("desk", "c").line
    assert "has no desk" in error or "answered by the model" in error


def test_what_a_desk_cannot_do_is_said_in_one_line(cli, tmp_path):
    CASES["risk"].lay(tmp_path)
    cli(*CASES["risk"].new, "--sheet", "first.csv")
    for arguments, why in [
        ((), "STUDY is missing"),
        (("absent",), "does not exist"),
        (("s", "--demo"), "leave one out"),
        (("s", "--show", "text"), "FIELD=KIND"),
        (("s", "--show", "nowhere=text"), "is not a column"),
        (("s", "--show", "id=poem"), "is not a kind of field"),
        (("s", "--second", "150%"), "--second"),
        (("s", "--rater", "a/b"), "without slashes"),
        (("s", "--files", "nowhere"), "is not a folder"),
        (("s", "--host", "0.0.0.0"), "--allow-remote"),
    ]:
        error = cli("desk", *arguments).line
        assert why in error
