"""The change in each slice of the pool, one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.changed._drawing import plain_text
from ringtrue.core import percent

MOST_SLICES = 24
"""Slices in a figure; the table beside it has them all."""


def draw_slices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """The share of changed answers by slice and, where there is a truth, the difference in accuracy beside it."""
    slices = shown_slices(finding)
    parts = [("change", "answers that changed (%)"), ("accuracy", "difference in accuracy (points)")]
    for place, (name, title) in zip(axes, parts, strict=False):
        _draw_rows(
            place, [one[name] for one in slices], whole=finding["change"] if name == "change" else _gain(finding)
        )
        place.set_xlabel(title, fontsize=9)
    names = [f"{plain_text(one['column'])}: {plain_text(one['value'])} ({one['answers']:,})" for one in slices]
    axes[0].set_yticks(range(len(slices)), names, fontsize=8)
    for place in axes[1:]:
        place.set_yticks(range(len(slices)), [""] * len(slices))


def shown_slices(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first slices, by column and value as the finding has them."""
    return list(finding["slices"][:MOST_SLICES])


def _gain(finding: Mapping[str, Any]) -> Any:
    return None if finding["accuracy"] is None else finding["accuracy"]["difference"]


def _draw_rows(axes: Any, rows: Sequence[Any], whole: Any) -> None:
    for place, one in enumerate(rows):
        if one is not None:
            axes.plot([100 * one["low"], 100 * one["high"]], [place, place], color="C0", linewidth=1.6)
            axes.plot(100 * one["estimate"], place, "o", color="C0", markersize=4)
    if whole is not None:
        label = f"whole pool: {percent(whole['estimate'])}"
        axes.axvline(100 * whole["estimate"], color="black", linestyle="--", linewidth=1, label=label)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", color="#d9dde1", linewidth=0.6)
    axes.set_axisbelow(True)
