"""A search in the study loop: several points out at once, answers next week and in any order, points given up."""

import math

import numpy as np
import pytest

from ringtrue.core import InvalidInput, PlanChanged, Verdict
from ringtrue.study import Study
from ringtrue.worst import Integer, Real, SearchSpace, Worst
from support import Clock

SPACE = SearchSpace([Real("x", -2, 2), Real("y", -2, 2)])
WEEK = 7 * 86_400.0


def model(rows):
    return [row["x"] for row in rows]


def gold(values):
    return values["x"] + math.exp(-((values["x"] - 1) ** 2) - values["y"] ** 2)


def search(folder, evaluations=12, name="study", **options):
    settings = {key: options.pop(key) for key in ("tasks", "priced", "claim", "deviation", "initial") if key in options}
    return Study.create(
        folder / f"{name}.ringtrue",
        question=Worst(SPACE, evaluations=evaluations, **settings),
        budget=evaluations,
        **{"model": model, **options},
    )


def ask_and_tell(study, n=1):
    queries = study.ask(n)
    for query in queries:
        study.tell(query, gold(query.item.values))
    return queries


def points(study):
    return [record.point for record in study.records]


def test_run_finds_the_worst_input_and_asks_no_point_twice(tmp_path):
    with search(tmp_path, 24) as study:
        finding = study.run(gold)
        assert finding.worst.deviation == pytest.approx(1, abs=0.05)
        assert str(finding).startswith("largest deviation ")
        assert len(set(points(study))) == 24
        assert study.status().answered == 24
        assert study.ask() == []


def test_a_query_carries_the_point_and_what_the_model_says_of_it(tmp_path):
    with search(tmp_path) as study:
        (query,) = study.ask()
        assert set(query.item.values) == {"x", "y"}
        assert query.said == query.item.values["x"]
        assert query.item.id == study.records[0].id


def test_answers_next_week_in_another_order_and_twice(tmp_path):
    clock = Clock()
    with search(tmp_path, clock=clock, lease=4 * WEEK) as study:
        ask_and_tell(study, 4)
        out = study.ask(4)
        assert len({query.item.id for query in out}) == 4
        clock.now += WEEK
        for query in out[::-1]:
            assert study.tell(query, gold(query.item.values)) == gold(query.item.values)
            assert study.tell(query, 99.0) == gold(query.item.values), "the first answer counts"
        assert study.status().answered == 8
        assert study.finding().answers == 8
        told = points(study)
    with search(tmp_path, name="in-order") as study:
        ask_and_tell(study, 4)
        ask_and_tell(study, 4)
        assert points(study) == told
        in_order = study.ask()[0].item.values
    with Study.open(tmp_path / "study.ringtrue", model=model) as study:
        assert study.ask()[0].item.values == in_order, "the order of answers does not change what is asked next"


def test_a_lease_that_ran_out_is_offered_again_and_the_late_answer_still_counts(tmp_path):
    clock = Clock()
    with search(tmp_path, clock=clock, lease=WEEK) as study:
        (query,) = study.ask(rater="the laboratory")
        clock.now += WEEK + 1
        (again,) = study.ask(rater="another one")
        assert again.item == query.item
        study.tell(query, gold(query.item.values), rater="the laboratory")
        assert study.tell(again, 5.0, rater="another one") == gold(query.item.values)
        assert (study.status().answered, study.status().opinions) == (1, 1)


def test_answers_that_come_one_by_one_are_learnt_from_at_once(tmp_path):
    """The next point is chosen from what is told, although an earlier one is still out."""
    with search(tmp_path, evaluations=20) as study:
        ask_and_tell(study, 8)
        first, second = study.ask(2)
        study.tell(second, gold(second.item.values))
        assert study.finding().answers == 9
        (third,) = study.ask()
        assert third.item.id not in {first.item.id, second.item.id}


def test_an_abandoned_point_gives_its_evaluation_back(tmp_path):
    with search(tmp_path, evaluations=6) as study:
        out = study.ask(6)
        assert study.ask() == []
        study.abandon(out[1], reason="the oven broke")
        study.tell(out[2], None)
        for query in (out[0], *out[3:]):
            study.tell(query, gold(query.item.values))
        assert (study.finding().answers, study.finding().unanswerable) == (4, 2)
        more = study.ask(3)
        assert len(more) == 2
        assert {query.item.id for query in more}.isdisjoint(query.item.id for query in out)
        for query in more:
            study.tell(query, gold(query.item.values))
        assert study.finding().answers == 6


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (float("nan"), "missing|finite"),
        (float("inf"), "finite"),
        ("much", "give one number"),
        ([1.0, 2.0], "the model gave 1 output and the gold standard 2"),
        ([], "give one number"),
        (True, "give one number"),
        ({"deviation": 1.0}, "give one number"),
    ],
)
def test_what_is_no_deviation_is_refused_in_one_line_and_can_be_told_again(tmp_path, answer, words):
    with search(tmp_path) as study:
        (query,) = study.ask()
        with pytest.raises(InvalidInput, match=words) as caught:
            study.tell(query, answer)
        assert "\n" not in str(caught.value)
        assert study.status().answered == 0
        assert study.tell(query, np.float64(1.5)) == 1.5


def test_several_outputs_are_told_as_a_list(tmp_path):
    with search(tmp_path, tasks=("a", "b"), model=lambda rows: [[0.0, 1.0] for _ in rows]) as study:
        (query,) = study.ask()
        with pytest.raises(InvalidInput, match="2 outputs and the gold standard 1"):
            study.tell(query, 1.0)
        study.tell(query, np.array([3.0, 1.5]))
        worst = study.finding().worst
        assert (worst.task, worst.deviation, worst.signed) == ("a", 3.0, -3.0)


def test_outputs_priced_alone_are_named_in_the_item_but_not_shown_to_the_model(tmp_path):
    seen = []

    def outputs(rows):
        seen.extend(set(row) for row in rows)
        return [[0.0, 1.0] for _ in rows]

    with search(tmp_path, tasks=("a", "b"), priced="alone", model=outputs) as study:
        first, second = study.ask(2)
        assert [query.item.values["task"] for query in (first, second)] == ["a", "b"]
        assert all(row == {"x", "y"} for row in seen)
        with pytest.raises(InvalidInput, match="the gold standard"):
            study.tell(first, [1.0, 2.0])
        study.tell(second, -3.0)
        assert (study.finding().worst.task, study.finding().worst.deviation) == ("b", 4.0)


def test_coming_back_with_another_model_or_space_is_another_study(tmp_path):
    with search(tmp_path) as study:
        ask_and_tell(study, 2)
    path = tmp_path / "study.ringtrue"
    with pytest.raises(PlanChanged, match="the model is not the one"):
        Study.open(path, model=lambda rows: [2 * row["x"] for row in rows])
    with pytest.raises(PlanChanged, match="the question 'worst' is not the one"):
        Study.open(path, model=model, questions=[Worst(SPACE, evaluations=13)])
    wider = SearchSpace([Real("x", -3, 2), Real("y", -2, 2)])
    with pytest.raises(PlanChanged, match="is not the one"):
        Study.open(path, model=model, questions=[Worst(wider, evaluations=12)])
    with Study.open(path, model=model) as study, pytest.raises(InvalidInput, match="another space"):
        study.add(Worst(wider, evaluations=3, name="wider"))


def test_without_its_model_a_study_can_be_read_but_not_asked(tmp_path):
    with search(tmp_path) as study:
        ask_and_tell(study, 4)
        sentence = str(study.finding())
    with Study.open(tmp_path / "study.ringtrue") as study:
        assert str(study.finding()) == sentence
        with pytest.raises(InvalidInput, match="needs a model"):
            study.ask()


def test_a_search_goes_on_from_an_earlier_one_in_the_same_study(tmp_path):
    with search(tmp_path, evaluations=5) as study:
        study.run(gold)
        study.add(Worst(SPACE, evaluations=7, name="further", after=("worst",)))
        study.set_budget(7)
        finding = study.run(gold, question="further")
        assert (finding.answers, study.status().answered) == (7, 7)
        assert len(set(points(study))) == 7
        assert study.finding(question="worst").answers == 5


def test_a_run_stops_at_the_first_evaluation_above_the_claim(tmp_path):
    asked = []

    def counted(values):
        asked.append(values)
        return gold(values)

    with search(tmp_path, claim="deviation <= 0.01 at 95%") as study:
        assert study.run(counted).verdict is Verdict.RINGS_FALSE
        assert len(asked) < 12
        again = len(asked)
        study.run(counted)
        assert len(asked) == again


def test_a_finite_space_is_asked_about_once_and_then_it_is_done(tmp_path):
    few = SearchSpace([Integer("k", 0, 4)])
    with Study.create(tmp_path / "s", question=Worst(few, evaluations=20, deviation="given"), budget=20) as study:
        finding = study.run(lambda values: float(values["k"] % 4))
        assert (finding.answers, finding.worst.point) == (5, {"k": 3})
