"""Estimators in files of skops, which names every type in them: only what skops or the user trusts is loaded."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken
from ringtrue.models.files._table import entries


class _Estimator:
    def __init__(self, estimator: Any) -> None:
        from sklearn.base import is_classifier

        self._estimator = estimator
        named = getattr(estimator, "feature_names_in_", None)
        features = None if named is None else [str(name) for name in named]
        width = getattr(estimator, "n_features_in_", None)
        classes = getattr(estimator, "classes_", None)
        if isinstance(classes, list) or (classes is not None and np.ndim(classes) > 1):
            raise InvalidInput("gives several labels per item: export an estimator that gives one")
        labels = classes is not None or is_classifier(estimator)
        matrix = [Taken("table", "float64", (None, None if width is None else int(width)))]
        self._is_sure = classes is not None and hasattr(estimator, "predict_proba")
        versions = [f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "skops")]
        self.about = About(
            library=", ".join(versions),
            inputs=matrix if features is None else [Taken(name, "any", (None,)) for name in features],
            features=features,
            classes=None if classes is None else np.asarray(classes, dtype=object).tolist(),
            gives="labels" if labels else "vectors",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return labels with probabilities where the estimator has them, or outputs."""
        table: Any = np.asarray(inputs[0]) if self.about.features is None else _frame(self.about.features, inputs)
        if self.about.gives == "vectors":
            return Said(table=np.asarray(self._estimator.predict(table), dtype=np.float64))
        probabilities = np.asarray(self._estimator.predict_proba(table)) if self._is_sure else None
        return Said(labels=np.asarray(self._estimator.predict(table)).tolist(), table=probabilities)


def _frame(names: Sequence[str], inputs: Sequence[Cells]) -> Any:
    """Return the columns as a dataframe, since the estimator was fitted on one; without pandas or polars, an array."""
    columns = [np.asarray(cells, dtype=object) if isinstance(cells, list) else cells for cells in inputs]
    for library in ("pandas", "polars"):
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        return frames.DataFrame(dict(zip(names, columns, strict=True)))
    return np.column_stack(columns)


def load(opening: Opening) -> _Estimator:
    """Open a file of skops if all its types are trusted."""
    import skops.io

    entries(Path(opening.path))
    strange = [name for name in skops.io.get_untrusted_types(file=opening.path) if name not in opening.trusted]
    if strange:
        raise InvalidInput(
            f"holds the types {', '.join(strange)}, which skops does not trust: if you know where the file comes from, "
            f"give {' '.join(f'--trust-type {name}' for name in strange)}, in Python trusted={strange!r}"
        )
    estimator = skops.io.load(opening.path, trusted=list(opening.trusted))
    if not hasattr(estimator, "predict"):
        raise InvalidInput(f"holds a {type(estimator).__name__}, which cannot predict: save the estimator itself")
    return _Estimator(estimator)
