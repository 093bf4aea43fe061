"""The reliability assessment of inputs with many features: cells in a latent space, failures in the input space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment._latent_cells import judge, latent_maps, rank_cells
from ringtrue.papers.reliability_assessment._latent_failures import Balls, Draws, Local
from ringtrue.papers.reliability_assessment._latent_finding import LatentFinding, Mode, Reconstruction
from ringtrue.papers.reliability_assessment._latents import Latent, encoded, table
from ringtrue.risk._grid import Floats, Grid
from ringtrue.risk.cells._answers import Predict
from ringtrue.risk.cells._points import Separation, numbered_classes
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.risk.cells._survey import Rest


def assess_latent(
    inputs: ArrayLike,
    labels: ArrayLike,
    predict: Predict,
    latent: Latent,
    *,
    domain: tuple[ArrayLike, ArrayLike],
    bandwidth: float,
    k: int,
    cells: int | tuple[int, ...] = 100,
    box: tuple[ArrayLike, ArrayLike] | None = None,
    radius: float | None = None,
    operational: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    mode: Mode = "assessed",
    rest: Rest = "worst",
    local: Local | None = None,
    profile_draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> LatentFinding:
    """Judge the `k` latent cells with the most operational mass by how often the model errs near them.

    The profile is a Gaussian kernel on each encoded input. Near each of the first `k` cells failures are looked for: at
    latents of the cell, decoded, and moved along every feature inside the domain. A cell takes the class of its inputs.
    One with several classes counts as 1; one without inputs stays unassessed.

    Reference: Zhao et al., Assessing the reliability of deep learning classifiers through robustness evaluation and
    operational profiles, AISafety 2021, sections 4 and 5.

    Parameters
    ----------
    inputs, labels
        The labelled inputs, shape (n, features), which say what class a cell has.
    predict, latent
        The model, which takes inputs and gives their labels; what encodes and decodes inputs.
    domain, bandwidth
        The lowest and the highest value of the features; the width of the profile's kernel in the latent space.
    k, cells
        The number of cells to judge, and the cells along each axis, 100 in the paper.
    box
        The part of the latent space that is cut into cells, by default the range of all latents.
    radius
        How far decoded latents are moved; by default half the smallest distance between inputs of different classes.
    operational
        Unlabelled inputs for the profile, in place of the labelled ones.
    classes
        The labels that there are, by default those seen.
    mode
        In mode "paper" a cell without inputs takes the model's own answer at its decoded lower corner, where the
        paper's program judges every other cell too.
    rest
        What stays unassessed is set to 1 ("worst") or to the average of the cells ("average").
    local
        The search for failures near a cell, by default `Draws()`.
    profile_draws
        Cells that are hit by one of so many draws from the profile are ranked, too.
    level, seed
        The level of the intervals, and the seed of all draws.
    """
    for name, value, allowed in (("mode", mode, get_args(Mode)), ("rest", rest, get_args(Rest))):
        if value not in allowed:
            raise InvalidInput(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}")
    if int(profile_draws) != profile_draws or profile_draws < 0:
        raise InvalidInput(f"profile_draws={profile_draws} must be a whole number of at least 0")
    if not 0 < level < 1:
        raise InvalidInput(f"level={level} must lie between 0 and 1: 0.95 is usual")
    data = table("inputs", inputs)
    names, numbers = numbered_classes(labels, len(data), classes)
    if len(np.unique(numbers)) < 2:
        raise InvalidInput(f"labels are all {names[numbers[0]]!r}: failing needs a second class, so label some of it")
    low, high = _domain(domain, data)
    latents = encoded(latent, data)
    used = latents if operational is None else _operational(latent, operational, latents, data)
    profile = KernelProfile(used, bandwidth, at="integral")
    separation = Separation.of(data, numbers) if radius is None else None
    if separation is not None and not separation.half:
        raise InvalidInput("radius must be given: equal inputs with different labels leave no distance between classes")
    reach = separation.half if separation is not None else radius
    if reach is None or not 0 < reach < np.inf:
        raise InvalidInput(f"radius={radius} must be positive and finite: leave it out for half the separation")
    everything = np.concatenate([latents, used])
    ends = (everything.min(axis=0), everything.max(axis=0)) if box is None else box
    grid = Grid.over(*_ends("box", ends, latents.shape[1]), cells)
    ranked = rank_cells(grid, latents, numbers, profile, draws=profile_draws, seed=seed)
    if int(k) != k or not 1 <= k <= len(ranked.mass):
        raise InvalidInput(
            f"k={k} must lie in [1, {len(ranked.mass)}], the number of cells found: lower it or raise profile_draws"
        )
    local = Draws() if local is None else local
    balls = Balls(latent, grid, float(reach), low, high, mode != "paper", predict, names)
    judged = judge(balls, ranked, k, partial(local, level=level, seed=seed))
    predicted = balls.answers(data)
    return LatentFinding(
        mode=mode,
        rest=rest,
        level=level,
        classes=names,
        ranked=ranked,
        judged=judged,
        bandwidth=profile.bandwidth,
        radius=balls.radius,
        separation=separation,
        reconstruction=Reconstruction.of(balls, data, latents, predicted),
        failures=int(np.count_nonzero(predicted != numbers)),
        local=local.name,
        maps=latent_maps(grid, profile, ranked.centres(k), judged),
    )


def _domain(domain: tuple[ArrayLike, ArrayLike], data: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and highest value of every feature."""
    low, high = _ends("domain", domain, data.shape[1])
    if not np.all(low < high):
        raise InvalidInput("domain must rise from its lowest to its highest value in every feature: mend or drop those")
    outside = ~np.all((data >= low) & (data <= high), axis=1)
    if outside.any():
        row = int(np.argmax(outside))
        raise InvalidInput(f"inputs row {row} lies outside the domain: widen the domain or scale the inputs")
    return low, high


def _operational(latent: Latent, operational: ArrayLike, latents: Floats, data: Floats) -> Floats:
    """Return the latents of unlabelled inputs, which must be of one kind with the labelled ones."""
    given = table("operational", operational)
    if given.shape[1] != data.shape[1]:
        raise InvalidInput(f"operational has {given.shape[1]} features and must have {data.shape[1]}, as inputs have")
    found = encoded(latent, given)
    if found.shape[1] != latents.shape[1]:
        raise InvalidInput(f"encode gave {latents.shape[1]} axes for inputs, {found.shape[1]} for operational ones")
    return found


def _ends(name: str, ends: tuple[ArrayLike, ArrayLike], width: int) -> tuple[Floats, Floats]:
    """Return both ends with one value for each axis."""
    try:
        low, high = (np.broadcast_to(np.asarray(end, dtype=float), (width,)) for end in ends)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be the lowest and the highest value, each one number or {width}") from None
    return low, high
