"""One door to every model, and the models whose answers are stored beside the items."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Labels, Model, Vectors, check_listed, is_missing, label_text
from ringtrue.models._answers import checked_labels, column_of, named
from ringtrue.models._http import HttpModel
from ringtrue.models._local import EstimatorModel, FunctionModel
from ringtrue.models._post import is_address
from ringtrue.models.files._model import FileModel
from ringtrue.models.files._table import is_model_file


class ColumnModel(Model):
    """Stored predictions: the labels in one column and, if there are any, a column of probabilities per class.

    `empty` names the answer that a missing prediction is; without it, one is an error.

    >>> batch = Batch(["a", "b"], {"predicted": np.array(["cat", "dog"], dtype=object)})
    >>> ColumnModel("predicted").answer(batch).labels
    ['cat', 'dog']
    """

    deterministic = True
    """What is stored is the same however often it is asked for."""

    def __init__(
        self, column: str, *, probabilities: Mapping[Any, str] | None = None, empty: str | None = None
    ) -> None:
        if not column:
            raise InvalidInput(
                Argument("model", column), " names no column: give the column that holds the predictions"
            )
        self.name = f"column {column}"
        self.column = column
        self.probabilities = dict(probabilities or {})
        self.empty = empty
        self.stored_in = (column, *self.probabilities.values())
        self.classes = list(self.probabilities) or None

    def answer(self, batch: Batch) -> Labels:
        """Return the labels stored with these items."""
        labels = named(column_of(self.name, batch, self.column).tolist(), self.empty)
        for item, label in zip(batch.ids, labels, strict=True):
            if is_missing(label):
                raise InvalidInput(
                    f"item {item!r} has no prediction in column {self.column!r}: fill it in, or remove the item"
                )
        if not self.probabilities:
            return Labels(labels)
        table = np.empty((len(batch), len(self.probabilities)), dtype=object)
        for place, column in enumerate(self.probabilities.values()):
            table[:, place] = column_of(self.name, batch, column)
        return checked_labels(self.name, batch, labels, probabilities=table, classes=list(self.probabilities))


class PanelModel(Model):
    """Stored votes, a column per judge. Each item is answered with all its votes; an empty cell is an abstention.

    With `labels`, a vote for anything else is refused.

    >>> import numpy as np
    >>> batch = Batch(["a"], {"ann": np.array(["yes"]), "bob": np.array([None], dtype=object)})
    >>> PanelModel(["ann", "bob"]).answer(batch).labels
    [{'votes': {'ann': 'yes', 'bob': None}}]
    """

    def __init__(self, columns: Sequence[str], *, labels: Sequence[Any] | None = None) -> None:
        check_listed("columns", columns)
        if not columns or len(set(columns)) < len(columns):
            raise InvalidInput(f"columns={list(columns)!r} must name at least one judge, each once")
        self.name = f"panel {', '.join(columns)}"
        self.columns = self.stored_in = tuple(columns)
        self.labels = self.classes = None if labels is None else tuple(label_text(label) for label in labels)

    def answer(self, batch: Batch) -> Labels:
        """Return the votes on each item, by judge, as text; None where a judge abstained."""
        votes: list[dict[str, str | None]] = [{} for _ in batch.ids]
        for column in self.columns:
            for item, own, cell in zip(batch.ids, votes, column_of(self.name, batch, column).tolist(), strict=True):
                vote = own[column] = None if is_missing(cell) else label_text(cell)
                if self.labels is not None and vote is not None and vote not in self.labels:
                    raise InvalidInput(
                        f"item {item!r} has the vote {vote!r} in column {column!r}, which is none of "
                        f"{', '.join(self.labels)}: mend it, or name the label"
                    )
        return Labels([{"votes": own} for own in votes])


class GivenModel(Model):
    """A model of the user's own, with a name and `answer`; what else it says of itself is believed."""

    def __init__(self, model: Any) -> None:
        self.model, self.name = model, model.name
        for about in ("stored_in", "classes", "features", "deterministic", "remote", "versions"):
            if hasattr(model, about):
                setattr(self, about, getattr(model, about))

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the model answers."""
        answers: Labels | Vectors = self.model.answer(batch)
        return answers


def as_model(model: Any, *, features: Sequence[str] | None = None, empty: str | None = None) -> Model:
    """Return the model of a column, a file, an address, an object with `predict` or a function of rows, or itself.

    `features` are the columns that the model is shown. `empty` names the answer that a missing one is, from a column,
    an address or a function; without it, a missing answer is an error.

    >>> as_model("predicted").name
    'column predicted'
    >>> as_model("https://models.example/v1/models/mood:predict").name
    'url models.example/v1/models/mood:predict'
    """
    if isinstance(model, type):
        raise InvalidInput(f"model={model.__name__} is a class: give an instance, as in {model.__name__}()")
    if isinstance(model, str) and is_address(model):
        return HttpModel(model, features=features, empty=empty)
    if isinstance(model, os.PathLike) or (isinstance(model, str) and is_model_file(model)):
        return FileModel(model, features=features)
    answers_itself = hasattr(model, "answer") and hasattr(model, "name")
    if isinstance(model, str) or answers_itself:
        if features is not None:
            raise InvalidInput(f"features={list(features)!r} cannot be chosen for this model: leave them out")
        if isinstance(model, str):
            return ColumnModel(model, empty=empty)
        return model if isinstance(model, Model) else GivenModel(model)
    if hasattr(model, "predict"):
        return EstimatorModel(model, features=features)
    if callable(model):
        return FunctionModel(model, features=features, empty=empty)
    raise InvalidInput(
        f"model={type(model).__name__} is not a model: give a column's name, a file, an address, an object with "
        "predict, or a function of a list of rows"
    )
