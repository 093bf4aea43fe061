"""LightGBM's own files, text that begins with `tree`: the objective tells probabilities from outputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ringtrue.models.files._loaded import About, Cells, Opening, Said, Taken

_UNNAMED = re.compile(r"Column_\d+")


class _Booster:
    def __init__(self, booster: Any, objective: str) -> None:
        import lightgbm

        self._booster = booster
        classes = booster.num_model_per_iteration()
        self._is_binary = objective in ("binary", "cross_entropy") and classes == 1
        is_classifier = self._is_binary or objective in ("multiclass", "multiclassova")
        names = booster.feature_name()
        self.about = About(
            library=f"lightgbm {lightgbm.__version__}",
            inputs=[Taken("table", "float64", (None, booster.num_feature()))],
            features=None if all(map(_UNNAMED.fullmatch, names)) else names,
            classes=list(range(max(classes, 2))) if is_classifier else None,
            gives="labels" if is_classifier else "vectors",
        )

    def answer(self, inputs: Sequence[Cells]) -> Said:
        """Return labels with probabilities from a classifier, else outputs."""
        found = np.asarray(self._booster.predict(np.asarray(inputs[0]), num_threads=1))
        if self.about.gives == "vectors":
            return Said(table=found)
        if self._is_binary:
            found = np.stack([1 - found, found], axis=1)
        return Said(table=found)


def load(opening: Opening) -> _Booster:
    """Open a file of LightGBM."""
    import lightgbm

    booster = lightgbm.Booster(model_file=opening.path, params={"verbosity": -1})
    with Path(opening.path).open(encoding="utf-8", errors="replace") as file:
        lines = (line.partition("=")[2].split() for line in file if line.startswith("objective="))
        objective = next(lines, [""])
    return _Booster(booster, objective[0] if objective else "")
