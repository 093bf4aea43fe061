"""The figures that the package answers for in its search of the worst deviation, from the runs that were kept.

On reserved families alone: ahead of every rival in the mean over pairs of runs by more than two standard errors, and
behind none on any family by more than `BEHIND`; on the simulators a geometric mean of at most `AIM`, at no more than a
tenth of the time that BoTorch takes. And on sixteen outputs that are all revealed, no more than a quarter of the
evaluations that EXP3BO spends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from worst_problems import Floats

FLOOR = 1e-3
"""A regret this small counts as none, in geometric means and as an aim."""

ENOUGH = 10
"""Seeds below which nothing is judged: what a rule gains is of the size of its standard error then."""

BEHIND, AIM, SHARE = 0.03, 0.10, 0.1
QUARTERED = ("fourier", "squares", "alloy")
"""Problems of sixteen outputs, on which all outputs must take at most a quarter of EXP3BO's evaluations."""

EXP3BO = ("alone-exp3bo-ucb", "alone-exp3bo")
"""EXP3BO as the paper ran it, and with the expected improvement."""

Runs = dict[int, Floats]
"""By seed: the regret after each evaluation."""

Families = Mapping[str, Mapping[str, Runs]]
"""By problem and method."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that are compared with each other: of reserved families or of those tuned on, with one way of pricing."""

    use: str
    priced: str
    runs: dict[str, dict[str, Runs]]
    seconds: dict[str, list[float]]
    """By method: CPU seconds per evaluation of each run."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far ours is above a rival at the end: mean and standard error over pairs, and the family that is worst."""

    mean: float
    error: float
    family: str
    behind: float
    fewest: int
    """Pairs of the family that has fewest."""

    @property
    def ahead(self) -> bool:
        return self.mean + 2 * self.error < 0


def number(value: float) -> str:
    """Return a number with three digits, without the nought before the point.

    >>> number(0.0314), number(-0.5), number(1.25)
    ('.031', '−.500', '1.250')
    """
    digits = f"{abs(value):.3f}"
    return ("−" if value < 0 and float(digits) else "") + digits.removeprefix("0")


def looks(group: Group) -> tuple[int, int, int]:
    """Return a third, two thirds and the whole of the budget: of the shortest run of the group."""
    whole = min(len(run) for family in group.runs.values() for runs in family.values() for run in runs.values())
    return round(whole / 3), round(2 * whole / 3), whole


def reference(priced: str) -> str:
    """Return the search of ours that rivals are compared with."""
    return "alone-harmonic" if priced == "alone" else "ours"


def difference(families: Families, ours: str, rival: str) -> Difference | None:
    """Compare ours with a rival at the end, on the problems and seeds that both have; None where there are too few."""
    by_family = {}
    for problem, methods in families.items():
        seeds = sorted(methods.get(ours, {}).keys() & methods.get(rival, {}).keys())
        if seeds:
            by_family[problem] = np.array([methods[ours][seed][-1] - methods[rival][seed][-1] for seed in seeds])
    pairs = np.concatenate(list(by_family.values())) if by_family else np.empty(0)
    if len(pairs) < 2:
        return None
    means = {problem: float(values.mean()) for problem, values in by_family.items()}
    worst = max(means, key=lambda problem: means[problem])
    error = float(np.std(pairs, ddof=1)) / math.sqrt(len(pairs))
    return Difference(float(pairs.mean()), error, worst, means[worst], min(map(len, by_family.values())))


def geometric(families: Iterable[Runs]) -> float:
    """Return the geometric mean over the families of the mean regret at the end."""
    means = [max(float(np.mean([run[-1] for run in runs.values()])), FLOOR) for runs in families]
    return math.exp(float(np.mean(np.log(means))))


def verdicts(groups: Sequence[Group]) -> tuple[str, bool]:
    """Return a line for each figure, and False if one is broken that there are enough seeds to judge."""
    lines: list[str] = []
    good = True
    for what, holds, seeds in [*_rivals(groups), *_aims(groups), *_quarter(groups)]:
        judged = seeds >= ENOUGH
        said = "kept" if holds else "BROKEN"
        lines.append(f"- {what}: {said if judged else f'not judged by {seeds} seeds ({said} so far)'}")
        good = good and (holds or not judged)
    return "\n".join(lines) or "Nothing to compare.", good


Verdict = tuple[str, bool, int]
"""What is promised and measured, whether it holds, and by how many seeds."""


def _rivals(groups: Sequence[Group]) -> list[Verdict]:
    """Compare with each rival over all reserved families on which it was run."""
    told: list[Verdict] = []
    for ours, kinds in (("ours", ("one", "revealed")), ("alone-harmonic", ("alone",))):
        families: dict[str, Mapping[str, Runs]] = {}
        for group in groups:
            if group.use == "reserved" and group.priced in kinds:
                families |= group.runs
        rivals = dict.fromkeys(name for methods in families.values() for name in methods if not name.startswith(ours))
        for rival in rivals:
            found = difference(families, ours, rival)
            if found is None:
                continue
            measured = f"{number(found.mean)} ± {number(2 * found.error)}"
            told.append((f"{ours} less {rival}, below 0 by two standard errors: {measured}", found.ahead, found.fewest))
            worst = f"{number(found.behind)} on {found.family}"
            told.append(
                (f"{ours} less {rival}, at most {number(BEHIND)} on any family: {worst}", found.behind <= BEHIND,
                 found.fewest)
            )  # fmt: skip
    return told


def _aims(groups: Sequence[Group]) -> list[Verdict]:
    """Compare the simulators' geometric means and times."""
    told: list[Verdict] = []
    for group in groups:
        if (group.use, group.priced) != ("reserved", "one") or not all("ours" in one for one in group.runs.values()):
            continue
        seeds = min(len(family["ours"]) for family in group.runs.values())
        ours = geometric(family["ours"] for family in group.runs.values())
        told.append((f"geometric mean at most {number(AIM)} on simulators: {number(ours)}", ours <= AIM, seeds))
        for rival in group.seconds:
            if rival.startswith("ours") or not all(rival in family for family in group.runs.values()):
                continue
            theirs = geometric(family[rival] for family in group.runs.values())
            fewest = min(seeds, *(len(family[rival]) for family in group.runs.values()))
            told.append((f"geometric mean below that of {rival}, {number(theirs)}", ours < theirs, fewest))
        if "qlogei" in group.seconds:
            share = float(np.mean(group.seconds["ours"]) / np.mean(group.seconds["qlogei"]))
            told.append((f"at most {SHARE:.0%} of BoTorch's CPU time: {share:.0%}", share <= SHARE, seeds))
    return told


def _quarter(groups: Sequence[Group]) -> list[Verdict]:
    """Count the evaluations until the median regret, all outputs revealed, is that of EXP3BO at the end."""
    revealed, alone = (
        next((group.runs for group in groups if (group.use, group.priced) == ("tuning", priced)), {})
        for priced in ("revealed", "alone")
    )
    told: list[Verdict] = []
    for problem in QUARTERED:
        for rival in EXP3BO:
            theirs = alone.get(problem, {}).get(rival)
            ours = revealed.get(problem, {}).get("ours")
            if not theirs or not ours:
                continue
            end, path = (np.median(np.stack(list(runs.values())), axis=0) for runs in (theirs, ours))
            aim = max(end[-1], FLOOR)
            needed = int(np.argmax(path <= aim)) + 1 if path.min() <= aim else None
            times = "never" if needed is None else f"{needed} of {len(end)}"
            what = f"ours on {problem}, a quarter of the evaluations of {rival} to its {number(aim)}: {times}"
            told.append((what, needed is not None and 4 * needed <= len(end), min(len(theirs), len(ours))))
    return told
