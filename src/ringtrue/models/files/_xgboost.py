"""XGBoost's own files, `.ubj` and `.json`: the objective tells whether numbers are probabilities, labels or outputs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken


class _Booster:
    def __init__(self, booster: Any) -> None:
        import xgboost

        learner = json.loads(booster.save_config())["learner"]
        self._booster, self._objective = booster, str(learner["objective"]["name"])
        if "c" in (booster.feature_types or ()):
            raise InvalidInput("takes categories, whose codes are not in the file: export it with numbers as inputs")
        self._several = int(learner["learner_model_param"]["num_class"])
        width, names = booster.num_features(), booster.feature_names
        is_classifier = self._objective.startswith("multi:") or self._objective in ("binary:logistic", "binary:hinge")
        self.about = About(
            library=f"xgboost {xgboost.__version__}",
            inputs=[Taken("table", "float32", (None, width))],
            features=names,
            classes=list(range(max(self._several, 2))) if is_classifier else None,
            gives="labels" if is_classifier else "vectors",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return labels with probabilities where the objective has them, else outputs."""
        import xgboost

        table = xgboost.DMatrix(np.asarray(inputs[0]), feature_names=self.about.features, nthread=1)
        found = np.asarray(self._booster.predict(table))
        if self.about.gives == "vectors":
            return Said(table=found)
        if self._objective == "binary:logistic":
            found = np.stack([1 - found, found], axis=1)
        if found.ndim == 2:
            return Said(table=found)
        return Said(labels=found.astype(np.int64).tolist())  # multi:softmax and binary:hinge say the class alone


def load(opening: Opening) -> _Booster:
    """Open a file of XGBoost."""
    import xgboost

    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(opening.path)
    return _Booster(booster)
