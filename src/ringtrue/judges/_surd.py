"""Exact numbers with one square root, (a + b sqrt(d)) / c in integers: what the solution of a trio is made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import gcd, isqrt
from typing import TypeAlias

from ringtrue.core import InvalidInput

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)  # their squares are taken out of the root: cheap


@total_ordering
@dataclass(slots=True, eq=False)
class Surd:
    """The number (a + b sqrt(d)) / c, of integers of any size; d < 0 makes it complex.

    Sums, products, quotients and comparisons are exact. Two numbers go together when they share a root.

    >>> golden = Surd(1, 1, 5, 2)
    >>> golden * golden - golden == 1, float(golden)
    (True, 1.618033988749895)
    >>> print(golden, Surd(0, 1, 18), Surd(1, -1, -12, 4), Surd(6, c=4), sep=", ")
    (1 + sqrt(5))/2, 3*sqrt(2), (1 - 2*sqrt(-3))/4, 3/2
    """

    a: int
    b: int = 0
    d: int = 1
    c: int = 1

    def __post_init__(self) -> None:
        a, b, d, c = self.a, self.b, self.d, self.c
        if not c:
            raise InvalidInput("c=0 must not divide: give a denominator other than zero")
        if b and d:
            b, d = _out_of_root(b, d)
        if d == 1:
            a, b = a + b, 0
        if not (b and d):
            b, d = 0, 1
        common = gcd(a, b, c) if c > 0 else -gcd(a, b, c)
        self.a, self.b, self.d, self.c = a // common, b // common, d, c // common

    @property
    def is_rational(self) -> bool:
        return not self.b

    @property
    def is_real(self) -> bool:
        return self.d > 0

    @property
    def conjugate(self) -> Surd:
        """The same with the other sign of the root."""
        return Surd(self.a, -self.b, self.d, self.c)

    @property
    def sign(self) -> int:
        """-1, 0 or 1, decided in integers."""
        self._check_real()
        a, b = _sign(self.a), _sign(self.b)
        if a * b >= 0:
            return a or b
        return a * _sign(self.a**2 - self.b**2 * self.d)

    def __add__(self, other: Number) -> Surd:
        a, b, d, c = self._alongside(other)
        return Surd(self.a * c + a * self.c, self.b * c + b * self.c, d, self.c * c)

    def __mul__(self, other: Number) -> Surd:
        a, b, d, c = self._alongside(other)
        return Surd(self.a * a + self.b * b * d, self.a * b + self.b * a, d, self.c * c)

    def __truediv__(self, other: Number) -> Surd:
        a, b, d, c = self._alongside(other)
        norm = a * a - b * b * d
        if not norm:
            raise ZeroDivisionError("division of a Surd by zero")
        return self * Surd(a * c, -b * c, d, norm)

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.d, self.c)

    def __sub__(self, other: Number) -> Surd:
        return self + -other

    def __rsub__(self, other: Number) -> Surd:
        return -self + other

    def __rtruediv__(self, other: Number) -> Surd:
        return _surd(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | Fraction | Surd):
            return NotImplemented
        return self._key() == _surd(other)._key()

    def __hash__(self) -> int:
        return hash(self._key() if self.b else Fraction(self.a, self.c))

    def __lt__(self, other: Number) -> bool:
        return (self - other).sign < 0

    def __float__(self) -> float:
        """Return the nearest floating-point number, but for the last digit."""
        self._check_real()
        if self.a * self.b >= 0:
            return _ratio(self.a, self.b, self.d, self.c)
        # The two parts nearly cancel: multiply by the conjugate, so that nothing is lost.
        norm = self.a**2 - self.b**2 * self.d
        return 1 / _ratio(self.a * self.c, -self.b * self.c, self.d, norm)

    def __complex__(self) -> complex:
        if self.is_real:
            return complex(float(self))
        return complex(self.a / self.c, _ratio(0, self.b, -self.d, self.c))

    def __str__(self) -> str:
        if not self.b:
            return str(Fraction(self.a, self.c))
        root = f"sqrt({self.d})" if abs(self.b) == 1 else f"{abs(self.b)}*sqrt({self.d})"
        sign = "-" if self.b < 0 else ""
        text = f"({self.a} {sign or '+'} {root})" if self.a else sign + root
        return text if self.c == 1 else f"{text}/{self.c}"

    def _key(self) -> tuple[Fraction, Fraction]:
        """Return the same for equal numbers, also where a large square was left in the root."""
        return Fraction(self.a, self.c), Fraction(_sign(self.b) * self.b**2 * self.d, self.c**2)

    def _alongside(self, other: Number) -> tuple[int, int, int, int]:
        """Return the other number as (a, b, d, c) with this one's root."""
        other = _surd(other)
        if not self.b or not other.b or self.d == other.d:
            return other.a, other.b, self.d if self.b else other.d, other.c
        product = self.d * other.d
        root = isqrt(max(product, 0))
        if root * root != product:
            raise InvalidInput(f"{self} and {other} have different roots: only one square root can be carried")
        scale = abs(self.d)
        return other.a * scale, other.b * root, self.d, other.c * scale

    def _check_real(self) -> None:
        if not self.is_real:
            raise InvalidInput(f"{self} is not a real number: use complex()")


Number: TypeAlias = Surd | Fraction | int
"""An exact number: an integer, a fraction, or one with a square root."""


def _surd(number: Number) -> Surd:
    if isinstance(number, Surd):
        return number
    return Surd(number.numerator, c=number.denominator)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _out_of_root(b: int, d: int) -> tuple[int, int]:
    """Take squares out of the root of b sqrt(d): all of it if it is one, else those of small primes."""
    size = abs(d)
    root = isqrt(size)
    if root * root == size:
        return b * root, d // size
    for prime in _PRIMES:
        while d % (prime * prime) == 0:
            d //= prime * prime
            b *= prime
    return b, d


def _ratio(a: int, b: int, d: int, c: int) -> float:
    """Compute (a + b sqrt(d)) / c for a and b of one sign, with the root to 64 digits behind the point in base two."""
    scaled = a * 2**64 + b * isqrt(d << 128)
    return scaled / (c * 2**64)
