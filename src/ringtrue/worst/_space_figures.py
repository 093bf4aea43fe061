"""Figures of the space: where the worst deviations lie, slices around the worst point, and that input as a picture.

Every parameter is an axis from 0 to 1, whatever its kind, so that those of one space can stand beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import figure_text
from ringtrue.worst._arrays import Floats
from ringtrue.worst._figures import short

MOST_PARAMETERS = 24
"""Parameters in a figure; more axes could not be told apart."""

MOST_LINES = 10
"""Evaluations shown as lines: the worst."""

_UPRIGHT = 8
"""Up to so many parameters names and numbers lie flat; beyond, they stand on end to have room."""

MOST_SLICES = 24
"""Slices in a figure: six rows of four."""

MOST_POINTS = 32
"""Points along a side at most: a picture of more is averaged to fewer."""

_LEVELS = 32
"""Shades of grey or of a colour: neighbours of the same shade are plotted as one."""

_BEYOND = 0.04
"""How far outside the axis a value stands that the space does not reach, as a point of a training set may."""

_OPTIONS = 6
"""Options of a choice that are named; of more, the first and the last."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A parameter as an axis from 0 to 1, whatever its kind. `options` are those of a choice, which has no ends."""

    name: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    options: tuple[Any, ...] = ()

    def place(self, value: Any) -> float:
        """Return where a value stands: 0 at the low end, 1 at the high one, nan for what the axis cannot show.

        >>> Scale("rate", 1, 100, log=True).place(10)
        0.5
        >>> Scale("solvent", options=("water", "ethanol", "oil")).place("ethanol")
        0.5
        """
        if self.options:
            return self.options.index(value) / (len(self.options) - 1) if value in self.options else math.nan
        if value is None or (self.log and value <= 0):
            return math.nan
        low, high, at = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return min(max((at - low) / (high - low), -_BEYOND), 1 + _BEYOND)

    def ticks(self, longest: int = 10) -> tuple[list[float], list[str]]:
        """Return the places to name and their names: both ends or, of a choice with few options, each of them."""
        shown = self.options if len(self.options) <= _OPTIONS else (self.options[0], self.options[-1])
        if shown:
            return [self.place(option) for option in shown], [figure_text(str(option), longest) for option in shown]
        return [0.0, 1.0], [short(self.low), short(self.high)]


def scales(finding: Mapping[str, Any]) -> list[Scale]:
    """Return the axes of the space that a finding is about, in its order."""
    return [
        Scale(
            one["name"],
            one.get("low", 0.0),
            one.get("high", 1.0),
            bool(one.get("log")),
            tuple(one.get("options") or ()),
        )
        for one in finding["space"]["parameters"]
    ]


def plot_parallel(axes: Any, finding: Mapping[str, Any], training: Mapping[str, Any] | None = None) -> None:
    """Plot the inputs of the worst evaluations, one axis per parameter, the worst of them bold.

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
    """Say whether the names of all parameters have room beside each other, so that none need be turned."""
    return len(finding["space"]["parameters"]) <= _UPRIGHT


def worst_answers(finding: Mapping[str, Any], most: int = MOST_LINES) -> list[int]:
    """Return the places, from 0, of the evaluations with the largest deviations, the worst first."""
    deviations = finding["path"]["deviation"]
    return sorted(range(len(deviations)), key=lambda place: -deviations[place])[:most]


def _spans(scale: Scale, extent: Sequence[Any] | None) -> list[tuple[float, float]]:
    """Return what of an axis the region takes: from its low to its high end or, of a choice, a mark at each option."""
    if extent is None:
        return []
    places = [scale.place(value) for value in extent]
    if scale.options:
        return [(max(0.0, place - 0.03), min(1.0, place + 0.03)) for place in places if not math.isnan(place)]
    return [(places[0], places[-1])]


def _write_values(axes: Any, place: int, scale: Scale, turned: bool) -> None:
    """Write the values at both ends of an axis and, where there is room, the options between them."""
    look: dict[str, Any] = {
        "textcoords": "offset points",
        "fontsize": 7,
        "color": "#555555",
        "rotation": 90 if turned else 0,
        "zorder": 5,
        "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
    }
    for height, name in zip(*scale.ticks(6 if turned else 10), strict=True):
        if height in (0, 1):
            off, side = (-3, "top") if height == 0 else (3, "bottom")
            axes.annotate(name, (place, height), xytext=(0, off), ha="center", va=side, **look)
        elif not turned:
            axes.annotate(name, (place, height), xytext=(6, 0), ha="left", va="center", **look)


def shown_slices(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the slices shown."""
    return list(finding["slices"][:MOST_SLICES])


def plot_slices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """Plot what the surrogate says if one parameter moves away from the worst point: mean, band, and points nearby.

    One axes per slice; those that are left over are emptied.
    """
    shown, by_name = shown_slices(finding), {scale.name: scale for scale in scales(finding)}
    lowest = min((min([*one["low"], *one["seen"]]) for one in shown), default=0.0)
    highest = max((max([*one["high"], *one["seen"]]) for one in shown), default=1.0)
    room = 0.05 * (highest - lowest) or 0.5
    for place, one in zip(axes, shown, strict=False):
        scale = by_name[one["parameter"]]
        _plot_slice(place, scale, one)
        place.axvline(scale.place(finding["worst"]["point"][scale.name]), color="black", linestyle=":", linewidth=1)
        place.set_ylim(lowest - room, highest + room)
        place.set_xlim(-0.05, 1.05)
        place.set_xlabel(figure_text(scale.name, 18), fontsize=8, labelpad=2)
        places, names = scale.ticks(7)
        place.set_xticks(places, names, fontsize=7)
        for text, side in zip(place.get_xticklabels(), _sides(len(places)), strict=True):
            text.set_horizontalalignment(side)
        first = place.get_subplotspec().is_first_col()
        place.tick_params(axis="y", labelsize=7, labelleft=first)
        place.set_ylabel("deviation" if first else "", fontsize=8)
    for place in axes[len(shown) :]:
        place.set_axis_off()


def _plot_slice(axes: Any, scale: Scale, one: Mapping[str, Any]) -> None:
    at = [scale.place(value) for value in one["at"]]
    if scale.options:  # between two options there is nothing
        spread = [
            [middle - low for middle, low in zip(one["mean"], one["low"], strict=True)],
            [high - middle for middle, high in zip(one["mean"], one["high"], strict=True)],
        ]
        axes.errorbar(at, one["mean"], yerr=spread, fmt="_", color="C0", ecolor="#8fb0cf", elinewidth=3)
    else:
        axes.fill_between(at, one["low"], one["high"], color="C0", alpha=0.22, linewidth=0)
        axes.plot(at, one["mean"], color="C0", linewidth=1.6)
    seen = [scale.place(value) for value in one["seen_at"]]
    axes.plot(seen, one["seen"], "o", color="black", markersize=2.8, linestyle="")


def _sides(number: int) -> list[str]:
    """Let names at the ends of an axis grow inward, so that those of two axes side by side stay apart."""
    return ["left", *["center"] * (number - 2), "right"] if number > 1 else ["center"]


def plot_picture(axes: Any, picture: Mapping[str, Any]) -> None:
    """Plot the input at the worst point as a picture, its first row at the top.

    It has numbers from 0 (black) to 1 in rows, or triples of red, green, blue.
    """
    values = np.clip(np.asarray(picture["rows"], dtype=np.float64), 0.0, 1.0)
    colours = np.round(_coarse(values if values.ndim == 3 else values[:, :, None].repeat(3, axis=2)) * (_LEVELS - 1))
    height, width = colours.shape[:2]
    # Bars, not an image: pages that forbid images show them, and they stay sharp.
    for row, cells in enumerate(colours):
        starts = np.flatnonzero(np.r_[True, (cells[1:] != cells[:-1]).any(axis=1)])
        spans = list(zip(starts.tolist(), np.diff(np.r_[starts, width]).tolist(), strict=True))
        axes.broken_barh(spans, (row, 1), facecolors=cells[starts] / (_LEVELS - 1), edgecolors="face", linewidth=0.3)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(figure_text(str(picture["title"]), 60), fontsize=9)


def _coarse(values: Floats) -> Floats:
    """Return the means of square blocks, so large that no more than `MOST_POINTS` stand along a side."""
    step = -(-max(values.shape[:2]) // MOST_POINTS)
    down, across = (np.arange(0, side, step) for side in values.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(values, down, axis=0), across, axis=1)
    sizes = [np.diff(np.r_[starts, side]) for starts, side in zip((down, across), values.shape[:2], strict=True)]
    return np.asarray(sums / np.outer(*sizes)[:, :, None])
