"""The methods a study of a change can use: what to ask, how to estimate the shift, and how far that may be off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats
from ringtrue.changed._noise_watch import NoiseWatch
from ringtrue.changed._policies import Draws
from ringtrue.changed.masa import MasaPolicy, masa_bound, masa_shift
from ringtrue.changed.paired import (
    error_bound,
    oneshot_bound,
    oneshot_shift,
    paired_shift,
    uniform_bound,
    uniform_shift,
)
from ringtrue.core import Policy

Watch: TypeAlias = Callable[[], NoiseWatch] | None


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn what changed. `shift` and `bound` are functions of the census and of the answers by kind.

    `bound` is the Frobenius error of the shift that is kept at 95 %; a run stops when it is small enough.
    """

    name: str
    policy: Callable[[Census, Watch], Policy]
    shift: Callable[[Census, Floats], Floats]
    bound: Callable[[Census, Floats], float]
    only_steady: bool = False
    """Whether it picks items by a rule: then noise cannot be told from a change."""


def _uniform(census: Census, watch: Watch) -> Policy:
    return Draws(census, adaptive=False, watch=watch)


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("paired", lambda census, watch: Draws(census, adaptive=True, watch=watch), paired_shift, error_bound),
        Method("oneshot", _uniform, oneshot_shift, oneshot_bound),
        Method("uniform", _uniform, uniform_shift, uniform_bound),
        Method("masa", lambda census, _: MasaPolicy(census), masa_shift, masa_bound, only_steady=True),
    )
}
"""A new method is one row here."""
