"""What goes into a model and what comes out: columns that are there, and answers that can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, Vectors, count, is_missing, meant

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLACK = 1e-6  # probabilities in single precision may stand this far outside [0, 1]


def column_of(model: str, batch: Batch, column: str) -> NDArray[Any]:
    """Return the cells of a column; an absent one is an error that lists those there are."""
    if column in batch.columns:
        return batch.columns[column]
    names = list(batch.columns)
    raise InvalidInput(
        f"the model {model} needs the column {column!r}, which is not in the pool{meant(column, names)} columns: "
        f"{', '.join(names)}"
    )


def checked_labels(
    model: str,
    batch: Batch,
    labels: Any,
    *,
    probabilities: Any = None,
    classes: Sequence[Any] = (),
    empty: str | None = None,
) -> Labels:
    """Return one label per item, none missing, with probabilities of the right shape; else an error with its remedy.

    Parameters
    ----------
    model
        The name of the model, for errors.
    batch
        The items that were asked about.
    labels
        What the model returned.
    probabilities
        The probabilities that it returned, one row per item and one column per class.
    classes
        The classes of those columns.
    empty
        The name of the answer that a missing label is; without it, a missing label is an error.
    """
    names = named(listed(model, labels), empty)
    check_length(model, len(names), len(batch))
    for item, label in () if _all_sound(names) else zip(batch.ids, names, strict=True):
        if isinstance(label, list | tuple | dict):
            raise InvalidInput(f"the model {model} gave item {item!r} several labels {label!r}: return one per item")
        if is_missing(label):
            raise InvalidInput(f"the model {model} gave item {item!r} no label ({label!r}): return one per item")
    if probabilities is None:
        return Labels(names)
    table = as_floats(model, "probabilities", probabilities)
    expected = (len(batch), len(classes))
    if table.shape != expected:
        raise InvalidInput(
            f"the model {model} returned probabilities of the shape {table.shape}, expected {expected}: "
            "give one row per item and one column per class"
        )
    _check_numbers(model, batch, table, low=-SLACK, high=1 + SLACK, rule="probabilities must lie in [0, 1]")
    return Labels(names, table, list(classes))


def _all_sound(names: list[Any]) -> bool:
    """Return whether every label is one, by looking at each of the different ones once: there are few of them."""
    try:
        return not any(isinstance(label, tuple) or is_missing(label) for label in set(names))
    except TypeError:  # a list among them
        return False


def checked_vectors(model: str, batch: Batch, values: Any) -> Vectors:
    """Return one row of finite numbers per item; a flat answer has one output per item."""
    table = as_floats(model, "outputs", values)
    if table.ndim == 1:
        table = table.reshape(-1, 1)
    if table.ndim != 2:
        raise InvalidInput(
            f"the model {model} returned outputs of the shape {table.shape}: return (items, outputs), flattened"
        )
    check_length(model, len(table), len(batch))
    _check_numbers(model, batch, table, low=-np.inf, high=np.inf, rule="outputs must be finite numbers")
    return Vectors(table)


def as_floats(model: str, what: str, values: Any) -> NDArray[np.float64]:
    """Return the values as an array of floats; ragged or textual ones are an error."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # the last at a whole number of 400 digits
        raise InvalidInput(
            f"the model {model} returned {what} that are not a table of numbers: give each item as many numbers"
        ) from None


def listed(model: str, labels: Any) -> list[Any]:
    """Return the labels as a list of Python's values."""
    if hasattr(labels, "tolist"):
        labels = labels.tolist()
    if isinstance(labels, str | bytes) or not isinstance(labels, Sequence):
        raise InvalidInput(
            f"the model {model} returned {type(labels).__name__} in place of answers: return a list, one per item"
        )
    if any(issubclass(kind, np.generic) for kind in set(map(type, labels))):
        return [label.item() if isinstance(label, np.generic) else label for label in labels]
    return list(labels)


def named(labels: list[Any], empty: str | None) -> list[Any]:
    """Return the labels with a name for those that are missing, if there is one.

    >>> named(["cat", None, ""], "(empty)"), named(["cat", None], None)
    (['cat', '(empty)', '(empty)'], ['cat', None])
    """
    if empty is None:
        return labels
    return [empty if not isinstance(label, list | tuple | dict) and is_missing(label) else label for label in labels]


def check_length(model: str, answers: int, items: int) -> None:
    """Refuse more or fewer answers than items, which would be paired wrongly."""
    if answers != items:
        raise InvalidInput(
            f"the model {model} returned {count(answers, 'answer')} for {count(items, 'item')}: return one per item, "
            "in their order"
        )


def _check_numbers(model: str, batch: Batch, table: NDArray[np.float64], *, low: float, high: float, rule: str) -> None:
    wrong = ~np.isfinite(table) | (table < low) | (table > high)
    if wrong.any():
        row, place = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"the model {model} returned {table[row, place]:g} for item {batch.ids[row]!r}: {rule}, mend the model"
        )
