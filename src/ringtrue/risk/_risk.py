"""The question: how often does this model fail on this pool, or in operation as a profile has it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import (
    NO_SCORES,
    Argument,
    Ask,
    Batch,
    Claim,
    Context,
    InvalidInput,
    Measured,
    Pass,
    Policy,
    Question,
    Scores,
    Section,
    percent,
)
from ringtrue.risk._doubt import FROM_MODEL, Fragility, doubt_of
from ringtrue.risk._failure_rate import FailureRate, FixedRate, weight_score
from ringtrue.risk._fixed_strata import EDITION, FIXED_STRATA, FixedStrata, room_for
from ringtrue.risk._map_cells import MapCells, MapFirst
from ringtrue.risk._policies import MAP, METHODS, SIMPLE, ScoredDraws, SimpleRandom
from ringtrue.risk._pool_rate import PoolRate
from ringtrue.risk._sections import risk_sections
from ringtrue.risk._strata import UNKNOWN
from ringtrue.risk._strata_rate import StrataRate
from ringtrue.risk.profiles import ProfileWeights


class Risk(Question):
    """How often does this model fail on this pool? A failure is an answer unlike the oracle's label.

    Confidence and fragility tell which items are doubtful, so that fewer labels may do: they choose what to ask and
    never what to conclude.

    >>> Risk("error <= 5% at 95%").claim
    Claim(quantity='error', limit=0.05, level=0.95)
    >>> Risk("error <= 5% at 95%", confidence="score").method
    'stratified'

    Parameters
    ----------
    claim
        What is to be decided, such as "error <= 5% at 95%".
    name
        The name of the question within its study.
    method
        One of `METHODS`, "simple-random", "fixed-strata" or "map": by default "stratified" if there is something to go
        by, or "fixed-strata" if the number of labels is fixed and there is no profile; "simple-random" otherwise.
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
    edition
        The way in which a fixed number of labels is shared out, kept where a claim leaves no room. Studies of the first
        edition go on as they began.
    """

    kind = "risk"
    keys = {"method": "policy"}  # noqa: RUF012
    reads = {  # noqa: RUF012
        "fragility": Fragility.of,
        "profile": ProfileWeights.from_json,
        "priced": lambda kept: [ProfileWeights.from_json(one) for one in kept],
        "cells": MapCells.of,
    }
    needs_model = "labels"

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
        edition: int | None = None,
    ) -> None:
        wanted = None if claim is None else Claim.parse(claim).about("error", "failure")
        doubt = confidence is not None or fragility is not None
        by_doubt = FIXED_STRATA if fixed is not None and profile is None else "stratified"
        chosen = chosen_method(method, goes_by_something=doubt or profile is not None, by_doubt=by_doubt)
        check_profiles(wanted, chosen, profile, priced)
        check_number(fixed, chosen, priced)
        if edition not in (None, *range(1, EDITION + 1)):
            rule = f" is not one there is: leave it out, or give 1 to {EDITION}"
            raise InvalidInput(Argument("edition", edition), rule)
        if (chosen == MAP) is (cells is None):
            given = Argument("method", chosen), " and ", Argument("cells", cells)
            raise InvalidInput(*given, ": cells are for ", Argument("method", MAP), ", which needs them")
        policy: Policy = SimpleRandom() if chosen == SIMPLE else MapFirst()
        if chosen in METHODS:
            limit = None if wanted is None else wanted.limit
            policy = ScoredDraws(chosen, limit=limit, profile=None if profile is None else profile.mark)
        self.edition: int | None = None
        if chosen == FIXED_STRATA and fixed is not None:
            edition = EDITION if edition is None else edition
            policy = FixedStrata(fixed, claim=wanted, edition=edition)
            self.edition = edition if wanted is not None and room_for(wanted, fixed) <= 1 else None
        self.claim, self.name, self.method, self.confidence = wanted, name, chosen, confidence
        self.fragility, self.profile, self.priced = fragility, profile, tuple(priced)
        self.cells, self.fixed = cells, fixed
        self.counts_failures = profile is None  # else the claim is about operation
        self.told_by_model = () if confidence in (None, FROM_MODEL) else (str(confidence),)
        self._policy = policy

    def __repr__(self) -> str:
        return f"Risk({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the question that wrote this configuration; one that names no edition is of the first."""
        return super().from_config({"edition": 1, **config}, **given)

    @property
    def policy(self) -> Policy:
        """Draws evenly or by doubt, or picks what a map lacks."""
        return self._policy

    def passes(self) -> list[Pass]:
        """Return one scan for doubt and weights; simple random draws go by nothing."""
        needed = self.method != SIMPLE or bool(self.priced)
        # Doubt only helps to choose, so that an item of unknown doubt stays in; weights and cells say what is asked.
        only_doubt = self.profile is None and self.cells is None and not self.priced
        missing = {"doubt": UNKNOWN} if only_doubt else None
        return [Pass(self._score, around=self.fragility is not None, missing=missing)] if needed else []

    def _score(self, items: Measured, _: Measured, ask: Ask, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        """Return the doubt in each item, and how often operation meets it."""
        batch, scores = items.batch, {}  # type: tuple[Batch, dict[str, NDArray[Any]]]
        if self.confidence is not None or self.fragility is not None:
            asked = batch
            if self.fragility is not None:  # the items and their shaken likes, as one batch
                shaken = self.fragility.probes(batch, rng)
                both = {name: np.concatenate([column, shaken.columns[name]]) for name, column in batch.columns.items()}
                asked = Batch([*batch.ids, *shaken.ids], both)
            answers = ask(asked) if self.confidence == FROM_MODEL or self.fragility is not None else None
            scores["doubt"] = doubt_of(batch, answers, confidence=self.confidence, fragility=self.fragility)
        if self.profile is not None:
            scores["weight"] = self.profile.weights(batch)
        if self.cells is not None:
            scores["cell"] = self.cells.index(batch)
        return scores | {weight_score(profile): profile.weights(batch) for profile in self.priced}

    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> PoolRate:
        """Return what turns labels into a failure rate."""
        wanted = None if claim is None else claim.about("error", "failure")
        made: type[PoolRate] = FailureRate if self.fixed is None else FixedRate
        if self.method == FIXED_STRATA:
            made = StrataRate
        return made(size=size, claim=wanted, question=self, scores=scores)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a failure rate."""
        return risk_sections(context)


def chosen_method(method: str | None, *, goes_by_something: bool, by_doubt: str) -> str:
    """Return the method asked for, or the best for what there is to go by: `by_doubt`, if there is something."""
    if method is None:
        return by_doubt if goes_by_something else SIMPLE
    if method not in (SIMPLE, MAP, FIXED_STRATA, *METHODS):
        known = ", ".join([SIMPLE, *METHODS, FIXED_STRATA])
        raise InvalidInput(Argument("method", method), f" is unknown: use {known} or {MAP}")
    if method != SIMPLE and not goes_by_something:
        needed = Argument("confidence"), " or ", Argument("fragility")
        raise InvalidInput(Argument("method", method), " needs something to go by: give ", *needed)
    return method


def check_profiles(
    claim: Claim | None, method: str, profile: ProfileWeights | None, priced: Sequence[ProfileWeights]
) -> None:
    """Refuse profiles of one name, without a kind that the pool has, or under which a claim cannot ring true."""
    profiles = [one for one in (profile, *priced) if one is not None]
    names = [one.name for one in profiles]
    if len(set(names)) < len(names):
        raise InvalidInput(f"profiles {names} must each have a name of their own: rename one")
    for one in profiles:
        if one.most == 0:
            rule = " has no kind of input that the pool has: compare other columns"
            raise InvalidInput(Argument("profile", one.name), rule)
    if profile is None:
        return
    if method == FIXED_STRATA:
        rule = " knows no profile: leave method out"
        raise InvalidInput(Argument("method", FIXED_STRATA), rule)
    if method == SIMPLE:
        rule = " draws evenly and knows no profile: leave method out, or price it beside"
        raise InvalidInput(Argument("method", SIMPLE), rule)
    if claim is not None and profile.unassessed >= claim.limit:
        raise InvalidInput(
            Argument("claim", str(claim)),
            f" can never ring true under profile {profile.name!r}: "
            f"{percent(profile.unassessed)} of operation is of kinds that the pool has no item of: add such items",
        )


def check_number(fixed: Any, method: str, priced: Sequence[ProfileWeights]) -> None:
    """Refuse a number of labels that is none, or that is to serve several rates or a map; and strata without one."""
    if fixed is None and method == FIXED_STRATA:
        raise InvalidInput(Argument("method", method), " shares out a number of labels: give ", Argument("fixed"))
    if fixed is None:
        return
    if isinstance(fixed, bool) or not isinstance(fixed, int) or fixed < 1:
        raise InvalidInput(Argument("fixed", fixed), " must be a whole number of labels of at least 1")
    if method == MAP or priced:
        rule = " settles the labels for one rate: leave it out for a map or several profiles"
        raise InvalidInput(Argument("fixed", fixed), rule)
