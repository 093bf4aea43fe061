"""Figures of a search: its path, evaluation by evaluation, its tasks, and how well its surrogate was calibrated.

Every function here takes the finding as its JSON values, so that a report is enough to plot its figures again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ringtrue.core import LAST_ANSWERS, draw_deciding, figure_text

MOST_TASKS = 24
"""Tasks in a figure; the table beside it has more."""

MOST_BASELINES = 6
"""Other searches shown beside this one: more lines cannot be told apart."""

PHASES: Mapping[str, tuple[str, str, bool]] = MappingProxyType(
    {
        "initial": ("first design", "o", False),
        "search": ("search", "o", True),
        "check": ("random check", "s", False),
        "confirm": ("confirming the region", "^", True),
    }
)
"""Each phase in words, with a marker that is told from the others without colour: its form, and whether it is full."""

_HEADROOM = 4
"""A claim so many times as high as the worst deviation would press the curves flat: it is told, not plotted."""

_DASHES = ("--", "-.", (0, (1, 1.2)), (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)))
_SHADES = ("C1", "C2", "C3", "#777777", "#a2832b", "#333333")

_NINETEEN_OF_TWENTY = 1.96


def short(value: float) -> str:
    """Write a number for a figure.

    >>> short(0.0001), short(123456.0), short(-2.5), short(7.0)
    ('0.0001', '1.23e+05', '−2.5', '7')
    """
    return f"{value:.3g}".replace("-", "−")


def plot_path(
    axes: Any, finding: Mapping[str, Any], baselines: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> None:
    """Plot the largest deviation found after each evaluation, as steps, and every evaluation's own as a mark.

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
    _plot_marks(axes, path)
    curves = [path, *others.values()]
    longest = max(curve["answer"][-1] for curve in curves)
    if finding["limit"] is not None:
        _plot_claim(axes, finding["limit"], max(curve["best"][-1] for curve in curves))
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
    """Return what decides about the claim: evaluations beyond its limit, or else the bound that none exceeds."""
    limit, bound, path = finding["limit"], finding["bound"], finding["path"]
    if limit is None or finding.get("noise"):
        return None  # with noise no single evaluation is the bound
    if finding["verdict"] == "rings false":
        first = next((place for place, best in enumerate(path["best"]) if best > limit), len(path["best"]) - 1)
        begin = max(0, first + 1 - LAST_ANSWERS)
        answers, bounds = path["answer"][begin : first + 1], path["best"][begin : first + 1]
        return {"answers": answers, "bounds": bounds, "limit": limit, "above": False, "decided_at": answers[-1]}
    if bound is None or bound["upper"] is None:
        return None
    seen = bound["looked_at"]
    decided = seen if finding["verdict"] == "rings true" else None
    return {"answers": [seen], "bounds": [bound["upper"]], "limit": limit, "above": True, "decided_at": decided}


def plot_tasks(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """Plot the worst deviation of each task, and how many evaluations it took; on two axes.

    Where one evaluation reveals every task, those are counted that deviated most in this one.
    """
    shown = shown_tasks(finding)
    found = finding["worst"]["task"] if finding["worst"] else None
    colors = ["C0" if one["task"] == found else "#aebbc8" for one in shown]
    _plot_bars(axes[0], [one["worst"] for one in shown], colors, short)
    axes[0].set_xlabel("worst deviation found")
    axes[0].set_yticks(range(len(shown)), [figure_text(one["task"]) for one in shown], fontsize=8)
    _plot_bars(axes[1], [one["evaluations"] for one in shown], colors, "{:,}".format)
    axes[1].set_xlabel("evaluations" if finding["priced"] == "alone" else "evaluations in which it was worst")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    axes[1].set_yticks(range(len(shown)), [""] * len(shown))


def shown_tasks(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tasks shown, in their order; none where there is but one, or while nothing is known of any."""
    tasks = finding["by_task"]
    known = [one for one in tasks if one["worst"] is not None]
    if len(tasks) < 2 or not known:
        return []
    if len(tasks) <= MOST_TASKS:
        return list(tasks)
    least = sorted((one["worst"] for one in known), reverse=True)[:MOST_TASKS][-1]
    return [one for one in known if one["worst"] >= least][:MOST_TASKS]


def plot_calibration(axes: Any, scores: Sequence[float]) -> None:
    """Plot how far off the surrogate was where it had not looked, each held-out residual in its standard deviations.

    Between the lines 95 % of them should lie.
    """
    inside = [abs(score) <= _NINETEEN_OF_TWENTY for score in scores]
    for held, marker, face in ((True, "o", "C0"), (False, "x", "C1")):
        places = [place for place, one in enumerate(inside) if one is held]
        label = f"{'within' if held else 'beyond'} the lines ({len(places):,})"
        axes.plot(
            [place + 1 for place in places],
            [scores[place] for place in places],
            marker,
            color=face,
            linestyle="",
            markersize=5,
            markeredgewidth=1.6,
            label=label,
        )
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


def _plot_marks(axes: Any, path: Mapping[str, Any]) -> None:
    for phase, (words, marker, full) in PHASES.items():
        places = [place for place, one in enumerate(path["phase"]) if one == phase]
        if places:
            axes.plot(
                [path["answer"][place] for place in places],
                [path["deviation"][place] for place in places],
                marker,
                markersize=3.6,
                color="C0",
                markerfacecolor="C0" if full else "white",
                markeredgewidth=0.8,
                linestyle="",
                clip_on=False,
                zorder=3,
                label=f"{words} ({len(places):,})",
            )


def _plot_claim(axes: Any, limit: float, worst: float) -> None:
    if limit <= _HEADROOM * worst:
        axes.axhline(limit, color="black", linestyle="--", linewidth=1, label=f"claim: {short(limit)}")
    else:
        axes.plot([], [], "--", color="black", linewidth=1, label=f"claim: {short(limit)}, above this figure")


def _plot_bars(axes: Any, values: Sequence[Any], colors: Sequence[str], words: Any) -> None:
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
