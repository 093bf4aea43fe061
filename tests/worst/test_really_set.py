"""What was really set: it counts in place of what was asked, for both sides, in journal, search and page."""

import pytest

from ringtrue.core import InvalidInput, Reply
from ringtrue.oracles import DeviationOracle
from ringtrue.report import verify_report, write_report
from ringtrue.study import Study
from ringtrue.worst import AtMost, Choice, Integer, Real, SearchSpace, Worst
from ringtrue.worst._history import History
from ringtrue.worst._next_point import AskedPoints

SPACE = SearchSpace([Real("heat", 250, 400, step=5), Choice("kind", ["a", "b"])])


def model(rows):
    """Twice the heat, to see where it was asked."""
    return [2 * row["heat"] for row in rows]


def made(tmp_path, *, space=SPACE, said=model, **given):
    question = Worst(space, evaluations=20, **given)
    return Study.create(tmp_path / "s.ringtrue", question=question, model=said, budget=20)


def history_of(study):
    return History.of(study.question().plan, study.records)


def moved(query, by=1.75):
    """A heat that the furnace took in place of the one that it was asked for."""
    heat = query.item.values["heat"]
    return heat + by if heat < 400 else heat - by


def test_the_point_that_was_set_counts_and_the_model_speaks_of_it(tmp_path):
    with made(tmp_path) as study:
        [query] = study.ask()
        heat = moved(query)
        told = {"label": 1000.0, "set": {"heat": heat}}
        assert study.tell(query, told) == {**told, "said": 2 * heat}
        history = history_of(study)
        assert history.points[0].tolist() == [heat, float(query.item.values["kind"] == "b")]
        assert history.values.tolist() == [[2 * heat - 1000]]
        worst = study.finding().worst
        assert (worst.point["heat"], worst.asked["heat"]) == (heat, query.item.values["heat"])
        assert (worst.model, worst.gold) == (2 * heat, 1000.0)
        record = study.records[0]
        assert (record.said, record.point[0]) == (2 * query.item.values["heat"], query.item.values["heat"])


def test_the_journal_has_it_and_the_study_opens_as_it_was_and_its_report_is_verified(tmp_path, undrawn):
    with made(tmp_path) as study:
        for query in study.ask(4):
            heat = moved(query)
            study.tell(query, {"label": 3 * heat, "set": {"heat": heat}})
        before = study.finding().to_json()
        page = write_report(study, tmp_path / "s.html")
    assert before["moved"] == 4
    with Study.open(tmp_path / "s.ringtrue") as study:
        assert study.finding().to_json() == before
    with Study.open(tmp_path / "s.ringtrue", model=model) as study:
        assert study.compare(model=model) == []
    assert verify_report(tmp_path / "s.json").agrees
    text = (tmp_path / "s.html").read_text()
    assert page
    assert "worst point, as it was set" in text
    assert "as it was asked" in text
    assert "4 evaluations were made at other settings than were asked" in text


def test_the_sentence_marks_what_was_set(tmp_path):
    with made(tmp_path) as study:
        [query] = study.ask()
        study.tell(query, {"label": 0.0, "set": {"heat": 351.75}})
        asked = query.item.values
        assert f"at heat=351.8 (set; {asked['heat']:g} asked), kind={asked['kind']} (1 evaluation)" in str(
            study.finding()
        )


def test_what_was_asked_is_not_asked_again(tmp_path):
    with made(tmp_path) as study:
        [query] = study.ask()
        study.tell(query, {"label": 0.0, "set": {"heat": moved(query)}})
        history = history_of(study)
        asked = AskedPoints(study.question().plan, history, [])
        assert asked.holds(history.moved_from, -1).tolist() == [True]
        assert asked.holds(history.units, -1).tolist() == [True]


def test_a_run_takes_it_from_a_function(tmp_path):
    def furnace(values):
        return {"label": 700.0, "set": {"heat": min(values["heat"] + 1.25, 400.0)}}

    with made(tmp_path, said=model) as study:
        finding = study.run(furnace)
        assert finding.answers == 20
        assert len({record.point for record in study.records}) == 20
        assert finding.worst.deviation == pytest.approx(200.0 - 2.5, abs=2.5)


def test_settings_that_were_as_asked_change_nothing(tmp_path):
    with made(tmp_path) as study:
        [query] = study.ask()
        study.tell(query, {"label": 1.0, "set": dict(query.item.values)})
        assert len(history_of(study).moved) == 0
        assert study.finding().worst.asked is None
        assert "asked" not in study.finding().to_json()["worst"]
        assert "moved" not in study.finding().to_json()


def test_of_outputs_priced_alone_the_task_stays(tmp_path):
    def two(rows):
        return [[row["heat"], 2 * row["heat"]] for row in rows]

    with made(tmp_path, said=two, tasks=("one", "two"), priced="alone") as study:
        for query in study.ask(2):
            study.tell(query, {"label": 0.0, "set": {"heat": 300.5}})
        values = history_of(study).values
        assert sorted(values[values == values].tolist()) == [300.5, 601.0]


def test_a_deviation_that_is_given_needs_no_model(tmp_path):
    question = Worst(SPACE, evaluations=5, deviation="given")
    with Study.create(tmp_path / "s.ringtrue", question=question, budget=5) as study:
        [query] = study.ask()
        told = {"label": 0.25, "set": {"heat": 300.5}}
        assert study.tell(query, told) == told
        assert study.finding().worst.point["heat"] == 300.5


LIMITED = SearchSpace([Real("heat", 250, 400), Integer("n", 1, 3)], constraints=[AtMost({"heat": 1, "n": 50}, 400)])


@pytest.mark.parametrize(
    ("space", "told", "said"),
    [
        (SPACE, {"heat": 500}, "heat=500.0 must be a number in [250, 400]; correct it, or say that it cannot be told"),
        (SPACE, {"heat": "hot"}, "parameter 'heat': 'hot' must be a number"),
        (SPACE, {"hat": 300}, "point has the unknown key 'hat': use heat, kind"),
        (SPACE, {"kind": "c"}, "parameter 'kind': 'c' is none of its options ['a', 'b']"),
        (SPACE, [300], "the answer says set=[300]: give values by parameter"),
        (LIMITED, {"n": 1.5}, "n=1.5 must be a whole number in [1, 3]"),
        (LIMITED, {"heat": 400, "n": 3}, "breaks heat + 50 n <= 400: choose another"),
    ],
)
def test_settings_outside_the_space_are_refused_in_one_line(tmp_path, space, told, said):
    with made(tmp_path, space=space) as study:
        [query] = study.ask()
        with pytest.raises(InvalidInput) as caught:
            study.tell(query, {"label": 1.0, "set": told})
        assert said in str(caught.value)
        assert str(caught.value).startswith(f"item {query.item.id!r}: ")
        assert "\n" not in str(caught.value)
        assert study.status().answered == 0


def test_settings_without_a_measurement_are_refused(tmp_path):
    with made(tmp_path) as study, pytest.raises(InvalidInput, match='has "set" but no "label"'):
        study.tell(study.ask()[0], {"value": 1.0, "set": {"heat": 300}})


def test_a_model_that_cannot_be_asked_is_told_in_one_line(tmp_path):
    with made(tmp_path) as study:
        [query] = study.ask()
    with Study.open(tmp_path / "s.ringtrue") as study:
        with pytest.raises(InvalidInput, match="the model must be asked there: open the study with its model=…"):
            study.tell(query, {"label": 1.0, "set": {"heat": 300.5}})
        assert study.tell(query, 1.0) == 1.0, "an answer where it was asked needs no model"


def test_a_model_that_fails_there_is_told_in_one_line_and_the_other_answers_are_kept(tmp_path):
    def touchy(rows):
        if any(row["heat"] % 5 for row in rows):
            raise RuntimeError("off\nthe grid")
        return model(rows)

    with made(tmp_path, said=touchy, rule="sobol") as study:
        answers = iter([1.0, {"label": 1.0, "set": {"heat": 300.5}}])
        with pytest.raises(InvalidInput) as caught:
            study.run(lambda _: next(answers))
        assert "the model cannot be asked (RuntimeError: off the grid): mend it, and tell the answer again" in str(
            caught.value
        )
        assert study.status().answered == 1


def test_a_deviation_of_ones_own_compares_where_it_was_asked(tmp_path):
    question = Worst(SPACE, evaluations=5, deviation="given")
    oracle = DeviationOracle(lambda _: Reply({"label": 1.0, "set": {"heat": 300.5}}), lambda said, gold: said - gold)
    with (
        Study.create(tmp_path / "s.ringtrue", question=question, model=model, budget=5) as study,
        pytest.raises(
            InvalidInput, match="a deviation of your own compares with what the model says where it was asked"
        ),
    ):
        study.run(oracle)
