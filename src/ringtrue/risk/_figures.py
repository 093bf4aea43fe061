"""The figures of a failure rate, from its JSON values: the interval, where the failures are, other mixtures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Claim, draw_deciding, figure_text, percent

_BESIDE = {"textcoords": "offset points", "va": "center", "fontsize": 8}
"""How words stand beside a row."""

MOST = 24
"""Strata or profiles in a figure; the table beside it has more."""

LONGEST = 40
"""Letters of a stratum's name: it ends with the weight, which tells it from the one beside it."""


def draw_failure_rate(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the interval narrowing answer by answer, with the claim."""
    path, claim = finding["path"], None if finding["claim"] is None else Claim.parse(finding["claim"])
    answers, decided = path["answers"], finding["decided_at"]
    end = 1.04 * max(1, answers[-1])  # a little beyond, so that the last step is seen
    looking = "valid while you watch" if finding.get("planned") is None else "looked at once"
    places = [*answers, end]
    low, high = ([100 * value for value in (*side, side[-1])] for side in (path["low"], path["high"]))
    label = f"{percent(finding['interval']['level'])} interval, {looking}"
    axes.fill_between(places, low, high, step="post", alpha=0.25, linewidth=0, label=label)
    if answers[-1]:
        estimate = [100 * value for value in (*path["estimate"][1:], path["estimate"][-1])]
        axes.step(places[1:], estimate, where="post", label="share failed so far")
    if claim is not None:
        axes.axhline(100 * claim.limit, color="black", linestyle="--", linewidth=1, label=f"claim: {claim}")
    if decided is not None:
        axes.axvline(decided, color="black", linestyle=":", linewidth=1, label=f"decided after {decided}")
    # The first answers leave everything open; the scale is made for what follows them.
    deciding = finding.get("deciding")
    later = path["high"][len(path["high"]) // 4]
    edge = 0.0 if deciding is None else deciding["bounds"][-1]
    axes.set_ylim(0, 100 * min(1.0, 1.1 * max(later, 2 * claim.limit if claim else 0.0, edge)))
    axes.set_xlim(0, end)
    axes.set_xlabel("answers")
    axes.set_ylabel("failure rate (%)")
    draw_deciding(axes, deciding)
    # Above the axes, because the band fills either corner.
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8, ncols=2)


def draw_strata(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the interval of the failure rate in each stratum, and the share of its answers that failed."""
    shown = shown_strata(finding)
    _draw_rows(axes, shown, LONGEST)
    for row, one in enumerate(shown):
        text = f"{one['failures']:,} of {one['answers']:,} failed, {percent(one['share'])} of the pool"
        axes.annotate(text, (100 * one["interval"]["high"], row), xytext=(5, 0), **_BESIDE)
    highest = 100 * max(one["interval"]["high"] for one in shown)
    axes.set_xlim(0, 1.5 * highest)  # room for the words beside the longest line
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= max(highest, 1e-9)])


def shown_strata(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the strata drawn, in the order in which they stand; none while no failure was found anywhere.

    One without an interval is not drawn. Where there are too many, those with most failures and answers are.
    """
    strata = [one for one in finding.get("strata") or [] if one["interval"] is not None]
    if not any(one["failures"] for one in strata):
        return []
    places = sorted(range(len(strata)), key=lambda place: (-strata[place]["failures"], -strata[place]["answers"]))
    return [strata[place] for place in sorted(places[:MOST])]


def draw_profiles(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the interval of the failure rate under each profile; where it is refused, a word instead."""
    shown, own = shown_profiles(finding), finding["interval"]
    _draw_rows(axes, shown)
    for row, one in enumerate(shown):
        if one["interval"] is None:
            axes.annotate("refused", (0, row), xytext=(6, 0), **_BESIDE)
    axes.axvspan(100 * own["low"], 100 * own["high"], color="#e8ebee", label="interval at the top", zorder=0)
    axes.set_xlim(0, 105 * max(one["high"] for one in (own, *(one["interval"] for one in shown)) if one is not None))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)


def shown_profiles(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the profiles drawn; none while every one of them is refused."""
    profiles = finding.get("profiles") or []
    return list(profiles[:MOST]) if any(one["interval"] is not None for one in profiles) else []


def _draw_rows(axes: Any, shown: Sequence[Mapping[str, Any]], longest: int = 24) -> None:
    """Draw an interval of the failure rate per row, named at the side."""
    for row, interval in enumerate(one["interval"] for one in shown):
        if interval is not None:
            axes.plot([100 * interval["low"], 100 * interval["high"]], [row, row], color="C0", linewidth=1.6)
            axes.plot(100 * interval["estimate"], row, "o", color="C0", markersize=4)
    axes.set_yticks(range(len(shown)), [figure_text(str(one["name"]), longest) for one in shown], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlabel("failure rate (%)")
