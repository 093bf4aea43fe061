"""The change in each slice of the pool, one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import figure_text, percent

MOST_SLICES = 24
"""Slices in a figure; the table beside it has more."""


def draw_slices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """The share of changed answers by slice and, where there is a truth, the difference in accuracy beside it.

    On one axes or, with a truth, on two.
    """
    slices = shown_slices(finding)
    _draw_rows(axes[0], [one["change"] for one in slices])
    _draw_whole(axes[0], finding["change"]["estimate"], percent(finding["change"]["estimate"]))
    axes[0].set_xlabel("answers that changed (%)", fontsize=9)
    names = [
        f"{figure_text(one['column'], 16)}: {figure_text(one['value'], 16)} ({one['answers']:,})" for one in slices
    ]
    axes[0].set_yticks(range(len(slices)), names, fontsize=8)
    if finding["accuracy"] is not None:
        gained = finding["accuracy"]["difference"]["estimate"]
        _draw_rows(axes[1], [one["accuracy"] for one in slices])
        _draw_whole(axes[1], gained, f"{100 * gained:+z.1f} points".replace("-", "−"))
        axes[1].set_xlabel("difference in accuracy (points)", fontsize=9)
        axes[1].set_yticks(range(len(slices)), [""] * len(slices))


def shown_slices(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first slices, by column and value as the finding has them."""
    return list(finding["slices"][:MOST_SLICES])


def _draw_rows(axes: Any, rows: Sequence[Any]) -> None:
    for place, one in enumerate(rows):
        if one is not None:
            axes.plot([100 * one["low"], 100 * one["high"]], [place, place], color="C0", linewidth=1.6)
            axes.plot(100 * one["estimate"], place, "o", color="C0", markersize=4)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", color="#d9dde1", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_whole(axes: Any, estimate: float, text: str) -> None:
    axes.axvline(100 * estimate, color="black", linestyle="--", linewidth=1, label=f"whole pool: {text}")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
