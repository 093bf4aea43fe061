"""Where in the space the worst deviations lie: parallel coordinates, one axis for each parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import figure_text
from ringtrue.worst._drawing_scale import Scale, scales, short

MOST_PARAMETERS = 24
"""Parameters in a figure; more axes could not be told apart."""

MOST_LINES = 10
"""Evaluations drawn as lines: the worst."""

_UPRIGHT = 8
"""Up to so many parameters names and numbers lie flat; beyond, they stand on end to have room."""


def draw_parallel(axes: Any, finding: Mapping[str, Any], training: Mapping[str, Any] | None = None) -> None:
    """The inputs of the worst evaluations, one axis per parameter, the worst of them bold.

    Shaded is the range of each parameter, and darker what of it belongs to the region around the worst.
    `training` is the worst case of the training set, where it is known: its `point` and `deviation`.
    """
    shown = scales(finding)[:MOST_PARAMETERS]
    across = range(len(shown))
    extent = (finding["region"] or {}).get("extent", {})
    turned = not upright(finding)
    half = min(0.13, 0.02 * len(shown))
    for place, scale in enumerate(shown):
        sides = [place - half, place + half]
        axes.fill_between(sides, 0, 1, color="#e8ebee", linewidth=0, zorder=0)
        for low, high in _spans(scale, extent.get(scale.name)):
            axes.fill_between(sides, low, high, color="#b3c0cd", linewidth=0, zorder=0.5)
        _write_values(axes, place, scale, turned)
    order = worst_answers(finding)
    deviations = finding["path"]["deviation"]
    for rank, answer in reversed(list(enumerate(order))):
        heights = [scale.place(finding["inputs"][scale.name][answer]) for scale in shown]
        if rank:
            label = f"next {len(order) - 1} worst: to {short(deviations[order[-1]])}" if rank == 1 else None
            axes.plot(across, heights, color="C0", alpha=0.35, linewidth=0.9, label=label)
        else:
            label = f"worst: {short(deviations[answer])}"
            axes.plot(across, heights, "o-", color="C0", linewidth=2.6, markersize=4.5, label=label, zorder=4)
    if training is not None:
        heights = [scale.place(training["point"].get(scale.name)) for scale in shown]
        label = f"worst of the training set: {short(training['deviation'])}"
        axes.plot(across, heights, "s--", color="C1", linewidth=1.8, markersize=4.5, label=label, zorder=3)
    names = [figure_text(scale.name, 24 if turned else 72 // len(shown)) for scale in shown]
    axes.set_xticks(across, names, rotation=90 if turned else 0, fontsize=8, color="black")
    axes.set_xlim(-0.5, len(shown) - 0.5)
    axes.set_ylim((-0.26, 1.22) if turned else (-0.1, 1.1))
    axes.set_yticks([])
    axes.tick_params(axis="x", length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8)


def upright(finding: Mapping[str, Any]) -> bool:
    """Whether the names of all parameters have room beside each other, so that none need be turned."""
    return len(finding["space"]["parameters"]) <= _UPRIGHT


def worst_answers(finding: Mapping[str, Any], most: int = MOST_LINES) -> list[int]:
    """The places, from 0, of the evaluations with the largest deviations, the worst first."""
    deviations = finding["path"]["deviation"]
    return sorted(range(len(deviations)), key=lambda place: -deviations[place])[:most]


def _spans(scale: Scale, extent: Sequence[Any] | None) -> list[tuple[float, float]]:
    """What of an axis the region takes: from its low to its high end or, of a choice, a mark at each option."""
    if extent is None:
        return []
    places = [scale.place(value) for value in extent]
    if scale.options:
        return [(max(0.0, place - 0.03), min(1.0, place + 0.03)) for place in places if not math.isnan(place)]
    return [(places[0], places[-1])]


def _write_values(axes: Any, place: int, scale: Scale, turned: bool) -> None:
    """The values at both ends of an axis and, where there is room, the options between them."""
    look: dict[str, Any] = {
        "textcoords": "offset points", "fontsize": 7, "color": "#555555", "rotation": 90 if turned else 0, "zorder": 5,
        "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
    }  # fmt: skip
    for height, name in zip(*scale.ticks(6 if turned else 10), strict=True):
        if height in (0, 1):
            off, side = (-3, "top") if height == 0 else (3, "bottom")
            axes.annotate(name, (place, height), xytext=(0, off), ha="center", va=side, **look)
        elif not turned:
            axes.annotate(name, (place, height), xytext=(6, 0), ha="left", va="center", **look)
