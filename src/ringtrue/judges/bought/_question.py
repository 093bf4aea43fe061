"""The question: how good is each judge of this panel on this pool, with labels bought one at a time?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Claim, InvalidInput, Json, Labels, Responder, Sketch, Vectors, count, said_and_known
from ringtrue.judges.bought._bought import BoughtAccuracies
from ringtrue.judges.bought._disagreement import Disagreement
from ringtrue.judges.bought._even import EvenDraws
from ringtrue.judges.bought._fixed import FixedAccuracies
from ringtrue.judges.bought._pattern_index import PatternIndex


@dataclass(frozen=True, eq=False)
class Judges:
    """How good is each judge on this pool? `sketch` holds the votes on the whole pool; the model is a PanelModel.

    The claim speaks of every judge: `error <= 20%` says that none errs on more than a fifth of its votes. `fixed` is a
    number of labels that is settled before the first and looked at once, which makes the intervals narrower: items are
    then drawn evenly. Without it, items on which judges disagree are drawn more often, and one may look at any time.

    >>> panel = Sketch(["ann", "bob"], ["no", "yes"], {(0, 0): 60, (0, 1): 40})
    >>> Judges(panel, claim="accuracy >= 80%").claim
    Claim(quantity='error', limit=0.2, level=0.95)
    """

    sketch: Sketch
    claim: Claim | None
    name: str
    fixed: int | None
    policy: Disagreement | EvenDraws

    def __init__(
        self, sketch: Sketch, *, claim: Claim | str | None = None, name: str = "judges", fixed: int | None = None
    ) -> None:
        if fixed is not None and (
            isinstance(fixed, bool) or not isinstance(fixed, int) or not 1 <= fixed <= sketch.size
        ):
            raise InvalidInput(
                f"fixed={fixed!r} must be a whole number of labels from 1 to the {count(sketch.size, 'item')}"
            )
        for judge in sketch.judges:
            if not any(pattern[0] >= 0 for pattern in sketch.marginal([judge])):
                raise InvalidInput(f"judge {judge!r} has not voted once: leave it out")
        object.__setattr__(self, "sketch", sketch.copy())
        object.__setattr__(self, "claim", None if claim is None else Claim.parse(claim).about("error", "failure"))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "fixed", fixed)
        object.__setattr__(self, "policy", Disagreement(self.sketch) if fixed is None else EvenDraws())

    @cached_property
    def _index(self) -> PatternIndex:
        return PatternIndex(self.sketch)

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
        made: dict[str, Json] = {
            "kind": "judges", "name": self.name, "claim": None if self.claim is None else str(self.claim),
            "policy": self.policy.name, "sketch": self.sketch.to_json(),
        }  # fmt: skip
        return made if self.fixed is None else {**made, "fixed": self.fixed}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Judges:
        return cls(
            Sketch.from_json(config["sketch"]), claim=config["claim"], name=config["name"], fixed=config.get("fixed")
        )

    def prepare(
        self,
        batch: Batch,
        answers: Labels | Vectors | None,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> dict[str, NDArray[Any]]:
        """Which pattern of the sketch each item's votes are."""
        if not isinstance(answers, Labels):
            raise InvalidInput(
                f"question {self.name!r} needs the judges' votes: make the study with model=PanelModel(…)"
            )
        told = map(said_and_known, answers.labels)
        places = [
            self._index.place(item, said, known.get("votes"))
            for item, (said, known) in zip(batch.ids, told, strict=True)
        ]
        return {"pattern": np.array(places, dtype=np.int32)}

    def estimator(self, *, size: int, claim: Claim | None) -> BoughtAccuracies | FixedAccuracies:
        about = None if claim is None else claim.about("error", "failure")
        if self.fixed is not None:
            return FixedAccuracies(self.sketch, size=size, claim=about, answers=self.fixed, question=self.name)
        return BoughtAccuracies(self.sketch, size=size, claim=about)
