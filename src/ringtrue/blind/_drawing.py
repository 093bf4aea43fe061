"""How the hunt went, answer by answer: the discovery ratio with its band, and how common the errors are.

Every function here takes the finding as its JSON values: whoever has a report can draw its figures again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.blind._drawing_scale import draw_powers_of_ten, short
from ringtrue.core import draw_deciding, percent

_LEAST_RATIO = 0.05
"""A scale of logarithms has no zero: ratios below this stand at the foot of the figure."""


def has_path(finding: Mapping[str, Any]) -> bool:
    """Whether there is an answer to draw, not only items that nobody could label."""
    return any(ratio is not None for ratio in finding["path"]["ratio"])


def pool_ratio(finding: Mapping[str, Any], field: Mapping[str, Any]) -> dict[str, float] | None:
    """The ratio of the whole scope: the errors that its rate gives, over those that its confidences admit.

    None while the rate has no estimate: without randomised answers nothing speaks of the items not asked about.
    """
    expected, rate = field.get("expected_errors"), finding.get("rate")
    if not expected or not rate or rate["estimate"] is None:
        return None
    return {name: finding["scope"] * rate[name] / expected for name in ("estimate", "low", "high")}


def draw_ratio(axes: Any, finding: Mapping[str, Any], pool: Mapping[str, float] | None = None) -> None:
    """Errors found over errors expected after each answer, with its band, on a scale of logarithms.

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
    """The interval of the share of the scope that is wrong, with a mark for every randomised answer it rests on."""
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
    """Marks on the axis: a cross where a randomised answer was wrong, a ring where it was right."""
    for wrong, marker, color, words in ((True, "x", "C1", "wrong"), (False, "o", "C0", "right")):
        at = [
            answer
            for answer, drawn, found in zip(path["answer"], path["random"], path["wrong"], strict=True)
            if drawn and found is wrong
        ]
        if at:
            axes.plot(
                at, [0] * len(at), marker, color=color, markerfacecolor="white", markersize=4.5, linestyle="",
                clip_on=False, zorder=3, label=f"drawn at random, {words} ({len(at):,})",
            )  # fmt: skip


def _ratio_limits(path: Mapping[str, Any], pool: Mapping[str, float] | None) -> tuple[float, float]:
    """Ends of the scale: every ratio and the last band are within, the wide bands of the first answers need not be."""
    known = [1.0, *path["ratio"], path["low"][-1], path["high"][-1], *((pool or {}).values())]
    positive = [value for value in known if value is not None and value > 0]
    return max(_LEAST_RATIO, 0.6 * min(positive)), 1.6 * max(2.0, *positive)


def _lasting(values: Sequence[float | None], missing: float) -> list[float]:
    """A path with its last value once more, so that its last step is seen; what is not known stands at an end."""
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
