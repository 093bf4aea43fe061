"""The path of a hunt in figures: its ratio and its rate after each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import draw_deciding, percent

_LEAST_RATIO = 0.05  # a scale of logarithms has no zero: ratios below this stand at the foot of the figure


def draw_powers_of_ten(axes: Any) -> None:
    """Make the vertical axis one of logarithms whose numbers are written out."""

    def number(value: float, _: object) -> str:
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"

    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(number)
    # Only twos and fives between powers of ten: within a single power there would be no number else.
    axes.yaxis.set_minor_formatter(lambda value, place: number(value, place) if f"{value:e}"[0] in "25" else "")


def draw_legend(axes: Any, columns: int = 2) -> None:
    """Draw the legend above the axes, because bands of this kind fill either corner."""
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False, fontsize=8)


def short(value: float) -> str:
    """Return a number in a figure.

    >>> short(0.0123), short(1.666), short(10208.0)
    ('0.012', '1.7', '10,208')
    """
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


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
    # Every ratio and the last band are within the scale; the wide bands of the first answers need not be.
    known = [1.0, *path["ratio"], path["low"][-1], path["high"][-1], *((pool or {}).values())]
    positive = [value for value in known if value is not None and value > 0]
    bottom, top = max(_LEAST_RATIO, 0.6 * min(positive)), 1.6 * max(2.0, *positive)
    places = _places(path)
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
    places = _places(path)
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
    # On the axis, a cross where a randomised answer was wrong, a ring where it was right.
    answers = list(zip(path["answer"], path["random"], path["wrong"], strict=True))
    style = {"markerfacecolor": "white", "markersize": 4.5, "linestyle": "", "clip_on": False, "zorder": 3}
    for wrong, marker, color, words in ((True, "x", "C1", "wrong"), (False, "o", "C0", "right")):
        at = [answer for answer, drawn, found in answers if drawn and found is wrong]
        if at:
            label = f"drawn at random, {words} ({len(at):,})"
            axes.plot(at, [0] * len(at), marker, color=color, label=label, **style)
    axes.set_ylabel("confident errors (% of the scope)")
    draw_deciding(axes, finding.get("deciding"))
    _finish(axes, places)


def _lasting(values: Sequence[float | None], missing: float) -> list[float]:
    """Return a path with its last value once more, so that its last step is seen; what is not known is `missing`."""
    return [missing if value is None else value for value in (*values, values[-1])]


def _places(path: Mapping[str, Any]) -> list[float]:
    return [*path["answer"], 1.04 * path["answer"][-1] + 0.2]


def _finish(axes: Any, places: Sequence[float]) -> None:
    axes.set_xlim(0, places[-1])
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("answers")
    draw_legend(axes)
