"""The policy: a function of the records, whatever comes back late, twice or never, in any kind of space."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

from ringtrue.core import Record, View
from ringtrue.worst import AtMost, Choice, Integer, Real, SearchSpace, Worst, _history, simulate
from ringtrue.worst._next_point import misses

SQUARE = SearchSpace([Real("x", -2, 2), Real("y", -2, 2)])


def camel(values):
    x, y = values["x"], values["y"]
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


@pytest.fixture(scope="module")
def walked():
    """A search of forty evaluations, as it was recorded; tests take copies."""
    return simulate(Worst(SQUARE, evaluations=40), camel).records


def first(records, count):
    return [replace(record) for record in records[:count]]


def records_of(question, draws, start=0):
    """Queries that are out, as a study would record them."""
    made = []
    for place, draw in enumerate(draws, start):
        item = question.space.item(draw.point)
        said = [0.0] * len(question.plan.tasks)
        made.append(
            Record(
                place,
                question.name,
                "r",
                "oracle",
                None,
                item.id,
                item.digest,
                None,
                None,
                Decimal(0),
                said,
                draw.point,
                note=draw.note,
            )
        )
    return made


def view_of(question, records, seed=0):
    return View(seed, len(records), 0, frozenset(), records, question.space)


def answered(question, records, function=camel):
    for record in records:
        record.state, record.value = "answered", function(question.plan.space.values(record.point))
    return records


def test_a_fresh_process_asks_the_same_next_point_bit_for_bit(walked):
    for size in (0, 3, 9, 25, 38):
        question = Worst(SQUARE, evaluations=40)
        assert question.policy.propose(view_of(question, walked[:size]), 1)[0].point == walked[size].point


def test_another_seed_asks_other_points():
    first, second = (simulate(Worst(SQUARE, evaluations=3), camel, seed=seed).records for seed in (0, 1))
    assert {record.point for record in first}.isdisjoint({record.point for record in second})


def test_the_worst_corner_of_the_camel_is_found(walked):
    """The six-hump camel is largest in two corners of the square, at 55.733."""
    assert max(record.value for record in walked) == pytest.approx(55.7333, abs=1e-3)


def test_both_tails_of_a_signed_deviation_are_searched():
    """The deepest pit is the worst, and nothing at zero deviation tells that it is there but the slope."""

    def pit(values):
        return 1.0 - 3.0 * math.exp(-((values["x"] - 1) ** 2 + (values["y"] + 1) ** 2))

    assert simulate(Worst(SQUARE, evaluations=30), pit).best[-1] == pytest.approx(2.0, abs=0.02)


def test_several_points_at_once_differ_and_lie_apart(walked):
    question = Worst(SQUARE, evaluations=40)
    done = first(walked, 12)
    points = np.array([draw.point for draw in question.policy.propose(view_of(question, done), 4)])
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)[np.triu_indices(4, 1)]
    assert apart.min() > 0.05


def test_answers_may_come_late_and_out_of_order(walked):
    """The same answers give the same next point, whether each was waited for or the second came after the fifth."""
    question = Worst(SQUARE, evaluations=40)
    done = first(walked, 10)
    late = records_of(question, question.policy.propose(view_of(question, done), 3), start=10)
    answered(question, [late[2]])
    while_out = question.policy.propose(view_of(question, done + late), 1)
    answered(question, late[:2])
    in_the_end = question.policy.propose(view_of(question, done + late), 1)
    fresh = Worst(SQUARE, evaluations=40).policy.propose(view_of(question, done + late), 1)
    assert in_the_end == fresh
    assert while_out[0].point not in {record.point for record in late}


def test_a_point_that_nobody_could_evaluate_is_not_asked_again(walked):
    question = Worst(SQUARE, evaluations=40)
    done = first(walked, 10)
    lost = records_of(question, question.policy.propose(view_of(question, done), 1), start=10)
    lost[0].state = "abandoned"
    following = question.policy.propose(view_of(question, done + lost), 1)[0]
    assert np.linalg.norm(np.subtract(following.point, lost[0].point)) > 0.01


def test_a_gold_standard_that_fails_in_part_of_the_space_does_not_trap_the_search():
    """It cannot tell where the deviation rises, beyond x = .5: the search goes on elsewhere."""
    line = SearchSpace([Real("x", -2, 2)])
    question, records = Worst(line, evaluations=16, deviation="given"), []
    for number in range(40):
        draws = question.policy.propose(view_of(question, records), 1)
        if not draws:
            break
        record = records_of(question, draws, start=number)[0]
        x = record.point[0]
        record.state, record.value = ("abandoned", None) if x > 0.5 else ("answered", x)
        records.append(record)
    states = [record.state for record in records]
    assert states.count("answered") == 16
    assert states.count("abandoned") <= 16


def test_a_task_that_nobody_can_tell_of_does_not_hold_up_the_others():
    question, records = Worst(SQUARE, evaluations=30, tasks=("a", "b", "c"), priced="alone"), []
    for number in range(60):
        draws = question.policy.propose(view_of(question, records), 1)
        if not draws:
            break
        record = records_of(question, draws, start=number)[0]
        silent = record.point[-1] == 1.0
        record.state, record.value = (
            ("abandoned", None) if silent else ("answered", camel(SQUARE.values(record.point[:-1])))
        )
        records.append(record)
    phases = [record.note["phase"] for record in records if record.state == "answered"]
    assert phases.count("search") > 10


def test_what_a_policy_saw_in_another_study_changes_nothing(walked):
    question = Worst(SQUARE, evaluations=40)
    question.policy.propose(
        view_of(question, simulate(Worst(SQUARE, evaluations=12), lambda values: values["x"]).records), 1
    )
    assert question.policy.propose(view_of(question, walked[:12]), 1)[0].point == walked[12].point


def test_no_more_than_planned_is_asked():
    question = Worst(SQUARE, evaluations=6)
    done = list(simulate(question, camel).records)
    assert len(done) == 6
    assert question.policy.propose(view_of(question, done), 3) == []


def test_a_search_goes_on_from_an_earlier_one(walked):
    done = first(walked, 10)
    further = Worst(SQUARE, evaluations=14, name="further", after=("worst",))
    draws = further.policy.propose(view_of(further, done), 9)
    assert len(draws) == 4
    assert [draw.note["phase"] for draw in draws] == ["search", "search", "search", "check"]


MIXED = SearchSpace(
    [Real("x", 0, 1), Integer("k", 1, 6), Real("rate", 1e-3, 1, log=True), Choice("kind", ["a", "b", "c"])],
    constraints=[AtMost({"x": 1.0, "k": 0.5}, 2.5)],
)


def test_a_mixed_space_with_a_constraint_is_searched_within_it_and_no_point_is_asked_twice():
    def gold(values):
        peak = -((values["x"] - 0.6) ** 2) - (values["k"] - 3) ** 2 / 9 - (math.log10(values["rate"]) + 1) ** 2
        return 2 + peak + 0.5 * (values["kind"] == "b")

    trace = simulate(Worst(MIXED, evaluations=36, deviation="given"), gold, batch=3)
    points = np.array([record.point for record in trace.records])
    assert MIXED.allows(points).all()
    assert len({record.point for record in trace.records}) == 36
    assert trace.best[-1] > 2.45  # the most there is under the constraint is 2.5, at k = 3, x = 0.6, rate = 0.1, b


def test_a_finite_space_is_used_up_and_then_nothing_is_asked():
    few = SearchSpace([Integer("k", 0, 4), Choice("kind", ["a", "b"])])
    trace = simulate(Worst(few, evaluations=30, deviation="given"), lambda values: float(values["k"]))
    assert len(trace.records) == 10
    assert len({record.point for record in trace.records}) == 10


@pytest.mark.parametrize("size", [0.0, 3.5, 1e6, 1e-6])
def test_a_constant_deviation_is_searched_without_complaint(size):
    trace = simulate(Worst(SQUARE, evaluations=20, deviation="given"), lambda _: size)
    assert trace.best[-1] == size
    assert len({record.point for record in trace.records}) == 20


@pytest.mark.parametrize("scale", [1e6, 1e-6])
@pytest.mark.parametrize("rule", ["exp3bo-safe", "rising", "round-robin"])
def test_deviations_of_any_size_are_searched_alike(scale, rule):
    """Rewards of a million or a millionth overflow nothing, and where the search looks does not depend on the unit."""

    def gold(values):
        return scale * camel(values) * (1 + ("a", "b").index(values["task"]))

    settings = {"tasks": ("a", "b"), "priced": "alone", "rule": rule, "evaluations": 24}
    assert simulate(Worst(SQUARE, **settings), gold).best[-1] > 50 * scale


def test_one_task_priced_alone_is_the_single_search():
    alone = simulate(Worst(SQUARE, evaluations=12, priced="alone", rule="exp3bo"), camel)
    together = simulate(Worst(SQUARE, evaluations=12), camel)
    assert [record.point[:2] for record in alone.records][:4] == [record.point for record in together.records][:4]


def test_a_hundred_tasks_get_their_turns():
    names = tuple(f"t{number}" for number in range(100))
    trace = simulate(
        Worst(SQUARE, evaluations=106, tasks=names, priced="alone", rule="exp3bo-safe", initial=100),
        lambda values: camel(values) * int(values["task"][1:]) / 100,
    )
    assert set(trace.tasks.tolist()) == set(range(100))


def hills(values):
    """Three outputs: a hill, a higher one that is narrow, and nothing."""
    x, y = values["x"], values["y"]
    hill = math.exp(-(x**2) - y**2)
    return [hill, 2 * math.exp(-8 * (x - 1) ** 2 - 8 * (y + 1) ** 2), 0.0]


def one_hill(values):
    return hills(values)[int(values["task"][1:])]


def test_several_outputs_take_turns_and_one_that_promises_nothing_is_passed_over():
    """By the largest of all alone, the first hill would be polished and the higher one might never be seen."""
    trace = simulate(Worst(SQUARE, evaluations=40, tasks=("t0", "t1", "t2")), hills)
    aims = [record.note["aim"] for record in trace.records if "aim" in record.note]
    assert set(aims) == {0, 1}
    assert trace.deviations.max() > 1.99


def test_the_leading_task_has_its_share_where_another_varies_by_thousands():
    """That one promises more above its own largest, for ever, and never comes near the largest of all."""

    def one_task(values):
        x, y = values["x"], values["y"]
        return -camel(values) if values["task"] == "fine" else -100 * (y - x**2) ** 2 - (x - 1) ** 2

    question = Worst(SQUARE, evaluations=60, tasks=("fine", "coarse"), deviation="given", priced="alone")
    trace = simulate(question, one_task)
    # Two thirds of three in four, and half of the others, for the leader; the last five confirm.
    assert np.bincount(trace.tasks[:55]).tolist() == [37, 18]


def aimed(*aims):
    """A history of evaluations that were aimed at these tasks, None at no task."""
    notes = [{} if aim is None else {"aim": aim} for aim in aims]
    return SimpleNamespace(records=[SimpleNamespace(note=note) for note in notes])


def test_promises_that_came_to_nothing_are_counted_since_the_last_that_did_not():
    sizes = np.array([[5.0, 1.0], [6.0, 1.0], [6.0, 2.0], [1.0, 5.0], [6.5, 1.0], [6.5, 6.0]])
    # The first row is told by training data. An output's own largest is not worthwhile below four fifths of all.
    assert misses(aimed(0, 1, 1, 0, 0), sizes, 0.8).tolist() == [1, 0]
    assert misses(aimed(0, 1, 1, 0, None), sizes, 0.8).tolist() == [0, 0]
    assert misses(aimed(0, 1, None, None, None), sizes, 0.8).tolist() == [0, 1]
    assert misses(aimed(0, 1, None, None, None), sizes, 0.0).tolist() == [0, 0]
    sizes[2, 1] = np.nan
    assert misses(aimed(None, 1, 1, None, None), sizes, 0.8).tolist() == [0, 0]
    assert misses(aimed(None, 1, None, None, None), sizes, 0.0).tolist() == [0, 1]


def test_tasks_priced_alone_go_on_the_same_in_a_fresh_process_and_after_a_late_answer():
    settings = {"evaluations": 60, "tasks": ("t0", "t1", "t2"), "priced": "alone"}
    question = Worst(SQUARE, **settings)
    records = simulate(question, one_hill).records
    for size in (20, 33, 50):
        asked = Worst(SQUARE, **settings).policy.propose(view_of(question, first(records, size)), 1)
        assert asked[0].point == records[size].point
    used, late = question.policy, first(records, 40)
    late[12].state, late[12].value = "leased", None
    used.propose(view_of(question, late), 1)
    late = first(records, 40)
    fresh = Worst(SQUARE, **settings).policy.propose(view_of(question, late), 1)
    assert used.propose(view_of(question, late), 1)[0].point == fresh[0].point == records[40].point


def test_a_budget_below_the_initial_design_is_spent_on_it():
    trace = simulate(Worst(SQUARE, evaluations=2, initial=10), camel)
    assert [record.note["phase"] for record in trace.records] == ["initial", "initial"]


@pytest.mark.parametrize(("evaluations", "confirming"), [(27, 0), (28, 2), (39, 3), (49, 4), (50, 5), (200, 5)])
def test_a_tenth_of_a_small_budget_confirms_and_five_of_a_large_one(evaluations, confirming):
    plan = Worst(SQUARE, evaluations=evaluations).plan
    assert [plan.phase(place) for place in range(evaluations)].count("confirm") == confirming


@pytest.mark.parametrize(("found", "phase"), [(-9.0, "confirm"), (99.0, "search")])
def test_the_search_goes_on_from_a_confirmation_that_found_the_worst(walked, found, phase):
    records = first(walked, 37)
    assert records[-1].note["phase"] == "confirm"
    records[-1].value = found
    question = Worst(SQUARE, evaluations=40)
    (draw,) = question.policy.propose(view_of(question, records), 1)
    assert draw.note["phase"] == phase


def test_with_a_claim_one_evaluation_in_five_is_at_random():
    plan = Worst(SQUARE, evaluations=60, tasks=("a", "b"), priced="alone", claim="deviation <= 99", initial=5).plan
    phases = [plan.phase(place) for place in range(60)]
    assert phases.count("check") == 10  # of the 50 between the initial five and the confirming five
    assert phases[-5:] == ["confirm"] * 5
    assert "check" not in map(replace(plan, claim=None).phase, range(60))


def test_noisy_evaluations_do_not_trap_the_search():
    """Noise of a tenth of the variation: the search still ends near the top, 2 at the middle of the square."""
    rng = np.random.default_rng(5)

    def noisy(values):
        return 2 - values["x"] ** 2 - values["y"] ** 2 + 0.1 * rng.standard_normal()

    trace = simulate(Worst(SQUARE, evaluations=40, deviation="given"), noisy)
    late = np.array([record.point for record in trace.records if record.note["phase"] == "search"])[-8:]
    assert np.median(np.linalg.norm(late, axis=1)) < 0.6


def test_with_input_noise_a_broad_top_beats_a_higher_spike():
    """A spike of height 2 and width .1 against a hill of 1.5 and width .8: averaged over noise, the hill wins."""

    def gold(values):
        spike = 2.0 * math.exp(-0.5 * ((values["x"] + 1) ** 2 + (values["y"] + 1) ** 2) / 0.1**2)
        return spike + 1.5 * math.exp(-0.5 * ((values["x"] - 1) ** 2 + (values["y"] - 1) ** 2) / 0.8**2)

    question = Worst(SQUARE, evaluations=40, deviation="given", input_noise={"x": 0.3, "y": 0.3})
    trace = simulate(question, gold, seed=1)
    estimator = question.estimator(size=0, claim=None)
    estimator.update(trace.records)
    found = estimator.finding().robust.point
    assert math.dist((found["x"], found["y"]), (1, 1)) < 0.5


@pytest.mark.parametrize("size", [1.0, 1e60, 1e140])
@pytest.mark.parametrize("other", [0.0, 1e-200], ids=["zero", "all but zero"])
@pytest.mark.parametrize("deviation", ["absolute", "given"])
def test_an_output_without_any_deviation_costs_no_warning(size, other, deviation):
    """Beside another it has no chance of being worse: its logarithm was more than floats hold. Warnings are errors."""
    space = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)])
    question = Worst(space, evaluations=10, tasks=["much", "nothing"], deviation=deviation)
    trace = simulate(question, lambda values: [size * math.sin(6 * values["x"]), other * values["y"]])
    assert trace.best[-1] > 0.9 * size


def test_a_search_reads_each_answer_once_and_keeps_no_other(monkeypatch):
    """Before every evaluation all answers are looked at: reading them anew would grow with the square of the study."""
    read, measured = [], _history.measured

    def counted(plan, record, answer):
        read.append(record)
        return measured(plan, record, answer)

    monkeypatch.setattr(_history, "measured", counted)
    plan = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=6, deviation="given").plan
    records = simulate(Worst(plan.space, evaluations=6, deviation="given"), lambda values: values["x"]).records
    read.clear()
    known = {}
    for end in range(1, 7):
        grown = _history.History.of(plan, records[:end], known)
    assert read == list(records)
    assert grown.values.tolist() == _history.History.of(plan, records).values.tolist()
    _history.History.of(plan, records[:2], known)
    assert [kept[0] for kept in known.values()] == list(records[:2])
