"""A fast stand-in for the alloy: what the proxy gets wrong about a smooth emulator of the gold standard.

The benchmark needs a problem whose worst deviation is known, and thousands of evaluations of it. The emulator is a
larger network that learnt twice the training sample. Both networks are kept beside this file, and evaluated without
torch or pycalphad: trained on another processor they would be other functions, and runs on them could not be compared.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alloy.gold import Gold, stored_gold
from alloy.network import Floats, Network, load, train
from alloy.proxy import trained_proxy
from alloy.sample import SIZE, draw
from alloy.space import SPACE

HIDDEN, BATCH, EPOCHS, SEED = (64, 64), 32, 600, 1
STAND_IN = Path(__file__).resolve().with_name("stand_in")


@dataclass(frozen=True, eq=False)
class Emulated:
    """The phases over the unit cube of compositions; `signed` is the proxy's amount less the emulator's."""

    tasks: tuple[str, ...]
    proxy: Network
    emulator: Network
    name: str = "alloy"

    @property
    def dimension(self) -> int:
        return SPACE.width

    def signed(self, points: Floats) -> Floats:
        """Signed deviations (n, C) at points (n, 7) of the unit cube."""
        return self.proxy.predict(points) - self.emulator.predict(points)


def make_problem(folder: Path | None = None) -> Emulated:
    """Return the problem whose networks a folder has; some minutes of equilibria and training where it has none."""
    folder = STAND_IN if folder is None else folder
    folder.mkdir(exist_ok=True)
    phases, proxy, emulator = folder / "phases.txt", folder / "network.npz", folder / "emulator.npz"
    if not (phases.is_file() and proxy.is_file() and emulator.is_file()):
        print("alloy: there is no emulator yet, so that it is made now, in some minutes", file=sys.stderr)
        names, made = fit_emulator(stored_gold(), proxy)
        made.save(emulator)
        phases.write_text("\n".join(names) + "\n", encoding="utf-8")
    return Emulated(tuple(phases.read_text(encoding="utf-8").split()), load(proxy), load(emulator))


def fit_emulator(gold: Gold, proxy: Path, *, size: int = SIZE, epochs: int = EPOCHS) -> tuple[tuple[str, ...], Network]:
    """The phases, and a network that learnt them from the training sample and as many compositions besides."""
    sample = trained_proxy(gold, proxy).sample
    more, fractions = zip(*draw(gold, "emulator", size), strict=True)
    points = np.concatenate([sample.points, more])
    amounts = np.concatenate([sample.scaled, [sample.amounts_in(each) for each in fractions]])
    network = train(points, amounts, HIDDEN, activation="tanh", batch=BATCH, epochs=epochs, seed=SEED, cooling=True)
    return sample.phases, network
