"""What was known after how many calls: the error of the difference, and the evidence that something changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.changed._parts import PROOF
from ringtrue.core import percent

_LOWEST = -3.0
"""Powers of ten below which evidence is not followed: by then it is plain that there is none."""


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
