"""Real, whole and named parameters: where they stand in the unit cube, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.worst.spaces import Choice, Integer, Real

finite = st.floats(-1e12, 1e12, allow_subnormal=False)
positive = st.floats(1e-300, 1e300, allow_subnormal=False)
shares = st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=5)


def column(*values):
    return np.array(values, dtype=np.float64)


@settings(max_examples=50)
@given(st.tuples(finite, finite).filter(lambda ends: ends[0] < ends[1]), shares)
def test_a_straight_scale_meets_its_ends_and_comes_back(ends, places):
    low, high = ends
    parameter = Real("x", low, high)
    assert parameter.decode(column(0.0, 1.0)[:, None]).tolist() == [low, high]
    assert parameter.encode(column(low, high)).ravel().tolist() == [0.0, 1.0]
    values = parameter.decode(column(*places)[:, None])
    assert np.all((values >= low) & (values <= high))
    again = parameter.decode(parameter.encode(values))
    assert np.all(np.abs(again - values) <= 1e-12 * max(abs(low), abs(high)))


@settings(max_examples=50)
@given(st.tuples(positive, positive).filter(lambda ends: ends[0] * (1 + 1e-9) < ends[1]), shares)
def test_a_log_scale_meets_its_ends_and_comes_back(ends, places):
    low, high = ends
    parameter = Real("x", low, high, log=True)
    assert parameter.decode(column(0.0, 1.0)[:, None]).tolist() == [low, high]
    assert parameter.encode(column(low, high)).ravel().tolist() == [0.0, 1.0]
    values = parameter.decode(column(*places)[:, None])
    assert np.all((values >= low) & (values <= high))
    np.testing.assert_allclose(parameter.decode(parameter.encode(values)), values, rtol=1e-12)


@settings(max_examples=50)
@given(
    st.integers(-(2**40), 2**40 - 1).flatmap(lambda low: st.tuples(st.just(low), st.integers(low + 1, 2**40))),
    st.data(),
)
def test_whole_numbers_come_back_exactly(ends, data):
    low, high = ends
    numbers = column(*data.draw(st.lists(st.integers(low, high), min_size=1, max_size=5)), low, high)
    straight = Integer("n", low, high)
    assert straight.decode(straight.encode(numbers)).tolist() == numbers.tolist()
    if low > 0:
        log = Integer("n", low, high, log=True)
        assert log.decode(log.encode(numbers)).tolist() == numbers.tolist()


def test_equal_factors_are_equal_distances_on_a_log_scale():
    places = Real("x", 1e-4, 1.0, log=True).encode(column(1e-4, 1e-3, 1e-2, 1e-1, 1.0)).ravel()
    np.testing.assert_allclose(np.diff(places), 0.25, rtol=1e-12)


def test_any_two_options_are_equally_far_apart():
    places = Choice("c", list("abcde")).encode(np.arange(5.0))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(5, 1)]
    assert np.all(distances == math.sqrt(2))


def test_every_whole_number_and_option_is_drawn_as_often():
    chances = (np.arange(6000) + 0.5) / 6000
    for parameter in (Integer("n", 3, 8), Choice("c", list("abcdef"))):
        _, counts = np.unique(parameter.spread(chances), return_counts=True)
        assert counts.tolist() == [1000] * 6


def test_whole_numbers_on_a_log_scale_are_drawn_as_long_as_their_stretch_is():
    drawn = Integer("n", 1, 4, log=True).spread((np.arange(100_000) + 0.5) / 100_000)
    _, counts = np.unique(drawn, return_counts=True)
    expected = np.diff(np.log([0.5, 1.5, 2.5, 3.5, 4.5])) / np.log(9)
    np.testing.assert_allclose(counts / 100_000, expected, atol=2e-5)


@given(
    st.sampled_from([Real("x", -3, 5), Real("x", 1e-3, 5, log=True), Integer("x", 1, 9), Integer("x", 1, 9, log=True)])
)
def test_a_value_has_a_chance_that_gives_it(parameter):
    value = parameter.spread(column(0.37))[0]
    assert parameter.spread(column(parameter.chance(value)))[0] == pytest.approx(value, rel=1e-12)


def test_values_are_what_people_wrote():
    assert (Real("x", 0, 1).value(0.5), Integer("n", 1, 8).value(3.0)) == (0.5, 3)
    assert isinstance(Integer("n", 1, 8).value(3.0), int)
    size = Choice("size", [16, 32.5, "large", True])
    assert [size.value(place) for place in range(4)] == [16, 32.5, "large", True]
    assert [size.number(value) for value in (16, "32.5", "large", True)] == [0.0, 1.0, 2.0, 3.0]


INF, NAN = math.inf, math.nan
BAD = [
    (lambda: Real("x", 2, 1), "parameter 'x': low=2 must be below high=1: exchange them"),
    (lambda: Real("x", 1, 1.0), "leave one value: leave the parameter out"),
    (lambda: Integer("n", 3, 3), "low=3 and high=3 leave one value: leave the parameter out"),
    (lambda: Real("x", NAN, 1), "low=nan must be a finite number"),
    (lambda: Real("x", 0, INF), "high=inf must be a finite number"),
    (lambda: Real("x", "0", 1), "low='0' must be a finite number"),
    (lambda: Real("x", False, 1), "low=False must be a finite number"),
    (lambda: Real("x", -1e308, 1e308), "are too far apart"),
    (lambda: Real("x", 0, 1, log=True), "low=0 must be above 0 on a log scale: raise it, or leave log out"),
    (lambda: Integer("n", -1, 4, log=True), "low=-1 must be above 0 on a log scale"),
    (lambda: Real("x", 1, 2, log="yes"), "log='yes' must be true or false"),
    (lambda: Integer("n", 0.5, 4), "low=0.5 must be a whole number"),
    (lambda: Integer("n", 0, 2**60), "must be a whole number of at most 2**40"),
    (lambda: Real("", 0, 1), "must have a name"),
    (lambda: Real("task", 0, 1), "parameter 'task' has the name of what is asked about: call it something else"),
    (lambda: Choice("task", ["a", "b"]), "call it something else"),
    (lambda: Choice("c", ["a"]), "options=['a'] must be two or more: leave the parameter out"),
    (lambda: Choice("c", "ab"), "options='ab' must be a list"),
    (lambda: Choice("c", 3), "options=3 must be a list"),
    (lambda: Choice("c", ["a", "b", "a"]), "option 'a' stands there twice: write it once"),
    (lambda: Choice("c", [1, "1.0", 1.0]), "option 1.0 stands there twice"),
    (lambda: Choice("c", ["a", " "]), "option ' ' must be a text"),
    (lambda: Choice("c", ["a", None]), "option None must be a text"),
    (lambda: Choice("c", [1.0, NAN]), "option nan must be"),
    (lambda: Choice("c", [1.0, -INF]), "option -inf must be"),
    (lambda: Choice("c", ["a", "b"]).number("d"), "parameter 'c': 'd' is none of its options ['a', 'b']"),
    (lambda: Choice("c", ["a", "b"]).number(NAN), "nan is none of its options"),
    (lambda: Choice("c", ["a", "b"]).number(["a"]), "['a'] is none of its options"),
    (lambda: Real("x", 0, 1).number("0.5"), "parameter 'x': '0.5' must be a number"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), BAD, ids=[said for _, said in BAD])
def test_bad_parameters_are_refused_in_one_line(make, said):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
