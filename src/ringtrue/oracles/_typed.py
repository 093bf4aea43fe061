"""What a person types in answer: a label or its key; or numbers, and after them what was set otherwise."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, count, decimal, label_text

UNKNOWN = "?"
"""The answer of a person who cannot tell."""

UNDO = "u"
"""What a person types to correct the last answer."""

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


def spelt(command: str, labels: Iterable[str] | None) -> str:
    """Return how a command is typed: as it is, or doubled until no label has that text.

    >>> spelt("u", ["a", "b"]), spelt("u", ["u", "v"]), spelt("u", None)
    ('u', 'uu', 'u')
    """
    taken, typed = set(labels or ()), command
    while typed in taken:
        typed += command
    return typed


def keys_of(labels: Sequence[str]) -> dict[str, str]:
    """Return the labels by the keys that stand for them: 1 to 9, then letters.

    A label of one character is its own key. No key is the beginning of a label, which may be typed as well, and none is
    that of a command.

    >>> keys_of(["cat", "dog", "-"]), keys_of(["1st", "2nd"])
    ({'1': 'cat', '2': 'dog'}, {'3': '1st', '4': '2nd'})
    """
    begun = {label[:1].casefold() for label in labels} | {UNDO, UNKNOWN}
    free = [key for key in "123456789" + string.ascii_lowercase if key not in begun]
    return dict(zip(free, (label for label in labels if len(label) > 1), strict=False))


def read_label(typed: str, labels: Sequence[str], keys: Mapping[str, str]) -> tuple[str | None, str]:
    """Return the label that was typed: whole, by its key or by its beginning; else what is wrong with it.

    Upper and lower case are told apart first; only where that finds no label they are not.

    >>> keys = keys_of(labels := ["cat", "car", "Dog"])
    >>> [read_label(typed, labels, keys)[0] for typed in ("cat", "2", "do", "CAR")]
    ['cat', 'car', 'Dog', 'car']
    >>> read_label("ca", labels, keys)[1]
    "'ca' may be cat or car: type more of it"
    """
    if not typed:
        return None, f"{typed!r} is not a label: type one, or {spelt(UNKNOWN, labels)}"
    text = label_text(typed)
    if text in labels or text in keys:
        return (text if text in labels else keys[text]), ""
    folded = text.casefold()
    for found in (
        [label for label in labels if label.startswith(text)],
        [label for label in labels if label.casefold() == folded],
        [label for label in labels if label.casefold().startswith(folded)],
    ):
        if len(found) == 1:
            return found[0], ""
        if found:
            return None, f"{typed!r} may be {plainly(' or '.join(found))}: type more of it"
    return None, f"{typed!r} is not a label: type one, or {spelt(UNKNOWN, labels)}"


def plainly(value: Any) -> str:
    """Return a value on one line, without what would steer the terminal.

    >>> plainly("two\\nlines \\x1b[2Jgone")
    'two lines ?[2Jgone'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(value).split()))
