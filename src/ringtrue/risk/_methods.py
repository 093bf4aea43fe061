"""The ways to choose what to label, and what is refused of them before anything is bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ringtrue.core import Argument, Claim, InvalidInput, percent
from ringtrue.risk.profiles import ProfileWeights

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


def chosen_method(method: str | None, *, goes_by_something: bool) -> str:
    """Return the method asked for, or the best for what there is to go by."""
    if method is None:
        return "stratified" if goes_by_something else SIMPLE
    if method not in (SIMPLE, MAP, *METHODS):
        raise InvalidInput(Argument("method", method), f" is unknown: use {SIMPLE}, {', '.join(METHODS)} or {MAP}")
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
    """Refuse a number of labels that is none, or that is to serve several rates or a map."""
    if fixed is None:
        return
    if isinstance(fixed, bool) or not isinstance(fixed, int) or fixed < 1:
        raise InvalidInput(Argument("fixed", fixed), " must be a whole number of labels of at least 1")
    if method == MAP or priced:
        rule = " settles the labels for one rate: leave it out for a map or several profiles"
        raise InvalidInput(Argument("fixed", fixed), rule)
