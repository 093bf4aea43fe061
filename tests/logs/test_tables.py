"""A log as tables: repeats are one item, a score is a verdict only where that is certain, a panel has one question."""

import pytest

from ringtrue.core import InvalidInput
from ringtrue.logs import CLAIMED, Log, items_table, scores, stored, verdict, voted, votes_table
from ringtrue.logs._log import Reading, Run


def log_of(*runs, judged=True, voters=()):
    reading = Reading("made up", judged=judged)
    for name, role, question in voters:
        reading.voter(name, role, question)
    for run in runs:
        for name in run.votes:
            reading.voter(name)
    reading.runs += runs
    return Log.of(reading, "log")


def run(item, output="yes", inputs=None, **votes):
    return Run(item, inputs or {"question": item}, votes, output=output, target="yes")


def test_repeats_are_one_item_and_most_runs_decide():
    log = log_of(
        *(run("a", ann=vote) for vote in (1.0, 1.0, 0.0)), run("b", ann=0.0), run("c", ann=1.0), run("c", ann=0.0)
    )
    assert [(item.id, item.runs) for item in log.items] == [("a", 3), ("b", 1), ("c", 2)]
    assert voted(log, "ann") == {"a": "right", "b": "wrong"}  # an even vote is none
    assert stored(log, "ann") == {"a": "right", "b": "wrong", "c": "wrong"}  # and not right in most runs
    assert scores(log, "ann") == {"a": pytest.approx(2 / 3), "b": 0.0, "c": 0.5}
    assert "up to 3 runs of an item folded into one" in str(log)


def test_what_was_said_most_often_is_what_was_said():
    log = log_of(run("a", "no"), run("a", "yes"), run("a", "yes"), run("b", "first"), run("b", "second"))
    assert [item.output for item in log.items] == ["yes", "first"]


def test_a_score_between_is_no_verdict_without_a_limit():
    log = log_of(run("a", ann=0.7), run("b", ann=1.0))
    with pytest.raises(InvalidInput, match=r"'ann' gives 1 score such as 0.7, and only 1 is right and 0 is wrong"):
        voted(log, "ann")
    assert voted(log, "ann", right_from=0.7) == {"a": "right", "b": "right"}
    assert voted(log, "ann", right_from=0.71) == {"a": "wrong", "b": "right"}


def test_labels_stay_labels_where_nothing_is_judged():
    log = log_of(run("a", ann="cat", bob=2.0), judged=False)
    assert (voted(log, "ann"), voted(log, "bob")) == ({"a": "cat"}, {"a": "2"})


def test_a_panel_is_of_one_question():
    one = log_of(
        run("a", ann=1.0, bob=0.0, rule=1.0),
        voters=[("ann", "judge", "q"), ("bob", "judge", "q"), ("rule", "rule", "r")],
    )
    assert votes_table(one) == [{"id": "a", "ann": "right", "bob": "wrong"}]
    assert votes_table(one, judges=["rule"], truth={"a": "right"}) == [{"id": "a", "rule": "right", "truth": "right"}]
    with pytest.raises(InvalidInput, match="judges='eve' did not vote in log: it has ann, bob, rule"):
        votes_table(one, judges=["eve"])
    two = log_of(run("a", ann=1.0, bob=0.0), voters=[("ann", "judge", "q"), ("bob", "judge", "other")])
    with pytest.raises(InvalidInput, match="holds the votes of ann, bob, and what is voted on differs between them"):
        votes_table(two)
    with pytest.raises(InvalidInput, match="none of them is known to be a judge"):
        votes_table(log_of(run("a", ann=1.0), voters=[("ann", "rule", "")]))
    with pytest.raises(InvalidInput, match="holds no votes"):
        votes_table(log_of(run("a")))


def test_items_without_a_cell_are_left_out_and_names_do_not_collide():
    inputs = {"question": "?", "output": "mine", "claimed": "x", "ann": 3}
    log = log_of(run("a", inputs=inputs, ann=1.0), run("b"))
    assert items_table(log, {CLAIMED: stored(log, CLAIMED), "ann": stored(log, "ann")}) == [
        {
            "id": "a",
            "question": "?",
            "input.output": "mine",
            "input.claimed": "x",
            "input.ann": 3,
            "output": "yes",
            "target": "yes",
            "claimed": "right",
            "ann": "right",
        }
    ]


def test_other_inputs_are_another_item_and_another_prompt_is_not():
    first, second, third = (
        log_of(run("a", inputs=inputs)).items[0] for inputs in ({"q": 1}, {"q": 2}, {"q": 1, "prompt": "x"})
    )
    assert first.identity != second.identity
    assert first.identity == third.identity


@pytest.mark.parametrize(
    ("label", "said"), [("C", "right"), ("I", "wrong"), (True, "right"), ("0", "wrong"), ("P", None), (0, "wrong")]
)
def test_words_for_verdicts(label, said):
    assert verdict(label) == said


def test_names_of_voters_have_no_commas():
    assert log_of(Run("a", {}, {}), voters=[("one, two", "judge", "")]).voters[0].name == "one; two"
