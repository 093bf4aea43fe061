"""A parameter that is one of a few options without an order, and what all parameters have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ringtrue.core import InvalidInput, Json, is_missing, label_text
from ringtrue.worst._arrays import Floats
from ringtrue.worst.spaces._numbers import Integer, Real, checked_name

Option: TypeAlias = str | int | float | bool
_ENDLESS = (math.inf, -math.inf)


@dataclass(frozen=True)
class _Options:
    """The fields of a choice, as `Choice` has checked them."""

    name: str
    options: tuple[Option, ...]


class Choice(_Options):
    """One of several options, encoded with a coordinate for each, so that any two are equally far apart.

    >>> solvent = Choice("solvent", ("water", "ethanol", "oil"))
    >>> solvent.encode(np.array([1.0])).tolist(), solvent.decode(np.array([[0.2, 0.1, 0.6]])).tolist()
    ([[0.0, 1.0, 0.0]], [2.0])
    """

    whole: ClassVar[bool] = True
    low: ClassVar[int] = 0

    def __init__(self, name: str, options: Sequence[Option]) -> None:
        super().__init__(checked_name(name), _checked_options(name, options))

    @property
    def high(self) -> int:
        """The number of the last option."""
        return len(self.options) - 1

    @property
    def width(self) -> int:
        return len(self.options)

    @property
    def count(self) -> int:
        return len(self.options)

    def encode(self, column: Floats) -> Floats:
        """Return numbers of options (n,) as places in the unit cube (n, width)."""
        return np.eye(self.count)[column.astype(np.int64)]

    def decode(self, places: Floats) -> Floats:
        """Return the number of the option nearest to each place of the unit cube."""
        return np.asarray(np.argmax(places, axis=1), dtype=np.float64)

    decode_between = decode

    @property
    def values(self) -> Floats:
        """The numbers of all options."""
        return np.arange(self.count, dtype=np.float64)

    def spread(self, chances: Floats) -> Floats:
        """Turn numbers that are uniform in [0, 1) into numbers of options, each as often."""
        return np.minimum(np.floor(chances * self.count), self.count - 1.0)

    def value(self, number: float) -> Option:
        return self.options[int(number)]

    def number(self, value: Any) -> float:
        """Return the number of an option; refuse what is not one of them."""
        texts = [label_text(option) for option in self.options]
        if isinstance(value, Option) and not is_missing(value) and (text := label_text(value)) in texts:
            return float(texts.index(text))
        raise InvalidInput(f"parameter {self.name!r}: {value!r} is none of its options {list(self.options)}")

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "options": list(self.options)}


def _checked_options(name: str, options: Any) -> tuple[Option, ...]:
    where = f"parameter {name!r}"
    if isinstance(options, str) or not isinstance(options, Sequence):
        raise InvalidInput(f"{where}: options={options!r} must be a list of texts or numbers")
    if len(options) < 2:
        raise InvalidInput(f"{where}: options={list(options)!r} must be two or more: leave the parameter out")
    texts: set[str] = set()
    for option in options:
        if not isinstance(option, Option) or is_missing(option) or option in _ENDLESS:
            raise InvalidInput(f"{where}: option {option!r} must be a text, a finite number, true or false")
        if (text := label_text(option)) in texts:
            raise InvalidInput(f"{where}: option {option!r} stands there twice: write it once")
        texts.add(text)
    return tuple(options)


Parameter: TypeAlias = Real | Integer | Choice
"""One coordinate of a point, and the `width` coordinates of the unit cube that encode it.

A point holds a number between `low` and `high`: the value itself or, of a choice, the place of the option.
"""


def spread(parameters: Sequence[Parameter], chances: Floats) -> Floats:
    """Turn chances (n, parameters) that are uniform in [0, 1) into points that spread evenly over the scales."""
    return np.column_stack([parameter.spread(chances[:, place]) for place, parameter in enumerate(parameters)])
