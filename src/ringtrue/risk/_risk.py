"""The question: how often does this model fail on this pool?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ringtrue.core import Claim, Json, Policy, Responder
from ringtrue.risk._failure_rate import FailureRate
from ringtrue.risk._simple_random import SimpleRandom


@dataclass(frozen=True)
class Risk:
    """How often does this model fail on this pool? A failure is an answer unlike the oracle's label.

    >>> Risk("error <= 5% at 95%").claim
    Claim(quantity='error', limit=0.05, level=0.95)
    """

    claim: Claim | None = None
    name: str = "risk"
    policy: Policy = field(default_factory=SimpleRandom)

    def __init__(self, claim: Claim | str | None = None, *, name: str = "risk") -> None:
        object.__setattr__(self, "claim", None if claim is None else Claim.parse(claim).about("error", "failure"))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "policy", SimpleRandom())

    @property
    def responder(self) -> Responder:
        return "oracle"

    @property
    def items(self) -> Literal["pool"]:
        return "pool"

    @property
    def needs_model(self) -> Literal["labels"]:
        return "labels"

    def config(self) -> dict[str, Json]:
        return {
            "kind": "risk", "name": self.name, "claim": None if self.claim is None else str(self.claim),
            "policy": self.policy.name,
        }  # fmt: skip

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Risk:
        return cls(config["claim"], name=config["name"])

    def estimator(self, *, size: int, claim: Claim | None) -> FailureRate:
        return FailureRate(size=size, claim=None if claim is None else claim.about("error", "failure"))
