"""An answer and what was doubted of it, told as a finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import Claim, InvalidInput, Verdict, count, percent
from ringtrue.risk.cells._answer import Answer
from ringtrue.risk.cells._finding import CellFinding, Mode
from ringtrue.risk.cells._maps import maps, ranked
from ringtrue.risk.cells._numbers import Bracket, filled
from ringtrue.risk.cells._paper import MEANING
from ringtrue.risk.cells._separation import Separation
from ringtrue.risk.cells._suspicion import Doubts
from ringtrue.risk.cells._top import rest_bound

_MEANINGS: dict[Mode, str] = {
    "assessed": "failures where somebody says what is right; of the rest of operation all or nothing may fail",
    "self-consistency": "self-consistency, not correctness",
    "paper": MEANING,
}


def tell(
    answer: Answer, doubted: Doubts, separation: Separation, claim: Claim | None, *,
    features: Sequence[str] | None, ids: Sequence[Any] | None,
) -> CellFinding:  # fmt: skip
    """The finding. `features` name the axes and `ids` the points."""
    survey, says, surveyor = answer.survey, answer.says, answer.surveyor
    grid, census, profile = survey.grid, survey.census, surveyor.profile
    unknown, span = answer.unknown, doubted.span
    side = float(grid.sides.max())
    elsewhere = rest_bound(answer.rest, says.estimate, float(survey.carried[survey.judged].sum()))
    return CellFinding(
        mode=answer.mode,
        meaning=_MEANINGS[answer.mode],
        claim=claim,
        verdict=_verdict(answer, doubted, span, claim),
        estimate=says.estimate,
        std=says.std,
        claimed=says.upper,
        level=says.level,
        acu=says.acu,
        interval={"low": span.low, "high": span.high},
        unassessed=unknown.share,
        unassessed_interval={"low": unknown.low, "high": unknown.high},
        covered=min(1.0, float(survey.carried.sum())),
        by_class=says.by_class,
        grid={
            "features": _names(features, grid.axes), "low": list(grid.low), "high": list(grid.high),
            "cells": list(grid.cells), "size": grid.size,
        },
        census={"normal": census.normal, "empty": census.empty, "cross": census.cross},
        separation={
            "minimum": separation.minimum, "half": separation.half, "violators": separation.violators(side),
            "side": side,
        },
        bandwidth=profile.bandwidth,
        kernel=profile.kernel,
        local=answer.local,
        calls=survey.calls + doubted.calls,
        resolution=tuple(row.to_json() for row in doubted.resolution),
        resolution_moves=doubted.moves,
        contradiction=doubted.contradiction.to_json() if doubted.contradiction.n else None,
        refused=doubted.refused,
        assumptions=_assumptions(answer, separation.violators(side)),
        maps=maps(survey, elsewhere),
        ranked=tuple(ranked(survey, census.cells_of(surveyor.points), _ids(ids, len(surveyor.points)))),
    )  # fmt: skip


def _verdict(answer: Answer, doubted: Doubts, span: Bracket, claim: Claim | None) -> Verdict:
    """Only what labels show decides, and only a bound that nothing speaks against."""
    if claim is None or answer.mode != "assessed" or doubted.refused:
        return Verdict.NOT_YET_KNOWN
    if answer.says.upper <= claim.limit:
        return Verdict.RINGS_TRUE
    if span.low > claim.limit:
        return Verdict.RINGS_FALSE
    return Verdict.NOT_YET_KNOWN


def _assumptions(answer: Answer, violators: int) -> tuple[str, ...]:
    survey, profile, truth = answer.survey, answer.surveyor.profile, answer.surveyor.truth
    lines = [
        f"Operation is spread as the {profile.kernel} kernel density of {count(len(profile.points), 'point')} says "
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
    if answer.surveyor.own_vote:
        lines.append("In empty cells the model's own vote was taken as right: failures on which it agrees do not show.")
    return tuple(lines)


def _names(features: Sequence[str] | None, axes: int) -> list[Any]:
    if features is None:
        return [f"x{axis + 1}" for axis in range(axes)]
    if len(features) != axes:
        raise InvalidInput(f"features={list(features)} must name the {axes} axes of the grid")
    return [str(name) for name in features]


def _ids(ids: Sequence[Any] | None, points: int) -> Sequence[Any]:
    if ids is None:
        return range(points)
    if len(ids) != points:
        raise InvalidInput(f"ids are {len(ids)} and must be one for each of the {points} points")
    return ids
