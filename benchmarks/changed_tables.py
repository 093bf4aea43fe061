"""The table of what bench_changed_methods.py keeps, as Markdown: tuning and reserved tasks side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from changed_cells import Line, head_of, mean_told, numbers_of, of_method, row_of
from changed_watch_tables import watches

BEGIN, END = "<!-- results: written by bench_changed_methods.py --write -->", "<!-- end of results -->"
STANDARD = "masa-without-replacement"
TWO_LABELS = ("YELP", "SHOP")

LABELS = {"masa-without-replacement": "MASA without replacement", "masa": "MASA", "paired": "**paired**",
          "uniform": "random, with replacement", "by-label": "by label, with replacement",
          "paired+length": "paired, length of the old answer", "paired+clusters": "paired, clusters of prompts",
          "paired+hash": "paired, hash of the prompt"}  # fmt: skip
EACH_ALONE = "paired, each look alone"
"""The rule for `--error` that does not allow for more than one look."""


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
        *watches(lines),
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


def _ratios(lines: Sequence[Line], part: str, group: str, head: str) -> list[tuple[str, ...]]:
    """Return calls over those of MASA without replacement: by seed the geometric mean over tasks."""

    def wants(task: str) -> bool:
        return (">" in task) == (group == "swap")

    methods = dict.fromkeys(line["method"] for line in lines if line["part"] == part)
    rows: list[tuple[str, ...]] = [head_of(head)]
    for method in methods:
        cells, used = [], []
        for use in ("tuning", "reserved"):
            base = {line["task"]: line for line in of_method(lines, part, use, STANDARD, wants)}
            own = [line for line in of_method(lines, part, use, method, wants) if line["task"] in base]
            logs = np.array([np.log(numbers_of(line) / numbers_of(base[line["task"]])) for line in own])
            cells.append(mean_told(np.exp(logs.mean(axis=0))) if len(own) else "")
            used += own
        if used:
            rows.append(row_of(LABELS.get(method, method), cells, used))
    return rows if len(rows) > 1 else []


def _ceilings(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the calls that would be left if everything known of prompts and old answers had been learnt."""
    cells, used = [], []
    for use in ("tuning", "reserved"):
        own = of_method(lines, "ceiling", use, "all", lambda _: True)
        cells.append(mean_told(np.mean([numbers_of(line) for line in own], axis=0)) if own else "")
        used += own
    name = (
        "Language models, calls left if the old answer's length and the prompt's letters and clusters had been learnt, "
        "label and old answer alone = 1"
    )
    return [row_of(name, cells, used)] if used else []


def _stops(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return how often the stated error was kept where `--error` stopped, and at all looks; and what that cost."""
    rows: list[tuple[str, ...]] = [
        head_of("Stated error kept where `--error` stops, services swapped (95% is promised)")
    ]
    for name, two in (("two labels", True), ("more labels", False)):
        found = {
            (use, method): of_method(lines, "stops", use, method, lambda task: (task.split()[0] in TWO_LABELS) == two)  # noqa: B023
            for use in ("tuning", "reserved")
            for method in ("paired", EACH_ALONE)
        }
        for what, place in (("at 2%", 1), ("at 1%", 3), ("at all looks of a run (not promised)", 4)):
            rows += _of_stops(found, f"{name}, {what}", _kept_in, place)
        rows += _of_stops(found, f"{name}, at all looks by a rule for one look", _kept_alone, 4)
        for what, place in (("at 2%", 0), ("at 1%", 2)):
            rows += _of_stops(found, f"{name}, calls until it stops {what}", _calls, place)
            rows += _of_stops(found, f"{name}, times the calls of a rule for one look, {what}", _times, place)
    return rows if len(rows) > 1 else []


def _of_stops(
    found: Mapping[tuple[str, str], Sequence[Line]],
    name: str,
    tell: Callable[[Sequence[Line], Sequence[Line], int], str],
    place: int,
) -> list[tuple[str, ...]]:
    """Return a row of what is told of a place in the runs by the rule, beside those by the one for one look."""
    both = {use: (found[use, "paired"], found[use, EACH_ALONE]) for use in ("tuning", "reserved")}
    used = [line for own, _ in both.values() for line in own]
    return [row_of(name, [tell(*pair, place) if pair[0] else "" for pair in both.values()], used)] if used else []


def _runs(lines: Sequence[Line], place: int) -> np.ndarray:
    return np.array([[run[place] for run in line["found"]] for line in lines])


def _kept_in(ours: Sequence[Line], _: Sequence[Line], place: int) -> str:
    return mean_told(_runs(ours, place).mean(axis=0), "{:.1f}", scale=100, after="%")


def _kept_alone(_: Sequence[Line], others: Sequence[Line], place: int) -> str:
    return _kept_in(others, (), place) if others else ""


def _calls(ours: Sequence[Line], _: Sequence[Line], place: int) -> str:
    return mean_told(_runs(ours, place).mean(axis=0), "{:,.0f}")


def _times(ours: Sequence[Line], others: Sequence[Line], place: int) -> str:
    """Return calls over those of another rule: by seed the geometric mean over tasks."""
    other = {line["task"]: line for line in others}
    pairs = [(line, other[line["task"]]) for line in ours if line["task"] in other]
    logs = [np.log(_runs([one], place)[0] / _runs([than], place)[0]) for one, than in pairs]
    return mean_told(np.exp(np.mean(logs, axis=0))) if logs else ""
