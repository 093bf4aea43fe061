"""What a model says about a batch, and labels: equal ones, and those that differ only in how they are written."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringtrue.core._canonical import Json, label_text, plain
from ringtrue.core._errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labels:
    """A classifier's answer: one label per item and, if it has them, one row of probabilities per item.

    `probabilities` has the shape (items, classes) in the order of `classes`.
    """

    labels: Sequence[Any]
    probabilities: NDArray[np.float64] | None = None
    classes: Sequence[Any] = ()

    def __post_init__(self) -> None:
        if self.probabilities is None:
            return
        expected = (len(self.labels), len(self.classes))
        if self.probabilities.shape != expected:
            raise InvalidInput(
                f"probabilities have the shape {self.probabilities.shape}, expected {expected} "
                "(items, classes): give one row per item and one column per class"
            )

    def __len__(self) -> int:
        return len(self.labels)

    def values(self) -> list[Json]:
        """Return one JSON value per item: the label, or the label with its probabilities."""
        if self.probabilities is None:
            return [plain(label) for label in self.labels]
        names = [str(plain(name)) for name in self.classes]
        rows = self.probabilities.tolist()
        return [
            {"label": plain(label), "probabilities": dict(zip(names, row, strict=True))}
            for label, row in zip(self.labels, rows, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Vectors:
    """A regressor's answer: an array of the shape (items, outputs)."""

    array: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.array.ndim != 2:
            raise InvalidInput(
                f"vectors have the shape {self.array.shape}, expected (items, outputs): reshape to two dimensions"
            )

    def __len__(self) -> int:
        return len(self.array)

    def values(self) -> list[Json]:
        """Return one JSON value per item: the list of its outputs."""
        return [plain(row) for row in self.array.tolist()]


def same_label(one: Json, other: Json) -> bool:
    """Return whether two recorded answers give the same label.

    >>> same_label({"label": 1, "probabilities": {"1": 0.9}}, "1"), same_label("cat", "dog")
    (True, False)
    """
    return label_text(label_of(one)) == label_text(label_of(other))


def label_of(value: Json) -> Json:
    """Return the label in a recorded answer, with or without probabilities.

    >>> label_of({"label": "cat", "probabilities": {"cat": 0.9, "dog": 0.1}}), label_of("dog")
    ('cat', 'dog')
    """
    return value["label"] if isinstance(value, dict) and "label" in value else value


def said_and_known(answer: Json) -> tuple[Json, dict[str, Any]]:
    """Split a model's answer into its label or outputs, and what it told beside them; votes are not a label.

    >>> said_and_known({"label": "cat", "probabilities": {"cat": 0.9, "dog": 0.1}})
    ('cat', {'probabilities': {'cat': 0.9, 'dog': 0.1}})
    >>> said_and_known({"votes": {"ann": "yes"}}), said_and_known([0.5, 1.5])
    ((None, {'votes': {'ann': 'yes'}}), ([0.5, 1.5], {}))
    """
    if not isinstance(answer, dict):
        return answer, {}
    return answer.get("label"), {name: told for name, told in answer.items() if name != "label"}


def model_answer(said: Json, known: Mapping[str, Any]) -> Json:
    """Put a model's answer together again from its two parts.

    >>> model_answer(*said_and_known({"votes": {"ann": "yes"}})), model_answer("dog", {}), model_answer(None, {})
    ({'votes': {'ann': 'yes'}}, 'dog', None)
    """
    if not known:
        return said
    return dict(known) if said is None else {"label": said, **known}


def number_in(text: str) -> float:
    """Return the number that a text is, an infinite one if it is none; whole numbers of any length are exact."""
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
    """Return what a reader takes a label for: "1.0" and "true" for 1, "Yes." for yes, "not-spam" for not spam.

    >>> reading("1.0") == reading("1"), reading("Yes.") == reading("yes"), reading("A-") == reading("A")
    (True, True, False)
    """
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", label) if unicodedata.category(letter) != "Cf")
    words = " ".join(_JOINT.sub(" ", seen.casefold()).split())
    folded = words.strip(".\"'`‘’“” ") or words
    size = {"false": 0, "true": 1}.get(folded, number_in(label))
    return size if size < math.inf else folded


def differ_in_spelling(one: Json, other: Json) -> bool:
    """Return whether two labels are two labels to the computer and one to a reader.

    >>> differ_in_spelling("Repaid", "repaid"), differ_in_spelling("1", "1.0"), differ_in_spelling("repaid", "lost")
    (True, True, False)
    """
    texts = label_text(one), label_text(other)
    return texts[0] != texts[1] and reading(texts[0]) == reading(texts[1])
