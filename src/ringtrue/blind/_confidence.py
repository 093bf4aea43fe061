"""How sure the model is of its answers: from its probabilities, or from a column beside the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._scope import label_code, label_codes
from ringtrue.blind.measures import tempered
from ringtrue.core import Batch, InvalidInput, Labels, Vectors

_SLACK = 1e-6
"""Probabilities in single precision may stand this far outside [0, 1]."""


def confidences(
    batch: Batch, answers: Labels | Vectors | None, *, score: str | None, temperature: float
) -> NDArray[np.float64]:
    """The model's probability of its own answer, of each item.

    >>> said = Labels(["cat", "dog"], np.array([[0.9, 0.1], [0.2, 0.8]]), ["cat", "dog"])
    >>> confidences(Batch(["a", "b"], {}), said, score=None, temperature=2.0).round(2).tolist()
    [0.75, 0.67]
    """
    codes = label_codes(answers)
    if score is not None:
        return _column(batch, score)
    assert isinstance(answers, Labels)
    if answers.probabilities is None:
        raise InvalidInput(
            "the model gives labels without probabilities: name a column of confidences with score=…, or return "
            "(labels, probabilities, classes)"
        )
    table = answers.probabilities
    softened = table if temperature == 1.0 else tempered(table, temperature)
    column = {label_code(name): place for place, name in enumerate(answers.classes)}
    places = np.array([column.get(int(code), -1) for code in codes], dtype=np.int64)
    if np.any(places < 0):
        item = batch.ids[int(np.argmax(places < 0))]
        raise InvalidInput(
            f"item {item!r}: the model's label is none of its classes: give a probability for each label"
        )
    return np.clip(softened[np.arange(len(codes)), places], 0.0, 1.0)


def _column(batch: Batch, name: str) -> NDArray[np.float64]:
    if name not in batch.columns:
        raise InvalidInput(f"score={name!r} is no column of the pool: name one of {', '.join(batch.columns)}")
    cells: list[Any] = batch.columns[name].tolist()
    try:
        values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    except (TypeError, ValueError):
        raise InvalidInput(f"score={name!r} holds no numbers: name a column of confidences in [0, 1]") from None
    wrong = ~((values >= -_SLACK) & (values <= 1 + _SLACK))
    if wrong.any():
        row = int(np.argmax(wrong))
        has = "no confidence" if np.isnan(values[row]) else f"the confidence {values[row]:g}"
        raise InvalidInput(f"score={name!r}: item {batch.ids[row]!r} has {has}: give one in [0, 1]")
    return np.asarray(np.clip(values, 0.0, 1.0))
