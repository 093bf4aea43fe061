"""Models in this process: an object with a predict method, a function of rows, or one of an array."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors, check_listed
from ringtrue.models._answers import checked_labels, checked_vectors, column_of, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Function = Callable[[list[dict[str, Any]]], Any]


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
        named = getattr(estimator, "feature_names_in_", None)
        self._fitted = None if named is None else [str(name) for name in named]
        check_listed("features", features)
        if features is None and self._fitted is None:
            raise InvalidInput(
                f"the model {self.name} does not name its inputs: give features=[...], in the order of fitting"
            )
        self.features: list[str] = list(features if features is not None else self._fitted or ())
        fitted = self._fitted or self.features
        if len(self.features) != len(fitted):
            raise InvalidInput(
                f"features has {len(self.features)} names, the model {self.name} was fitted with {len(fitted)}: "
                f"give one column each for {', '.join(fitted)}"
            )
        if set(self.features) == set(fitted):  # other names than those of fitting go by their place
            self.features = list(fitted)

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the estimator predicts of these items."""
        columns = [column_of(self.name, batch, feature) for feature in self.features]
        table = _inputs(columns, names=self._fitted)
        predicted = self.estimator.predict(table)
        if self._is_regressor(predicted):
            return checked_vectors(self.name, batch, predicted)
        sure = self.classes is not None and hasattr(self.estimator, "predict_proba")
        probabilities = self.estimator.predict_proba(table) if sure else None
        return checked_labels(self.name, batch, predicted, probabilities=probabilities, classes=self.classes or ())

    def _is_regressor(self, predicted: NDArray[Any]) -> bool:
        if hasattr(self.estimator, "classes_"):
            return False
        if "sklearn" in sys.modules and hasattr(self.estimator, "__sklearn_tags__"):
            from sklearn.base import is_regressor

            return bool(is_regressor(self.estimator)) or np.asarray(predicted).dtype.kind == "f"
        return getattr(predicted, "dtype", np.dtype(object)).kind == "f"


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
    return np.column_stack([_numbers(values) for values in columns])


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as floats, where None is NaN; text as objects."""
    if values.dtype.kind in "biuf":
        return values
    cells = values.tolist()
    if all(cell is None or isinstance(cell, int | float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return values


class FunctionModel(Model):
    """A function that gets a list of dicts, one per item, and answers them in their order.

    It returns labels, or a tuple (labels, probabilities, classes) with probabilities of the shape (items,
    classes), or a table of floats of the shape (items, outputs) if it is a regressor. `features` restricts what
    it sees of an item. `empty` names the answer that None, NaN or blank text is; without it, they are errors.

    >>> model = FunctionModel(lambda rows: ["big" if row["x"] > 1 else "small" for row in rows], name="threshold")
    >>> model.answer(Batch(["a", "b"], {"x": np.array([0.5, 2.0])})).labels
    ['small', 'big']
    """

    def __init__(
        self,
        function: Function,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        empty: str | None = None,
    ) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of a list of rows")
        check_listed("features", features)
        self.function = function
        self.features = None if features is None else list(features)
        self.empty = empty
        self.name = name or _name(function)

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the function says of these items."""
        names = list(batch.columns) if self.features is None else self.features
        columns = [column_of(self.name, batch, name).tolist() for name in names]
        said = self.function([dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)])
        if isinstance(said, Vectors):
            return checked_vectors(self.name, batch, said.array)
        if _is_table(said) and not _is_triple(said):
            return checked_vectors(self.name, batch, said)
        return _labels(self.name, batch, said, empty=self.empty)


class ArrayModel(Model):
    """A function that gets the cells of one column as one array, an item a row, and answers them in their order.

    It returns labels, or a tuple (labels, probabilities, classes) with probabilities of the shape (items, classes).
    A call holds at most `most` items, so that a network never has to hold more.

    >>> model = ArrayModel(lambda images: ["light" if x.mean() > 0.5 else "dark" for x in images], "image")
    >>> model.answer(Batch(["a", "b"], {"image": np.array([[[0.0]], [[1.0]]])})).labels
    ['dark', 'light']
    """

    def __init__(
        self, function: Callable[[NDArray[Any]], Any], column: str, *, name: str | None = None, most: int = 4096
    ) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of an array")
        if not isinstance(column, str) or not column:
            raise InvalidInput(f"column={column!r} names no column: name the one that holds the arrays")
        self.function, self.column, self.most = function, column, most
        self.name = name or _name(function)

    def answer(self, batch: Batch) -> Labels:
        """Return what the function says of these items."""
        column = column_of(self.name, batch, self.column)
        if column.dtype == object:
            shapes = {np.shape(cell) for cell in column}
            if len(shapes) > 1:
                raise InvalidInput(
                    f"column {self.column!r} holds arrays of {len(shapes)} shapes, such as "
                    f"{sorted(shapes)[0]} and {sorted(shapes)[1]}: bring all to one size"
                )
            column = np.stack([np.asarray(cell) for cell in column])
        starts = range(0, len(column), self.most)
        calls = [(batch.ids[start : start + self.most], column[start : start + self.most]) for start in starts]
        parts = [_labels(self.name, Batch(ids, {}), self.function(cells)) for ids, cells in calls]
        labels = [label for part in parts for label in part.labels]
        tables = [part.probabilities for part in parts if part.probabilities is not None]
        if len(parts) == 1 or len(tables) < len(parts):
            return parts[0] if len(parts) == 1 else Labels(labels)
        return Labels(labels, np.concatenate(tables), parts[0].classes)


def _labels(model: str, batch: Batch, said: Any, *, empty: str | None = None) -> Labels:
    """Return the labels that a function gave: Labels, a tuple (labels, probabilities, classes), or labels alone."""
    if isinstance(said, Labels):
        labels, probabilities, classes = said.labels, said.probabilities, said.classes
    elif _is_triple(said):
        labels, probabilities, classes = said[0], said[1], listed(model, said[2])
    else:
        labels, probabilities, classes = said, None, ()
    return checked_labels(model, batch, labels, probabilities=probabilities, classes=classes, empty=empty)


def _is_triple(said: Any) -> bool:
    """Return whether probabilities came along. Three labels are a tuple of three too: the table in the middle tells."""
    return isinstance(said, tuple) and len(said) == 3 and _is_table(said[1])


def _is_table(value: Any) -> bool:
    """Return whether a value is an array of two dimensions or more, or a list of lists."""
    if hasattr(value, "ndim"):
        return bool(value.ndim >= 2)
    return isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], list | tuple | np.ndarray)


def _name(function: Any) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    return "function" if name == "<lambda>" else name
