"""Queries and CPU time to the same distance, beside Foolbox 3 and ART: one model, the same images, one run.

    pip install foolbox==3.3.4 adversarial-robustness-toolbox==1.20.1 packaging torch==2.13.0
    python benchmarks/bench_distances.py

Each of their attacks is run first and leaves a median L2 distance. Then ours are given ever more queries until their
median is no larger; a run counts with all the queries and CPU time it took, the start included. Queries are counted
inside the model. The bounds hold for `hopskipjump`. `boundary` is kept as the paper used it, slow steps at the
beginning included, and is shown beside their Boundary Attacks without a bound.

Theirs start from the nearest image to which the model gives another label, because from noise Foolbox refuses the whole
batch if the noise has the label of one image. `hopskipjump` starts there, too, and with 500 queries or more also from
the next nearest; `boundary` starts from noise. How many starts `hopskipjump` takes was chosen on these images.
The digits are those of MNIST where they lie beside the checkout, else the small ones of scikit-learn.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ringtrue.blind.distances import Box, measure

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "mnist"
PEERS = {"foolbox": "foolbox==3.3.4", "art": "adversarial-robustness-toolbox==1.20.1 packaging"}
IMAGES, OTHERS = 24, 5_000
BOX = Box(0, 1)
CPU_BOUND = 5
"""At least so many times less CPU time than ART. Of Foolbox it is only shown."""

GRIDS = {"hopskipjump": (60, 80, 120, 160, 240, 320, 500, 1_000, 2_000), "boundary": (3_000, 6_000, 30_000)}
"""Bounds tried in this order: the queries that a distance needs are found to within one of these steps."""

Images = NDArray[np.float32]


class Counting(nn.Module):
    """A small network for images of one channel that counts the images it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0
        self.layers = nn.Sequential(
            nn.Conv2d(1, 8, 5, 2, 2), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(),
            nn.Flatten(), nn.LazyLinear(32), nn.ReLU(), nn.Linear(32, 10),
        )  # fmt: skip

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        self.seen += len(images)
        return self.layers(images.float())

    def predict(self, images: Images) -> NDArray[np.int64]:
        with torch.no_grad():
            return self(torch.from_numpy(images[:, None])).argmax(dim=1).numpy()


class Setting(NamedTuple):
    model: Counting
    images: Images
    labels: NDArray[np.int64]
    others: tuple[Images, NDArray[np.int64]]
    starts: Images
    """Of the others, the nearest that has another label: where their attacks start, as ours do."""


class Run(NamedTuple):
    """What an attack took for an image, and the median distance it came to; NaN where it failed."""

    name: str
    queries: float
    seconds: float
    distance: float

    def __str__(self) -> str:
        return f"{self.name:32s} {self.queries:8,.0f} queries {1e3 * self.seconds:8.1f} ms CPU  L2 {self.distance:.3f}"


def digits() -> tuple[Images, NDArray[np.int64]]:
    """Images (n, height, width) in [0, 1], and what they show."""
    if SHARED.is_dir():
        with np.load(SHARED / "mnist_train60k.npz") as file:
            return (file["X"][:12_000] / 255).astype(np.float32), file["y"][:12_000].astype(np.int64)
    from sklearn.datasets import load_digits

    found = load_digits()
    return (found.images / 16).astype(np.float32), found.target.astype(np.int64)


def prepared() -> Setting:
    """A network trained for a few seconds, and images it was not trained on."""
    images, classes = digits()
    torch.manual_seed(0)
    model = Counting()
    model.predict(images[:1])
    optimiser = torch.optim.Adam(model.parameters(), 2e-3)
    order = np.random.default_rng(0)
    for _ in range(4):
        for rows in np.array_split(order.permutation(np.arange(IMAGES, len(images))), len(images) // 64):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(model(torch.from_numpy(images[rows, None])), torch.tensor(classes[rows]))
            loss.backward()
            optimiser.step()
    model.requires_grad_(False)
    model.eval()
    chosen, others = images[:IMAGES], images[IMAGES : IMAGES + OTHERS]
    labels, other_labels = model.predict(chosen), model.predict(others)
    apart = np.stack([np.linalg.norm((others - image).reshape(len(others), -1), axis=1) for image in chosen])
    apart[labels[:, None] == other_labels] = np.inf
    return Setting(model, chosen, labels, (others, other_labels), others[apart.argmin(axis=1)])


def timed(setting: Setting, name: str, attack: Callable[[], Images]) -> Run:
    """Run an attack that gives changed images."""
    setting.model.seen, start = 0, time.process_time()
    changed = attack()
    seconds, queries = time.process_time() - start, setting.model.seen
    distances = np.linalg.norm((changed - setting.images).reshape(IMAGES, -1), axis=1)
    distances[setting.model.predict(changed) == setting.labels] = np.inf
    return Run(name, queries / IMAGES, seconds / IMAGES, float(np.median(distances)))


def foolbox_attacks(setting: Setting) -> Iterator[tuple[str, Callable[[], Images]]]:
    import foolbox

    model = foolbox.PyTorchModel(setting.model, bounds=(0, 1), device="cpu")
    images, starts = (torch.from_numpy(each[:, None]) for each in (setting.images, setting.starts))
    labels = torch.from_numpy(setting.labels)

    def run(attack: Any) -> Images:
        torch.manual_seed(0)
        return attack(model, images, labels, epsilons=None, starting_points=starts)[0].numpy()[:, 0]

    for steps in (5_000, 25_000):
        attack = foolbox.attacks.BoundaryAttack(steps=steps)
        yield f"foolbox BoundaryAttack {steps}", lambda attack=attack: run(attack)
    for steps in (5, 10):
        attack = foolbox.attacks.HopSkipJumpAttack(steps=steps)
        yield f"foolbox HopSkipJump {steps}", lambda attack=attack: run(attack)


def art_attacks(setting: Setting) -> Iterator[tuple[str, Callable[[], Images]]]:
    from art.attacks.evasion import BoundaryAttack, HopSkipJump
    from art.estimators.classification import PyTorchClassifier

    shape = (1, *setting.images.shape[1:])
    model = PyTorchClassifier(setting.model, nn.CrossEntropyLoss(), shape, 10, clip_values=(0, 1), device_type="cpu")

    def run(attack: Any) -> Images:
        np.random.seed(0)  # noqa: NPY002 - ART draws from the global state
        return attack.generate(setting.images[:, None], x_adv_init=setting.starts[:, None])[:, 0]

    for steps in (20, 100):
        attack = BoundaryAttack(model, targeted=False, max_iter=steps, verbose=False)
        yield f"art BoundaryAttack {steps}", lambda attack=attack: run(attack)
    for steps, first in ((5, 20), (5, 100), (10, 100)):
        attack = HopSkipJump(model, max_iter=steps, init_eval=first, verbose=False)
        yield f"art HopSkipJump {steps}, {first} first", lambda attack=attack: run(attack)


class Ours:
    """Our runs with ever more queries, each done once."""

    def __init__(self, setting: Setting, method: str) -> None:
        self._setting, self._method = setting, method
        self._runs: list[Run] = []

    def reaching(self, distance: float) -> Run | None:
        """The first run whose median is no larger."""
        for place, bound in enumerate(GRIDS[self._method]):
            if place == len(self._runs):
                self._runs.append(timed(self._setting, f"  {self._method}", lambda bound=bound: self._nearest(bound)))
            if self._runs[place].distance <= distance:
                return self._runs[place]
        return None

    def _nearest(self, bound: int) -> Images:
        setting, rng = self._setting, np.random.default_rng(0)
        found = measure(
            self._method, setting.model.predict, setting.images, setting.labels,
            box=BOX, rng=rng, others=setting.others, queries=bound,
        )  # fmt: skip
        return found.nearest


def kept(peer: Run, ours: Run | None) -> bool:
    """Print our run beside theirs; whether the bounds hold."""
    if ours is None:
        print("  hopskipjump ended farther off BROKEN")
        return False
    fewer, less = peer.queries / ours.queries, peer.seconds / ours.seconds
    bounded = peer.name.startswith("art")
    good = fewer >= 1 and (not bounded or less >= CPU_BOUND)
    bound = f" (bound {CPU_BOUND})" if bounded else ""
    print(f"{ours}; {fewer:.1f} times fewer (bound 1), {less:.1f} less CPU{bound} {'kept' if good else 'BROKEN'}")
    return good


def main() -> int:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # theirs, thousands of them
    if absent := [line for name, line in PEERS.items() if find_spec(name) is None]:
        print(f"left out: pip install {' '.join(absent)}")
    setting = prepared()
    print(f"{IMAGES} images of {setting.images.shape[1]} x {setting.images.shape[2]}; for an image, at the median L2:")
    Ours(setting, "hopskipjump").reaching(np.inf)  # so that what is imported at the first use is not timed
    hopskipjump, boundary, good = Ours(setting, "hopskipjump"), Ours(setting, "boundary"), True
    for name, attacks in (("foolbox", foolbox_attacks), ("art", art_attacks)):
        for title, attack in attacks(setting) if find_spec(name) else ():
            peer = timed(setting, title, attack)
            print(peer, flush=True)
            good = kept(peer, hopskipjump.reaching(peer.distance)) and good
            if "Boundary" in title:
                print(boundary.reaching(peer.distance) or "  boundary ended farther off", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
