"""What a person types in answer: numbers, with a decimal point or comma, and after them what was set otherwise."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ringtrue.core import InvalidInput, count, decimal

UNKNOWN = "?"
"""The answer of a person who cannot tell."""

_PARTING = re.compile(r"[;\s]+,?\s*|,(?:\s+|$)")
"""What parts numbers in any case: spaces, a semicolon, a comma beside a space."""


def read_numbers(typed: str, wanted: int) -> tuple[list[float], str]:
    """Read as many finite numbers as are wanted; else say what is wrong with them.

    Spaces, semicolons and commas beside a space part numbers. A comma inside a number is its decimal comma; only where
    points mark decimals it parts numbers, too.

    >>> read_numbers("0.5, 2", 2), read_numbers("0,5", 1), read_numbers("351,8; 2", 2), read_numbers("0.5,2", 2)
    (([0.5, 2.0], ''), ([0.5], ''), ([351.8, 2.0], ''), ([0.5, 2.0], ''))
    >>> read_numbers("351,8", 2)[1]
    '1 number where 2 are wanted: a comma inside a number is a decimal comma, so part them by spaces or semicolons'
    """
    pointed = "." in typed
    words = typed.replace(",", " ").replace(";", " ").split() if pointed else _PARTING.split(typed.strip())
    numbers: list[float] = []
    for word in filter(None, words):
        number = decimal(word)
        if number is None and _is_endless(word):
            return [], f"{word!r} is not finite: type {UNKNOWN} if you cannot tell"
        if number is None:
            return [], f"{word!r} is not a number: type numbers, parted by spaces or semicolons"
        numbers.append(number)
    if len(numbers) == wanted:
        return numbers, ""
    hint = ""
    if "," in typed:
        rule = (
            "commas part numbers where points mark decimals"
            if pointed
            else "a comma inside a number is a decimal comma"
        )
        hint = f": {rule}, so part them by spaces or semicolons" if wanted > 1 else f": {rule}"
    return [], f"{count(len(numbers), 'number')} where {wanted} {'is' if wanted == 1 else 'are'} wanted{hint}"


def _is_endless(word: str) -> bool:
    try:
        return not math.isfinite(float(word))
    except ValueError:
        return False


def split_settings(typed: str, asked: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the numbers that were typed, and the values after them that were set otherwise than asked, by name.

    >>> split_settings("71,5 heat=351,8 solvent=sea water", {"heat": 352.4, "solvent": "oil"})
    ('71,5', {'heat': 351.8, 'solvent': 'sea water'})
    """
    names = "|".join(re.escape(name) for name in sorted(asked, key=len, reverse=True))
    found = list(re.finditer(rf"(?<![^\s;,])({names})\s*=", typed)) if asked else []
    if not found:
        return typed, {}
    ends = [*(one.start() for one in found[1:]), len(typed)]
    told = {one[1]: typed[one.end() : end].strip(" \t;,") for one, end in zip(found, ends, strict=True)}
    return typed[: found[0].start()].strip(" \t;,"), {name: set_value(name, told[name], asked[name]) for name in told}


def set_value(name: str, text: str, asked: Any) -> Any:
    """Return what was set in place of a value: a number where one was asked for."""
    if isinstance(asked, bool) or not isinstance(asked, int | float):
        return text
    number = decimal(text)
    if number is None:
        raise InvalidInput(f"{name}={text!r} is not a number: write what was set, as in {name}={asked}")
    return number
