"""What the errors have in common: the excess of each group with its interval, one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import figure_text, percent

MOST_GROUPS = 24
"""Groups in a figure; the table beside it has more."""


def shown_groups(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The groups drawn: the first, as the finding orders them."""
    return list((finding.get("groups") or [])[:MOST_GROUPS])


def group_name(group: Mapping[str, Any]) -> str:
    """What a group is called: a slice by its column and value, a cluster by its own name.

    >>> group_name({"kind": "hour", "name": "night"}), group_name({"kind": "cluster", "name": "cluster 3"})
    ('hour: night', 'cluster 3')
    """
    kind, name = group["kind"], group["name"]
    return str(name) if kind == "cluster" else f"{kind}: {name}"


def draw_groups(axes: Any, groups: Sequence[Mapping[str, Any]]) -> None:
    """Errors beyond those that confidence admits, per group; bold where even the low end of the interval is above 0."""
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
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
