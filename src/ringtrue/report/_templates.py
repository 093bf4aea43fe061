"""The templates of pages: every word of the user escaped, short, and with every letter to be seen."""

from __future__ import annotations

import json
import math
import unicodedata
from functools import cache
from typing import Any, Literal

from ringtrue.core import count, is_missing, percent, tenths

CELL = 40
"""Characters of a cell: a hundred rows of eleven cells stay under 300 KB even where each character is escaped."""

_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}
"""Invisible, but Persian words and family emoji are wrong without them."""


def cell(value: object, longest: int = CELL) -> str:
    """Return a value as one short text: what would be invisible or turn the writing round is spelled out.

    >>> cell("a\\u202eb"), cell(float("nan")), cell([1, 2]), cell("x" * 50, 5)
    ('a\\\\u202eb', '–', '[1, 2]', 'xxxx…')
    """
    if not isinstance(value, list | dict | bool) and is_missing(value):
        return "–"
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    text = str(value)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    shown = "".join(map(_visible, text))
    return shown if len(shown) <= 2 * longest else shown[: 2 * longest - 1] + "…"


def line(value: object) -> str:
    """Return a name in a sentence or a small table: longer than a cell, yet bounded."""
    return cell(value, 200)


def points(difference: float, decimals: int = 2, *, toward: Literal["nearest", "above", "below"] = "nearest") -> str:
    """Return a difference of two shares in percentage points, with its sign; a bound is rounded outward.

    >>> points(0.0123), points(-0.012345, toward="below"), points(-0.012345, 1, toward="above"), points(0.0)
    ('+1.23', '−1.24', '−1.2', '0')
    >>> points(1e-6, toward="above"), points(-1e-6, toward="above"), points(1e-6)
    ('+0.01', '0', '≈0')
    """
    value = round(difference * 10 ** (2 + decimals), 6)
    whole = round(value) if toward == "nearest" else math.ceil(value) if toward == "above" else math.floor(value)
    if not whole:
        return "≈0" if toward == "nearest" and difference else "0"
    return f"{whole / 10**decimals:+.{decimals}f}".replace("-", "−")


def is_number(value: object) -> bool:
    """Return whether a column of such values is read best when it stands to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _visible(letter: str) -> str:
    if unicodedata.category(letter) in _HIDDEN and letter not in _JOINERS:
        return letter.encode("unicode_escape").decode("ascii")
    return letter


GENERATOR = '<meta name="generator" content="ringtrue'
"""By which an earlier page is known again."""


def template(name: str) -> Any:
    """Return a template of this package, ready to be rendered."""
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """Return the environment of all templates, made once in a process: compiling takes longer than filling."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("ringtrue.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        percent=percent, tenths=tenths, points=points, count=count, cell=cell, line=line, whole=_whole
    )
    return environment


def _whole(number: int) -> str:
    return f"{number:,}"
