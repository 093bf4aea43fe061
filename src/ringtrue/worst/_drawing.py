"""How the worst deviation was found, evaluation by evaluation, and how much of the search each task took.

Every function here takes the finding as its JSON values: whoever has a report can draw its figures again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ringtrue.core import LAST_ANSWERS, draw_deciding, figure_text
from ringtrue.worst._drawing_scale import short

MOST_TASKS = 24
"""Tasks in a figure; the table beside it has more."""

MOST_BASELINES = 6
"""Other searches drawn beside this one: more lines cannot be told apart."""

PHASES: Mapping[str, tuple[str, str, bool]] = MappingProxyType({
    "initial": ("first design", "o", False),
    "search": ("search", "o", True),
    "check": ("random check", "s", False),
    "confirm": ("confirming the region", "^", True),
})  # fmt: skip
"""Each phase in words, with a marker that is told from the others without colour: its form, and whether it is full."""

_HEADROOM = 4
"""A claim so many times as high as the worst deviation would press the curves flat: it is told, not drawn."""

_DASHES = ("--", "-.", (0, (1, 1.2)), (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)))
_SHADES = ("C1", "C2", "C3", "#777777", "#a2832b", "#333333")


def draw_path(
    axes: Any, finding: Mapping[str, Any], baselines: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> None:
    """The largest deviation found after each evaluation, as steps, and every evaluation's own as a mark.

    `baselines` are other searches of the same study by name: `answer`, `best` and the `rule` that led them.
    """
    path = finding["path"]
    axes.set_xlabel("evaluations of the gold standard")
    axes.set_ylabel("deviation")
    if not path["answer"]:
        axes.text(0.5, 0.5, "nothing is answered yet", ha="center", va="center", transform=axes.transAxes)
        return
    others = dict(list(baselines.items())[:MOST_BASELINES])
    for (name, other), color, dashes in zip(others.items(), _SHADES, _DASHES, strict=False):
        label = f"{figure_text(name, 20)}: {short(other['best'][-1])}"
        axes.step(
            other["answer"], other["best"], where="post", color=color, linestyle=dashes, linewidth=1.4, label=label
        )
    axes.step(path["answer"], path["best"], where="post", color="C0", linewidth=2.2, label=_best_label(finding))
    _draw_marks(axes, path)
    curves = [path, *others.values()]
    longest = max(curve["answer"][-1] for curve in curves)
    if finding["limit"] is not None:
        _draw_claim(axes, finding["limit"], max(curve["best"][-1] for curve in curves))
    if (deciding := _deciding(finding)) is not None:
        axes.update_datalim([(deciding["answers"][-1], min(deciding["bounds"][-1], _HEADROOM * path["best"][-1]))])
        axes.autoscale_view()
    axes.set_ylim(bottom=min(0.0, *path["deviation"]))  # what the oracle gives as a deviation may be negative
    axes.set_xlim(0, 1.03 * longest + 0.5)
    axes.xaxis.get_major_locator().set_params(integer=True)
    # Above the axes, because curves of this kind fill either corner.
    draw_deciding(axes, deciding, shares=False, called="what decides")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=8)


def _deciding(finding: Mapping[str, Any]) -> dict[str, Any] | None:
    """What decides about the claim: evaluations that go beyond its limit, or else the bound on what none can."""
    limit, bound, path = finding["limit"], finding["bound"], finding["path"]
    if limit is None or finding.get("noise"):
        return None  # with noise no single evaluation is the bound
    if finding["verdict"] == "rings false":
        first = next((place for place, best in enumerate(path["best"]) if best > limit), len(path["best"]) - 1)
        begin = max(0, first + 1 - LAST_ANSWERS)
        answers, bounds = path["answer"][begin : first + 1], path["best"][begin : first + 1]
        return {
            "answers": answers, "bounds": bounds, "limit": limit, "above": False, "decided_at": answers[-1],
        }  # fmt: skip
    if bound is None or bound["upper"] is None:
        return None
    decided = bound["looked_at"] if finding["verdict"] == "rings true" else None
    return {
        "answers": [bound["looked_at"]], "bounds": [bound["upper"]], "limit": limit, "above": True,
        "decided_at": decided,
    }  # fmt: skip


def draw_tasks(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """The worst deviation of each task, and how many evaluations it took; on two axes.

    Where one evaluation reveals every task, those are counted that deviated most in this one.
    """
    shown = shown_tasks(finding)
    found = finding["worst"]["task"] if finding["worst"] else None
    colors = ["C0" if one["task"] == found else "#aebbc8" for one in shown]
    _draw_bars(axes[0], [one["worst"] for one in shown], colors, short)
    axes[0].set_xlabel("worst deviation found")
    axes[0].set_yticks(range(len(shown)), [figure_text(one["task"]) for one in shown], fontsize=8)
    _draw_bars(axes[1], [one["evaluations"] for one in shown], colors, "{:,}".format)
    axes[1].set_xlabel("evaluations" if finding["priced"] == "alone" else "evaluations in which it was worst")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    axes[1].set_yticks(range(len(shown)), [""] * len(shown))


def shown_tasks(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tasks drawn, in their order; none where there is but one, or while nothing is known of any."""
    tasks = finding["by_task"]
    known = [one for one in tasks if one["worst"] is not None]
    if len(tasks) < 2 or not known:
        return []
    if len(tasks) <= MOST_TASKS:
        return list(tasks)
    least = sorted((one["worst"] for one in known), reverse=True)[:MOST_TASKS][-1]
    return [one for one in known if one["worst"] >= least][:MOST_TASKS]


def _draw_marks(axes: Any, path: Mapping[str, Any]) -> None:
    for phase, (words, marker, full) in PHASES.items():
        places = [place for place, one in enumerate(path["phase"]) if one == phase]
        if places:
            axes.plot(
                [path["answer"][place] for place in places], [path["deviation"][place] for place in places], marker,
                markersize=3.6, color="C0", markerfacecolor="C0" if full else "white", markeredgewidth=0.8,
                linestyle="", clip_on=False, zorder=3, label=f"{words} ({len(places):,})",
            )  # fmt: skip


def _draw_claim(axes: Any, limit: float, worst: float) -> None:
    if limit <= _HEADROOM * worst:
        axes.axhline(limit, color="black", linestyle="--", linewidth=1, label=f"claim: {short(limit)}")
    else:
        axes.plot([], [], "--", color="black", linewidth=1, label=f"claim: {short(limit)}, above this figure")


def _draw_bars(axes: Any, values: Sequence[Any], colors: Sequence[str], words: Any) -> None:
    axes.barh(range(len(values)), [value or 0 for value in values], height=0.68, color=colors)
    for row, value in enumerate(values):
        text = "not asked" if value is None else words(value)
        axes.annotate(text, (value or 0, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_ylim(len(values) - 0.4, -0.6)
    known = [value for value in values if value is not None]
    axes.set_xlim(1.2 * min(0, *known), 1.2 * max(0, *known) or 1)  # room for the number at the longest bar
    axes.tick_params(axis="y", length=0)


def _best_label(finding: Mapping[str, Any]) -> str:
    return f"worst so far, {figure_text(finding['rule'], 20)}: {short(finding['path']['best'][-1])}"
