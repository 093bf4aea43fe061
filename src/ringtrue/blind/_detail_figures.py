"""The details of a hunt in figures: distances against confidence, groups, and the reliability of the confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.blind._figures import draw_legend, draw_powers_of_ten
from ringtrue.core import figure_text, percent

_LEAST_DOUBT = 1e-6
"""Confidences nearer to 1 than this are drawn as if they were so near: what is 1 has no place on such an axis."""

_TICKS = (0.9, 0.99, 0.999, 0.9999, 0.99999, 1.0, 0.5, 0.7, 0.8, 0.95, 0.0, 0.2)
"""Confidences that may be named on an axis, those first that a reader looks for."""

_CROWDED = 0.1  # names nearer to each other than this, as a share of the axis, would run into each other

MOST_POINTS = 600
"""Items drawn of the scope: more would make the page heavy and the cloud no clearer."""

_ASKED: Sequence[tuple[bool, bool, str, str, str]] = (
    (False, False, "o", "C0", "asked, right"),
    (True, False, "x", "C1", "asked, wrong"),
    (False, True, "s", "C0", "at random, right"),
    (True, True, "P", "C1", "at random, wrong"),
)
"""Wrong or not, at random or not, with a marker that is told from the others without colour."""

MOST_GROUPS = 24
"""Groups in a figure; the table beside it has more."""

_HALF = 0.36
"""Half the width of a range; ranges stand equally wide, because those near 1 would be too narrow to be seen."""


def nines(confidence: float) -> float:
    """Return where a confidence stands: how many nines it has, so that 90 %, 99 % and 99.9 % are equally far apart.

    >>> [round(nines(one), 6) for one in (0.9, 0.99, 0.999, 1.0)]
    [1.0, 2.0, 3.0, 6.0]
    """
    return -math.log10(max(1.0 - confidence, _LEAST_DOUBT))


def draw_confidence_axis(axes: Any, confidences: Sequence[float]) -> None:
    """Set the ends and the ticks of an axis for these confidences."""
    low, high = min(map(nines, confidences)), max(map(nines, confidences))
    room = 0.04 * (high - low) or 0.1
    left, right = low - room, high + room
    ticks: list[float] = []
    for tick in _TICKS:
        near = any(abs(nines(tick) - nines(other)) < _CROWDED * (right - left) for other in ticks)
        if left <= nines(tick) <= right and not near:
            ticks.append(tick)
    axes.set_xlim(left, right)
    axes.set_xticks([nines(tick) for tick in ticks], [percent(tick) for tick in ticks])
    axes.set_xlabel("confidence of the model")


def has_distance(field: Mapping[str, Any]) -> bool:
    """Return whether distances were measured and kept."""
    return bool(_pairs(field.get("points")) or _pairs(field.get("asked")))


def _pairs(columns: Mapping[str, Any] | None, *names: str) -> list[tuple[Any, ...]]:
    """Return confidence, distance and what else is named of the items that have a distance."""
    rows = zip(*((columns or {}).get(name) or [] for name in ("confidence", "distance", *names)), strict=True)
    return [row for row in rows if row[1] is not None and math.isfinite(row[1])]


def draw_distance(axes: Any, field: Mapping[str, Any]) -> None:
    """Draw items as dots, the distance expected of their confidence as a curve, and items asked about as marks."""
    dots, expected = _pairs(field.get("points")), _pairs(field.get("curve"))
    dots = dots[:: max(1, math.ceil(len(dots) / MOST_POINTS))]
    asked = [row for row in _pairs(field.get("asked"), "wrong", "random") if row[2] is not None]

    def plot(rows: Sequence[tuple[Any, ...]], *marker: str, **style: Any) -> None:
        if rows:
            axes.plot([nines(row[0]) for row in rows], [row[1] for row in rows], *marker, **style)

    style = {"color": "#aebbc8", "markersize": 2, "markeredgewidth": 0, "linestyle": "", "zorder": 1}
    plot(dots, "o", label="items of the scope", **style)
    plot(expected, color="black", linewidth=1.6, zorder=2, label="expected of such confidence")
    for wrong, random, marker, color, words in _ASKED:
        own = [row for row in asked if row[2:] == (wrong, random)]
        plot(
            own,
            marker,
            color=color,
            linestyle="",
            markersize=5.5,
            markerfacecolor=color if wrong else "white",
            markeredgewidth=1.4 if marker == "x" else 1.0,
            zorder=4 if wrong else 3,
            label=f"{words} ({len(own):,})",
        )
    shown = [*dots, *expected, *asked]
    if all(row[1] > 0 for row in shown):
        draw_powers_of_ten(axes)
    draw_confidence_axis(axes, [row[0] for row in shown])
    norm = (field.get("distance") or {}).get("norm")
    axes.set_ylabel("distance to another answer" + (f" ({figure_text(str(norm), 12)})" if norm else ""))
    draw_legend(axes, 3)


def shown_groups(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the groups drawn: the first, as the finding orders them."""
    return list((finding.get("groups") or [])[:MOST_GROUPS])


def group_name(group: Mapping[str, Any], between: str = ": ") -> str:
    """Return what a group is called: a slice by its column and value, a cluster by its own name.

    >>> group_name({"kind": "hour", "name": "night"}), group_name({"kind": "cluster", "name": "cluster 3"})
    ('hour: night', 'cluster 3')
    """
    kind, name = group["kind"], group["name"]
    return str(name) if kind == "cluster" else f"{kind}{between}{name}"


def draw_groups(axes: Any, groups: Sequence[Mapping[str, Any]]) -> None:
    """Draw errors beyond those that confidence admits, per group; bold where even the low end is above 0."""
    for row, one in enumerate(groups):
        certain = one["low"] > 0
        axes.plot([one["low"], one["high"]], [row, row], color="C0", linewidth=2.8 if certain else 1.3)
        face = "C0" if certain else "white"
        axes.plot(one["excess"], row, "o", color="C0", markerfacecolor=face, markersize=5)
    label = f"{percent(groups[0]['level'])} for all groups at once"
    axes.plot([], [], "o-", color="C0", markerfacecolor="white", markersize=5, linewidth=1.3, label=label)
    axes.axvline(0, color="black", linewidth=1)
    names = [f"{figure_text(group_name(one), 32)} ({one['asked']:,})" for one in groups]
    axes.set_yticks(range(len(groups)), names, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.grid(axis="x", color="#d9dde1", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("errors beyond the expected, among those asked")
    draw_legend(axes, 1)


def shown_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ranges of confidence in which something was answered, the first one beginning where the scope does."""
    answered = [one for one in finding.get("reliability") or [] if one["asked"]]
    return [{**one, "low": max(one["low"], finding["threshold"])} for one in answered]


def overconfident_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ranges in which the model is less often right, at the high end, than it is sure anywhere."""
    return [one for one in shown_bins(finding) if one["accuracy_high"] < one["low"]]


def draw_reliability(axes: Any, bins: Sequence[Mapping[str, Any]]) -> None:
    """Draw, per range of confidence, how sure the model is as a box and how often it is right as an interval."""
    bar = {"fmt": "none", "ecolor": "C0", "elinewidth": 2.2, "capsize": 6, "capthick": 1.6, "zorder": 3}
    beside = {"xytext": (7, 4), "textcoords": "offset points", "fontsize": 8, "color": "#333333"}
    for place, one in enumerate(bins):
        sides, box = [place - _HALF, place + _HALF], (100 * one["low"], 100 * one["high"])
        label = "" if place else "how sure the model is"
        axes.fill_between(sides, *box, color="#c3cbd3", linewidth=1, label=label)
        low, high = 100 * one["accuracy_low"], 100 * one["accuracy_high"]
        label = "" if place else f"how often it is right ({percent(one['level'])} interval)"
        axes.errorbar(place, (low + high) / 2, yerr=(high - low) / 2, label=label, **bar)
        axes.annotate(f"{one['asked']:,}", (place, low), **beside)
    names = [f"{percent(one['low'])} to {percent(one['high'])}" for one in bins]
    crowded = len(bins) > 6
    axes.set_xticks(range(len(bins)), names, fontsize=8, rotation=30 * crowded, ha="right" if crowded else "center")
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(bins) - 0.4)
    axes.set_ylim(min(100 * min(one["accuracy_low"], one["low"]) - 4 for one in bins), 102)
    axes.set_xlabel("confidence of the model")
    axes.set_ylabel("right (%)")
    draw_legend(axes)
