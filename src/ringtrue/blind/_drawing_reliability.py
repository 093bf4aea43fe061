"""Whether confidence can be believed, for the eye: how often the model is right where it is so sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import percent

_HALF = 0.36
"""Half the width of a range; ranges stand equally wide, because those near 1 would be too narrow to be seen."""


def shown_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ranges of confidence in which something was answered, the first one beginning where the scope does."""
    answered = [one for one in finding.get("reliability") or [] if one["asked"]]
    return [{**one, "low": max(one["low"], finding["threshold"])} for one in answered]


def overconfident_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ranges in which the model is less often right, at the high end of the interval, than it is sure anywhere."""
    return [one for one in shown_bins(finding) if one["accuracy_high"] < one["low"]]


def draw_reliability(axes: Any, bins: Sequence[Mapping[str, Any]]) -> None:
    """For each range of confidence: how sure the model is, as a box, and how often it is right, as an interval."""
    for place, one in enumerate(bins):
        axes.fill_between(
            [place - _HALF, place + _HALF], 100 * one["low"], 100 * one["high"], color="#c3cbd3", linewidth=1,
            label="" if place else "how sure the model is",
        )  # fmt: skip
        low, high = 100 * one["accuracy_low"], 100 * one["accuracy_high"]
        axes.errorbar(
            place, (low + high) / 2, yerr=(high - low) / 2, fmt="none", ecolor="C0", elinewidth=2.2, capsize=6,
            capthick=1.6, zorder=3, label="" if place else f"how often it is right ({percent(one['level'])} interval)",
        )  # fmt: skip
        axes.annotate(
            f"{one['asked']:,}", (place, low), xytext=(7, 4), textcoords="offset points", fontsize=8, color="#333333"
        )
    names = [f"{percent(one['low'])} to {percent(one['high'])}" for one in bins]
    crowded = len(bins) > 6
    axes.set_xticks(range(len(bins)), names, fontsize=8, rotation=30 * crowded, ha="right" if crowded else "center")
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(bins) - 0.4)
    axes.set_ylim(min(100 * min(one["accuracy_low"], one["low"]) - 4 for one in bins), 102)
    axes.set_xlabel("confidence of the model")
    axes.set_ylabel("right (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)
