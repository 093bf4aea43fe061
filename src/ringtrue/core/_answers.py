"""What a model says about a batch: labels with optional probabilities, or a vector per item."""

from __future__ import annotations

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
        """One JSON value per item: the label, or the label with its probabilities."""
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
        """One JSON value per item: the list of its outputs."""
        return [plain(row) for row in self.array.tolist()]


def same_label(one: Json, other: Json) -> bool:
    """Whether two recorded answers give the same label.

    >>> same_label({"label": 1, "probabilities": {"1": 0.9}}, "1"), same_label("cat", "dog")
    (True, False)
    """
    return label_text(label_of(one)) == label_text(label_of(other))


def label_of(value: Json) -> Json:
    """The label in a recorded answer, with or without probabilities.

    >>> label_of({"label": "cat", "probabilities": {"cat": 0.9, "dog": 0.1}}), label_of("dog")
    ('cat', 'dog')
    """
    return value["label"] if isinstance(value, dict) and "label" in value else value


def said_and_known(answer: Json) -> tuple[Json, dict[str, Any]]:
    """Part a model's answer into its label or outputs, and what it told beside them; votes are no label.

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
