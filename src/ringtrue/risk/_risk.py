"""The question: how often does this model fail on this pool, or in operation as a profile has it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Claim, InvalidInput, Json, Labels, Policy, Responder, Vectors
from ringtrue.risk._doubt import FROM_MODEL, Fragility, doubt_of
from ringtrue.risk._failure_rate import FailureRate, weight_score
from ringtrue.risk._fixed_rate import FixedRate
from ringtrue.risk._map_first import MapCells, MapFirst
from ringtrue.risk._methods import MAP, METHODS, SIMPLE, check_number, check_profiles, chosen_method
from ringtrue.risk._policies import ScoredDraws, SimpleRandom
from ringtrue.risk.profiles import ProfileWeights


class Risk:
    """How often does this model fail on this pool? A failure is an answer unlike the oracle's label.

    Confidence and fragility tell which items are doubtful, so that fewer labels may do: they choose what to ask and
    never what to conclude.

    Parameters
    ----------
    claim
        What is to be decided, such as "error <= 5% at 95%".
    name
        The name of the question within its study.
    method
        One of `METHODS`, "simple-random" or "map": by default "stratified" if there is something to go by, and
        "simple-random" otherwise.
    confidence
        The column with the model's confidence in its answer, or "model" for the largest probability that the model
        gives.
    fragility
        How the model is to be asked around each item.
    profile
        How often operation meets what; the claim is then about operation.
    priced
        Further profiles, priced from the same labels.
    cells
        The cells of a map, for the method "map": labels go to a better map of where the model fails, see `MapFirst`.
    fixed
        A number of labels that is settled beforehand: nothing is said before it is reached, and then with a tighter
        bound.

    >>> Risk("error <= 5% at 95%").claim
    Claim(quantity='error', limit=0.05, level=0.95)
    >>> Risk("error <= 5% at 95%", confidence="score").method
    'stratified'
    """

    def __init__(
        self,
        claim: Claim | str | None = None,
        *,
        name: str = "risk",
        method: str | None = None,
        confidence: str | None = None,
        fragility: Fragility | None = None,
        profile: ProfileWeights | None = None,
        priced: Sequence[ProfileWeights] = (),
        cells: MapCells | None = None,
        fixed: int | None = None,
    ) -> None:
        wanted = None if claim is None else Claim.parse(claim).about("error", "failure")
        chosen = chosen_method(
            method, goes_by_something=not all(source is None for source in (confidence, fragility, profile))
        )
        check_profiles(wanted, chosen, profile, priced)
        check_number(fixed, chosen, priced)
        if (chosen == MAP) is (cells is None):
            raise InvalidInput(f"method={chosen!r} and cells={cells}: cells are for method={MAP!r}, which needs them")
        policy: Policy = SimpleRandom() if chosen == SIMPLE else MapFirst()
        if chosen in METHODS:
            limit = None if wanted is None else wanted.limit
            policy = ScoredDraws(chosen, limit=limit, profile=None if profile is None else profile.mark)
        self.claim: Final = wanted
        self.name: Final = name
        self.method: Final = chosen
        self.confidence: Final = confidence
        self.fragility: Final = fragility
        self.profile: Final = profile
        self.priced: Final = tuple(priced)
        self.cells: Final = cells
        self.fixed: Final = fixed
        self.policy: Final = policy

    def __repr__(self) -> str:
        return f"Risk({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @property
    def responder(self) -> Responder:
        return "oracle"

    @property
    def items(self) -> Literal["pool"]:
        return "pool"

    @property
    def needs_model(self) -> Literal["labels"]:
        return "labels"

    @property
    def told_by_model(self) -> tuple[str, ...]:
        """The column of the model's confidence, which an oracle is not shown."""
        return () if self.confidence in (None, FROM_MODEL) else (str(self.confidence),)

    @property
    def prepares(self) -> bool:
        """Whether anything is needed of all items beforehand: simple random draws go by nothing."""
        return self.method != SIMPLE or bool(self.priced)

    def probes(self, batch: Batch, rng: np.random.Generator) -> Batch | None:
        """Return the items of a batch, shaken, if the question goes by how the model answers around them."""
        return None if self.fragility is None else self.fragility.probes(batch, rng)

    def prepare(
        self, batch: Batch, answers: Labels | Vectors | None, _: np.random.Generator
    ) -> Mapping[str, NDArray[Any]]:
        """Return the doubt in each item, and how often operation meets it."""
        scores: dict[str, NDArray[Any]] = {}
        if self.confidence is not None or self.fragility is not None:
            scores["doubt"] = doubt_of(batch, answers, confidence=self.confidence, fragility=self.fragility)
        if self.profile is not None:
            scores["weight"] = self.profile.weights(batch)
        if self.cells is not None:
            scores["cell"] = self.cells.index(batch)
        return scores | {weight_score(profile): profile.weights(batch) for profile in self.priced}

    def config(self) -> dict[str, Json]:
        """Return what was asked for; what was left out is left out here, so that older studies still open."""
        made: dict[str, Json] = {
            "kind": "risk",
            "name": self.name,
            "claim": None if self.claim is None else str(self.claim),
            "policy": self.policy.name,
        }
        if self.confidence is not None:
            made["confidence"] = self.confidence
        parts = {"fragility": self.fragility, "profile": self.profile, "cells": self.cells}
        made |= {name: part.to_json() for name, part in parts.items() if part is not None}
        if self.fixed is not None:
            made["fixed"] = self.fixed
        if self.priced:
            made["priced"] = [profile.to_json() for profile in self.priced]
        return made

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Risk:
        fragility, profile, cells = (config.get(part) for part in ("fragility", "profile", "cells"))
        return cls(
            config["claim"],
            name=config["name"],
            method=config["policy"],
            confidence=config.get("confidence"),
            fragility=None if fragility is None else Fragility.of(fragility),
            profile=None if profile is None else ProfileWeights.from_json(profile),
            priced=[ProfileWeights.from_json(entry) for entry in config.get("priced", ())],
            cells=None if cells is None else MapCells.of(cells),
            fixed=config.get("fixed"),
        )

    def estimator(self, *, size: int, claim: Claim | None) -> FailureRate | FixedRate:
        wanted = None if claim is None else claim.about("error", "failure")
        if self.fixed is not None:
            return FixedRate(
                size=size,
                claim=wanted,
                answers=self.fixed,
                question=self.name,
                method=self.method,
                profile=self.profile,
            )
        return FailureRate(
            size=size, claim=wanted, method=self.method, profile=self.profile, priced=self.priced, question=self.name
        )
