"""Distance to a changed decision against confidence: who is nearer to it than is expected of such confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.blind._figures import draw_confidence_axis, draw_powers_of_ten, nines
from ringtrue.core import figure_text

MOST_POINTS = 600
"""Items drawn of the scope: more would make the page heavy and the cloud no clearer."""

_ASKED: Sequence[tuple[bool, bool, str, str, str]] = (
    (False, False, "o", "C0", "asked, right"),
    (True, False, "x", "C1", "asked, wrong"),
    (False, True, "s", "C0", "at random, right"),
    (True, True, "P", "C1", "at random, wrong"),
)
"""Wrong or not, at random or not, with a marker that is told from the others without colour."""


def has_distance(field: Mapping[str, Any]) -> bool:
    """Return whether distances were measured and kept."""
    return bool(_pairs(field.get("points") or {}) or _pairs(field.get("asked") or {}))


def draw_distance(axes: Any, field: Mapping[str, Any]) -> None:
    """Draw items as dots, the distance expected of their confidence as a curve, and items asked about as marks."""
    cloud, asked, curve = (field.get(name) or {} for name in ("points", "asked", "curve"))
    dots, expected = _thinned(_pairs(cloud)), _pairs(curve)
    marks = [pair for _, pair in _marked(asked)]
    shown = [*dots, *expected, *marks]
    if dots:
        axes.plot(
            *zip(*_placed(dots), strict=True),
            "o",
            color="#aebbc8",
            markersize=2,
            markeredgewidth=0,
            linestyle="",
            zorder=1,
            label="items of the scope",
        )
    if expected:
        label = "expected of such confidence"
        axes.plot(*zip(*_placed(expected), strict=True), color="black", linewidth=1.6, zorder=2, label=label)
    for wrong, random, marker, color, words in _ASKED:
        own = [pair for kind, pair in _marked(asked) if kind == (wrong, random)]
        if own:
            axes.plot(
                *zip(*_placed(own), strict=True),
                marker,
                color=color,
                linestyle="",
                markersize=5.5,
                markerfacecolor=color if wrong else "white",
                markeredgewidth=1.4 if marker == "x" else 1.0,
                zorder=4 if wrong else 3,
                label=f"{words} ({len(own):,})",
            )
    if all(distance > 0 for _, distance in shown):
        draw_powers_of_ten(axes)
    draw_confidence_axis(axes, [confidence for confidence, _ in shown])
    norm = (field.get("distance") or {}).get("norm")
    axes.set_ylabel("distance to another answer" + (f" ({figure_text(str(norm), 12)})" if norm else ""))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8)


def _marked(asked: Mapping[str, Any]) -> list[tuple[tuple[bool, bool], tuple[float, float]]]:
    """Return those asked about that were answered and have a distance: (wrong, at random), (confidence, distance)."""
    columns = [asked.get(name) or [] for name in ("wrong", "random", "confidence", "distance")]
    return [
        ((wrong, random), (confidence, distance))
        for wrong, random, confidence, distance in zip(*columns, strict=True)
        if wrong is not None and _is_known(distance)
    ]


def _pairs(columns: Mapping[str, Any]) -> list[tuple[float, float]]:
    both = zip(columns.get("confidence") or [], columns.get("distance") or [], strict=True)
    return [(confidence, distance) for confidence, distance in both if _is_known(distance)]


def _placed(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(nines(confidence), distance) for confidence, distance in pairs]


def _thinned(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return every second, third … of them, so that no more than `MOST_POINTS` stay."""
    return list(pairs[:: max(1, math.ceil(len(pairs) / MOST_POINTS))])


def _is_known(distance: float | None) -> bool:
    return distance is not None and math.isfinite(distance)
