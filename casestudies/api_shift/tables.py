"""The measurements as Markdown tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from api_shift.cases import GROUPS, SILENT
from api_shift.measures import AT, TARGET, Curve, Measured
from pages import markdown

PAPER = {"uniform": 0.015, "by-label": 0.009, "masa": 0.006}
"""YELP with 2,000 samples, as the supplement gives it; which service and which levels it does not say."""

PAPER_SHIFTS = ("Amazon → Amazon", "Amazon → Google", "Google → Amazon", "Google → Google")
STANDARD = "masa"


def paper_table(measured: Sequence[Measured]) -> str:
    """Mean errors on YELP after 2,000 calls, beside the paper's."""
    found = {each.case.name: each for each in measured if each.case.dataset == "YELP"}
    shown = [name for name in PAPER_SHIFTS if name in found]
    if not shown:
        return ""
    rows = []
    for method in found[shown[0]].curves:
        ours = [_error(found[name].curves[method].at(AT)) for name in shown]
        rows.append([method, f"{PAPER[method]:.3f}" if method in PAPER else "", *ours])
    return markdown(["method", "the paper", *shown], rows)


def groups_table(measured: Sequence[Measured]) -> str:
    """How many times fewer calls than MASA: geometric mean, smallest and largest of each group."""
    rows = []
    for group, members in _groups(measured):
        row = [f"{group} ({len(members)})"]
        for method in members[0].curves:
            ratios = [_ratio(each, method) for each in members]
            known = np.array([ratio for ratio in ratios if ratio is not None])
            if method == STANDARD:
                continue
            few = f" of {len(known)}" if len(known) < len(members) else ""
            mean = math.exp(np.log(known).mean()) if len(known) else math.nan
            row.append(f"{mean:.2f} ({known.min():.2f} to {known.max():.2f}){few}" if len(known) else "")
        rows.append(row)
    return markdown(["cases", *(method for method in measured[0].curves if method != STANDARD)], rows)


def _groups(measured: Sequence[Measured]) -> Iterator[tuple[str, list[Measured]]]:
    """The cases by group; of silent updates also those apart that move the matrix by less than the target, or more.

    Of a shift within the target "nothing changed" is near enough without a call, so that any method that begins with
    it looks good.
    """
    for group in GROUPS:
        members = [each for each in measured if each.case.group == group]
        if members:
            yield group, members
        if group == SILENT and members:
            shifts = [float(np.linalg.norm(each.case.scenario.shift)) for each in members]
            for name, inside in ((f"{group}, shift above 1%", False), (f"{group}, shift within 1%", True)):
                part = [each for each, shift in zip(members, shifts, strict=True) if (shift <= TARGET) is inside]
                if part:
                    yield name, part


def calls_table(measured: Sequence[Measured]) -> str:
    """Calls to a mean error of 1%, case by case."""
    rows = [
        [str(each.case), f"{each.case.scenario.changed:.1%}", *(_calls(curve) for curve in each.curves.values())]
        for each in measured
    ]
    return markdown(["case", "changed", *measured[0].curves], rows)


def errors_table(measured: Sequence[Measured], budget: int) -> str:
    """Mean errors after one budget, case by case; the largest tried by all if a pool is smaller."""
    rows = []
    for each in measured:
        tried = set.intersection(*(set(curve.budgets) for curve in each.curves.values()))
        last = max(b for b in tried if b <= budget and b < each.case.scenario.size)
        name = str(each.case) if last == budget else f"{each.case} ({last:,} calls)"
        rows.append([name, *(_error(curve.at(last)) for curve in each.curves.values())])
    return markdown(["case", *measured[0].curves], rows)


def _ratio(measured: Measured, method: str) -> float | None:
    """Calls of MASA over calls of a method; None where either did not get there."""
    standard, calls = measured.curves[STANDARD].calls, measured.curves[method].calls
    return standard / calls if math.isfinite(standard) and math.isfinite(calls) else None


def _calls(curve: Curve) -> str:
    if math.isinf(curve.calls):
        return f"> {curve.budgets[-1]:,}"
    return f"≤ {curve.budgets[0]}" if curve.calls == curve.budgets[0] else f"{curve.calls:,.0f}"


def _error(error: float | None) -> str:
    if error is None:
        return ""
    return "0" if error < 1e-9 else f"{error:.4f}"
