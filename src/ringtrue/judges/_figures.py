"""Tables and figures of a panel; figures are drawn on axes that the caller made."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import (
    Claim,
    Column,
    Quoted,
    Section,
    Soft,
    Strong,
    Table,
    Text,
    cell,
    count,
    figure_text,
    from_limit,
    percent,
    tenths,
)
from ringtrue.judges._evaluation import Estimates, Floats

_GREY = "#7a828c"
"""What holds only under a condition that was not shown."""

_NAMED = 24
"""Judges that are named in a figure; more names would lie on top of each other."""


def estimates_section(
    title: str, estimates: Mapping[str, Any], *, reserve: str | None = None, brief: bool = True, looked: str = ""
) -> Section:
    """Return estimates as `Estimates.to_json` gives them, each with its interval.

    Parameters
    ----------
    title
        The head of the section.
    estimates
        What is shown.
    reserve
        What must stand beside the numbers if they hold under a condition: then nothing looks like a plain interval.
    brief
        Whether a terminal shows the table.
    looked
        A sentence more below the table.
    """
    level, method = percent(estimates["prevalence"][0]["level"]), estimates["method"]
    caption: Text = f"Intervals at {level}; {method}.{looked and ' '}{looked}"
    below = f"intervals at {level}: {method}"
    if reserve:
        caption = (Strong(f"Not {level} intervals:"), f" {reserve}. {method}.")
        below = f"not {level} intervals: {reserve}"

    def shown(one: Mapping[str, Any]) -> Text:
        low, high = tenths(one["low"], toward="below"), tenths(one["high"], toward="above")
        estimate = tenths(one["estimate"])
        return (
            (f"({estimate}, ", Soft(f"{low} to {high}"), ")") if reserve else (f"{estimate} ", Soft(f"[{low}, {high}]"))
        )

    rows = [("share of items", *map(shown, estimates["prevalence"]), "")]
    for judge, row, overall in zip(estimates["judges"], estimates["accuracy"], estimates["overall"], strict=True):
        rows.append(((Quoted(cell(judge)), " is right"), *map(shown, row), shown(overall)))
    table = Table(
        rows,
        [Column(), *(Column(Quoted(cell(label))) for label in estimates["labels"]), Column("all items")],
        caption,
        named=True,
        reserved=bool(reserve),
        brief=len(rows) if brief else 0,
    )
    return Section(title, table=table, brief=[below] if brief else [])


def shares_table(evaluation: Mapping[str, Any], caption: Text) -> Table:
    """Return an evaluation as `Evaluation.to_json` gives it, without intervals."""
    return Table(
        [
            ("share of items", *map(tenths, evaluation["prevalence"])),
            *(
                ((Quoted(cell(judge)), " is right"), *(tenths(row[place]) for place, row in enumerate(confusion)))
                for judge, confusion in zip(evaluation["judges"], evaluation["confusion"], strict=True)
            ),
        ],
        [Column(), *(Column(Quoted(cell(label))) for label in evaluation["labels"])],
        caption,
        named=True,
    )


def draw_accuracies(axes: Any, estimates: Estimates, *, reserve: str | None = None) -> None:
    """Draw each judge as a point with its region: in the square of both accuracies, or in rows for more labels.

    Under a reserve everything is grey and dashed and the reserve is written above, so that a figure that is passed on
    without its page is not taken for what was shown.
    """
    if len(estimates.labels) == 2:
        _square(axes, estimates, reserve is not None)
    else:
        _rows(axes, estimates, reserve is not None)
    if reserve is not None:
        axes.set_title(f"from votes alone: {reserve}", fontsize=9, color=_GREY)


def _square(axes: Any, estimates: Estimates, conditional: bool) -> None:
    for place, (name, (first, second)) in enumerate(zip(estimates.judges, estimates.accuracy, strict=True)):
        color = _GREY if conditional else f"C{place % 4}"
        left, right, low, high = (100 * end for end in (second.low, second.high, first.low, first.high))
        style = {"alpha": 0.18, "linestyle": "--" if conditional else "-"}
        axes.fill([left, right, right, left], [low, low, high, high], facecolor=color, edgecolor=color, **style)
        face = "white" if conditional else color
        axes.plot(100 * second.estimate, 100 * first.estimate, "o", color=color, markerfacecolor=face, markersize=4)
        if place < _NAMED:
            where = (100 * second.estimate, 100 * first.estimate)
            axes.annotate(figure_text(name), where, xytext=(4, 4), textcoords="offset points", fontsize=8)
    # The square begins where the judges are, at chance at the latest.
    lowest = min(one.low for row in estimates.accuracy for one in row)
    start = 10 * math.floor(10 * min(0.5, max(0.0, lowest - 0.02)))
    axes.plot([0, 100], [100, 0], color="#888888", linestyle="--", linewidth=1, label="no better than chance")
    axes.set_xlim(start, 101)
    axes.set_ylim(start, 101)
    axes.set_aspect("equal")
    axes.set_xlabel(f'right on "{figure_text(estimates.labels[1])}" (%)')
    axes.set_ylabel(f'right on "{figure_text(estimates.labels[0])}" (%)')
    axes.legend(loc="lower left", frameon=False, fontsize=8)


def _rows(axes: Any, estimates: Estimates, conditional: bool) -> None:
    shown = range(min(len(estimates.judges), 4 * _NAMED))
    step = 0.8 / len(estimates.labels)
    for label, name in enumerate(estimates.labels):
        rows = [estimates.accuracy[judge][label] for judge in shown]
        places = np.array(shown) + step * (label - (len(estimates.labels) - 1) / 2)
        _bars(axes, rows, places, f'right on "{figure_text(name)}"', f"C{label}", conditional)
    if len(shown) <= _NAMED:
        axes.set_yticks(list(shown), [figure_text(estimates.judges[judge]) for judge in shown])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy (%)")
    axes.legend(loc="lower left", frameon=False, fontsize=8)


def draw_prevalence(axes: Any, ways: Mapping[str, Estimates], *, conditional: Collection[str] = ()) -> None:
    """Draw the interval of each label's share, by each way of estimating it; `conditional` ways are grey and dashed."""
    labels = next(iter(ways.values())).labels
    step = 0.7 / len(ways)
    for turn, (name, one) in enumerate(ways.items()):
        places = np.arange(len(labels)) + step * (turn - (len(ways) - 1) / 2)
        _bars(axes, one.prevalence, places, name, f"C{turn}", name in conditional)
    axes.set_yticks(range(len(labels)), [figure_text(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of items (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8, ncols=min(len(ways), 2))


def draw_residuals(axes: Any, residuals: Floats, judges: Sequence[str]) -> None:
    """Draw how much more often each pair agrees than independent errors allow, in standard errors."""
    most = max(4.0, float(np.abs(residuals).max()))
    n = len(judges)
    edges = np.arange(n + 1) - 0.5
    # A mesh, not an image: pages that forbid images show it, and it stays sharp.
    axes.pcolormesh(edges, edges, residuals, cmap="RdBu_r", vmin=-most, vmax=most, edgecolors="white", linewidth=0.5)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.set_title(f"excess agreement in standard errors; the darkest is ±{most:.1f}", fontsize=9)
    axes.set_xticks([])
    axes.set_yticks([])
    if n <= _NAMED:
        names = [figure_text(judge) for judge in judges]
        axes.set_xticks(range(n), names, rotation=45, ha="right", fontsize=8)
        axes.set_yticks(range(n), names, fontsize=8)
    if n <= 12:
        for row, column in np.ndindex(residuals.shape):
            if row != column:
                color = "white" if abs(residuals[row, column]) > 0.6 * most else "black"
                text = f"{residuals[row, column]:.1f}"
                axes.text(column, row, text, ha="center", va="center", fontsize=7, color=color)


def draw_timeline(axes: Any, stream: Mapping[str, Any]) -> None:
    """Draw the evidence that the votes changed, event by event, with the threshold and the alarm."""
    events, evidence = zip(*stream["path"], strict=True)
    tens = math.log(10)
    axes.plot(events, [value / tens for value in evidence], drawstyle="steps-post", label="evidence of a change")
    label = f"alarm at {math.exp(stream['threshold']):.3g}"
    axes.axhline(stream["threshold"] / tens, color="black", linestyle="--", linewidth=1, label=label)
    if stream["alarmed_at"] is not None:
        label = f"raised after {stream['alarmed_at']:,}"
        axes.axvline(stream["alarmed_at"], color="#a3201d", linestyle=":", linewidth=1.5, label=label)
    axes.set_xlim(0, max(1.0, 1.04 * stream["events"]))
    axes.set_xlabel("events")
    axes.set_ylabel("log10 of the evidence")
    axes.legend(loc="upper left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8)


def _bars(axes: Any, rows: Sequence[Any], places: Any, label: str, color: str, conditional: bool) -> None:
    middle = np.array([100 * row.estimate for row in rows])
    low, high = (np.array([100 * getattr(row, side) for row in rows]) for side in ("low", "high"))
    spread = np.stack([np.maximum(middle - low, 0), np.maximum(high - middle, 0)])
    if conditional:
        drawn = axes.errorbar(middle, places, xerr=spread, fmt="o", color=_GREY, markerfacecolor="white", markersize=4)
        for line in drawn[2]:
            line.set_linestyle("--")
        drawn.set_label(f"{label}, only if nothing is shared")
    else:
        legend = f"{label} ({percent(rows[0].level)})" if rows else label
        axes.errorbar(middle, places, xerr=spread, fmt="o", color=color, markersize=4, capsize=2, label=legend)


def draw_errors(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw each judge's error with its interval, and the claim."""
    judged, planned = finding["judges"], finding["planned"]
    errors, rows = [one["error"] for one in judged], list(range(len(judged)))
    middle = [100 * one["estimate"] for one in errors]
    below = [100 * (one["estimate"] - one["low"]) for one in errors]
    above = [100 * (one["high"] - one["estimate"]) for one in errors]
    looking = f"looked at once, after {count(planned['answers'], 'label')}" if planned else "valid while you watch"
    label = f"{percent(errors[0]['level'])} interval, {looking}"
    axes.errorbar(middle, rows, xerr=[below, above], fmt="o", markersize=4, capsize=2, label=label)
    if finding["claim"] is not None:
        claim = Claim.parse(finding["claim"])
        axes.axvline(100 * claim.limit, color="black", linestyle="--", linewidth=1, label=f"claim: {claim}")
        _draw_bounds(axes, judged, claim.limit)
    axes.set_yticks(rows, [figure_text(one["judge"]) for one in judged])
    axes.set_ylim(len(judged) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("wrong votes (%)")
    # Above the axes, because intervals fill any corner.
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8, ncols=2)


def _draw_bounds(axes: Any, judged: list[Mapping[str, Any]], limit: float) -> None:
    """Mark the bound that decides of each judge; words say how far it is from the limit, which may be a hair."""
    for row, one in enumerate(judged):
        if one["bound"] is None:
            continue
        failed = one["failed_at"] is not None
        bound, sign = (one["bound"]["low"], "at least") if failed else (one["bound"]["high"], "at most")
        axes.plot(100 * bound, row + 0.22, "^", color="black", markersize=5, zorder=3)
        number = percent(bound, toward="below" if failed else "above")
        axes.annotate(
            f"{sign} {number},\n{from_limit(bound, limit)}",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
        )
    axes.plot([], [], "^", color="black", markersize=5, label="bound that decides")
