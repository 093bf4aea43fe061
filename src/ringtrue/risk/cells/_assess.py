"""How often will it fail? Asked of cells: each by what it carries of operation and how much of it goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Argument, Claim, InvalidInput
from ringtrue.risk._grid import Floats, Grid
from ringtrue.risk.cells._finding import CellFinding, tell
from ringtrue.risk.cells._locals import Local, local_of
from ringtrue.risk.cells._numbers import claimed, estimated, unassessed
from ringtrue.risk.cells._paper import paper_surveyor, published, scaled_estimate
from ringtrue.risk.cells._points import Separation, numbered_classes, spread_points
from ringtrue.risk.cells._profile import KernelProfile, choose_bandwidth
from ringtrue.risk.cells._survey import LEVEL, Mode, Rest, Says, Surveyor, refuse_own_vote
from ringtrue.risk.cells._suspicion import Answer, doubts
from ringtrue.stats import generator

_WIDTHS = np.array([0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3])
"""Bandwidths that are tried, as shares of the shortest side of the box."""

_TRIED_ON = 5000
"""Points on which they are tried, at most: time grows as the square."""


def assess(
    points: ArrayLike,
    labels: ArrayLike,
    model: Any,
    *,
    grid: Grid,
    classes: Sequence[Any] | None = None,
    mode: Mode = "assessed",
    profile: KernelProfile | None = None,
    local: str | Local | None = None,
    truth: Says | None = None,
    k: int | None = None,
    rest: Rest = "worst",
    held_out: tuple[ArrayLike, ArrayLike] | None = None,
    claim: Claim | str | None = None,
    level: float | None = None,
    features: Sequence[str] | None = None,
    ids: Sequence[Any] | None = None,
    seed: int = 0,
    executor: Executor | None = None,
) -> CellFinding:
    """Assess a model from labelled points of operation and its answers in the cells of a grid.

    In an empty cell nothing says what is right unless a `truth` does; what is left unassessed may fail in full.

    Parameters
    ----------
    points
        The points of operation, (n, axes).
    labels
        Their right labels, (n,).
    model
        A function that labels points, or an object with a method `predict`.
    grid
        The cells.
    classes
        The names of the classes; by default those among the labels.
    mode
        "assessed" takes nothing as right that is not known. "self-consistency" lets the model vote in empty cells and
        says so. "paper" is the published model, with its own profile and draws, at 97.5 %.
    profile
        The density of operation; by default a Gaussian kernel density on the points, integrated over cells and mirrored
        at the border, its bandwidth found by cross-validation.
    local
        The way of looking into cells: "lattice" (the default), "monte-carlo", "trees" (exact), "splitting", or a
        function like them.
    truth
        Says what is right in an empty cell, and is not the model.
    k
        How many cells are looked into, those that carry most; by default all.
    rest
        What to think of the others: "worst" takes all of them as failing, "average" as much as in the cells looked
        into.
    held_out
        Points and labels that the model was not trained on, to hold against the bound; empty ones if there are none
        that operation could have drawn.
    claim
        What is to be decided, such as "error <= 5% at 95%".
    level
        The level of the bound; by default the claim's, or 97.5 %.
    features
        The names of the axes.
    ids
        The names of the points.
    seed
        The seed of all draws.
    executor
        Runs several cells at once.
    """
    found = spread_points(points)
    names, _ = numbered_classes(labels, len(found), classes)
    separation = Separation.of(found, labels)
    asked = None if claim is None else Claim.parse(claim).about("error", "failure")
    _check(mode, model, truth, profile=profile, local=local, level=level, rest=None if rest == "worst" else rest)
    if features is not None and len(features) != grid.axes:
        raise InvalidInput(f"features={list(features)} must name the {grid.axes} axes of the grid")
    if ids is not None and len(ids) != len(found):
        raise InvalidInput(f"ids are {len(ids)} and must be one for each of the {len(found)} points")
    axes = [f"x{axis + 1}" for axis in range(grid.axes)] if features is None else [str(name) for name in features]
    items = range(len(found)) if ids is None else ids
    chosen = level if level is not None else asked.level if asked else LEVEL
    if mode == "paper":
        surveyor = replace(paper_surveyor(found, labels, model, names), executor=executor)
        paper = published(surveyor, grid, k)
        unknown = unassessed(paper.survey, own_vote=False)
        answer = Answer("paper", paper.survey, paper, unknown, scaled_estimate, "same draws in every cell", axes, items)
    else:
        name, look = local_of(local or "lattice")
        surveyor = Surveyor(
            found,
            np.asarray(labels),
            names,
            model,
            profile or _profile(found, grid, seed),
            look,
            own_vote=mode == "self-consistency",
            truth=truth,
            seed=seed,
            executor=executor,
            rest=rest,
            level=chosen,
        )
        survey = surveyor.look(grid, k)
        unknown = unassessed(survey, own_vote=False)
        unsaid = unassessed(survey, own_vote=True) if surveyor.own_vote else unknown
        answer = Answer(mode, survey, claimed(survey, unsaid), unknown, estimated, name, axes, items)
    return tell(answer, doubts(answer, k, held_out), separation, asked)


def _profile(points: Floats, grid: Grid, seed: int) -> KernelProfile:
    widths, some = _WIDTHS * float(np.subtract(grid.high, grid.low).min()), points
    if len(points) > _TRIED_ON:
        some = points[generator(seed, "cells/bandwidth").permutation(len(points))[:_TRIED_ON]]
    bandwidth = choose_bandwidth(some, widths.tolist(), seed=seed).best
    return KernelProfile(points, bandwidth, at="integral", reflect=True)


def _check(mode: str, model: Any, truth: Says | None, **own: Any) -> None:
    """Refuse what contradicts the mode: each decides who says what is right in an empty cell."""
    if mode not in get_args(Mode):
        raise InvalidInput(Argument("mode", mode), f" is unknown: use {', '.join(get_args(Mode))}")
    if truth is not None and mode != "assessed":
        rule = f" lets the model vote in empty cells: leave truth={truth} out, or the mode"
        raise InvalidInput(Argument("mode", mode), rule)
    if truth is not None:
        if not hasattr(truth, "say"):
            raise InvalidInput(
                f"truth={truth!r} cannot say what is right: give SaidBy(name, predict, error) or NearestLabel(…) "
                "of ringtrue.papers.reliability_assessment"
            )
        refuse_own_vote(truth, model)
    given = [name for name, value in own.items() if value is not None]
    if mode == "paper" and given:
        rule = f" has its own {' and '.join(given)}: leave it out, or call paper_model"
        raise InvalidInput(Argument("mode", mode), rule)
