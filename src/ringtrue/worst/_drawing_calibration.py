"""Whether the surrogate's spread can be believed, for the eye: how far off it was where it had not looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NINETEEN_OF_TWENTY = 1.96


def draw_calibration(axes: Any, scores: Sequence[float]) -> None:
    """Each held-out residual in the surrogate's standard deviations, with the lines between which 95 % should lie."""
    inside = [abs(score) <= _NINETEEN_OF_TWENTY for score in scores]
    for held, marker, face in ((True, "o", "C0"), (False, "x", "C1")):
        places = [place for place, one in enumerate(inside) if one is held]
        label = f"{'within' if held else 'beyond'} the lines ({len(places):,})"
        axes.plot(
            [place + 1 for place in places], [scores[place] for place in places], marker, color=face, linestyle="",
            markersize=5, markeredgewidth=1.6, label=label,
        )  # fmt: skip
    axes.axhspan(-_NINETEEN_OF_TWENTY, _NINETEEN_OF_TWENTY, color="#e8ebee", zorder=0)
    for edge in (-_NINETEEN_OF_TWENTY, _NINETEEN_OF_TWENTY):
        axes.axhline(edge, color="black", linestyle="--", linewidth=1)
    axes.axhline(0, color="#666666", linewidth=0.8)
    most = 1.15 * max(2.5, *map(abs, scores))
    axes.set_ylim(-most, most)
    axes.set_xlim(0, len(scores) + 1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("held-out residuals")
    axes.set_ylabel("standard deviations")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)
