"""One door to every model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import InvalidInput, Model
from ringtrue.models._column import ColumnModel
from ringtrue.models._estimator import EstimatorModel
from ringtrue.models._function import FunctionModel


def as_model(model: Any, *, features: Sequence[str] | None = None) -> Model:
    """A model of a column's name, an object with `predict`, or a function of rows; a model stays as it is.

    `features` are the columns that the model is shown.

    >>> as_model("predicted").name
    'column predicted'
    """
    if isinstance(model, type):
        raise InvalidInput(f"model={model.__name__} is a class: give an instance, as in {model.__name__}()")
    if isinstance(model, str | Model):
        if features is not None:
            raise InvalidInput(f"features={list(features)!r} cannot be chosen for this model: leave them out")
        return ColumnModel(model) if isinstance(model, str) else model
    if hasattr(model, "predict"):
        return EstimatorModel(model, features=features)
    if callable(model):
        return FunctionModel(model, features=features)
    raise InvalidInput(
        f"model={type(model).__name__} is no model: give a column's name, an object with predict, "
        "or a function of a list of rows"
    )
