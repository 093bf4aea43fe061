"""What the cells say about a failure rate: a sentence, numbers, maps, the cells that matter most, and any refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from ringtrue.core import Claim, Context, Json, Readable, Section, Verdict, count, percent, plain
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._figures import draw_product, draw_resolution
from ringtrue.risk.cells._numbers import filled
from ringtrue.risk.cells._paper import MEANING
from ringtrue.risk.cells._points import Separation
from ringtrue.risk.cells._sections import map_sections
from ringtrue.risk.cells._survey import KINDS, Mode, Survey, rest_bound
from ringtrue.risk.cells._suspicion import Answer, Doubts


@dataclass(frozen=True, slots=True, eq=False)
class CellFinding(Readable):
    """The failure rate by cells.

    `claimed` is the upper bound as the mode computes it; `upper` is the same unless it is `refused`. `interval` holds
    the failure rate from nothing unassessed failing to all of it, whatever the mode.
    """

    mode: Mode
    meaning: str
    claim: Claim | None
    verdict: Verdict
    estimate: float
    std: float
    claimed: float
    level: float
    acu: float | None
    interval: dict[str, float]
    unassessed: float
    unassessed_interval: dict[str, float]
    covered: float
    by_class: dict[str, float]
    grid: dict[str, Json]
    census: dict[str, int]
    separation: dict[str, Json]
    bandwidth: float
    kernel: str
    local: str
    calls: int
    resolution: tuple[dict[str, Json], ...]
    resolution_moves: bool
    contradiction: dict[str, Json] | None
    refused: tuple[str, ...]
    assumptions: tuple[str, ...]
    maps: dict[str, Json] | None
    ranked: tuple[dict[str, Json], ...]

    @property
    def upper(self) -> float | None:
        """The bound, or None where it is refused."""
        return None if self.refused else self.claimed

    def __str__(self) -> str:
        said = self._said()
        if self.refused:
            said += f"; refused, because {self.refused[0]}"
        rings = "is not yet known" if self.verdict is Verdict.NOT_YET_KNOWN else self.verdict.value
        return said if self.claim is None else f"{self.claim} {rings}: {said}"

    def _said(self) -> str:
        low, high = percent(self.interval["low"], toward="below"), percent(self.interval["high"], toward="above")
        lies = f"failure lies between {low} and {high} (each at {percent(self.level)})"
        bound = f"at most {percent(self.claimed, toward='above')} ({percent(self.level)})"
        if self.mode == "self-consistency":
            differs = f"the model differs from its own vote or from labels in {percent(self.estimate)} of operation"
            return f"{self.meaning}: {differs}; {lies}"
        if self.mode == "paper":
            return f"{self.meaning}: it says {percent(self.estimate)} and {bound}; by labels, {lies}"
        unknown = f"{percent(self.unassessed)} of operation falls where nobody says what is right"
        if self.refused:
            return f"no failure rate by cells; {unknown}"
        found = f"{lies} if each cell has one right class and operation is spread as the kernels say; {unknown}"
        if self.claimed >= self.interval["high"]:
            return found
        return f"{found}; {bound} if cells not looked into fail as often as the others"

    def to_json(self) -> dict[str, Json]:
        found = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return {"sentence": str(self), **found, "upper": self.upper, "verdict": self.verdict.value}

    def sections(self, context: Context | None = None) -> Sequence[Section]:
        """Return what a reader is shown of the map alone, with the failures that the context knows marked on it."""
        gallery, items = ((), {}) if context is None else (context.gallery, context.items)
        return [replace(section, detail=False) for section in map_sections(self.to_json(), gallery, items)]

    def draw(self, axes: Any) -> None:
        """Draw where the risk lies or, for one feature, how the estimate follows the cells."""
        (draw_resolution if self.maps is None else draw_product)(axes, self.to_json())


_BLOCKS = 125
_RANKED = 20


def maps(survey: Survey, elsewhere: float) -> dict[str, Json] | None:
    """Return profile, fragility and their product over the first two axes, in at most 125 by 125 blocks.

    Rows are the second axis, from low to high. Masses are summed; fragility is a mean over mass, or over cells where
    there is none. Cells that were not looked into have the fragility `elsewhere`.
    """
    grid = survey.grid
    if grid.axes < 2:
        return None
    fragility = survey.everywhere(survey.wrong, elsewhere)
    each = survey.mass, survey.mass * fragility, fragility, np.ones(grid.size)
    mass, product, plain_sum, cells = (_blocks(values, grid.cells) for values in each)
    mean = np.divide(product, mass, out=plain_sum / cells, where=mass > 0)
    return {
        "extent": [grid.low[0], grid.high[0], grid.low[1], grid.high[1]],
        "profile": mass.T.tolist(),
        "fragility": mean.T.tolist(),
        "product": product.T.tolist(),
    }


def _blocks(values: Floats, cells: tuple[int, ...]) -> Floats:
    flat: Floats = values.reshape(cells[0], cells[1], -1).sum(axis=2)
    for axis in (0, 1):
        step = -(-cells[axis] // _BLOCKS)
        flat = np.add.reduceat(flat, np.arange(0, cells[axis], step), axis=axis)
    return flat


def ranked(survey: Survey, place: Ints, ids: Sequence[Any]) -> list[dict[str, Json]]:
    """Return the cells that carry most risk, mass times unastuteness, and their items; `place` is each item's cell.

    In an empty cell without a truth, unastuteness is how far the model disagrees with itself.
    """
    risk = survey.carried * survey.wrong
    total = float(risk.sum())
    best = np.argpartition(-risk, min(_RANKED, len(risk) - 1))[:_RANKED]
    best = best[np.argsort(-risk[best], kind="stable")]
    classes = survey.census.classes
    rows: list[dict[str, Json]] = []
    for one in best[risk[best] > 0]:
        label = int(survey.label[one])
        rows.append(
            {
                "cell": int(survey.cells[one]),
                "centre": survey.grid.centres(survey.cells[one : one + 1])[0].tolist(),
                "mass": float(survey.carried[one]),
                "unastuteness": float(survey.wrong[one]),
                "risk": float(risk[one]),
                "share": float(risk[one]) / total,
                "kind": KINDS.get(label, "normal"),
                "label": plain(classes[label]) if label >= 0 else None,
                "items": [plain(ids[int(row)]) for row in np.flatnonzero(place == survey.cells[one])],
            }
        )
    return rows


_MEANINGS: dict[Mode, str] = {
    "assessed": "failures where somebody says what is right; of the rest of operation all or nothing may fail",
    "self-consistency": "self-consistency, not correctness",
    "paper": MEANING,
}


def tell(answer: Answer, doubted: Doubts, separation: Separation, claim: Claim | None) -> CellFinding:
    """Return the finding: what the mode says, what speaks against it, and what that decides."""
    survey, says, surveyor = answer.survey, answer.says, answer.survey.by
    grid, census, profile = survey.grid, survey.census, surveyor.profile
    unknown, (low, high) = answer.unknown, doubted.span
    side, verdict = float(grid.sides.max()), Verdict.NOT_YET_KNOWN
    if claim is not None and answer.mode == "assessed" and not doubted.refused:
        # Only what labels show decides, and only a bound that nothing speaks against.
        verdict = Verdict.RINGS_FALSE if low > claim.limit else verdict
        verdict = Verdict.RINGS_TRUE if says.upper <= claim.limit else verdict
    elsewhere = rest_bound(surveyor.rest, says.estimate, float(survey.carried[survey.judged].sum()))
    return CellFinding(
        mode=answer.mode,
        meaning=_MEANINGS[answer.mode],
        claim=claim,
        verdict=verdict,
        estimate=says.estimate,
        std=says.std,
        claimed=says.upper,
        level=surveyor.level,
        acu=says.acu,
        interval={"low": low, "high": high},
        unassessed=unknown.share,
        unassessed_interval={"low": unknown.low, "high": unknown.high},
        covered=min(1.0, float(survey.carried.sum())),
        by_class=says.by_class,
        grid={"features": list(answer.features), **grid.to_json(), "size": grid.size},
        census={"normal": census.normal, "empty": census.empty, "cross": census.cross},
        separation=separation.to_json(side),
        bandwidth=profile.bandwidth,
        kernel="gaussian",
        local=answer.local,
        calls=survey.calls + doubted.calls,
        resolution=tuple({**asdict(row), "cells": list(row.cells)} for row in doubted.resolution),
        resolution_moves=doubted.moves,
        contradiction=asdict(doubted.contradiction) if doubted.contradiction.n else None,
        refused=doubted.refused,
        assumptions=_assumptions(answer, separation.violators(side)),
        maps=maps(survey, elsewhere),
        ranked=tuple(ranked(survey, grid.index(surveyor.points), answer.ids)),
    )


def _assumptions(answer: Answer, violators: int) -> tuple[str, ...]:
    survey, surveyor = answer.survey, answer.survey.by
    profile, truth = surveyor.profile, surveyor.truth
    lines = [
        f"Operation is spread as the gaussian kernel density of {count(len(profile.points), 'point')} says "
        f"(bandwidth {profile.bandwidth:.4g}); within a cell it is spread evenly.",
        f"A cell has one right class. Points with another class within two sides of a cell: {violators:,}; cells that "
        f"hold several classes, which count as failing in full: {survey.census.cross:,}.",
        "The labels are taken as the truth.",
    ]
    if survey.points:
        lines.append(f"The model was looked at with {count(survey.points, 'point')} in each cell.")
    if truth is not None:
        said = filled(survey)
        lines.append(
            f"In {count(int(said.sum()), 'empty cell')} {truth} said what is right, and is wrong in at most "
            f"{percent(truth.error)} of the operation there."
        )
        if said.any() and survey.wrong[said].max() <= 0.5:
            lines.append(
                f"In no cell does {truth} differ from what the model mostly says: make sure it is not the model."
            )
    if surveyor.own_vote:
        lines.append("In empty cells the model's own vote was taken as right: failures on which it agrees do not show.")
    return tuple(lines)
