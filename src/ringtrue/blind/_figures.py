"""The figures of a hunt: its path, its groups, its reliability, on one scale of confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import draw_deciding, figure_text, percent

_LEAST_DOUBT = 1e-6
"""Confidences nearer to 1 than this are drawn as if they were so near: what is 1 has no place on such an axis."""

_TICKS = (0.9, 0.99, 0.999, 0.9999, 0.99999, 1.0, 0.5, 0.7, 0.8, 0.95, 0.0, 0.2)
"""Confidences that may be named on an axis, those first that a reader looks for."""

_CROWDED = 0.1
"""Names nearer to each other than this, as a share of the axis, would run into each other."""


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


def draw_powers_of_ten(axes: Any) -> None:
    """Make the vertical axis one of logarithms whose numbers are written out."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(_number)
    axes.yaxis.set_minor_formatter(_sparse_number)


def short(value: float) -> str:
    """Return a number in a figure.

    >>> short(0.0123), short(1.666), short(10208.0)
    ('0.012', '1.7', '10,208')
    """
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _sparse_number(value: float, place: object) -> str:
    """Name only twos and fives between powers of ten: within a single power there would be no number else."""
    return _number(value, place) if f"{value:e}"[0] in "25" else ""


def _number(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


_LEAST_RATIO = 0.05
"""A scale of logarithms has no zero: ratios below this stand at the foot of the figure."""


def has_path(finding: Mapping[str, Any]) -> bool:
    """Return whether there is an answer to draw, not only items that the oracle could not label."""
    return any(ratio is not None for ratio in finding["path"]["ratio"])


def pool_ratio(finding: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the ratio of the whole scope: the errors that its rate gives, over those that its confidences admit.

    None while the rate has no estimate: without randomised answers nothing speaks of the items not asked about.
    """
    expected, rate = field.get("expected_errors"), finding.get("rate")
    if not expected or not rate or rate["estimate"] is None:
        return None
    return {name: finding["scope"] * rate[name] / expected for name in ("estimate", "low", "high")}


def draw_ratio(axes: Any, finding: Mapping[str, Any], pool: Mapping[str, float] | None = None) -> None:
    """Draw errors found over errors expected after each answer, with the band, on a scale of logarithms.

    Two lines to compare with: 1, where a model's confidence is right, and the ratio of the whole scope where known.
    """
    path = finding["path"]
    if not has_path(finding):
        axes.text(0.5, 0.5, "nothing is answered yet", ha="center", va="center", transform=axes.transAxes)
        return
    bottom, top = _ratio_limits(path, pool)
    places = [*path["answer"], _end(path["answer"])]
    low, ratio, high = (
        [min(max(value, bottom), top) for value in _lasting(path[name], missing)]
        for name, missing in (("low", bottom), ("ratio", bottom), ("high", top))
    )
    label = f"{percent(finding['ratio']['level'])} band"
    axes.fill_between(places, low, high, step="post", alpha=0.22, linewidth=0, label=label)
    axes.step(places, ratio, where="post", color="C0", linewidth=2, label="errors found / expected")
    axes.axhline(1, color="black", linewidth=1, label="1: as confident as right")
    if pool is not None:
        label = f"whole scope: {short(pool['estimate'])} ({short(pool['low'])} to {short(pool['high'])})"
        axes.axhline(max(pool["estimate"], bottom), color="C1", linestyle="--", linewidth=1.4, label=label)
    draw_powers_of_ten(axes)
    axes.set_ylim(bottom, top)
    axes.set_ylabel("discovery ratio")
    _finish(axes, places)


def draw_rate(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the interval of the share of the scope that is wrong, with a mark per randomised answer."""
    path, rate = finding["path"], finding["rate"]
    places = [*path["answer"], _end(path["answer"])]
    low, high = (
        [100 * value for value in _lasting(path[f"rate_{side}"], end)] for side, end in (("low", 0.0), ("high", 1.0))
    )
    label = f"{percent(rate['level'])} interval, valid while you watch"
    axes.fill_between(places, low, high, step="post", alpha=0.25, linewidth=0, label=label)
    if rate["estimate"] is not None:
        axes.axhline(100 * rate["estimate"], color="C0", linewidth=1.4, label=f"estimate: {percent(rate['estimate'])}")
    limit = finding["limit"] or 0.0
    if finding["claim"]:
        axes.axhline(100 * limit, color="black", linestyle="--", linewidth=1, label=f"claim: {finding['claim']}")
    if finding["decided_at"] is not None:
        label = f"decided after {finding['decided_at']:,}"
        axes.axvline(finding["decided_at"], color="black", linestyle=":", linewidth=1, label=label)
    # The first answers leave everything open; the scale is made for what follows them.
    later = high[len(high) // 4]
    axes.set_ylim(0, min(100.0, 1.1 * max(later, 200 * limit)))
    _draw_random(axes, path)
    axes.set_ylabel("confident errors (% of the scope)")
    draw_deciding(axes, finding.get("deciding"))
    _finish(axes, places)


def _draw_random(axes: Any, path: Mapping[str, Any]) -> None:
    """Mark the axis: a cross where a randomised answer was wrong, a ring where it was right."""
    for wrong, marker, color, words in ((True, "x", "C1", "wrong"), (False, "o", "C0", "right")):
        at = [
            answer
            for answer, drawn, found in zip(path["answer"], path["random"], path["wrong"], strict=True)
            if drawn and found is wrong
        ]
        if at:
            axes.plot(
                at,
                [0] * len(at),
                marker,
                color=color,
                markerfacecolor="white",
                markersize=4.5,
                linestyle="",
                clip_on=False,
                zorder=3,
                label=f"drawn at random, {words} ({len(at):,})",
            )


def _ratio_limits(path: Mapping[str, Any], pool: Mapping[str, float] | None) -> tuple[float, float]:
    """Return ends of the scale: every ratio and the last band are within, the wide bands of the first answers need not
    be.
    """
    known = [1.0, *path["ratio"], path["low"][-1], path["high"][-1], *((pool or {}).values())]
    positive = [value for value in known if value is not None and value > 0]
    return max(_LEAST_RATIO, 0.6 * min(positive)), 1.6 * max(2.0, *positive)


def _lasting(values: Sequence[float | None], missing: float) -> list[float]:
    """Return a path with its last value once more, so that its last step is seen; what is not known stands at an
    end.
    """
    known = [missing if value is None else value for value in values]
    return [*known, known[-1]]


def _end(answers: Sequence[int]) -> float:
    return 1.04 * answers[-1] + 0.2


def _finish(axes: Any, places: Sequence[float]) -> None:
    axes.set_xlim(0, places[-1])
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("answers")
    # Above the axes, because bands of this kind fill either corner.
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)


MOST_GROUPS = 24
"""Groups in a figure; the table beside it has more."""


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
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)


_HALF = 0.36
"""Half the width of a range; ranges stand equally wide, because those near 1 would be too narrow to be seen."""


def shown_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ranges of confidence in which something was answered, the first one beginning where the scope does."""
    answered = [one for one in finding.get("reliability") or [] if one["asked"]]
    return [{**one, "low": max(one["low"], finding["threshold"])} for one in answered]


def overconfident_bins(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ranges in which the model is less often right, at the high end of the interval, than it is sure
    anywhere.
    """
    return [one for one in shown_bins(finding) if one["accuracy_high"] < one["low"]]


def draw_reliability(axes: Any, bins: Sequence[Mapping[str, Any]]) -> None:
    """Draw, per range of confidence, how sure the model is as a box and how often it is right as an interval."""
    for place, one in enumerate(bins):
        axes.fill_between(
            [place - _HALF, place + _HALF],
            100 * one["low"],
            100 * one["high"],
            color="#c3cbd3",
            linewidth=1,
            label="" if place else "how sure the model is",
        )
        low, high = 100 * one["accuracy_low"], 100 * one["accuracy_high"]
        axes.errorbar(
            place,
            (low + high) / 2,
            yerr=(high - low) / 2,
            fmt="none",
            ecolor="C0",
            elinewidth=2.2,
            capsize=6,
            capthick=1.6,
            zorder=3,
            label="" if place else f"how often it is right ({percent(one['level'])} interval)",
        )
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
