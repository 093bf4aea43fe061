"""The rows of bench_changed_methods.py on watching a model: calls until an alarm, and years with a false one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from changed_cells import Line, head_of, mean_told, numbers_of, of_method, row_of

YEAR = 365
CHOSEN = {
    "turns": "**sentinels and other items in turn**",
    "nearest": "**sentinels**",
    "random": "twenty random items",
    "fresh": "a random item each time (**without confidences**)",
}
NOISE = {"steady": "steady model", "noisy": "noisy model"}
ALONE = "twenty sentinels alone"
"""What a steady model was asked before."""


def watches(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the calls from an update to the alarm; where none came within the year, all of the year's."""
    rows: list[tuple[str, ...]] = []
    shares = sorted({_share(line["task"]) for line in lines if line["part"] == "watch"} - {""})
    kinds = {"near": "that come near another answer first", "even": "spread evenly"}
    updates = [
        (kind, share, f"{share} of answers updated, {words}") for kind, words in kinds.items() for share in shares
    ]
    for group, share, words in (("swap", "", "service swapped"), *updates):
        here = [line for line in lines if _group(line["task"]) == group and _share(line["task"]) == share]
        part: list[tuple[str, ...]] = [head_of(f"Calls from the update to the alarm: {words}")]
        for method in _watching(lines):
            cells, used = [], []
            for use in ("tuning", "reserved"):
                own = of_method(here, "watch", use, method, lambda _: True)
                delays = np.array([_delays(line) for line in own])
                found = f" ({(delays < YEAR).mean():.0%})" if own else ""
                cells.append(mean_told(delays.mean(axis=0), "{:.0f}") + found if own else "")
                used += own
            if used:
                part.append(row_of(_named(method), cells, used))
        rows += part if len(part) > 1 else []
    rows += _sooner(lines)
    still = [line for line in lines if line["part"] == "watch" and _group(line["task"]) == "none"]
    if still:
        rows.append(head_of("Years with a false alarm, nothing changed (5% are allowed)"))
        for method in _watching(still):
            cells, used = [], []
            for use in ("tuning", "reserved"):
                own = of_method(still, "watch", use, method, lambda _: True)
                alarms = np.array([[one is not None for one in line["found"]] for line in own], dtype=float)
                cells.append(mean_told(alarms.mean(axis=0), "{:.1f}", scale=100, after="%") if len(own) else "")
                used += own
            rows.append(row_of(_named(method), cells, used))
    return rows


def _sooner(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return in how many swaps and updates of one service a random item each time is sooner than what is asked."""
    rows: list[tuple[str, ...]] = []
    for ours, noise in (("turns", "steady"), ("nearest", "noisy")):
        cells, used = [], []
        for use in ("tuning", "reserved"):
            own, rival = (
                of_method(lines, "watch", use, f"{chosen} {noise}", lambda task: _group(task) != "none")
                for chosen in (ours, "fresh")
            )
            other = {line["task"]: _delays(line) for line in rival}
            pairs = [(_delays(line), other[line["task"]]) for line in own if line["task"] in other]
            later = np.array([one.mean() - than.mean() for one, than in pairs])
            errors = np.array(
                [math.hypot(one.std(ddof=1), than.std(ddof=1)) / math.sqrt(len(one)) for one, than in pairs]
            )
            cells.append(f"{(later > 0).sum()} of {len(pairs)} ({(later > 2 * errors).sum()})" if pairs else "")
            used += own
        if any(cells):
            rows.append(row_of(_named(f"{ours} {noise}"), cells, used))
    head = (
        "Swaps and updates of single services of which a random item each time finds more (beyond two standard errors)"
    )
    return [head_of(head), *rows] if rows else []


def _watching(lines: Sequence[Line]) -> list[str]:
    """Return the ways to watch that were measured, those of a steady model first."""
    known = {line["method"] for line in lines if line["part"] == "watch"}
    return [f"{chosen} {noise}" for noise in NOISE for chosen in CHOSEN if f"{chosen} {noise}" in known]


def _named(method: str) -> str:
    chosen, noise = method.split()
    return f"{NOISE[noise]}, {ALONE if method == 'nearest steady' else CHOSEN[chosen]}"


def _delays(line: Line) -> np.ndarray:
    """Return the delays; an alarm before the update was false, and the run is counted as one that found nothing."""
    delays = np.minimum(numbers_of(line), YEAR)
    return np.where(delays <= 0, YEAR, delays)


def _group(task: str) -> str:
    parts = task.split()
    old, _, new = parts[1].partition(">")
    return parts[-1] if len(parts) == 4 else "none" if old == new else "swap"


def _share(task: str) -> str:
    parts = task.split()
    return parts[2] if len(parts) == 4 else ""
