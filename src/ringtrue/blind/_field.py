"""From the scores of a pool to what a search sees of its scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._scope import scope_of
from ringtrue.blind.expectation import Residual, adversarial_distance
from ringtrue.blind.searches import Field
from ringtrue.blind.signals import standardised

TRAITS = ("brightness", "contrast", "edges")
"""What of an image sways its distance although it says nothing of an error."""


def field_of(scores: Mapping[str, NDArray[Any]], seed: int, *, adjusted: bool = False) -> Field:
    """Return the items in scope: their confidence, their place among the others, and what makes an error likelier.

    With `adjusted`, a search by distance goes by the one that the looks of an image do not explain. As one of several
    signals the plain one is better: on nine tasks its search found a little more (`casestudies/confident_errors`).
    """
    rows = scope_of(scores)
    confidence = scores["confidence"][rows].astype(np.float64)
    signals = {
        name: standardised(scores[name][rows].astype(np.float64), confidence)
        for name in ("neighbours", "nearness")
        if name in scores
    }
    if "steadiness" in scores:
        signals["variations"] = standardised(-scores["steadiness"][rows], confidence)
    residual = residual_of(scores)
    if residual is not None:
        signals["distance"] = standardised(-residual.values, confidence)
    if adjusted:
        residual = residual_of(scores, adjusted=True)
    features = scores["space"][rows] if "space" in scores else np.zeros((len(rows), 0))
    return Field(confidence, features, signals, None if residual is None else residual.values, seed)


def residual_of(scores: Mapping[str, NDArray[Any]], *, adjusted: bool = False) -> Residual | None:
    """Return the adversarial distance of the items in scope; none where no distance was measured, or no answer ever
    changed.

    `adjusted` takes out what brightness, contrast and edges explain, and divides by the local spread.
    """
    if "distance" not in scores:
        return None
    rows = scope_of(scores)
    distance = scores["distance"][rows].astype(np.float64)
    changed = np.isfinite(distance)
    if not changed.any():
        return None
    traits = np.stack([scores[name][rows] for name in TRAITS], axis=1) if adjusted and TRAITS[0] in scores else None
    # A distance of nothing at all has no logarithm: it is nearer than any other.
    smallest = distance[changed & (distance > 0)].min(initial=1.0)
    return adversarial_distance(
        np.where(changed, np.maximum(distance, smallest), 1.0),
        scores["confidence"][rows],
        changed=changed,
        traits=traits,
        scaled=adjusted,
    )
