"""Where in the pool the failures are, and what the same labels say about other mixtures of inputs.

Every function here takes the finding as its JSON values: whoever has a report can draw its figures again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import figure_text, percent

MOST_STRATA = 24
"""Strata in a figure; the table beside it has more."""

MOST_PROFILES = 24
"""Profiles in a figure; the table beside it has more."""


def draw_strata(axes: Any, finding: Mapping[str, Any]) -> None:
    """The share of the pool and the share of its failures that lie in each stratum, side by side."""
    strata = finding["strata"]
    total = sum(_failing(one) for one in strata)
    shown = shown_strata(finding)
    rows = range(len(shown))
    of_pool, of_failures = [100 * one["share"] for one in shown], [100 * _failing(one) / total for one in shown]
    axes.barh([row - 0.19 for row in rows], of_pool, height=0.36, color="#c3cbd3", label="of the pool")
    axes.barh([row + 0.19 for row in rows], of_failures, height=0.36, color="C1", label="of the failures, estimated")
    for row, one in zip(rows, shown, strict=True):
        text = "not asked" if one["rate"] is None else f"{percent(one['rate'])} fail"
        end = max(of_pool[row], of_failures[row])
        axes.annotate(text, (end, row), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8)
    _name_rows(axes, [one["name"] for one in shown])
    axes.set_xlim(0, 1.18 * max(*of_pool, *of_failures))  # room for the words at the end of the longest bar
    axes.set_xlabel("share (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)


def shown_strata(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The strata drawn, in the order in which they stand; none while no failure was found anywhere."""
    strata = finding.get("strata") or []
    return list(strata[:MOST_STRATA]) if any(_failing(one) for one in strata) else []


def draw_profiles(axes: Any, finding: Mapping[str, Any]) -> None:
    """The interval of the failure rate under each profile; where it is refused, a word instead."""
    shown = shown_profiles(finding)
    drawn = [one["interval"] for one in shown if one["interval"] is not None]
    for row, one in enumerate(shown):
        interval = one["interval"]
        if interval is None:
            axes.annotate("refused", (0, row), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
            continue
        axes.plot([100 * interval["low"], 100 * interval["high"]], [row, row], color="C0", linewidth=1.6)
        axes.plot(100 * interval["estimate"], row, "o", color="C0", markersize=4)
    own = finding["interval"]
    axes.axvspan(100 * own["low"], 100 * own["high"], color="#e8ebee", label="interval at the top", zorder=0)
    _name_rows(axes, [one["name"] for one in shown])
    highest = max([own["high"], *(interval["high"] for interval in drawn)])
    axes.set_xlim(0, 105 * highest)
    axes.set_xlabel("failure rate (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)


def shown_profiles(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The profiles drawn; none while every one of them is refused."""
    profiles = finding.get("profiles") or []
    return list(profiles[:MOST_PROFILES]) if any(one["interval"] is not None for one in profiles) else []


def _name_rows(axes: Any, names: Sequence[object]) -> None:
    axes.set_yticks(range(len(names)), [figure_text(str(name)) for name in names], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _failing(stratum: Mapping[str, Any]) -> float:
    """The share of the pool that lies in a stratum and fails; zero while nothing is known about it."""
    return float(stratum["share"]) * float(stratum["rate"] or 0.0)
