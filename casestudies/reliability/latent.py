"""The two rows of images: cells of a latent space, of which a sample is judged by Webb's estimator."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reliability.trained import Trained
from reliability.webb import WebbBalls
from ringtrue.papers.reliability_assessment import Grid, KernelProfile, RankedCells, Separation, clopper_pearson
from ringtrue.papers.reliability_assessment._latent_cells import judge, rank_cells
from ringtrue.papers.reliability_assessment._latent_failures import Balls
from ringtrue.stats import generator

BANDWIDTH = 0.26366508987
"""That of the published program."""

RADIUS = 0.3
"""How far the published program moves pixels, for both sets, whatever their separation."""


@dataclass(frozen=True)
class Setting:
    """How an image row is worked out.

    `side` is the paper's cell and `k` its number of cells; `points` images make the profile. Of the k cells so many are
    judged, drawn evenly for the average cell and again in proportion to their mass for E, by splitting with so many
    particles and moves; the published program takes 1,000 and 200.
    """

    side: float
    k: int
    points: int = 10_000
    judged: int = 30
    particles: int = 100
    steps: int = 20


SETTINGS = {"MNIST": Setting(0.1, 170_000), "CIFAR10": Setting(0.125, 23_000, judged=15, particles=50)}


def latent_row(of: Trained, setting: Setting, seed: int = 0) -> dict[str, Any]:
    """Return everything in a row of table 1, with the standard errors of what was drawn."""
    start = time.process_time()
    latents, grid, ranked = ranking(of, setting, seed)
    ranking_seconds = time.process_time() - start
    k = min(setting.k, len(ranked.mass))
    size = of.images.pixels.shape[1]
    classes = tuple(range(10))
    balls = Balls(of.latent, grid, RADIUS, np.zeros(size), np.ones(size), False, of.predict, classes)
    chance = generator(seed, "reliability/cells")
    even = chance.choice(k, setting.judged, replace=False)
    heavy = chance.choice(k, setting.judged, p=ranked.mass[:k] / ranked.mass[:k].sum())
    chosen = np.concatenate([even, heavy])
    part = RankedCells(grid, ranked.steps[chosen], ranked.mass[chosen], ranked.label[chosen], ranked.of_point)
    start = time.process_time()
    local = WebbBalls(of.logits, setting.particles, setting.steps)
    judged = judge(balls, part, len(chosen), partial(local, level=0.95, seed=seed))
    seconds = (time.process_time() - start) / len(chosen)
    own = of.predict(balls.centres(part.steps, np.zeros(part.steps.shape)))
    wrong, training = of.wrong(), of.images.training
    tested = latents[training:], of.images.labels[training:]
    apart = Separation.of(*tested)
    held_out = len(tested[1]), int(wrong[training:].sum())
    limits = clopper_pearson(held_out[1], held_out[0], level=0.95, side="both")
    return {
        "known_as": of.known_as, "train": (training, int(wrong[:training].sum())), "test": held_out,
        "low": float(limits.low), "high": float(limits.high),
        "separation": apart.first_at_least(setting.side), "half": apart.half, "closer": apart.violators(setting.side),
        "pixels": pixel_separation(of), "radius": RADIUS, "axes": latents.shape[1], "cells": k,
        "covered": float(ranked.mass[:k].sum()), "empty": float(np.mean(ranked.label[:k] == -1)),
        "by_rule": float(np.mean((part.label >= 0) & (part.label != own))), "judged": setting.judged,
        "heavy_class": _commonest(judged.truth[setting.judged :]),
        "acu": _mean(judged.share[: setting.judged]), "estimate": _mean(judged.share[setting.judged :]),
        # What the published program prints for the same runs: it takes a natural logarithm for a decimal one.
        "acu_program": _mean(judged.share[: setting.judged] ** math.log(10)),
        "estimate_program": _mean(judged.share[setting.judged :] ** math.log(10)),
        "seconds": seconds, "ranking_seconds": ranking_seconds, **reconstruction(of, tested[0][:2000]),
        "settings": asdict(setting),
    }  # fmt: skip


def ranking(of: Trained, setting: Setting, seed: int) -> tuple[NDArray[np.float64], Grid, RankedCells]:
    """Return the latents of all images, the grid that holds them, and the cells that images or draws fall into."""
    latents = np.concatenate([of.latent.encode(of.images.values(rows)) for rows in _portions(len(of.images.labels))])
    half = math.ceil(float(np.abs(latents).max()) / setting.side) * setting.side
    grid = Grid.over(np.full(latents.shape[1], -half), np.full(latents.shape[1], half), round(2 * half / setting.side))
    profile = KernelProfile(latents[-setting.points :], BANDWIDTH, at="integral")
    draws = max(0, setting.k - len(latents)) * 5 // 4
    return latents, grid, rank_cells(grid, latents, of.images.labels, profile, draws=draws, seed=seed)


def reconstruction(of: Trained, latents: NDArray[np.float64]) -> dict[str, Any]:
    """Return how far held-out images are from what is decoded of them, and how many get another label."""
    rows = np.arange(of.images.training, of.images.training + len(latents))
    seen, again = of.images.values(rows), of.latent.decode(latents)
    return {
        "rms": float(np.sqrt(np.mean((again - seen) ** 2))),
        "relabelled": float(np.mean(of.predict(again) != of.predict(seen))),
        "decoded_wrong": float(np.mean(of.predict(again) != of.images.labels[rows])),
    }


def pixel_separation(of: Trained) -> float:
    """Return the least largest difference of a pixel between images of different classes, held out and learnt from.

    Pixels that vary most are compared first: few pairs are left for the others.
    """
    pixels, labels, training = of.images.pixels, of.images.labels, of.images.training
    spread = np.argsort(-pixels[:training:37].std(axis=0), kind="stable")
    first = np.ascontiguousarray(pixels[:training, spread[:24]])
    least = 256
    for row in range(training, len(labels), 5):  # a fifth of them: more can only bring the classes closer
        seen = pixels[row]
        near = np.abs(first.astype(np.int16) - seen[spread[:24]]).max(axis=1) < least
        near &= labels[:training] != labels[row]
        rows = np.flatnonzero(near)
        if len(rows):
            apart = np.abs(pixels[rows].astype(np.int16) - seen).max(axis=1)
            least = min(least, int(apart.min()))
    return least / 255


def _portions(rows: int) -> list[slice]:
    return [slice(start, start + 10_000) for start in range(0, rows, 10_000)]


def _commonest(truth: NDArray[np.int64]) -> tuple[int, float]:
    """Return the class that most cells have, and the share that has it."""
    seen = np.bincount(truth[truth >= 0], minlength=10)
    return int(seen.argmax()), float(seen.max() / max(1, len(truth)))


def _mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
