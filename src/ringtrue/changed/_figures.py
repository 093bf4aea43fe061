"""The figures of a change, from its JSON values: matrices, slices, and what was known after how many calls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._parts import PROOF
from ringtrue.core import LAST_ANSWERS, draw_deciding, figure_text, percent

MOST_NAMES = 12
"""Rows or columns of a map; more names could not be read."""

_NUMBERED = 8
"""Up to so many rows and columns the cells carry their numbers."""

_LETTER = (0.09, 0.13)
"""The width and height in inches of a wide letter, such as a W, of 8 points."""


def draw_matrices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """Draw the old matrix, the new one and their difference on three axes, with the same rows and columns in each."""
    before, after, difference = axes
    top = max(float(np.max(finding[name])) for name in ("old", "new"))
    rows, columns = shown_rows_and_columns(finding)
    for place, name, title in ((before, "old", "before"), (after, "new", "now")):
        values = 100 * np.asarray(finding[name], dtype=float)[np.ix_(rows, columns)]
        # Nearly all items lie on the diagonal; by square roots the few beside it are seen too.
        limits = (0.0, 10 * max(top, 1e-12) ** 0.5)
        _draw_map(place, values, shade=np.sqrt(np.maximum(values, 0)), cmap="Blues", limits=limits, signed=False)
        _name(place, finding, rows, columns)
        place.set_title(f"{title}: share of items (%)", fontsize=9)
    draw_shift(difference, finding)
    for place in axes:
        if not place.get_subplotspec().is_first_col():  # the same as at the map to its left
            place.tick_params(labelleft=False)
            place.set_ylabel("")


def room_for_names(finding: Mapping[str, Any]) -> float:
    """Return the height in inches that the names of the answers take below a map, slanted as they are."""
    _, columns = shown_rows_and_columns(finding)
    answers = _answers(finding, columns)
    slant = math.radians(_slant(answers))
    return _LETTER[1] * math.cos(slant) + _LETTER[0] * max(map(len, answers)) * math.sin(slant)


def draw_shift(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the difference of both matrices: red where there is more than before, blue where there is less.

    Outlined are the cells whose interval leaves out zero.
    """
    rows, columns = shown_rows_and_columns(finding)
    values = 100 * np.asarray(finding["shift"], dtype=float)[np.ix_(rows, columns)]
    most = float(np.abs(values).max())
    # Without any difference every cell is white, whatever the scale.
    _draw_map(axes, values, shade=values, cmap="RdBu_r", limits=(-most or -1.0, most or 1.0), signed=True)
    for cell in finding["cells"]:
        if cell["shift"]["low"] > 0 or cell["shift"]["high"] < 0:
            row, column = finding["labels"].index(cell["label"]), finding["answer_names"].index(cell["answer"])
            if row in rows and column in columns:
                x, y = list(columns).index(column), list(rows).index(row)
                corners = ((x - 0.46, y - 0.46), (x + 0.46, y - 0.46), (x + 0.46, y + 0.46), (x - 0.46, y + 0.46))
                axes.plot(*zip(*corners, corners[0], strict=True), color="black", linewidth=1.4, gid="certain")
    _name(axes, finding, rows, columns)
    axes.set_title("difference (points)", fontsize=9)


def shown_rows_and_columns(finding: Mapping[str, Any]) -> tuple[Ints, Ints]:
    """Return the places of the rows and columns to show: all of them or, of many, those with the largest changes."""
    shift = np.abs(np.asarray(finding["shift"], dtype=float))
    rows, columns = (np.argsort(-shift.max(axis=axis), kind="stable")[:MOST_NAMES] for axis in (1, 0))
    return np.sort(rows), np.sort(columns)


def _draw_map(
    axes: Any, values: Floats, *, shade: Floats, cmap: str, limits: tuple[float, float], signed: bool
) -> None:
    height, width = values.shape
    # A mesh, not an image: pages that forbid images show it, and it stays sharp.
    axes.pcolormesh(
        np.arange(width + 1) - 0.5,
        np.arange(height + 1) - 0.5,
        shade,
        cmap=cmap,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="#d9dde1",
        linewidth=0.5,
    )
    axes.invert_yaxis()
    if max(height, width) > _NUMBERED:
        return
    strength = np.abs(shade) / limits[1]
    # As many decimals as give the largest number two digits, and at least one.
    largest = float(np.abs(values).max())
    decimals = 1 if largest <= 0 else max(1, 1 - math.floor(math.log10(largest)))
    for row, column in np.ndindex(values.shape):
        color = "white" if strength[row, column] > 0.55 else "black"
        text = _short(float(values[row, column]), decimals, signed=signed)
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=color)


def _name(axes: Any, finding: Mapping[str, Any], rows: Ints, columns: Ints) -> None:
    answers = _answers(finding, columns)
    slant = _slant(answers)
    axes.set_xticks(
        range(len(columns)), answers, rotation=slant, ha="center" if slant in (0, 90) else "right", fontsize=8
    )
    axes.set_yticks(range(len(rows)), [figure_text(finding["labels"][row], 16) for row in rows], fontsize=8)
    axes.tick_params(length=0)
    axes.set_xlabel("new answer", fontsize=9)
    axes.set_ylabel("true label" if finding["labelled"] else "old answer", fontsize=9)


def _answers(finding: Mapping[str, Any], columns: Ints) -> list[str]:
    return [figure_text(finding["answer_names"][column], 16) for column in columns]


def _slant(answers: Sequence[str]) -> int:
    """Return the degrees by which names must be turned so that they do not run into each other."""
    return 0 if len("".join(answers)) <= 24 else 40 if len(answers) <= _NUMBERED else 90


def _short(value: float, decimals: int, *, signed: bool) -> str:
    """Write a number in a cell; what is not zero never looks like it.

    >>> _short(1.23, 1, signed=True), _short(-0.26, 1, signed=True), _short(0.004, 2, signed=True)
    ('+1.2', '−0.3', '≈0')
    >>> _short(0.0, 1, signed=False), _short(50.7, 1, signed=False)
    ('0', '50.7')
    """
    if round(value, decimals) == 0:
        return "≈0" if value else "0"
    return f"{value:{'+' if signed else ''}.{decimals}f}".replace("-", "−")


MOST_SLICES = 24
"""Slices in a figure; the table beside it has more."""


def draw_slices(axes: Sequence[Any], finding: Mapping[str, Any]) -> None:
    """Draw the share of changed answers by slice and, where there is a truth, the difference in accuracy beside it.

    On one axes or, with a truth, on two.
    """
    slices = shown_slices(finding)
    _draw_rows(axes[0], [one["change"] for one in slices])
    _draw_whole(axes[0], finding["change"]["estimate"], percent(finding["change"]["estimate"]))
    axes[0].set_xlabel("answers that changed (%)", fontsize=9)
    names = [
        f"{figure_text(one['column'], 16)}: {figure_text(one['value'], 16)} ({one['answers']:,})" for one in slices
    ]
    axes[0].set_yticks(range(len(slices)), names, fontsize=8)
    if finding["accuracy"] is not None:
        gained = finding["accuracy"]["difference"]["estimate"]
        _draw_rows(axes[1], [one["accuracy"] for one in slices])
        _draw_whole(axes[1], gained, f"{100 * gained:+z.1f} points".replace("-", "−"))
        axes[1].set_xlabel("difference in accuracy (points)", fontsize=9)
        axes[1].set_yticks(range(len(slices)), [""] * len(slices))


def shown_slices(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the first slices, by column and value as the finding has them."""
    return list(finding["slices"][:MOST_SLICES])


def _draw_rows(axes: Any, rows: Sequence[Any]) -> None:
    for place, one in enumerate(rows):
        if one is not None:
            axes.plot([100 * one["low"], 100 * one["high"]], [place, place], color="C0", linewidth=1.6)
            axes.plot(100 * one["estimate"], place, "o", color="C0", markersize=4)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", color="#d9dde1", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_whole(axes: Any, estimate: float, text: str) -> None:
    axes.axvline(100 * estimate, color="black", linestyle="--", linewidth=1, label=f"whole pool: {text}")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)


_LOWEST = -3.0
"""Powers of ten below which evidence is not followed: by then it is plain that there is none."""


def draw_claim(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the bounds on what the claim speaks of, from below and from above, with its limit and the decision."""
    path, limit = finding["claimed"], finding["limit"]
    end = 1.04 * path["answers"][-1] + 0.2  # a little beyond, so that the last step is seen
    places = [*path["answers"], end]
    low, high = ([100 * value for value in (*path[side], path[side][-1])] for side in ("low", "high"))
    label = "not excluded, each side at the claim's level"
    axes.fill_between(places, low, high, step="post", alpha=0.25, linewidth=0, label=label)
    axes.axhline(100 * limit, color="black", linestyle="--", linewidth=1, label=f"claim: {finding['claim']}")
    if (at := path["decided_at"]) is not None:
        label = f"decided after {at:,}"
        axes.axvline(at, color="black", linestyle=":", linewidth=1, label=label)
    # The first answers leave everything open; the scale is made for what follows them.
    later = len(high) // 4
    axes.set_ylim(min(0.0, 1.1 * low[later]), 1.1 * max(high[later], 200 * limit, low[-1]))
    axes.set_xlim(0, end)
    axes.set_xlabel("answers of the new model")
    axes.set_ylabel("changed (%)" if finding["claim"].startswith("change") else "drop in accuracy (points)")
    false = finding["verdict"] == "rings false"
    answers, bounds = (path[name][-LAST_ANSWERS:] for name in ("answers", "low" if false else "high"))
    told = {"answers": answers, "bounds": bounds, "limit": limit, "above": not false, "decided_at": at}
    draw_deciding(axes, told)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8)


def draw_error(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw how far off the difference may be after so many answers, by the method used and by uniform sampling."""
    error = finding["error"]
    used = _positive(error["answers"], error["used"])
    if finding["method"] != "uniform":
        axes.plot(
            *_positive(error["answers"], error["uniform"]), color="C1", linewidth=3, alpha=0.5, label="uniform sampling"
        )
    axes.plot(*used, color="C0", marker="o" if len(used[0]) == 1 else "", label=f"{finding['method']}, as used here")
    if error["required"] is not None:
        label = f"required: {percent(error['required'])}"
        axes.axhline(100 * error["required"], color="black", linestyle="--", linewidth=1, label=label)
    if error["holds_at"] is not None:
        label = f"reached after {error['holds_at']:,}"
        axes.axvline(error["holds_at"], color="black", linestyle=":", linewidth=1, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_number)
        # Twos and fives between powers of ten: within a single power there would be no number else.
        axis.set_minor_formatter(lambda value, _: _number(value, _) if f"{value:e}"[0] in "25" else "")
    axes.set_xlabel("answers of the new model")
    axes.set_ylabel("error of the difference (%)")
    axes.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8)


def draw_evidence(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the evidence that an answer changed and that the accuracy did, in powers of ten, with the thresholds."""
    evidence, detection = finding["evidence"], finding["detection"]
    names = {"change": "answers changed beyond the noise", "accuracy": "accuracy changed"}
    told = [name for name in names if evidence[name] and detection[name] is not None]
    paths = {name: [value / math.log(10) for value in evidence[name]] for name in told}
    thresholds = [detection[name]["threshold"] / math.log(10) for name in told]
    known = [value for name in told for value, raw in zip(paths[name], evidence[name], strict=True) if raw < PROOF]
    top = 1.15 * max([*known, *(2 * line for line in thresholds)])
    for place, name in enumerate(told):
        path, at = [min(value, top) for value in paths[name]], detection[name]["at"]
        seen = "not seen" if at is None else f"seen after {at:,}"
        axes.step(evidence["answers"], path, where="post", color=f"C{place}", label=f"{names[name]}: {seen}")
        if at is not None:
            axes.axvline(at, color=f"C{place}", linestyle=":", linewidth=1)
        if max(evidence[name]) >= PROOF:
            first = next(place for place, value in enumerate(evidence[name]) if value >= PROOF)
            axes.annotate("proof", (evidence["answers"][first], top), xytext=(4, -10), textcoords="offset points")
    for line in sorted(set(thresholds)):
        label = f"threshold: {10**line:.3g} to 1"
        axes.axhline(line, color="black", linestyle="--", linewidth=1, label=label)
    lowest = min([0.0, *known])
    axes.set_ylim(max(1.1 * lowest, _LOWEST) - 0.05 * top, 1.02 * top)
    axes.set_xlim(0, max(1.0, 1.04 * evidence["answers"][-1]))
    axes.set_xlabel("answers of the new model")
    axes.set_ylabel("log10 of the evidence")
    axes.legend(loc="best", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8)


def has_error(finding: Mapping[str, Any]) -> bool:
    """Return whether there is an error to draw: a scale of logarithms has no zero."""
    return bool(_positive(finding["error"]["answers"], finding["error"]["used"])[0])


def has_evidence(finding: Mapping[str, Any]) -> bool:
    """Return whether there is evidence to draw."""
    return bool(finding["evidence"]["answers"])


def _positive(answers: Sequence[int], values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """Return the places and percentages that a scale of logarithms can show."""
    shown = [(place, value) for place, value in zip(answers, values, strict=True) if value is not None]
    pairs = [(place, 100 * value) for place, value in shown if value > 0 and place > 0]
    return [place for place, _ in pairs], [value for _, value in pairs]


def _number(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
