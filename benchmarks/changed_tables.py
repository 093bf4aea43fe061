"""The table of what bench_changed_methods.py keeps, as Markdown: tuning and reserved tasks side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from changed_tasks import use_of

BEGIN, END = "<!-- results: written by bench_changed_methods.py --write -->", "<!-- end of results -->"
STANDARD = "masa-without-replacement"
TWO_LABELS = ("YELP", "SHOP")
SOON = 90
YEAR = 365

Line = Mapping[str, Any]
LABELS = {"masa-without-replacement": "MASA without replacement", "masa": "MASA", "paired": "**paired**",
          "uniform": "random, with replacement", "by-label": "by label, with replacement",
          "paired+length": "paired, length of the old answer", "paired+clusters": "paired, clusters of prompts",
          "paired+hash": "paired, hash of the prompt"}  # fmt: skip
CHOSEN = {"nearest": "**sentinels**", "random": "twenty random items", "fresh": "a random item each time"}
NOISE = {"steady": "steady model", "noisy": "noisy model"}


def table(lines: Sequence[Line]) -> str:
    """Return the whole table, with a head for each group of rows."""
    lines = _joined(lines)
    rows = [
        ("", "tuning", "reserved", "CPU s per run"),
        *_ratios(lines, "calls", "swap", "Calls to a mean error of 1%, MASA without replacement = 1: services swapped"),
        *_ratios(lines, "calls", "update", "The same: silent updates of 2% and 8%"),
        *_ratios(lines, "language", "swap", "The same: snapshots of language models, no confidences"),
        *_ceilings(lines),
        *_stops(lines),
        *_watches(lines),
    ]
    widths = ["---", "---:", "---:", "---:"]
    body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([body[0], f"|{'|'.join(widths)}|", *body[1:]])


def _joined(lines: Sequence[Line]) -> list[Line]:
    """Return one line per method and task, with the seeds of all its blocks that every method of the part has."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for line in sorted(lines, key=lambda line: line["first"]):
        key = line["part"], line["task"], line["method"]
        one = found.setdefault(key, {**line, "found": [], "seeds": 0, "seconds": 0.0})
        one["found"] = [*one["found"], *line["found"]]
        one["seeds"] += line["seeds"]
        one["seconds"] += line["seconds"]
    methods: dict[str, set[str]] = {}
    for part, _, method in found:
        methods.setdefault(part, set()).add(method)
    # A task that not all methods have is left out: it would stand in some rows and not in others.
    found = {
        key: one for key, one in found.items() if all((key[0], key[1], method) in found for method in methods[key[0]])
    }
    fewest: dict[str, int] = {}
    for (part, *_), one in found.items():
        fewest[part] = min(fewest.get(part, one["seeds"]), one["seeds"])
    return [{**one, "found": one["found"][: fewest[part]]} for (part, *_), one in found.items()]


def _of(lines: Sequence[Line], part: str, use: str, method: str, wants: Callable[[str], bool]) -> list[Line]:
    return [
        line
        for line in lines
        if line["part"] == part and line["method"] == method and use_of(line["task"]) == use and wants(line["task"])
    ]


def _told(values: np.ndarray, form: str = "{:.2f}", *, scale: float = 1.0, after: str = "") -> str:
    """Return a mean over seeds with its standard error."""
    if not len(values):
        return ""
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{form.format(scale * values.mean())}{after} ± {form.format(scale * error)}"


def _row(name: str, cells: Sequence[str], used: Sequence[Line]) -> tuple[str, str, str, str]:
    runs = sum(line["seeds"] for line in used)
    return name, cells[0], cells[1], f"{sum(line['seconds'] for line in used) / runs:.3f}" if runs else ""


def _head(text: str) -> tuple[str, str, str, str]:
    return f"*{text}*", "", "", ""


def _ratios(lines: Sequence[Line], part: str, group: str, head: str) -> list[tuple[str, ...]]:
    """Return calls over those of MASA without replacement: by seed the geometric mean over tasks."""

    def wants(task: str) -> bool:
        return (">" in task) == (group == "swap")

    methods = dict.fromkeys(line["method"] for line in lines if line["part"] == part)
    rows: list[tuple[str, ...]] = [_head(head)]
    for method in methods:
        cells, used = [], []
        for use in ("tuning", "reserved"):
            base = {line["task"]: line for line in _of(lines, part, use, STANDARD, wants)}
            own = [line for line in _of(lines, part, use, method, wants) if line["task"] in base]
            logs = np.array([np.log(_numbers(line) / _numbers(base[line["task"]])) for line in own])
            cells.append(_told(np.exp(logs.mean(axis=0))) if len(own) else "")
            used += own
        if used:
            rows.append(_row(LABELS.get(method, method), cells, used))
    return rows if len(rows) > 1 else []


def _ceilings(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the calls that would be left if everything known of prompts and old answers had been learnt."""
    cells, used = [], []
    for use in ("tuning", "reserved"):
        own = _of(lines, "ceiling", use, "all", lambda _: True)
        cells.append(_told(np.mean([_numbers(line) for line in own], axis=0)) if own else "")
        used += own
    name = (
        "Language models, calls left if the old answer's length and the prompt's letters and clusters had been learnt, "
        "label and old answer alone = 1"
    )
    return [_row(name, cells, used)] if used else []


def _stops(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return how often the stated error was kept where `--error` stopped, and at all looks until then."""
    rows: list[tuple[str, ...]] = [_head("Stated error kept where `--error` stops, services swapped (95% is promised)")]
    for name, two in (("two labels", True), ("more labels", False)):
        for what, place in (("at 2%", 1), ("at 1%", 3), ("at all looks of a run (not promised)", 4)):
            cells, used = [], []
            for use in ("tuning", "reserved"):
                own = _of(lines, "stops", use, "paired", lambda task: (task.split()[0] in TWO_LABELS) == two)  # noqa: B023
                kept = np.array([[run[place] for run in line["found"] if len(run) == 5] for line in own])
                cells.append(_told(kept.mean(axis=0), "{:.1f}", scale=100, after="%") if len(own) else "")
                used += own
            if used:
                rows.append(_row(f"{name}, {what}", cells, used))
    return rows if len(rows) > 1 else []


def _watches(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the calls from an update to the alarm; where none came within the year, all of the year's."""
    rows: list[tuple[str, ...]] = []
    groups = {"swap": "service swapped", "near": "that come near another answer first", "even": "spread evenly"}
    for group, words in groups.items():
        shares = (
            [""]
            if group == "swap"
            else sorted({_share(line["task"]) for line in lines if line["part"] == "watch"} - {""})
        )
        for share in shares:
            head = words if group == "swap" else f"{share} of answers updated, {words}"
            part: list[tuple[str, ...]] = [_head(f"Calls from the update to the alarm: {head}")]
            for method in dict.fromkeys(line["method"] for line in lines if line["part"] == "watch"):
                chosen, noise = method.split()
                cells, used = [], []
                for use in ("tuning", "reserved"):
                    own = _of(lines, "watch", use, method, lambda task: _group(task) == group and _share(task) == share)  # noqa: B023
                    delays = np.array([_delays(line) for line in own])
                    cells.append(
                        _told(delays.mean(axis=0), "{:.0f}") + f" ({(delays < YEAR).mean():.0%})" if len(own) else ""
                    )
                    used += own
                if used:
                    part.append(_row(f"{NOISE[noise]}, {CHOSEN[chosen]}", cells, used))
            rows += part if len(part) > 1 else []
    still = [line for line in lines if line["part"] == "watch" and _group(line["task"]) == "none"]
    if still:
        rows.append(_head("Years with a false alarm, nothing changed (5% are allowed)"))
        for method in dict.fromkeys(line["method"] for line in still):
            chosen, noise = method.split()
            cells, used = [], []
            for use in ("tuning", "reserved"):
                own = _of(still, "watch", use, method, lambda _: True)
                alarms = np.array([[one is not None for one in line["found"]] for line in own], dtype=float)
                cells.append(_told(alarms.mean(axis=0), "{:.1f}", scale=100, after="%") if len(own) else "")
                used += own
            rows.append(_row(f"{NOISE[noise]}, {CHOSEN[chosen]}", cells, used))
    return rows


def _numbers(line: Line) -> np.ndarray:
    return np.array([math.inf if one is None else one for one in line["found"]], dtype=float)


def _delays(line: Line) -> np.ndarray:
    """Return the delays; an alarm before the update was false, and the run is counted as one that found nothing."""
    delays = np.minimum(_numbers(line), YEAR)
    return np.where(delays <= 0, YEAR, delays)


def _group(task: str) -> str:
    parts = task.split()
    old, _, new = parts[1].partition(">")
    return parts[-1] if len(parts) == 4 else "none" if old == new else "swap"


def _share(task: str) -> str:
    parts = task.split()
    return parts[2] if len(parts) == 4 else ""
