"""Parameters in steps: points lie on the grid, no point twice, and a space of steps alone is finite."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.worst import AtMost, Choice, Integer, Real, SearchSpace, Worst, simulate

FURNACE = Real("temperature", 250, 400, step=5)


def decoded(parameter, *places):
    return parameter.decode(np.array(places)[:, None]).tolist()


def test_values_lie_on_the_grid_and_end_where_a_step_does():
    assert decoded(FURNACE, -0.5, 0.0, 0.34, 1.0, 1.5) == [250.0, 250.0, 300.0, 400.0, 400.0]
    assert FURNACE.count == 31
    short = Real("x", 0, 1, step=0.3)
    assert (decoded(short, 0.0, 0.5, 1.0), short.count) == ([0.0, 0.6, 0.9], 4)
    assert decoded(Integer("n", 1, 12, step=5), 0.0, 0.5, 1.0) == [1.0, 6.0, 11.0]


def test_a_value_is_what_a_person_would_write():
    tenths = Real("x", 0.1, 0.7, step=0.1)
    assert tenths.grid.at(np.arange(7.0)).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    many = Real("x", 0, 150, step=0.1)
    assert (many.count, decoded(many, 1.0)) == (1501, [150.0])


@settings(max_examples=200)
@example(18447.0625, 13.0, 3, 0.0)
@example(2.2250738585072014e-308, 1.0, 1, 0.0)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 1000), st.floats(0, 1))
def test_a_value_on_the_grid_comes_back_as_it_was(low, span, steps, place):
    parameter = Real("x", low, low + span, step=((low + span) - low) / steps)
    values = parameter.decode(np.array([[place]]))
    assert parameter.decode(parameter.encode(values)).tolist() == values.tolist()
    assert parameter.low <= values[0] <= parameter.high
    assert parameter.spread(np.array([parameter.chance(values[0])])).tolist() == values.tolist()


def test_each_value_is_drawn_as_often():
    chances = (np.arange(3100) + 0.5) / 3100
    values, counts = np.unique(FURNACE.spread(chances), return_counts=True)
    assert values.tolist() == list(range(250, 401, 5))
    assert set(counts.tolist()) == {100}


def test_a_space_of_steps_is_finite_and_listed():
    space = SearchSpace([Real("x", 0, 1, step=0.25), Choice("kind", ["a", "b"])])
    assert space.size == 10
    assert space.decode(space.every_point())[:, 0].tolist() == [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]
    limited = SearchSpace([FURNACE, Real("p", 0, 3, step=0.5)], constraints=[AtMost({"temperature": 1, "p": 10}, 270)])
    assert limited.size == 5 + 4 + 3 + 2 + 1
    assert SearchSpace([FURNACE, Real("p", 0, 3)]).size is None


def test_what_was_set_between_the_steps_is_found_there():
    space = SearchSpace([FURNACE, Integer("n", 0, 100, step=10), Choice("kind", ["a", "b"])])
    points = [[351.8, 13.0, 1.0], [350.0, 20.0, 0.0]]
    assert space.decode_between(space.encode(points)) == pytest.approx(np.array(points))
    assert space.decode(space.encode(points)).tolist() == [[350.0, 10.0, 1.0], [350.0, 20.0, 0.0]]
    every = SearchSpace([Real("x", 0.1, 0.7, step=0.1)]).every_point()
    tenths = SearchSpace([Real("x", 0.1, 0.7, step=0.1)]).decode_between(every)
    assert tenths.ravel().tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def test_a_thin_space_of_steps_is_found():
    names = [f"x{place}" for place in range(6)]
    sums = [AtMost(dict.fromkeys(names, 1.0), 0.35), AtMost(dict.fromkeys(names, -1.0), -0.25)]
    space = SearchSpace([Real(name, 0, 1, step=0.1) for name in names], constraints=sums)
    drawn = space.decode(space.sample(50, np.random.default_rng(0)))
    assert np.allclose(drawn.sum(axis=1), 0.3)
    assert np.array_equal(np.round(drawn, 1), drawn)


def test_the_data_of_a_parameter_without_steps_are_as_they_were():
    assert Real("x", 0, 1).to_json() == {"name": "x", "low": 0.0, "high": 1.0}
    assert Integer("n", 1, 9, log=True).to_json() == {"name": "n", "low": 1, "high": 9, "integer": True, "log": True}
    assert FURNACE.to_json() == {"name": "temperature", "low": 250.0, "high": 400.0, "step": 5.0}


@pytest.mark.parametrize("parameter", [FURNACE, Integer("n", 0, 100, step=10)])
def test_a_stepped_space_comes_back_from_its_data_and_is_another_space(parameter):
    space = SearchSpace([parameter])
    assert SearchSpace.from_json(space.to_json()) == space
    plain = type(parameter)(parameter.name, parameter.low, parameter.high)
    assert SearchSpace([plain]).fingerprint != space.fingerprint


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Real("x", 0, 1, step=0), "step=0 must be a finite number above 0: the distance of neighbouring"),
        (lambda: Real("x", 0, 1, step=-0.1), "step=-0.1 must be"),
        (lambda: Real("x", 0, 1, step=True), "step=True must be"),
        (lambda: Real("x", 0, 1, step="5"), "step='5' must be"),
        (lambda: Real("x", 0, 1, step=float("nan")), "step=nan must be"),
        (lambda: Real("x", 0, 1, step=2), "step=2 is more than low=0 and high=1 are apart: make it smaller"),
        (lambda: Real("x", 0, 1, step=1e-13), "more than 2**40 values"),
        (lambda: Real("x", 1, 9, step=1, log=True), "on a log scale: equal steps are not equal factors"),
        (lambda: Integer("x", 1, 9, step=1.5), "step=1.5 must be a whole number"),
    ],
)
def test_steps_that_make_no_sense_are_refused_in_one_line(make, said):
    with pytest.raises(InvalidInput) as caught:
        make()
    assert str(caught.value).startswith("parameter 'x': ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_search_keeps_to_the_grid_and_asks_no_point_twice():
    space = SearchSpace([FURNACE, Real("p", 0, 1)])
    trace = simulate(Worst(space, evaluations=30), lambda v: v["temperature"] * v["p"])
    points = np.array([record.point for record in trace.records])
    assert np.array_equal(points[:, 0] % 5, np.zeros(30))
    assert len({record.point for record in trace.records}) == 30
    assert trace.records[int(np.argmax(trace.deviations))].point == (400.0, 1.0)


def test_a_space_of_steps_is_used_up_and_then_decided_exactly():
    space = SearchSpace([Real("x", 0, 1, step=0.1)])
    question = Worst(space, evaluations=30, deviation="given", claim="deviation <= 1")
    trace = simulate(question, lambda values: values["x"])
    assert sorted(record.point[0] for record in trace.records) == [tenths / 10 for tenths in range(11)]
    estimator = question.estimator(size=0, claim=question.claim)
    estimator.update(trace.records)
    finding = estimator.finding()
    assert str(finding).startswith("deviation <= 1.0 at 95% rings true: largest deviation 1 at x=1, and every point")
    assert "x is set in steps of 0.1: what lies between is not searched." in finding.assumptions
