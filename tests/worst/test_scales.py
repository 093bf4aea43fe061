"""Scales per output: outputs of unlike units compare, in the search, the claim, the report and the training data."""

import math

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Labels, View
from ringtrue.worst import Real, SearchSpace, Worst, simulate
from ringtrue.worst._history import History
from ringtrue.worst._seen_model import SeenModel, gold_history
from ringtrue.worst._training import training_of

SPACE = SearchSpace([Real("x", 0, 1)])
TASKS = ("strength", "corrosion")
SCALES = {"corrosion": 0.01, "strength": 50}


def gold(values):
    """Strength is off by up to 40 of 50 near 0, corrosion by up to 0.03 of 0.01 near 1."""
    x = values["x"]
    return [40 * math.exp(-8 * x), 0.03 * math.exp(-8 * (1 - x))]


def found(question, trace):
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records)
    return estimator.finding()


def searched(**given):
    question = Worst(SPACE, evaluations=16, tasks=TASKS, **given)
    return question, simulate(question, gold)


def test_without_scales_the_large_unit_hides_the_small_one_and_with_them_it_does_not():
    question, trace = searched()
    assert found(question, trace).worst.task == "strength"
    question, trace = searched(scales=SCALES)
    worst = found(question, trace).worst
    assert (worst.task, worst.point) == ("corrosion", {"x": 1.0})
    assert worst.deviation == pytest.approx(3.0)
    assert worst.gold[1] == pytest.approx(0.03), "what both sides said stays in its unit"


def test_the_finding_tells_each_output_in_its_own_unit_as_well():
    finding = found(*searched(scales=SCALES))
    assert str(finding) == "largest deviation of corrosion 3 (0.03 in its own unit) at x=1 (16 evaluations)"
    assert finding.headline == "largest deviation of corrosion 3 in 16 evaluations"
    told = finding.to_json()
    assert told["scales"] == {"strength": 50.0, "corrosion": 0.01}
    strength, corrosion = told["by_task"]
    assert (strength["scale"], strength["own_unit"]) == (50.0, pytest.approx(50 * strength["worst"]))
    assert (corrosion["scale"], corrosion["own_unit"]) == (0.01, pytest.approx(0.03))
    assert (
        "Deviations are told in scales, of which each is 1: strength in 50, corrosion in 0.01." in finding.assumptions
    )
    plain = found(*searched()).to_json()
    assert "scales" not in plain
    assert set(plain["by_task"][0]) == {"task", "evaluations", "worst", "point"}


@pytest.mark.parametrize(
    ("deviation", "expected"),
    [
        ("absolute", [[-2.0, -3.0]]),
        ("squared", [[-2.0, -3.0]]),
        ("given", [[2.0, 3.0]]),
    ],
)
def test_each_output_is_divided_by_its_scale(deviation, expected):
    question = Worst(SPACE, evaluations=1, tasks=TASKS, deviation=deviation, scales=SCALES)
    trace = simulate(question, lambda _: [100.0, 0.03])
    values = History.of(question.plan, trace.records).values
    assert values == pytest.approx(np.array(expected))
    assert trace.deviations.tolist() == pytest.approx([9.0 if deviation == "squared" else 3.0])


def test_the_root_mean_square_is_that_of_scaled_differences_in_the_order_of_the_outputs():
    question = Worst(SPACE, evaluations=1, deviation="rmse", scales={"strength": 50, "corrosion": 0.01})
    trace = simulate(question, lambda _: [100.0, 0.03], model=lambda _: [0.0, 0.0])
    assert trace.deviations.tolist() == pytest.approx([math.sqrt((4 + 9) / 2)])
    with pytest.raises(InvalidInput, match="the model gave 1 output for 2 scales: give a scale for each output"):
        simulate(question, lambda _: [100.0, 0.03])


def test_an_output_priced_alone_has_its_own_scale():
    question = Worst(SPACE, evaluations=8, tasks=TASKS, priced="alone", scales=SCALES)
    trace = simulate(question, lambda values: {"strength": 100.0, "corrosion": 0.03}[values["task"]])
    values = History.of(question.plan, trace.records).values
    assert np.nanmax(np.abs(values), axis=0).tolist() == pytest.approx([2.0, 3.0])


@pytest.mark.parametrize("deviation", ["absolute", "rmse"])
def test_the_search_with_the_model_in_sight_counts_in_scales(deviation):
    tasks = TASKS if deviation == "absolute" else ("deviation",)
    plan = Worst(SPACE, evaluations=4, tasks=tasks, deviation=deviation, scales=dict(reversed(SCALES.items()))).plan
    trace = simulate(Worst.from_config(question_of(plan)), lambda _: [100.0, 0.03], model=lambda _: [50.0, 0.02])
    seen = SeenModel(plan, lambda batch: Labels([[50.0, 0.02]] * len(batch)), 0)
    assert np.unique(seen.said, axis=0).tolist() == [pytest.approx([1.0, 2.0])]
    history = History.of(plan, trace.records)
    assert gold_history(plan, history).values.tolist() == [pytest.approx([2.0, 3.0])] * 4


def question_of(plan):
    given = {"tasks": plan.tasks, "deviation": plan.deviation.name, "scales": plan.scales}
    return Worst(plan.space, evaluations=plan.evaluations, **given).config()


def test_a_search_with_the_model_in_sight_finds_the_worst_in_scales():
    question = Worst(SPACE, evaluations=16, tasks=TASKS, scales=SCALES)
    trace = simulate(question, gold, model=lambda _: [0.0, 0.0])
    assert any(record.note.get("seen") for record in trace.records)
    assert found(question, trace).worst.task == "corrosion"


def test_a_limit_per_output_is_a_scale_and_the_claim_that_nothing_is_above_one():
    for scale, verdict in ((0.05, "not yet known"), (0.02, "rings false")):
        question, trace = searched(scales={"strength": 50, "corrosion": scale}, claim="deviation <= 1")
        assert found(question, trace).verdict.value == verdict


def test_training_data_are_compared_in_scales():
    plan = Worst(SPACE, evaluations=9, tasks=TASKS, scales=SCALES).plan
    columns = {"x": [0.1, 0.2], "strength": [100.0, 0.0], "corrosion": [0.0, 0.05]}
    batch = Batch(["0", "1"], {name: np.array(cells) for name, cells in columns.items()})
    worst = training_of(plan, [batch], lambda rows: [[0.0, 0.0]] * len(rows), "old.csv").shown
    assert worst == {"point": {"x": 0.2}, "task": "corrosion", "deviation": pytest.approx(5.0), "rows": 2}


def test_a_search_comes_back_with_its_scales_and_one_without_them_is_kept_as_before():
    for given in ({"tasks": TASKS, "scales": SCALES}, {"deviation": "rmse", "scales": {"b": 2, "a": 3}}):
        question = Worst(SPACE, evaluations=9, **given)
        again = Worst.from_config(question.config())
        assert again.plan == question.plan
        assert list(again.plan.scales) == list(question.plan.scales)
    assert "scales" not in Worst(SPACE, evaluations=9).config()


def test_another_scale_is_another_deviation():
    one, other = (Worst(SPACE, evaluations=9, tasks=TASKS, scales=scales) for scales in (SCALES, None))
    assert one.rivals([other]) == other.rivals([one]) == []
    assert len(one.rivals([one])) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scales": {"strength": 50}}, "has none for 'corrosion': give one for every output, strength, corrosion"),
        ({"scales": {**SCALES, "heat": 1}}, "names 'heat', which is not an output: name strength, corrosion"),
        ({"scales": {**SCALES, "strength": 0}}, "the scale of 'strength' is 0: give a finite number above 0"),
        ({"scales": {**SCALES, "strength": True}}, "the scale of 'strength' is True"),
        ({"scales": {**SCALES, "strength": float("inf")}}, "the scale of 'strength' is inf"),
        ({"scales": [50, 0.01]}, "is not a table: give a number above 0 by output"),
    ],
)
def test_scales_that_make_no_sense_are_refused_in_one_line(given, said):
    with pytest.raises(InvalidInput) as caught:
        Worst(SPACE, evaluations=9, tasks=TASKS, **given)
    assert str(caught.value).startswith("scales=")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_have_no_scale():
    with pytest.raises(InvalidInput, match="labels that differ have no scale: leave it out"):
        Worst(SPACE, evaluations=9, deviation="mismatch", scales={"deviation": 2})


def test_a_view_without_records_is_searched_with_scales():
    question = Worst(SPACE, evaluations=9, tasks=TASKS, scales=SCALES)
    assert len(question.policy.propose(View(0, 0, 0, frozenset(), [], question.space), 3)) == 3
