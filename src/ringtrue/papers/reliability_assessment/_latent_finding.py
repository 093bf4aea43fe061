"""What was found in a latent space: how little of operation it covers, and what can be said of the rest."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ringtrue.core import Json, count, percent, plain
from ringtrue.papers.reliability_assessment._latent_cells import JudgedCells, RankedCells
from ringtrue.papers.reliability_assessment._latent_failures import Balls
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._points import CROSS, EMPTY, Separation
from ringtrue.risk.cells._survey import KINDS, Rest
from ringtrue.risk.cells._suspicion import LABELLED, Contradiction, chance_of_failures


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """The change of inputs by encoding and decoding: what is judged near a decoded input is not judged near data.

    `rms` is the root mean square error over all features and `largest` the largest error of any. `within_radius` is
    the share of inputs that lie in the ball around their own image, `relabelled` the share of inputs whose image the
    model labels otherwise.
    """

    rms: float
    largest: float
    within_radius: float
    relabelled: float

    @classmethod
    def of(cls, balls: Balls, inputs: Floats, latents: Floats, predicted: Ints) -> Reconstruction:
        """Decode the latents of the inputs, and ask the model about them once more; `predicted` is what it said."""
        again = balls.decoded(latents)
        farthest = np.abs(again - inputs).max(axis=1)
        return cls(
            rms=float(np.sqrt(np.mean((again - inputs) ** 2))),
            largest=float(farthest.max()),
            within_radius=float(np.mean(farthest <= balls.radius)),
            relabelled=float(np.mean(balls.answers(again) != predicted)),
        )


Mode: TypeAlias = Literal["assessed", "paper"]
MEANINGS = {
    "assessed": "how often the model errs near decoded points of latent cells whose class the labels tell",
    "paper": "self-consistency, not correctness: the model's own answer is the truth of cells without labels",
}
"""What the numbers mean in each mode."""
_GIVEN = ("mode", "rest", "level", "bandwidth", "radius", "local", "maps")
_DERIVED = ("estimate", "covered", "found", "unassessed", "census", "calls")
"""What the JSON tells as it is."""
_LISTED = 20
"""Cells that the JSON lists, those with the most risk."""


@dataclass(frozen=True, slots=True, eq=False)
class LatentFinding:
    """Unastuteness near the latent cells with the most operational mass, and the mass it says nothing about.

    `ranked` are all cells found and `judged` the first of them. The unastuteness of all operation lies between `low`
    and `high` at `level`: what has no truth may be anything. `estimate` sets it to 1 or to the average, as `rest` says.
    """

    mode: Mode
    rest: Rest
    level: float
    classes: tuple[Any, ...]
    ranked: RankedCells
    judged: JudgedCells
    bandwidth: float
    radius: float
    separation: Separation | None
    reconstruction: Reconstruction
    failures: int
    local: str
    maps: dict[str, Json] | None

    @property
    def estimate(self) -> float | None:
        return self.judged.estimate(self.rest)

    @property
    def low(self) -> float:
        return self.judged.bounds[0]

    @property
    def high(self) -> float:
        return self.judged.bounds[1]

    @property
    def covered(self) -> float:
        """The share of operational mass in the cells that were judged; the paper leaves it out."""
        return self.judged.covered

    @property
    def found(self) -> float:
        """The share of operational mass in all cells found: what judging every one of them would cover."""
        return float(self.ranked.mass.sum())

    @property
    def unassessed(self) -> float:
        """The share of operational mass about which nothing was learnt."""
        return max(0.0, 1.0 - self.covered)

    @property
    def census(self) -> dict[str, int]:
        """The numbers of the first cells that hold labels of one class, none, or several."""
        label = self.ranked.label[: len(self.judged.mass)]
        kinds = {"normal": label >= 0, "empty": label == EMPTY, "cross": label == CROSS}
        return {kind: int(np.count_nonzero(cells)) for kind, cells in kinds.items()}

    @property
    def calls(self) -> int:
        """Predictions the model made: for the cells, for the labelled inputs and for their images."""
        return self.judged.calls + 2 * len(self.ranked.of_point)

    @property
    def contradiction(self) -> Contradiction | None:
        """The estimate held against the labelled inputs, as if they were drawn from operation."""
        if self.estimate is None:
            return None
        n = len(self.ranked.of_point)
        chance = chance_of_failures(self.failures, n, self.estimate)
        return Contradiction(self.failures, n, self.estimate, chance, chance < 1 - self.level, LABELLED)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions under which this holds."""
        again = self.reconstruction
        return (
            f"Decoded inputs are not data: they are off by {again.rms:.3g} (root mean square), the model labels "
            f"{percent(again.relabelled)} of them otherwise, and {percent(again.within_radius)} of the data lie "
            "within the radius of their own image.",
            f"The class of a cell holds within {self.radius:.3g} of everything decoded from it.",
            "Operation is what the kernel density says, and even within a cell.",
            "It does not bound the failure rate: label operational draws for a bound.",
        )

    def __str__(self) -> str:
        cells, average = len(self.judged.mass), self.judged.average
        # Outward to a hundredth of a percent: what is covered may be less than a billionth.
        low, high = math.floor(1e4 * self.low) / 1e4, math.ceil(1e4 * self.high) / 1e4
        over_all = f"over all of operation [{percent(low)}, {percent(high)}] ({percent(self.level)})"
        over_all += f"; the model fails on {self.failures:,} of {count(len(self.ranked.of_point), 'labelled input')}"
        if average is None:
            return f"unastuteness unknown: none of {count(cells, 'latent cell')} has a known class; {over_all}"
        judged = int(np.count_nonzero(~np.isnan(self.judged.share)))
        caveat = " (self-consistency, not correctness)" if self.mode == "paper" else ""
        where = f"{judged:,} of {count(cells, 'latent cell')}, which hold {self.covered:.2g} of operation"
        return f"unastuteness {percent(average)}{caveat} in {where}; {over_all}"

    def to_json(self) -> dict[str, Json]:
        grid = self.ranked.grid
        return {
            "sentence": str(self),
            "meaning": MEANINGS[self.mode],
            **{name: getattr(self, name) for name in (*_GIVEN, *_DERIVED)},
            "average": self.judged.average,
            "acu": self.judged.acu,
            "interval": {"low": self.low, "high": self.high},
            "grid": {
                "features": [f"latent {axis + 1}" for axis in range(grid.axes)],
                **grid.to_json(),
                "size": grid.size,
            },
            "kernel": "gaussian",
            "separation": None if self.separation is None else self.separation.to_json(self.radius),
            "reconstruction": asdict(self.reconstruction),
            "contradiction": None if self.contradiction is None else asdict(self.contradiction),
            "assumptions": list(self.assumptions),
            "ranked": self._listed(),
        }

    def _listed(self) -> list[Json]:
        """List the judged cells with the most risk, with the rows of the labelled inputs in them."""
        judged, label = self.judged, self.ranked.label
        total, told = judged.risk.sum(), {"unastuteness": judged.share, "low": judged.low, "high": judged.high}
        centres = self.ranked.centres(len(judged.mass))
        return [
            {
                "cell": self.ranked.steps[place].tolist(),
                "centre": centres[place].tolist(),
                "mass": float(judged.mass[place]),
                "kind": KINDS.get(int(label[place]), "normal"),
                "label": plain(self.classes[judged.truth[place]]) if judged.truth[place] >= 0 else None,
                **{name: None if np.isnan(each[place]) else float(each[place]) for name, each in told.items()},
                "risk": float(judged.risk[place]),
                "share": float(judged.risk[place] / total) if total else 0.0,
                "items": plain(np.flatnonzero(self.ranked.of_point == place)),
            }
            for place in np.argsort(-judged.risk, kind="stable")[:_LISTED]
        ]
