"""The votes of a panel as a question of a study: nothing is asked, and the finding is that of `evaluate`."""

import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Panel, PanelAlarm, evaluate
from ringtrue.study import Study, make_question

CELLS = [114, 26, 60, 60, 36, 24, 45, 85]
OPTIONS = {"better": "bob", "at_least": 0.7, "level": 0.9}


def trio():
    return Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], CELLS)


def test_a_study_finds_what_the_votes_show_and_asks_nothing(tmp_path):
    with Study.create(tmp_path / "trio", question=Panel(trio(), name="votes.csv", **OPTIONS)) as study:
        assert study.finding().to_json() == evaluate(trio(), **OPTIONS).to_json()
        assert study.run("nobody").to_json() == study.finding().to_json()
        assert study.ask(3) == []
        assert not study.records


def test_it_is_made_again_from_its_journal(tmp_path):
    alarm = PanelAlarm(trio())
    with Study.create(tmp_path / "trio", question=Panel(trio(), **OPTIONS)) as study:
        study.keep("stream", alarm.to_json())
        found = study.finding()
    with Study.open(tmp_path / "trio") as study:
        assert study.finding().to_json() == found.to_json()
        assert study.kept["stream"]["events"] == 0


def test_its_configuration_holds_all_options():
    labelled = Sketch(["ann", "bob", "truth"], ["no", "yes"], {(1, 1, 1): 10, (0, 1, 1): 10, (0, 0, -1): 80})
    question = make_question(Panel(labelled, truth="truth", independent=True, prevalence=0.3).config())
    assert question.sketch == labelled
    assert question.options == {
        "truth": "truth", "prevalence": 0.3, "better": None, "at_least": None, "independent": True, "level": 0.95,
    }  # fmt: skip


def test_the_order_of_counting_changes_no_digit():
    turned = Sketch(["ann", "bob", "cyd"], ["no", "yes"], dict(reversed(list(trio().items()))))
    ways = [Panel(one).estimator(size=0, claim=None).finding().to_json() for one in (trio(), turned)]
    assert ways[0] == ways[1]


@pytest.mark.parametrize(
    ("options", "words"), [({"better": "dan"}, "'dan' is none of"), ({"prevalence": 2.0}, "prevalence=2.0 must lie")]
)
def test_what_cannot_be_evaluated_is_refused_before_a_study_is_made(options, words):
    with pytest.raises(InvalidInput, match=words):
        Panel(trio(), **options)
