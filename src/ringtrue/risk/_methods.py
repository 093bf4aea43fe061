"""The ways to choose what to label and to use it, each with intervals that hold while you watch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SIMPLE, MAP = "simple-random", "map"
"""Even draws, which go by nothing, and picks for a better map: each stands by itself."""


@dataclass(frozen=True, slots=True)
class Method:
    """How items are drawn, and whether what the answers teach is taken out of the noise.

    `draws` is "even", "fixed" (half even, half by the doubt as it was before any label) or "optimised" (as makes the
    bound move fastest, learnt anew as answers come). With `predicts`, a stratum's learnt rate is predicted for each of
    its items and only what it misses is noise: the difference estimator, known as prediction-powered inference.
    """

    draws: Literal["even", "fixed", "optimised"]
    predicts: bool
    says: str


METHODS: Mapping[str, Method] = {
    "stratified": Method("optimised", True, "strata by doubt, drawn as makes the bound move fastest"),
    "importance": Method("fixed", False, "doubtful items drawn more often, and weighted"),
    "prediction-powered": Method("even", True, "even draws, less what was predicted"),
}
"""Methods that go by doubt. A new one is one row here."""
