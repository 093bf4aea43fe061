"""What was known after how many calls: the claim, the error of the difference, and the evidence of a change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.changed._parts import PROOF
from ringtrue.core import LAST_ANSWERS, draw_deciding, percent

_LOWEST = -3.0
"""Powers of ten below which evidence is not followed: by then it is plain that there is none."""


def draw_claim(axes: Any, finding: Mapping[str, Any]) -> None:
    """The bounds on what the claim speaks of, from below and from above, with its limit and the decision."""
    path, limit = finding["claimed"], finding["limit"]
    end = 1.04 * path["answers"][-1] + 0.2  # a little beyond, so that the last step is seen
    places = [*path["answers"], end]
    low, high = ([100 * value for value in (*path[side], path[side][-1])] for side in ("low", "high"))
    label = "not excluded, each side at the claim's level"
    axes.fill_between(places, low, high, step="post", alpha=0.25, linewidth=0, label=label)
    axes.axhline(100 * limit, color="black", linestyle="--", linewidth=1, label=f"claim: {finding['claim']}")
    if path["decided_at"] is not None:
        label = f"decided after {path['decided_at']:,}"
        axes.axvline(path["decided_at"], color="black", linestyle=":", linewidth=1, label=label)
    # The first answers leave everything open; the scale is made for what follows them.
    later = len(high) // 4
    axes.set_ylim(min(0.0, 1.1 * low[later]), 1.1 * max(high[later], 200 * limit, low[-1]))
    axes.set_xlim(0, end)
    axes.set_xlabel("answers of the new model")
    axes.set_ylabel("changed (%)" if finding["claim"].startswith("change") else "drop in accuracy (points)")
    draw_deciding(axes, _deciding(finding))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8)


def _deciding(finding: Mapping[str, Any]) -> dict[str, Any]:
    """The bound that decides, or that has to fall, at the last looks."""
    path, false = finding["claimed"], finding["verdict"] == "rings false"
    answers, bounds = (path[name][-LAST_ANSWERS:] for name in ("answers", "low" if false else "high"))
    decided_at, limit = path["decided_at"], finding["limit"]
    return {"answers": answers, "bounds": bounds, "limit": limit, "above": not false, "decided_at": decided_at}


def draw_error(axes: Any, finding: Mapping[str, Any]) -> None:
    """How far off the difference may be after so many answers, by the method used and by uniform sampling."""
    error = finding["error"]
    used = _positive(error["answers"], error["used"])
    plain = _positive(error["answers"], error["uniform"])
    if finding["method"] != "uniform":
        axes.plot(*plain, color="C1", linewidth=3, alpha=0.5, label="uniform sampling")
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
        axis.set_minor_formatter(_sparse_number)
    axes.set_xlabel("answers of the new model")
    axes.set_ylabel("error of the difference (%)")
    axes.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8)


def draw_evidence(axes: Any, finding: Mapping[str, Any]) -> None:
    """The evidence that an answer changed and that the accuracy did, in powers of ten, with the thresholds."""
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
    """Whether there is an error to draw: a scale of logarithms has no zero."""
    return bool(_positive(finding["error"]["answers"], finding["error"]["used"])[0])


def has_evidence(finding: Mapping[str, Any]) -> bool:
    """Whether there is evidence to draw."""
    return bool(finding["evidence"]["answers"])


def _positive(answers: Sequence[int], values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """The places and percentages that a scale of logarithms can show."""
    pairs = [
        (place, 100 * value)
        for place, value in zip(answers, values, strict=True)
        if value is not None and value > 0 and place > 0
    ]
    return [place for place, _ in pairs], [value for _, value in pairs]


def _sparse_number(value: float, place: object) -> str:
    """Between powers of ten only twos and fives are named: within a single power there would be no number else."""
    return _number(value, place) if f"{value:e}"[0] in "25" else ""


def _number(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
