"""Tables of errors found from the lines that bench_blind.py keeps, as Markdown, with the verdicts below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blind_data import Floats
from blind_runs import HABITS, LOOKS
from blind_tasks import FRESH, RESERVED, TASKS, TUNING

BEGIN, END = "<!-- results: written by bench_blind.py --write -->", "<!-- end of results -->"

LABELS = {
    "errors": "**learning, `--goal errors`**", "excess": "**learning, `--goal excess`**",
    "first": "learning, first edition", "first-floor": "learning, first edition, a fifth at random",
    "lowest-confidence": "lowest confidence", "adversarial-distance": "adversarial distance, RayS",
    "neighbours": "most neighbours answered differently", "random": "random",
    "highest-confidence": "highest confidence", "standardised": "standardised", "bandit": "Lakkaraju et al.",
    "coverage": "Bansal and Weld",
}  # fmt: skip

BEHIND, ABOVE_DISTANCE, ABOVE_RANDOM = 1.0, 1.5, 2.0
"""A goal is at most this many errors behind the best habit on any task, and finds that many times the excess of two."""

_DISTANCE = "adversarial-distance"
"""Which some models have none of."""

SMALLEST = 0.5
"""An excess below this counts as this in a geometric mean, which takes no number below zero."""

USES: Mapping[str, Mapping[str, Any]] = {
    "Reserved tasks": RESERVED,
    "Of these, not looked at before the default was settled": FRESH,
    "Tuning tasks": TUNING,
}

Found = Mapping[str, Mapping[str, Mapping[int, Floats]]]
"""By task, search and seed: the mean over pools of errors and excess errors at each look, (2, looks)."""


def report(lines: Sequence[Mapping[str, Any]]) -> tuple[str, bool]:
    """Return all tables and verdicts as Markdown, and False if a figure that the package answers for does not hold."""
    parts, kept = [], True
    codes = {line["code"] for line in lines if "code" in line}
    if len(codes) > 1:
        parts.append(f"Runs of ours are by {len(codes)} versions of its code: measure them again, with --again.")
    if strangers := _on_other_pools(lines):
        told = ", ".join(strangers)
        parts.append(f"Searches hunted in different pools here: measure them again, with --again: {told}.")
    for use, tasks in USES.items():
        found = by_task([line for line in lines if line["task"] in tasks])
        if found:
            told, good = _verdicts(found)
            parts += [f"#### {use}", _models(found), _means(found, lines), told]
            parts += [] if tasks is FRESH else _tables(found)
            kept = kept and (good or tasks is TUNING)
    return "\n\n".join(parts), kept


def _on_other_pools(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the tasks of which searches hunted in different pools of the same model."""
    pools: dict[tuple[str, int], set[str]] = {}
    for line in lines:
        if "pools" in line:
            pools.setdefault((line["task"], line["seed"]), set()).add(line["pools"])
    return list(dict.fromkeys(task for (task, _), found in pools.items() if len(found) > 1))


def by_task(lines: Sequence[Mapping[str, Any]]) -> Found:
    """Return what was found, by task in the order of the tasks, by search and by seed."""
    found: dict[str, dict[str, dict[int, Floats]]] = {}
    for line in lines:
        if "errors" in line:
            errors, admitted = np.array(line["errors"], dtype=float), np.array(line["admitted"])
            both = np.array([errors.mean(axis=0), (errors - admitted).mean(axis=0)])
            found.setdefault(line["task"], {}).setdefault(line["search"], {})[line["seed"]] = both
    return {task: found[task] for task in TASKS if task in found}


def mean_of(runs: Mapping[int, Floats]) -> Floats:
    """Return the mean over seeds, (2, looks)."""
    return np.asarray(np.mean(list(runs.values()), axis=0))


def gaps(found: Found, search: str, measure: int) -> dict[str, tuple[Floats, Floats]]:
    """Return by task how far a search is ahead of the best habit there, with the standard error of the difference."""
    made = {}
    for task, searches in found.items():
        if search not in searches:
            continue
        habits = [searches[habit] for habit in HABITS if searches.get(habit, {}).keys() & searches[search].keys()]
        if not habits:
            continue
        beside = [_paired(searches[search], habit, measure) for habit in habits]
        means, errors = (np.array(part) for part in zip(*beside, strict=True))
        best = (
            means.argmin(axis=0),
            np.arange(len(LOOKS)),
        )  # the best habit is the one that the search is least ahead of
        made[task] = means[best], errors[best]
    return made


def _paired(ours: Mapping[int, Floats], theirs: Mapping[int, Floats], measure: int) -> tuple[Floats, Floats]:
    """Return the mean difference of two searches on the same pools at each look, and its standard error."""
    pairs = np.array([ours[seed][measure] - theirs[seed][measure] for seed in ours if seed in theirs])
    if len(pairs) < 2:
        return pairs.mean(axis=0), np.full(len(LOOKS), math.nan)
    return pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / math.sqrt(len(pairs))


def geometric(found: Found, search: str, look: int, tasks: Sequence[str]) -> float:
    """Return the geometric mean over tasks of the mean excess errors, each at least `SMALLEST`."""
    means = [max(float(mean_of(found[task][search])[1, look]), SMALLEST) for task in tasks]
    return float(np.exp(np.mean(np.log(means))))


def _verdicts(found: Found) -> tuple[str, bool]:
    """Return in words whether what is promised holds, and whether all of it does."""
    lines, kept = [], True
    for search, measure, what in (("errors", 0, "errors"), ("excess", 1, "excess errors")):
        behind = gaps(found, search, measure)
        if not behind:
            continue
        for place, look in enumerate(LOOKS):
            worst = min(behind, key=lambda task, place=place: behind[task][0][place])  # type: ignore[misc]
            ahead, error = (part[place] for part in behind[worst])
            held = ahead >= -BEHIND
            kept = kept and held
            many = sum(one[0][place] < -BEHIND for one in behind.values())
            lines.append(
                f"- `--goal {search}`, {what} in {look}: at most {BEHIND:g} behind the best habit of each task: "
                f"{_signed(ahead)} ± {error:.1f} on {worst}, {many} of {len(behind)} tasks further behind: "
                f"{'kept' if held else 'BROKEN'}"
            )
    for search in ("errors", "excess"):
        for other, least in (("adversarial-distance", ABOVE_DISTANCE), ("random", ABOVE_RANDOM)):
            shared = [task for task, searches in found.items() if search in searches and other in searches]
            if not shared:
                continue
            for place, look in enumerate(LOOKS):
                ratio = geometric(found, search, place, shared) / geometric(found, other, place, shared)
                held = ratio >= least
                kept = kept and held
                told = f"{ratio:.1f}" if held == (round(ratio, 1) >= least) else f"{ratio:.2f}"
                lines.append(
                    f"- `--goal {search}`, geometric mean of the excess errors in {look}, at least {least:g} times "
                    f"{LABELS[other]}: {told} over {len(shared)} tasks: {'kept' if held else 'BROKEN'}"
                )
    return "\n".join(lines), kept


def _models(found: Found) -> str:
    """Return on how many models of each task it rests."""
    models = [len(runs) for searches in found.values() for search, runs in searches.items() if search != _DISTANCE]
    least, most = min(models), max(models)
    many = f"{most}" if least == most else f"{least} to {most}"
    return f"{len(found)} tasks, {many} models of each, one pool of each model; mean ± standard error."


def _means(found: Found, lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the table over all tasks: errors and excess at each look, and the CPU time of an answer."""
    rows = []
    for search, label in LABELS.items():
        tasks = [task for task in found if search in found[task]]
        if not tasks:
            continue
        seconds = [
            line["seconds"]
            for line in lines
            if line["search"] == search and line["task"] in found and "seconds" in line
        ]
        runs = [np.array(list(found[task][search].values())) for task in tasks]
        means = np.mean([one.mean(axis=0) for one in runs], axis=0)
        spread = [one.var(axis=0, ddof=1) if len(one) > 1 else np.full(means.shape, math.nan) for one in runs]
        errors = np.sqrt(np.sum([one / len(run) for one, run in zip(spread, runs, strict=True)], axis=0))
        errors /= len(runs)
        ends = ["" if math.isnan(one) else f" ± {one:.1f}" for one in errors.ravel()]
        cells = [f"{mean:.1f}{end}" for mean, end in zip(means.ravel(), ends, strict=True)]
        geo = [f"{geometric(found, search, place, tasks):.1f}" for place in range(len(LOOKS))]
        rows.append([label, str(len(tasks)), *cells, *geo, f"{1e3 * float(np.mean(seconds)):.1f}"])
    head = [
        "search", "tasks", *(f"errors in {look}" for look in LOOKS), *(f"excess in {look}" for look in LOOKS),
        *(f"geometric mean of the excess in {look}" for look in LOOKS), "CPU ms an answer",
    ]  # fmt: skip
    return _table(head, rows)


def _tables(found: Found) -> list[str]:
    """Return errors and excess at the last look, task by task."""
    parts = []
    for measure, what in enumerate(("Errors", "Excess errors")):
        rows = [
            [
                task,
                *(
                    _cell([one[measure][-1] for one in searches[name].values()]) if name in searches else "–"
                    for name in LABELS
                ),
            ]
            for task, searches in found.items()
        ]
        parts += [f"{what} in {LOOKS[-1]}, by task:", _table(["task", *LABELS.values()], rows)]
    return parts


def _signed(number: float) -> str:
    return f"{number:+.1f}".replace("-", "−")


def _cell(values: Sequence[float]) -> str:
    mean = f"{float(np.mean(values)):.1f}"
    return mean if len(values) < 2 else f"{mean} ± {float(np.std(values, ddof=1)) / math.sqrt(len(values)):.1f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))
