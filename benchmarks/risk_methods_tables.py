"""Tables of the comparison of ways to choose labels, as Markdown: tuning and reserved pools side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from risk_methods_runs import DRAWS, FIXED, LABELS, METHODS, WATCHED
from risk_tasks import RESERVED, TUNING

BEGIN, END = "<!-- results: written by bench_risk_methods.py --write -->", "<!-- end of results -->"
EVEN, EVEN_FIXED = "even, watched", "even, fixed"
PARTS: Mapping[str, Iterable[str]] = {"tuning": TUNING, "reserved": RESERVED}

_SAID = (
    "One-sided 95% upper bounds, their mean over that of even draws after as many labels of the same pools; below 1 is",
    "better. What may be watched is compared with even draws that may be watched, what fixes the number beforehand",
    "with even draws that do. Geometric mean over the tasks ± one standard error. `fixed-strata` and `even, fixed`",
    f"have {DRAWS['fixed-strata']} draws of each pool; where a claim leaves no room both draw evenly, and luck",
    "parts them.",
)

Lines = Sequence[Mapping[str, Any]]


def report(lines: Lines) -> str:
    """Return all tables."""
    parts = [
        "\n".join(_SAID),
        _summary(lines),
        *(_each(lines, part) for part in PARTS),
    ]
    return "\n\n".join(parts) + "\n"


def base_of(method: str) -> str:
    """Return the even draws that a method is compared with."""
    return EVEN_FIXED if method in FIXED and method != EVEN_FIXED else EVEN


def of_means(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Return a mean over another one, and its standard error by the delta method; pools come in pairs.

    The mean of the ratios would be above 1 for two methods that are alike, because what it divides by varies too.
    """
    one, other = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if len(one) < 2:
        return np.nan, np.nan
    ratio = float(one.mean() / other.mean())
    return ratio, float((one - ratio * other).std(ddof=1) / np.sqrt(len(one)) / other.mean())


def ratio(lines: Lines, task: str, method: str, value: str, labels: int) -> tuple[float, float]:
    """Return a method's mean value over that of even draws, on the pools that both were tried on, and its error."""
    place = LABELS.index(labels)
    over_draws = all(one in DRAWS for one in (method, base_of(method)))
    told = {
        one: {
            line["seed"]: (line.get("mean", line) if over_draws else line)[value][place]
            for line in lines
            if line["task"] == task and line["method"] == one
        }
        for one in (method, base_of(method))
    }
    ours, theirs = told[method], told[base_of(method)]
    seeds = sorted(ours.keys() & theirs.keys())
    return of_means([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])


def mean_of_tasks(lines: Lines, tasks: Iterable[str], method: str, value: str, labels: int) -> tuple[float, float]:
    """Return the geometric mean over the tasks of the ratios, and its standard error."""
    found = [ratio(lines, task, method, value, labels) for task in tasks]
    known = np.array([one for one in found if not np.isnan(one[0])])
    if not len(known):
        return np.nan, np.nan
    mean = float(np.exp(np.mean(np.log(known[:, 0]))))
    return mean, mean * float(np.sqrt(np.sum((known[:, 1] / known[:, 0]) ** 2))) / len(known)


def until_decided(lines: Lines, method: str) -> tuple[float, float]:
    """Return the labels until a claim is decided over those of even draws, all of them where it is not.

    The geometric mean over the reserved tasks.
    """
    told = [
        {**line, "until": [line["decided_at"] or LABELS[-1]] * len(LABELS)} for line in lines if "decided_at" in line
    ]
    return mean_of_tasks(told, RESERVED, method, "until", LABELS[-1])


def _summary(lines: Lines) -> str:
    heads = ["method", "over", *(f"{part}, {labels} labels" for part in PARTS for labels in LABELS)]
    heads += [f"reserved, {LABELS[-1]} labels, two-sided width", "reserved: labels until decided", "CPU ms per answer"]
    rows = []
    for method in METHODS:
        cells = [
            _with_error(*mean_of_tasks(lines, tasks, method, "upper", labels))
            for tasks in PARTS.values()
            for labels in LABELS
        ]
        cells.append(_with_error(*mean_of_tasks(lines, RESERVED, method, "width", LABELS[-1])))
        cells.append(_with_error(*until_decided(lines, method)) if method in WATCHED else "–")
        seconds = [line["seconds"] for line in lines if line["method"] == method]
        cells.append(f"{1e3 * np.mean(seconds):.2f}" if seconds else "–")
        rows.append([f"`{method}`", base_of(method) if method != EVEN else "–", *cells])
    return _table(heads, rows)


def _each(lines: Lines, part: str) -> str:
    heads = ["task", "pools", "rate", "claim", *(f"`{method}`" for method in METHODS)]
    rows = []
    for task in PARTS[part]:
        own = [line for line in lines if line["task"] == task]
        if not own:
            continue
        pools = {line["seed"] for line in own}
        row = [task, str(len(pools)), f"{np.mean([line['rate'] for line in own]):.2%}"]
        row.append(f"error <= {np.mean([line['limit'] for line in own]):.1%}")
        for method in METHODS:
            decided = [line.get("mean", line)["decided"] for line in own if line["method"] == method]
            if not decided:
                row.append("–")
                continue
            shares = ", ".join(f"{share:.0%}" for share in np.mean(decided, axis=0))
            found = (_with_error(*ratio(own, task, method, "upper", labels)) for labels in LABELS)
            row.append(f"{'1' if method == EVEN else ', '.join(found)}; {shares}")
        rows.append(row)
    numbers = f"{', '.join(map(str, LABELS[:-1]))} and {LABELS[-1]}"
    title = f"**{part.capitalize()} pools.** The ratios after {numbers} labels; then the share of the pools whose "
    title += "claim is decided with as many."
    return f"{title}\n\n{_table(heads, rows)}"


def _with_error(mean: float, error: float) -> str:
    return "–" if np.isnan(mean) else f"{mean:.2f} ± {error:.2f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
