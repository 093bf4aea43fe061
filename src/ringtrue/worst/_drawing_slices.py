"""What the surrogate expects around the worst point: a slice along each parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import figure_text
from ringtrue.worst._drawing_scale import Scale, scales

MOST_SLICES = 24
"""Slices in a figure: six rows of four."""


def shown_slices(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The slices drawn."""
    return list(finding["slices"][:MOST_SLICES])


def draw_slices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """What the surrogate says if one parameter moves away from the worst point: mean, band, and points nearby.

    One axes per slice; those that are left over are emptied.
    """
    shown, by_name = shown_slices(finding), {scale.name: scale for scale in scales(finding)}
    lowest = min((min([*one["low"], *one["seen"]]) for one in shown), default=0.0)
    highest = max((max([*one["high"], *one["seen"]]) for one in shown), default=1.0)
    room = 0.05 * (highest - lowest) or 0.5
    for place, one in zip(axes, shown, strict=False):
        scale = by_name[one["parameter"]]
        _draw_slice(place, scale, one)
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


def _draw_slice(axes: Any, scale: Scale, one: Mapping[str, Any]) -> None:
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
    """Names at the ends of an axis grow inward, so that those of two axes side by side stay apart."""
    return ["left", *["center"] * (number - 2), "right"] if number > 1 else ["center"]
