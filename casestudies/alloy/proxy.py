"""The paper's proxy: a network that learnt the phases of the training sample, beside the gold standard it stands for.

$ cd casestudies
$ ringtrue worst --space alloy/space.toml --model alloy.proxy:model --oracle alloy.proxy:gold --budget 200
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from alloy.gold import Gold, cache_folder, stored_gold
from alloy.network import Floats, Network, load, train
from alloy.sample import Sample, training_sample
from alloy.space import SPACE, composition

HIDDEN, DROPOUT, BATCH, EPOCHS, SEED = (14, 36), 0.3, 5, 100, 0


@dataclass(frozen=True, eq=False)
class Proxy:
    """The network, the sample it learnt from, and the gold standard. All amounts are scaled as in the sample."""

    gold: Gold
    sample: Sample
    network: Network

    @property
    def phases(self) -> tuple[str, ...]:
        return self.sample.phases

    def predict(self, rows: Sequence[Mapping[str, Any]]) -> Floats:
        """What the network says of all phases (n, C) of some compositions."""
        return self.network.predict(SPACE.encode(np.array([composition(values) for values in rows])))

    def predicted(self, values: Mapping[str, Any]) -> list[float]:
        """What the network says of all phases of one composition."""
        return self.predict([values])[0].tolist()

    def found(self, values: Mapping[str, Any]) -> list[float] | float | None:
        """What the gold standard says: of the phase that is asked about, else of all; None where it has no answer."""
        fractions = self.gold(composition(values))
        if fractions is None:
            return None
        amounts = self.sample.amounts_in(fractions).tolist()
        return amounts[self.phases.index(values["task"])] if "task" in values else amounts

    def on_training(self) -> Floats:
        """The signed deviations (n, C) of the network on what it learnt from."""
        return self.network.predict(self.sample.points) - self.sample.scaled


def trained_proxy(gold: Gold, kept: Path, *, epochs: int = EPOCHS, size: int | None = None) -> Proxy:
    """The network as the file has it; trained first if there is none."""
    sample = training_sample(gold) if size is None else training_sample(gold, size)
    if not kept.is_file():
        train(
            sample.points, sample.scaled, HIDDEN, dropout=DROPOUT, batch=BATCH, epochs=epochs, seed=SEED
        ).save(kept)  # fmt: skip
    return Proxy(gold, sample, load(kept))


@cache
def stored_proxy() -> Proxy:
    """The network of the case study, with what the cache folder holds."""
    return trained_proxy(stored_gold(), cache_folder() / "network.npz")


def model(rows: Sequence[Mapping[str, Any]]) -> Floats:
    """The model for the command line."""
    return stored_proxy().predict(rows)


def gold(values: Mapping[str, Any]) -> list[float] | float | None:
    """The gold standard for the command line."""
    return stored_proxy().found(values)
