"""Labels that differ only in how they are written: they are two labels, and seldom meant to be."""

from __future__ import annotations

import math
import re
import unicodedata

from ringtrue.core._canonical import Json, label_text


def number_in(text: str) -> float:
    """The number that a text is, an infinite one if it is none; whole numbers of any length are exact."""
    for number in (int, float):
        try:
            size = number(text)
        except ValueError:
            continue
        return size if abs(size) < math.inf else math.inf
    return math.inf


_JOINT = re.compile(r"(?<=\w)[-\u2010\u2011\u2013](?=\w)|_")
"""What joins two words to one label: a hyphen between letters, an underscore anywhere."""


def reading(label: str) -> str | float:
    """What a reader takes a label for: "1.0" and "true" for 1, "Yes." for yes, "not-spam" and "not_spam" for not spam.

    >>> reading("1.0") == reading("1"), reading("Yes.") == reading("yes"), reading("A-") == reading("A")
    (True, True, False)
    """
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", label) if unicodedata.category(letter) != "Cf")
    words = " ".join(_JOINT.sub(" ", seen.casefold()).split())
    folded = words.strip(".\"'`‘’“” ") or words
    size = {"false": 0, "true": 1}.get(folded, number_in(label))
    return size if size < math.inf else folded


def differ_in_spelling(one: Json, other: Json) -> bool:
    """Whether two labels are two labels to the computer and one to a reader.

    >>> differ_in_spelling("Repaid", "repaid"), differ_in_spelling("1", "1.0"), differ_in_spelling("repaid", "lost")
    (True, True, False)
    """
    texts = label_text(one), label_text(other)
    return texts[0] != texts[1] and reading(texts[0]) == reading(texts[1])
