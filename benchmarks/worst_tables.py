"""Tables of regret from the lines that bench_worst.py keeps, as Markdown, with the verdicts below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import numpy as np

from worst_families import FAMILIES, ONE_OUTPUT, SEVERAL
from worst_peers import NEEDS
from worst_problems import Floats, Scale
from worst_verdicts import FLOOR, Group, difference, geometric, looks, number, reference, verdicts

BEGIN, END = "<!-- results: written by bench_worst.py --write -->", "<!-- end of results -->"

LABELS = {
    "ours": "**ours**", "ours-unseen": "ours, model out of sight", "qlogei": "BoTorch, qLogEI",
    "trust-region": "BoTorch, trust region", "tpe": "Optuna, TPE", "cma-es": "CMA-ES", "smac": "SMAC, random forest",
    "sobol": "Sobol", "random": "random",
    "alone-harmonic": "**`harmonic`**", "alone-harmonic-unseen": "`harmonic`, model out of sight",
    "alone-tpe": "Optuna, TPE", "alone-smac": "SMAC, random forest", "alone-sobol": "Sobol", "alone-random": "random",
}  # fmt: skip

TITLES = {
    ("reserved", "one"): "Simulators of one output against a network and against trees",
    ("reserved", "revealed"): "Several outputs, all revealed by an evaluation",
    ("reserved", "alone"): "Several outputs, each priced alone",
    ("tuning", "one"): "Simulators that constants were chosen on",
    ("tuning", "revealed"): "Several outputs that constants were chosen on, all revealed by an evaluation",
    ("tuning", "alone"): "Several outputs that constants were chosen on, each priced alone",
}

TOO_GOOD = -0.005
"""A regret below this says that a search found a worse deviation than the scale knows of."""


def groups(lines: Sequence[Mapping[str, Any]]) -> list[Group]:
    """Return what was kept, by use and by how evaluations are priced; in the order of the titles and the families."""
    scales = {(line["problem"], line["seed"]): Scale(**line["scale"]) for line in lines if "scale" in line}
    found = {key: Group(*key, {}, {}) for key in TITLES}
    for line in lines:
        if "scale" in line or line["error"] is not None or (line["problem"], line["seed"]) not in scales:
            continue
        problem, method = line["problem"], line["method"]
        use = "tuning" if problem in ONE_OUTPUT["tuning"] or problem in SEVERAL["tuning"] else "reserved"
        one = problem in ONE_OUTPUT[use]
        group = found[use, "one" if one else "alone" if method.startswith("alone-") else "revealed"]
        regret = regrets(line, scales[problem, line["seed"]])
        group.runs.setdefault(problem, {}).setdefault(method, {})[line["seed"]] = regret
        group.seconds.setdefault(method, []).append(line["seconds"] / line["evaluations"])
    for group in found.values():
        for problem in sorted(group.runs, key=list(FAMILIES).index):
            group.runs[problem] = group.runs.pop(problem)
    return [group for group in found.values() if group.runs]


def regrets(line: Mapping[str, Any], scale: Scale) -> Floats:
    """Return the regret of what a user would be told: the true deviation where the largest one so far was seen."""
    since, deviations = np.array(line["leaders"]).T
    leads = np.diff(np.append(since, line["made"] + 1)).astype(int)
    return scale.regret(np.repeat(deviations, leads))


def report(lines: Sequence[Mapping[str, Any]]) -> tuple[str, bool]:
    """Return all tables and verdicts as Markdown, and False if a figure that the package answers for does not hold."""
    found = groups(lines)
    told, kept = verdicts(found)
    parts = [_heading(lines), *map(_tables, found), "#### Verdicts\n\n" + told, *_remarks(lines, found)]
    return "\n\n".join(part for part in parts if part), kept


def _heading(lines: Sequence[Mapping[str, Any]]) -> str:
    seeds = len({line["seed"] for line in lines if "scale" not in line})
    versions = []
    for package in sorted({*NEEDS.values(), "torch", "scikit-learn"}):
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return (
        f"{seeds} seeds at most. Regret, mean ± standard error, after a third, two thirds and the whole of the budget. "
        f"Geometric means are over the families' mean regrets, each at least {number(FLOOR)}. Differences are ours "
        "less theirs at the end, on the same problems with the same seeds, ± two standard errors; the last column is "
        f"the family where ours does worst beside it. With {', '.join(versions)}."
    )


def _tables(group: Group) -> str:
    """Return the tables of a group: over all families, then by family at each look."""
    methods = sorted({name for family in group.runs.values() for name in family}, key=_order)
    marks, ours = looks(group), reference(group.priced)
    rows = []
    for method in methods:
        own = {problem: family[method] for problem, family in group.runs.items() if method in family}
        cells = [_cell([run[mark - 1] for runs in own.values() for run in runs.values()]) for mark in marks]
        compared = difference(group.runs, ours, method)
        last = ["", ""]
        if compared is not None and not method.startswith(ours):
            last = [
                f"{number(compared.mean)} ± {number(2 * compared.error)}",
                f"{compared.family} {number(compared.behind)}",
            ]
        total = sum(map(len, own.values()))
        mean, seconds = number(geometric(own.values())), np.mean(group.seconds[method])
        rows.append([_label(method), str(total), *cells, mean, f"{seconds:.3g}", *last])
    first = ["search", "runs", *(f"after {mark}" for mark in marks), "geometric mean", "CPU s per evaluation"]
    parts = [
        f"#### {TITLES[group.use, group.priced]} ({group.use})",
        _table([*first, "ours less it", "at worst"], rows),
    ]
    for mark in marks if group.use == "reserved" else marks[-1:]:
        rows = [
            [_label(method)]
            + [_cell([run[mark - 1] for run in family.get(method, {}).values()]) for family in group.runs.values()]
            for method in methods
        ]
        parts += [f"By family, after {mark} evaluations:", _table(["search", *group.runs], rows)]
    return "\n\n".join(parts)


def _order(method: str) -> tuple[int, str]:
    known = list(LABELS)
    return (known.index(method) if method in known else known.index("alone-harmonic-unseen"), method)


def _label(method: str) -> str:
    """Return a method as a reader knows it; rules of the paper as they are called on the page."""
    name = method.removeprefix("alone-")
    rule = f"`{name.removesuffix('-ucb')}`" + (", upper bounds" if name.endswith("-ucb") else "")
    return LABELS.get(method, rule)


def _cell(values: Sequence[float]) -> str:
    if not values:
        return "–"
    if len(values) < 2:
        return number(values[0])
    return f"{number(float(np.mean(values)))} ± {number(float(np.std(values, ddof=1)) / math.sqrt(len(values)))}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _remarks(lines: Sequence[Mapping[str, Any]], found: Sequence[Group]) -> list[str]:
    """Return what a reader must know before the figures are believed."""
    told = []
    codes = {line["code"] for line in lines if "code" in line}
    if len(codes) > 1:
        told.append(f"Runs of ours are by {len(codes)} versions of its code: measure them again, with --again.")
    refused = [line for line in lines if line.get("error") is not None]
    told += [
        f"{line['method']} on {line['problem']}, seed {line['seed']}, refused: {line['error']}" for line in refused
    ]
    for group in found:
        told += [
            f"{method} on {problem} found more than the scale knows of: {number(low)}."
            for problem, family in group.runs.items()
            for method, runs in family.items()
            if (low := float(min(run[-1] for run in runs.values()))) < TOO_GOOD
        ]
    return told
