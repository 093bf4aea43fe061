"""Tables of regret from the lines that bench_worst.py keeps, and the figures that the package answers for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.worst import DEFAULT
from worst_families import FAMILIES, HELD_OUT
from worst_problems import Floats, Scale

LOOKS = (25, 50, 100, 150, 200)
EXP3BO = ("exp3bo-ucb", "exp3bo")
"""EXP3BO as the paper ran it, and with the expected improvement."""

ROUND_ROBIN = ("round-robin-ucb", "round-robin")
QUARTERED = ("fourier", "squares", "alloy")
"""Problems of sixteen outputs, on which all outputs must take at most a quarter of EXP3BO's evaluations."""

FOUND = 1e-3
"""A regret this small counts as none: added to both sides of a ratio, and no difference below it is one."""

ENOUGH = 10
"""Seeds below which nothing is judged: what a rule gains is of the size of its standard error then."""

Runs = Mapping[int, Floats]
"""By seed: the regret after each evaluation."""

Regrets = Mapping[str, Mapping[str, Runs]]
"""By problem and method."""


def regrets(lines: Sequence[Mapping[str, Any]]) -> Regrets:
    """The regret of what a user would be told: the true deviation where the largest one so far was seen."""
    scales = {(line["problem"], line["seed"]): Scale(**line["scale"]) for line in lines if "scale" in line}
    found: dict[str, dict[str, dict[int, Floats]]] = {name: {} for name in FAMILIES}
    for line in lines:
        if "scale" in line or line["error"] is not None:
            continue
        seen, true = np.array(line["seen"]), np.array(line["true"])
        leaders = np.maximum.accumulate(np.where(seen >= np.maximum.accumulate(seen), np.arange(len(seen)), 0))
        regret = scales[line["problem"], line["seed"]].regret(true[leaders])
        found[line["problem"]].setdefault(line["method"], {})[line["seed"]] = regret
    return {problem: methods for problem, methods in found.items() if methods}


def report(lines: Sequence[Mapping[str, Any]]) -> int:
    """Print all tables; 1 if a figure that the package answers for does not hold."""
    found = regrets(lines)
    for problem, methods in found.items():
        print(f"\n## {problem}{' (held out)' if problem in HELD_OUT else ''}: regret, mean ± standard error (median)\n")
        print("| rule | seeds | " + " | ".join(f"T = {look}" for look in LOOKS) + " | CPU s |")
        print("|---" * (len(LOOKS) + 3) + "|")
        for method, runs in methods.items():
            seconds = [line["seconds"] for line in lines if (line["problem"], line.get("method")) == (problem, method)]
            cells = [_cell(np.array([run[look - 1] for run in runs.values() if len(run) >= look])) for look in LOOKS]
            print(f"| {method} | {len(runs)} | " + " | ".join(cells) + f" | {np.mean(seconds):.1f} |")
    for line in lines:
        if line.get("error") is not None:
            print(f"\n{line['method']} on {line['problem']}, seed {line['seed']}, refused: {line['error']}")
    kept = [_together(found), _alone(found)]
    compared = {"together", DEFAULT, *EXP3BO, *ROUND_ROBIN}
    judged = all(len(found[name][method]) >= ENOUGH for name in found for method in compared & found[name].keys())
    if not judged:
        print(f"\nnothing is judged: some rules have fewer than {ENOUGH} seeds")
    return int(judged and not all(kept))


def _cell(values: Floats) -> str:
    if len(values) < 2:
        return f"{values[0]:.4f}" if len(values) else "–"
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    return f"{np.mean(values):.4f} ± {error:.4f} ({np.median(values):.4f})"


def _kept(what: str, verdicts: Sequence[bool]) -> bool:
    print(f"{what}: {'nothing to compare' if not verdicts else 'kept' if all(verdicts) else 'BROKEN'}")
    return all(verdicts)


def _together(found: Regrets) -> bool:
    """Where all outputs are revealed: evaluations until the median regret is that of EXP3BO at the end."""
    verdicts = []
    print("\n## All outputs revealed: evaluations to the median regret that EXP3BO ends with\n")
    for problem, methods in found.items():
        for rival in EXP3BO:
            if rival not in methods or "together" not in methods:
                continue
            theirs, ours = (np.median(np.stack(list(methods[name].values())), axis=0) for name in (rival, "together"))
            aim = max(theirs[-1], FOUND)
            needed = int(np.argmax(ours <= aim)) + 1 if min(ours) <= aim else None
            good = needed is not None and 4 * needed <= len(theirs)
            if problem in QUARTERED:
                verdicts.append(good)
            times = "never" if needed is None else f"{needed} of {len(theirs)}, {len(theirs) / needed:.1f} times fewer"
            print(f"{problem:10} {rival:11} regret {aim:.4f}: {times}{'' if good else ', MORE THAN A QUARTER'}")
    return _kept("at most a quarter with 16 outputs", verdicts)


def _alone(found: Regrets) -> bool:
    """Where each output is priced alone: differences at the end, seed by seed, and ratios."""
    verdicts = []
    print(f"\n## Priced alone: mean regret of {DEFAULT} at the end less that of others, ± two standard errors\n")
    for rival in (*EXP3BO, *ROUND_ROBIN):
        ratios = []
        for problem, methods in found.items():
            seeds = sorted(methods.get(DEFAULT, {}).keys() & methods.get(rival, {}).keys())
            if len(seeds) < 2:
                continue
            ours, theirs = (np.array([methods[name][seed][-1] for seed in seeds]) for name in (DEFAULT, rival))
            difference, error = np.mean(ours - theirs), np.std(ours - theirs, ddof=1) / math.sqrt(len(seeds))
            verdicts.append(bool(difference <= max(2 * error, FOUND)))
            ratios.append((np.mean(ours) + FOUND) / (np.mean(theirs) + FOUND))
            told = f"{difference:+.4f} ± {2 * error:.4f}, ratio {ratios[-1]:.2f}{'' if verdicts[-1] else ', WORSE'}"
            print(f"{problem:10} {rival:16} {told}")
        if ratios:
            mean = math.exp(np.mean(np.log(ratios)))
            verdicts += [mean < 1] if rival in EXP3BO else []
            print(f"{'all':10} {rival:16} geometric mean of the ratios {mean:.2f}\n")
    return _kept("no worse anywhere, and better than EXP3BO in the geometric mean", verdicts)
