"""A model with a predict method, as scikit-learn has them, and the table that it is asked about."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors, check_listed
from ringtrue.models._answers import checked_labels, checked_vectors, column_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EstimatorModel(Model):
    """An estimator that answers an array of the shape (items, features), or a dataframe if it was fitted on one.

    `features` are the columns of the pool in the order of the estimator's inputs; without them the names with
    which the estimator was fitted are used. With probabilities if it has `predict_proba`. An estimator that says
    of itself that it is a regressor, or has no classes and answers in floats, gives vectors.
    """

    def __init__(self, estimator: Any, *, features: Sequence[str] | None = None) -> None:
        self.estimator, self.name = estimator, type(estimator).__name__
        classes = getattr(estimator, "classes_", None)
        self.classes = None if classes is None else list(np.asarray(classes, dtype=object).tolist())
        fitted = getattr(estimator, "feature_names_in_", None)
        self._fitted = None if fitted is None else [str(name) for name in fitted]
        check_listed("features", features)
        if features is None and self._fitted is None:
            raise InvalidInput(
                f"the model {self.name} does not name its inputs: give features=[...], in the order of fitting"
            )
        self.features: list[str] = list(features if features is not None else self._fitted or ())
        if self._fitted is not None:
            self._align()

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the estimator predicts of these items."""
        columns = [column_of(self.name, batch, feature) for feature in self.features]
        table = _inputs(columns, names=self._fitted)
        predicted = self.estimator.predict(table)
        if self._is_regressor(predicted):
            return checked_vectors(self.name, batch, predicted)
        if self.classes is None or not hasattr(self.estimator, "predict_proba"):
            return checked_labels(self.name, batch, predicted)
        return checked_labels(
            self.name,
            batch,
            predicted,
            probabilities=self.estimator.predict_proba(table),
            classes=self.classes,
        )

    def _is_regressor(self, predicted: NDArray[Any]) -> bool:
        if hasattr(self.estimator, "classes_"):
            return False
        if "sklearn" in sys.modules and hasattr(self.estimator, "__sklearn_tags__"):
            from sklearn.base import is_regressor

            return bool(is_regressor(self.estimator)) or np.asarray(predicted).dtype.kind == "f"
        return getattr(predicted, "dtype", np.dtype(object)).kind == "f"

    def _align(self) -> None:
        """Bring the features into the order of fitting; other names than those of fitting go by their place."""
        fitted = self._fitted or []
        if len(self.features) != len(fitted):
            raise InvalidInput(
                f"features has {len(self.features)} names, the model {self.name} was fitted with {len(fitted)}: "
                f"give one column each for {', '.join(fitted)}"
            )
        if set(self.features) == set(fitted):
            self.features = fitted


def _inputs(columns: Sequence[NDArray[Any]], *, names: Sequence[str] | None) -> Any:
    """Return the columns side by side; with names, a dataframe, since an estimator fitted on one may pick by name.

    Without pandas and polars the array has to do.
    """
    if names is not None:
        for library in ("pandas", "polars"):
            try:
                frames = importlib.import_module(library)
            except ImportError:
                continue
            return frames.DataFrame(dict(zip(names, map(np.asarray, columns), strict=True)))
    return np.column_stack([_column(values) for values in columns])


def _column(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as floats, where None is NaN; text as objects."""
    if values.dtype.kind in "biuf":
        return values
    cells = values.tolist()
    if all(cell is None or isinstance(cell, int | float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return values
