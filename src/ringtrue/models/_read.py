"""One door to every model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors
from ringtrue.models._estimator import EstimatorModel
from ringtrue.models._function import FunctionModel
from ringtrue.models._http import HttpModel
from ringtrue.models._post import is_address
from ringtrue.models._stored import ColumnModel


class GivenModel(Model):
    """A model of the user's own, with a name and `answer`; what else it says of itself is believed."""

    def __init__(self, model: Any) -> None:
        self.model, self.name = model, model.name
        for about in ("stored_in", "classes", "features", "deterministic", "remote"):
            if hasattr(model, about):
                setattr(self, about, getattr(model, about))

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the model answers."""
        answers: Labels | Vectors = self.model.answer(batch)
        return answers


def as_model(model: Any, *, features: Sequence[str] | None = None, empty: str | None = None) -> Model:
    """Return the model of a column's name, an address, an object with `predict` or a function of rows, or itself.

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
        f"model={type(model).__name__} is not a model: give a column's name, an address, an object with predict, "
        "or a function of a list of rows"
    )
