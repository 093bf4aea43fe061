"""What the scores of a whole pool say together: the scope of the hunt, neighbours, groups and bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._scope import bins_of, counted, label_code
from ringtrue.blind.groups import clusters
from ringtrue.blind.signals import neighbour_scores, principal
from ringtrue.core import InvalidInput, percent

_NEIGHBOUR_DIMS = 30
_SEARCH_DIMS = 15
"""Dimensions in which neighbours are found, and in which the search learns: more of them were no better."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """Which items are hunted in, and in how many slices they fall."""

    critical: str | None
    threshold: float
    slices: int
    seed: int

    def of(self, scores: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The scores with all that can be known of the items without an answer; features give way to their space."""
        made = {name: values for name, values in scores.items() if name != "features"}
        inside = self._inside(scores)
        size, rows = len(inside), np.flatnonzero(inside)
        made["scope"] = np.where(inside, len(rows), 0)
        made |= _spread(size, rows, "bin", bins_of(scores["confidence"][rows]))
        for place in range(self.slices):
            made[f"slice_items {place}"] = np.zeros(size, dtype=np.int64)
            made[f"slice_items {place}"][rows] = counted(scores[f"slice {place}"][rows])
        codes = np.zeros(len(rows), dtype=np.int64)
        if "features" in scores:
            space = principal(scores["features"].astype(np.float64), dims=_NEIGHBOUR_DIMS)
            if space.shape[1]:
                near = neighbour_scores(space, scores["label"], rows, seed=self.seed)
                for name, values in (("neighbours", near.disagreement), ("nearness", near.nearness)):
                    made[name] = np.full(size, np.nan)
                    made[name][rows] = values
                made["start"] = np.full(size, -1, dtype=np.int64)
                made["start"][rows] = near.nearest_other
                made["space"] = space[:, :_SEARCH_DIMS]
                codes = clusters(made["space"][rows], seed=self.seed)
        made |= _spread(size, rows, "cluster", codes)
        made["clusters"] = np.full(size, codes.max() + 1)
        return made

    def _inside(self, scores: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        said = np.ones(len(scores["label"]), dtype=bool)
        if self.critical is not None:
            said = scores["label"] == label_code(self.critical)
            if not said.any():
                raise InvalidInput(
                    f"critical={self.critical!r}: the model gives this answer to none of the {len(said):,} items: "
                    "name a class that it gives"
                )
        inside = said & (scores["confidence"] > self.threshold)
        if not inside.any():
            most = float(scores["confidence"][said].max())
            raise InvalidInput(
                f"threshold={self.threshold!r}: none of {int(said.sum()):,} answers is above it, the most confident "
                f"has {percent(most)}: lower it"
            )
        return np.asarray(inside)


def _spread(size: int, rows: NDArray[np.int64], name: str, codes: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Codes of the items in scope as scores of the whole pool, and how many items have each code."""
    made = {name: np.full(size, -1, dtype=np.int64), f"{name}_items": np.zeros(size, dtype=np.int64)}
    made[name][rows] = codes
    made[f"{name}_items"][rows] = counted(codes)
    return made
