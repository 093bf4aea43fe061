"""What is chosen to be labelled: by doubt, by profile, for a map; the same by every process."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import Batch, Draw, InvalidInput, Labels, Record, View
from ringtrue.risk import Fragility, MapCells, MapFirst, Risk
from ringtrue.risk._policies import failure_rates
from ringtrue.risk._strata import Strata
from ringtrue.risk.cells import Grid
from ringtrue.stats import generator
from support import scanned
from support.profiles import slices

SIZE = 300
DOUBT = generator(0, "test/doubt", 0).beta(0.4, 3, SIZE)
FAILS = generator(0, "test/fails", 0).random(SIZE) < DOUBT


def answered(draw, number, *, state="answered"):
    record = Record(
        number, "risk", "p", "oracle", draw.row, str(draw.row), "", draw.probability, draw.floor, Decimal(0), "right",
        prediction=draw.prediction, note=draw.note,
    )  # fmt: skip
    record.state, record.value = state, "wrong" if FAILS[draw.row] else "right"
    return record


def view(records, scores=None):
    asked = {record.row for record in records}
    return View(5, len(records), SIZE, asked, records, scores=scores or {"doubt": DOUBT})


def led(policy, answers, scores=None, records=None):
    records = [] if records is None else records
    while len(records) < answers:
        (draw,) = policy.propose(view(records, scores), 1)
        records.append(answered(draw, len(records)))
    return records


@pytest.mark.parametrize("method", ["stratified", "importance", "prediction-powered"])
def test_a_process_that_comes_later_asks_the_same(method):
    def make():
        return Risk("error <= 30%", method=method, confidence="score").policy

    records = led(make(), 120)
    for end in (1, 9, 30, 77, 119):
        (draw,) = make().propose(view(records[:end]), 1)
        assert answered(draw, end) == records[end]


def test_what_was_given_up_and_answered_after_all_is_learnt():
    make = lambda: Risk("error <= 30%", confidence="score").policy  # noqa: E731
    records = led(make(), 30)
    policy = make()
    records[3].state = "abandoned"
    policy.propose(view(records), 1)
    records[3].state = "answered"
    assert policy.propose(view(records), 3) == make().propose(view(records), 3)


def test_picks_use_items_up_and_teach_no_rate():
    """A pick of the worst items says nothing of those that are left."""
    policy = Risk(method="prediction-powered", confidence="score").policy
    drawn = led(policy, 40)
    worst = [row for row in np.argsort(-DOUBT) if row not in {record.row for record in drawn}][:20]
    picks = [answered(Draw(row=int(row)), 40 + place) for place, row in enumerate(worst)]
    before = Risk(method="prediction-powered", confidence="score").policy.propose(view(list(drawn)), 1)[0]
    after = Risk(method="prediction-powered", confidence="score").policy.propose(view(drawn + picks), 1)[0]
    assert after.probability == pytest.approx(1 / (SIZE - 60))
    assert before.probability == pytest.approx(1 / (SIZE - 40))
    strata = Strata.of({"doubt": DOUBT}, SIZE)
    gone = strata.rows.group[worst]
    learnt = {after.note["stratum"]: after.prediction.guess}
    same = [draw for draw in (before,) if draw.note["stratum"] in learnt]
    assert after.prediction.rest < before.prediction.rest
    assert len(gone) == 20
    for draw in same:
        assert draw.prediction.guess == learnt[draw.note["stratum"]]


def test_strata_are_finer_where_there_is_doubt_and_keep_equal_doubts_together():
    strata = Strata.of({"doubt": np.concatenate([np.zeros(9000), np.linspace(0.001, 1, 1000)])}, 10_000)
    sizes = strata.rows.sizes
    assert sizes.sum() == 10_000
    assert sizes[0] == 9000
    assert sizes[-1] <= 60
    assert np.all(np.diff(strata.doubt) > 0)
    assert strata.names[0] == "doubt 0%"


def test_rates_are_learnt_as_a_curve_and_then_by_each_stratum_alone():
    doubt = np.array([0.001, 0.01, 0.1, 0.5])
    answers = np.array([100.0, 100, 100, 100])
    overconfident = failure_rates(doubt, answers, np.array([1.0, 9, 50, 90]))
    assert np.all(overconfident > doubt)
    untouched = failure_rates(doubt, np.array([0.0, 0, 0, 400]), np.array([0.0, 0, 0, 360]))
    assert untouched[2] > 0.2, "a stratum without answers learns from the others"
    many = failure_rates(doubt, np.array([0.0, 0, 1e6, 0]), np.array([0.0, 0, 3e5, 0]))
    assert many[2] == pytest.approx(0.3, abs=1e-4)


@pytest.mark.parametrize(
    "failures", [np.zeros(4), np.full(4, 1e5), np.array([1e5, 0, 0, 0])], ids=["none", "all", "contrary"]
)
def test_learning_stays_finite_at_extremes(failures):
    rates = failure_rates(np.array([1e-4, 0.01, 0.5, 1 - 1e-4]), np.full(4, 1e5), failures)
    assert np.all((rates >= 0) & (rates <= 1))


def batch(**columns):
    size = len(next(iter(columns.values())))
    return Batch([f"i{place}" for place in range(size)], {name: np.asarray(column) for name, column in columns.items()})


def test_doubt_comes_from_a_column_the_model_or_its_fragility():
    items = batch(score=[0.9, 0.2], x=[1.0, 3.0])
    by_column = scanned(Risk(confidence="score"), items, None)["doubt"]
    assert by_column == pytest.approx([0.1, 0.8])
    own = Labels(["a", "b"], np.array([[0.7, 0.3], [0.4, 0.6]]), ["a", "b"])
    assert scanned(Risk(confidence="model"), items, own)["doubt"] == pytest.approx([0.3, 0.4])
    shaky = Risk(fragility=Fragility(("x",), radius=5.0, shakes=4))
    probes = shaky.fragility.probes(items, generator(0, "x", 0))
    assert len(probes) == 8
    assert np.ptp(probes.columns["x"]) > 1
    answers = Labels(["a", "b", *"aaabab", "a", "a"])
    assert scanned(shaky, items, answers)["doubt"] == pytest.approx([0.0, 0.5])


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Risk(method="cells"), "method='cells' is unknown"),
        (lambda: Risk(method="stratified"), "needs something to go by"),
        (lambda: Risk(method="map", confidence="c"), "cells are for method='map'"),
        (lambda: Risk(method="simple-random", profile=PROFILE), "knows no profile"),
        (lambda: Risk(profile=PROFILE, priced=[PROFILE]), "must each have a name of their own"),
        (lambda: Fragility(()), "is empty: name"),
        (lambda: Fragility(("x",), radius=0), "radius=0 must be a positive number"),
        (lambda: Fragility(("x",), shakes=0), "shakes=0 must be at least 1"),
        (lambda: MapCells(("x",), Grid.over((0, 0), (1, 1), 3)), "one for each axis"),
        (lambda: scanned(Risk(confidence="c"), batch(c=[0.5, 1.5]), None), "c'.* is 1.5 for item 'i1'"),
        (lambda: scanned(Risk(confidence="c"), batch(c=["x", "y"]), None), "not a column of numbers"),
        (lambda: scanned(Risk(confidence="c"), batch(c=[0.5, np.nan]), None), "not a number for item 'i1'"),
        (lambda: scanned(Risk(confidence="d"), batch(c=[0.5]), None), "'d' is not a column"),
        (lambda: scanned(Risk(confidence="model"), batch(c=[0.5]), Labels(["a"])), "gives probabilities"),
        (lambda: Risk("change <= 1%"), "change"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_one_line(make, problem):
    with pytest.raises(InvalidInput, match=problem) as error:
        make()
    assert "\n" not in str(error.value)


PROFILE = slices("ops", {"a": 100, "b": 200}, {"a": 3, "b": 1}, ["kind"])
KIND = np.array(["a"] * 100 + ["b"] * 200)


def test_under_a_profile_items_are_drawn_as_often_as_operation_meets_them():
    scores = {"doubt": np.full(SIZE, 0.1), "weight": PROFILE.weights(batch(kind=KIND))}
    draws = led(Risk(profile=PROFILE).policy, 60, scores)
    assert sum(record.row < 100 for record in draws) == pytest.approx(45, abs=4 * np.sqrt(60 * 0.75 * 0.25))


def test_configurations_survive_json_and_old_ones_still_open():
    cells = MapCells(("x", "y"), Grid.over((0, 0), (1, 2), 5))
    for question in (
        Risk("error <= 5%"), Risk(confidence="c", fragility=Fragility(("x",))), Risk(profile=PROFILE),
        Risk(method="map", confidence="c", cells=cells), Risk(method="simple-random", priced=[PROFILE]),
    ):  # fmt: skip
        assert Risk.from_config(question.config()).config() == question.config()
    old = {"kind": "risk", "name": "risk", "claim": "error <= 5% at 95%", "policy": "simple-random"}
    assert Risk.from_config(old).config() == old


def test_the_map_asks_first_for_empty_cells_that_weigh_most():
    cell = np.array([0] * 50 + [1] * 10 + [2] * 100 + [3] * 140)
    doubt = np.where(cell == 0, 0.4, np.where(cell == 1, 0.9, np.where(cell == 2, 0.3, 0.001)))
    doubt = doubt + np.arange(SIZE) * 1e-6
    scores = {"cell": cell, "doubt": doubt}
    rows = [draw.row for draw in MapFirst().propose(view([], scores), 6)]
    assert [int(cell[row]) for row in rows] == [2, 0, 1, 3, 2, 0]
    assert rows[0] == 159, "the most doubtful item of its cell"
    first = answered(Draw(row=100), 0)
    assert [int(cell[draw.row]) for draw in MapFirst().propose(view([first], scores), 4)] == [0, 1, 3, 2]
    assert all(draw.probability is None for draw in MapFirst().propose(view([], scores), 3))
    everything = [draw.row for draw in MapFirst().propose(view([], scores), SIZE)]
    assert sorted(everything) == list(range(SIZE))
