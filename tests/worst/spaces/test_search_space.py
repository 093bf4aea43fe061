"""A space: points to the unit cube and back, items, data, and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Space
from ringtrue.worst.spaces import AtMost, Choice, Integer, Real, SearchSpace, TaskSpace

MIXED = SearchSpace(
    [
        Real("Cr", -1.0, 3.0), Real("rate", 1e-4, 1.0, log=True), Integer("layers", 1, 8),
        Integer("units", 1, 512, log=True), Choice("solvent", ["water", "ethanol", "oil"]),
    ],
    constraints=[AtMost({"Cr": 1.0, "layers": 0.5, "rate": 3.0}, 5.0), AtMost({"units": -1.0, "Cr": 10.0}, 12.0)],
    name="mixed",
)  # fmt: skip

KINDS = ("real", "log", "integer", "log integer", "choice")


def parameter(name, kind):
    return {
        "real": Real(name, -2.5, 7.0),
        "log": Real(name, 1e-5, 1e3, log=True),
        "integer": Integer(name, -3, 6),
        "log integer": Integer(name, 1, 300, log=True),
        "choice": Choice(name, ["a", "b", 3]),
    }[kind]


spaces = st.lists(st.sampled_from(KINDS), min_size=1, max_size=6).map(
    lambda kinds: SearchSpace([parameter(f"p{place}", kind) for place, kind in enumerate(kinds)])
)


@settings(max_examples=40)
@given(spaces, st.integers(0, 1000))
def test_points_come_back_from_the_unit_cube(space, seed):
    places = np.random.default_rng(seed).uniform(-0.2, 1.2, (20, space.width))
    points = space.decode(places)
    encoded = space.encode(points)
    assert encoded.shape == (20, space.width) == (20, len(space.number_coordinates))
    assert np.all((encoded >= 0) & (encoded <= 1))
    again = space.decode(encoded)
    whole = np.array([parameter.whole for parameter in space.parameters])
    assert np.array_equal(again[:, whole], points[:, whole])
    np.testing.assert_allclose(again, points, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(space.snap(encoded), encoded, atol=1e-12)
    assert space.allows(points).all()


@settings(max_examples=40)
@given(spaces, st.integers(0, 1000))
def test_points_are_values_and_items_and_come_back(space, seed):
    for numbers in space.decode(space.sample(5, np.random.default_rng(seed))):
        point = tuple(numbers.tolist())
        values = space.values(point)
        assert space.point(values) == point
        assert space.item(space.point(json.loads(json.dumps(values)))) == space.item(point)


@settings(max_examples=40)
@given(spaces)
def test_a_space_comes_back_from_its_data(space):
    again = SearchSpace.from_json(json.loads(json.dumps(space.to_json(), sort_keys=True)))
    assert (again, again.fingerprint, again.names) == (space, space.fingerprint, space.names)


def test_the_mixed_space_comes_back_with_its_constraints():
    again = SearchSpace.from_json(json.loads(json.dumps(MIXED.to_json(), sort_keys=True)))
    assert again == MIXED
    assert again.fingerprint == MIXED.fingerprint


def test_another_box_constraint_or_order_is_another_space():
    a, b = Real("a", 0, 1), Real("b", 0, 1)
    made = [
        SearchSpace([a, b]),
        SearchSpace([b, a]),
        SearchSpace([a, Real("b", 0, 2)]),
        SearchSpace([a, Integer("b", 0, 1)]),
        SearchSpace([a, b], constraints=[AtMost({"a": 1}, 0.5)]),
        SearchSpace([a, Real("b", 0.5, 1)]),
        SearchSpace([a, Real("b", 0.5, 1, log=True)]),
    ]
    assert len({space.fingerprint for space in made}) == len(made)
    assert SearchSpace([a, b], name="other").fingerprint == made[0].fingerprint


def test_layout():
    assert isinstance(MIXED, Space)
    assert MIXED.names == ("Cr", "rate", "layers", "units", "solvent")
    assert (MIXED.width, MIXED.combinations, MIXED.size, MIXED.hidden) == (7, 3, None, ())
    assert MIXED.number_coordinates.tolist() == [True] * 4 + [False] * 3
    assert MIXED.decode(np.array([[0.0] * 4 + [0.1, 0.3, 0.2]])).tolist() == [[-1.0, 1e-4, 1.0, 1.0, 1.0]]


def test_size_and_every_point_of_a_finite_space():
    free = SearchSpace([Integer("n", 1, 4), Choice("c", ["a", "b", "c"])])
    assert (free.size, free.every_point().shape) == (12, (12, 4))
    bound = SearchSpace([Integer("n", 1, 4), Integer("m", 1, 4)], constraints=[AtMost({"n": 0.1, "m": 0.1}, 0.3)])
    assert bound.size == 3
    assert sorted(bound.decode(bound.every_point()).tolist()) == [[1, 1], [1, 2], [2, 1]]
    huge = [Integer(f"n{place}", 1, 1000) for place in range(4)]
    assert SearchSpace(huge).size == 1000**4
    uncounted = SearchSpace(huge, constraints=[AtMost({"n0": 1, "n1": 1}, 700)])
    assert uncounted.size is None
    with pytest.raises(InvalidInput, match="too many points to list"):
        uncounted.every_point()


def test_items():
    item = MIXED.item((0.5, 0.01, 2, 8, 1))
    assert item.values == {"Cr": 0.5, "rate": 0.01, "layers": 2, "units": 8, "solvent": "ethanol"}
    assert [type(value) for value in item.values.values()] == [float, float, int, int, str]
    assert item.id == MIXED.item((0.5, 0.01, 2.0, 8.0, 1.0)).id != MIXED.item((0.5, 0.01, 3, 8, 1)).id
    assert MIXED.item((0.0, 0.01, 2, 8, 1)).id == MIXED.item((-0.0, 0.01, 2, 8, 1)).id


def test_sums_of_decimals_may_meet_the_limit():
    space = SearchSpace([Real("a", 0, 1), Real("b", 0, 1)], constraints=[AtMost({"a": 1, "b": 1}, 0.3)])
    assert space.allows([[0.1, 0.2], [0.1, 0.2 + 1e-9]]).tolist() == [True, False]
    assert (space.slack(space.encode([[0.1, 0.2], [0.1, 0.2 + 1e-9]]))[0] >= 0).tolist() == [[True], [False]]


def test_slack_is_what_is_left_and_its_slope_is_right():
    rng = np.random.default_rng(3)
    places = rng.uniform(0.05, 0.95, (20, MIXED.width))
    left, slopes = MIXED.slack(places)
    assert (left.shape, slopes.shape) == ((20, 2), (20, 2, MIXED.width))
    for axis in range(MIXED.width):
        step = np.zeros(MIXED.width)
        step[axis] = 1e-6
        change = (MIXED.slack(places + step)[0] - MIXED.slack(places - step)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, :, axis], change, atol=1e-7)
    snapped = MIXED.snap(places)
    points = MIXED.decode(snapped)
    assert np.array_equal(np.all(MIXED.slack(snapped)[0] >= 0, axis=1), MIXED.allows(points))
    cr, rate, layers = points[:, :3].T
    reach = 4.0 + 0.5 * 7 + 3 * (1 - 1e-4)
    np.testing.assert_allclose(MIXED.slack(snapped)[0][:, 0], (5 - cr - 0.5 * layers - 3 * rate) / reach, atol=1e-12)


def test_without_constraints_there_is_no_slack():
    left, slopes = SearchSpace([Choice("c", ["a", "b"]), Real("x", 0, 1)]).slack(np.zeros((4, 3)))
    assert (left.shape, slopes.shape) == ((4, 0), (4, 0, 3))


def test_a_point_may_say_which_task_it_is_about():
    space = TaskSpace(MIXED, ["AL6MN", "QPHASE"])
    assert isinstance(space, Space)
    assert (space.hidden, space.name, space.tasks) == (("task",), "mixed", ("AL6MN", "QPHASE"))
    item = space.item((0.5, 0.01, 2, 8, 1, 1))
    assert item.values == {**MIXED.item((0.5, 0.01, 2, 8, 1)).values, "task": "QPHASE"}
    assert len({item.id, space.item((0.5, 0.01, 2, 8, 1, 0)).id, MIXED.item((0.5, 0.01, 2, 8, 1)).id}) == 3
    assert len({space.fingerprint, TaskSpace(MIXED, ["QPHASE", "AL6MN"]).fingerprint, MIXED.fingerprint}) == 3


X, Y, C = Real("x", 0, 1), Real("y", 0, 1), Choice("c", ["a", "b"])
PLAIN = SearchSpace([X, Integer("n", 1, 4), C])
BAD = [
    (lambda: SearchSpace([]), "space 'space' has no parameters: give one or more"),
    (lambda: SearchSpace([X], name=" "), "space name=' ' must be a text"),
    (lambda: SearchSpace([X, Y, Integer("x", 1, 2)]), "parameter 'x' stands there twice: give each a name of its own"),
    (lambda: SearchSpace([X, "y"]), "parameter 'y' must be a Real, an Integer or a Choice"),
    (lambda: SearchSpace([X], constraints=["x"]), "constraint 'x' must be an AtMost"),
    (lambda: AtMost({}, 1), "constraint weights={} must name the parameters"),
    (lambda: AtMost({"x": 0.0}, 1), "constraint weight of 'x' is 0.0: give a finite number that is not 0"),
    (lambda: AtMost({"x": math.nan}, 1), "constraint weight of 'x' is nan"),
    (lambda: AtMost({"x": 1}, math.inf), "constraint at_most=inf must be a finite number"),
    (lambda: SearchSpace([X, Y], constraints=[AtMost({"z": 1}, 1)]), "names 'z', which is not a parameter: use x, y"),
    (lambda: SearchSpace([X, C], constraints=[AtMost({"c": 1}, 1)]), "c <= 1 names 'c', a choice: only numbers"),
    (
        lambda: SearchSpace([X], constraints=[AtMost({"x": -1}, -2)]),
        "constraint - x <= -2 leaves nothing: the sum is at least -1: raise the limit",
    ),
    (
        lambda: SearchSpace([X, Y], constraints=[AtMost({"x": 1, "y": 1}, 0.5), AtMost({"x": -1, "y": -1}, -0.6)]),
        "constraints x + y <= 0.5; - x - y <= -0.6 leave nothing that can be searched: loosen one",
    ),
    (
        lambda: SearchSpace([Integer("n", 0, 9)], constraints=[AtMost({"n": 1}, 4.9), AtMost({"n": -1}, -4.1)]),
        "leave nothing that can be searched",
    ),
    (lambda: PLAIN.item((1.5, 1, 0)), "x=1.5 must be a number in [0, 1]"),
    (lambda: PLAIN.item((math.nan, 1, 0)), "x=nan must be a number in [0, 1]"),
    (lambda: PLAIN.item((0.5, 1.5, 0)), "n=1.5 must be a whole number in [1, 4]"),
    (lambda: PLAIN.encode([[0.5, 1, 0], [0.5, 1, 2]]), "c=2.0 must be a whole number in [0, 1]"),
    (lambda: PLAIN.item((0.5, 1)), "points of shape (1, 2) must have a number for each of x, n, c"),
    (lambda: PLAIN.encode([0.5, 1, 0]), "points of shape (3,) must have"),
    (lambda: PLAIN.point({"x": 0.5, "n": 2}), "values have no 'c': give each of x, n, c"),
    (lambda: PLAIN.point({"x": 0.5, "n": 2, "c": "a", "d": 1}), "point has the unknown key 'd': use x, n, c"),
    (lambda: PLAIN.point({"x": 7, "n": 2, "c": "a"}), "x=7.0 must be a number in [0, 1]"),
    (lambda: MIXED.item((3.0, 1.0, 8, 512, 0)), "breaks Cr + 0.5 layers + 3 rate <= 5"),
    (lambda: TaskSpace(PLAIN, ()), "tasks=() must name one or more outputs"),
    (lambda: TaskSpace(PLAIN, ("a", "a")), "task 'a' stands there twice"),
    (lambda: TaskSpace(PLAIN, ("a", "")), "task '' must be a text"),
    (lambda: TaskSpace(PLAIN, ("a", "b")).item((0.5, 1, 0, 2)), "task 2 must be a whole number from 0 to 1"),
    (lambda: TaskSpace(PLAIN, ("a", "b")).item(()), "must be a whole number from 0 to 1"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_spaces_and_points_are_refused_in_one_line(make, said):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
