"""How numbers and names are written for people, the same in the terminal, the report and the errors."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal

ROUNDING = 32 * 2.0**-52
"""So much, beside the size of some numbers, a few operations on them leave of zero."""


def percent(rate: float, *, toward: Literal["nearest", "above", "below"] = "nearest") -> str:
    """Return a rate as a percentage with three significant digits, counted from the nearer end of the scale.

    A bound is rounded outward: an upper one `above`, a lower one `below`, so that it never says more than was shown.

    >>> percent(0.05), percent(0.0123456), percent(0.95), percent(0.99987), percent(0.0), percent(1.0)
    ('5%', '1.23%', '95%', '99.987%', '0%', '100%')
    >>> percent(0.0500499), percent(0.0500499, toward="above"), percent(0.0509, toward="below")
    ('5%', '5.01%', '5.09%')
    """
    value = round(rate * 100, 10)
    distance = min(abs(value), abs(100 - value))
    decimals = max(0, 2 - math.floor(math.log10(distance))) if distance > 1e-12 else 0
    if toward != "nearest":
        scale = 10**decimals
        outward = math.ceil if toward == "above" else math.floor
        value = outward(round(value * scale, 6)) / scale
    text = f"{value:.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def tenths(rate: float, *, toward: Literal["nearest", "above", "below"] = "nearest") -> str:
    """Return a rate as a percentage with one decimal, for columns; a bound is rounded outward, as in `percent`.

    >>> tenths(0.9213), tenths(0.9213, toward="above"), tenths(0.9213, toward="below"), tenths(1.0, toward="above")
    ('92.1%', '92.2%', '92.1%', '100.0%')
    """
    value = round(1000 * rate, 6)
    whole = round(value) if toward == "nearest" else math.ceil(value) if toward == "above" else math.floor(value)
    return f"{whole / 10:.1f}%"


def between(interval: Mapping[str, Any]) -> str:
    """Return the ends of an interval of a share, rounded outward.

    >>> between({"low": 0.01234, "high": 0.05678})
    '1.23% to 5.68%'
    """
    return f"{percent(interval['low'], toward='below')} to {percent(interval['high'], toward='above')}"


def points(estimate: float, low: float, high: float) -> str:
    """Return a difference of two rates in points of a hundred, its bounds rounded outward.

    >>> points(0.0123, 0.01011, 0.01482), points(-1e-18, -0.181, -0.0)
    ('+1.23 [+1.01, +1.49]', '+0.00 [-18.10, +0.00]')
    """
    bounds = math.floor(round(1e4 * low, 6)) / 100, math.ceil(round(1e4 * high, 6)) / 100
    # Zero is added because a change of nothing is not written as minus nothing.
    middle, least, most = (round(value, 2) + 0.0 for value in (100 * estimate, *bounds))
    return f"{middle:+.2f} [{least:+.2f}, {most:+.2f}]"


def figure_text(name: str, longest: int = 24) -> str:
    """Return a name as a figure should write it: short, no formula between dollar signs, nothing that cannot be seen.

    >>> figure_text("a$b"), figure_text("x\u202ey"), figure_text("z" * 30, 8)
    ('a\\\\$b', 'x?y', 'zzzzzzz…')
    """
    short = name if len(name) <= longest else name[: longest - 1] + "…"
    return "".join(letter if letter.isprintable() else "?" for letter in short).replace("$", r"\$")


_STEERING = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])
_JOINERS = frozenset("\u200c\u200d")
"""They shape letters and emoji that are written together, and steer nothing."""


def harmless(text: str) -> str:
    """Write a text on one line, with what would steer a terminal or turn its letters around spelt out.

    Labels, ids, columns and names of files come from strangers: an escape sequence in one could clear the screen, and
    a line break could forge a verdict.

    >>> print(harmless("two\\nlines \\x1b[2J, r\\u202ede, naïve"))
    two\\nlines \\x1b[2J, r\\u202ede, naïve
    """
    if text.isprintable():
        return text
    return "".join(letter.encode("unicode_escape").decode() if _steers(letter) else letter for letter in text)


def _steers(letter: str) -> bool:
    return not letter.isprintable() and letter not in _JOINERS and unicodedata.category(letter) in _STEERING


def shortened(text: str, most: int = 60) -> str:
    """Return a text of at most so many characters, as a message has room for.

    >>> shortened("abcdefgh", 6), shortened("abc", 6)
    ('abc...', 'abc')
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def meant(name: str, names: Sequence[str]) -> str:
    """Return what follows a name that is not there and comes before those that are: the one that was meant, if any.

    >>> meant("trth", ["id", "truth"]), meant("x", ["id", "truth"])
    (", did you mean 'truth'?", ':')
    """
    close = get_close_matches(name, names, n=1)
    return f", did you mean {close[0]!r}?" if close else ":"


def number(value: float, *, beside: float = 0.0, digits: int = 4) -> str:
    """Return a number with the digits that matter; zero where it is mere rounding `beside` a quantity of this size.

    >>> number(2.4341234), number(0.00012344), number(1234567.0), number(0.12345, digits=2)
    ('2.434', '0.0001234', '1.235e+06', '0.12')
    >>> number(8.3e-16), number(8.3e-16, beside=1.0), number(-1e-17, beside=0.5)
    ('8.3e-16', '0', '0')
    """
    return f"{0.0 if is_rounding(value, beside) else value:.{digits}g}"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""A text that begins so is a formula to a spreadsheet, which would run it; the last is our own mark."""


def formula_safe(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> [formula_safe(cell) for cell in ("=1+1", "cat", "'tis", -2)]
    ["'=1+1", 'cat', "''tis", -2]
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def formula_restored(cell: str) -> str:
    """Return a cell as it was before `formula_safe`.

    >>> formula_restored("'=1+1"), formula_restored("cat")
    ('=1+1', 'cat')
    """
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def decimal(text: str) -> float | None:
    """Return the finite number that a text is, with a decimal point or a decimal comma; None if it is none.

    One mark, and one kind of it: "1.234,5" may be written with marks for thousands, and is not guessed at.

    >>> decimal("351,8"), decimal(" -2.5e3"), decimal("1.234,5"), decimal("1,234,567"), decimal("nan")
    (351.8, -2500.0, None, None, None)
    """
    if "_" in text or text.count(",") > 1 or ("," in text and "." in text):
        return None
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def is_rounding(value: float, beside: float) -> bool:
    """Return whether a number is what rounding leaves of zero where quantities are of this size.

    >>> is_rounding(0.1 + 0.2 - 0.3, 0.3), is_rounding(1e-12, 0.3)
    (True, False)
    """
    return abs(value) <= ROUNDING * abs(beside)


def count(number: float, noun: str) -> str:
    """Return a number with its noun in the right form.

    >>> count(1, "label"), count(1200, "label"), count(2, "query"), count(0, "day")
    ('1 label', '1,200 labels', '2 queries', '0 days')
    """
    told = f"{number:,}" if isinstance(number, int) else f"{number:,.0f}"  # a float would lose a long number's digits
    if number == 1:
        return f"{told} {noun}"
    changes = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{told} " + (f"{noun[:-1]}ies" if changes else f"{noun}s")
