"""Numbers with one square root: exact arithmetic against fractions, floats and complex numbers."""

import cmath
import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.judges import Surd

small = st.integers(-30, 30)
positive = st.integers(1, 30)


@st.composite
def pairs(draw):
    """Two numbers with one root, real or complex."""
    d = draw(st.integers(-60, 60).filter(bool))
    return tuple(Surd(draw(small), draw(small), d, draw(positive)) for _ in range(2))


def value(a, b, d, c):
    return (a + b * cmath.sqrt(d)) / c


@settings(deadline=None)
@given(small, small, st.integers(-200, 200), positive)
def test_a_surd_is_what_its_parts_say(a, b, d, c):
    number = Surd(a, b, d, c)
    assert complex(number) == pytest.approx(value(a, b, d, c), rel=1e-12, abs=1e-12)
    assert number == Surd(-a, -b, d, -c)
    assert math.gcd(number.a, number.b, number.c) == 1
    assert all(number.d % prime**2 for prime in (2, 3, 5, 7)) or number.d == 1


@settings(deadline=None)
@given(pairs())
def test_arithmetic_follows_complex_numbers(numbers):
    one, two = numbers
    for exact, expected in (
        (one + two, complex(one) + complex(two)),
        (one - two, complex(one) - complex(two)),
        (one * two, complex(one) * complex(two)),
    ):
        assert complex(exact) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert one + two - two == one
    assert one * (one + two) == one * one + one * two
    if two != 0:
        assert one / two * two == one
        assert 1 / two == Fraction(1) / two
    assert 2 - one == -(one - 2)
    assert Fraction(1, 3) * one == one / 3


@settings(deadline=None)
@given(pairs())
def test_order_follows_floats_and_never_errs_on_equality(numbers):
    one, two = numbers
    assume(one.is_real and two.is_real)
    assert (one < two) + (one == two) + (one > two) == 1
    assert (one <= two) == (not one > two)
    assert (one >= two) == (not one < two)
    if one != two:
        assert (one < two) == (float(one) < float(two))
    assert (one == two) == (hash(one) == hash(two))


def test_a_large_square_left_in_the_root_does_not_hide_equality():
    prime = 1_000_003
    hidden = Surd(1, 1, 2 * prime**2, 3)
    plain = Surd(1, prime, 2, 3)
    assert hidden == plain
    assert hash(hidden) == hash(plain)
    assert hidden - plain == 0
    assert (hidden * plain) == plain * plain
    assert Surd(0, 1, -2 * prime**2) - Surd(0, prime, -2) == 0


def test_a_rational_one_equals_and_hashes_like_a_fraction():
    assert Surd(3, 2, 4, 14) == Fraction(1, 2)
    assert hash(Surd(3, 2, 4, 14)) == hash(Fraction(1, 2))
    assert Surd(6, 0, 7, 3) == 2
    assert Surd(1) != "1"


def test_floats_keep_their_digits_where_the_parts_cancel():
    # (sqrt(n^2 + 1) - n) is 1 / (sqrt(n^2 + 1) + n): plain floating point gives 0.
    n = 10**30
    assert float(Surd(-n, 1, n * n + 1)) == pytest.approx(0.5e-30, rel=1e-15)
    assert float(Surd(n, -1, n * n + 1)) == pytest.approx(-0.5e-30, rel=1e-15)
    assert Surd(-n, 1, n * n + 1).sign == 1


def test_text():
    assert str(Surd(17681731, 3, 3328641826009, 33606970)) == "(17681731 + 3*sqrt(3328641826009))/33606970"
    assert str(Surd(1, -1, 5, 2)) == "(1 - sqrt(5))/2"
    assert str(Surd(0, -4, -3, 2)) == "-2*sqrt(-3)"
    assert str(Surd(8, 0, 1, -6)) == "-4/3"


def test_what_is_refused():
    with pytest.raises(InvalidInput, match="different roots"):
        Surd(0, 1, 2) + Surd(0, 1, 3)
    with pytest.raises(InvalidInput, match="c=0"):
        Surd(1, 1, 2, 0)
    with pytest.raises(InvalidInput, match="not a real number"):
        float(Surd(0, 1, -2))
    with pytest.raises(InvalidInput, match="not a real number"):
        _ = Surd(0, 1, -2) < 1
    with pytest.raises(ZeroDivisionError):
        Surd(1) / Surd(0)
