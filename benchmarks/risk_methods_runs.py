"""Runs of the comparison of ways to choose labels: one method on one pool, kept as a line of JSON.

A run that is kept is not done again, so that a long run may be stopped at any time. Methods that are watched are
followed once, and their bound is taken after each number of labels; of those that fix the number, every number is a
study of its own. Those two that are compared where a number is fixed have several draws of each pool, because the luck
of one draw moves the ratio of a task by a tenth at 100 labels, also where both methods draw evenly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kept_lines import add, begun
from ringtrue.core import Claim, Verdict
from ringtrue.risk import Risk
from ringtrue.risk._evidence import Witness
from ringtrue.testing._replayed import asked, follow
from risk_tasks import TASKS, Items

LABELS = (100, 200, 400)
LEVEL = 0.95
WATCHED: Mapping[str, str] = {
    "even, watched": "simple-random", "stratified": "stratified", "importance": "importance",
    "prediction-powered": "prediction-powered",
}  # fmt: skip
FIXED: Mapping[str, str] = {
    "even, fixed": "simple-random", "fixed-strata": "fixed-strata", "stratified, fixed": "stratified"
}  # fmt: skip
METHODS = (*WATCHED, *FIXED)
DRAWS: Mapping[str, int] = {"even, fixed": 6, "fixed-strata": 6}
"""Studies of each pool and number of labels, where there is more than one."""
MEANS = ("upper", "width", "decided")
"""What a line holds the means of, under `mean`, where a pool has several draws."""

_APART = 1_000
"""Seeds of further draws of a pool lie so far apart that no other pool has them."""

_NEAREST = 0.01
"""The smallest limit of a claim: the others are twice the pool's own rate."""


class Run(NamedTuple):
    """One method on one pool: what a line of the results is found again by."""

    task: str
    seed: int
    method: str


def limit_of(items: Items) -> float:
    """Return the limit of a claim that is true, and as far from the rate as a user may hope to show."""
    return max(_NEAREST, 2 * float(items.errors.mean()))


def carried_out(run: Run, items: Items) -> dict[str, Any]:
    """Return a run's line: bounds after each number of labels, when the claim was decided, and processor time."""
    limit = limit_of(items)
    start = time.process_time()
    if run.method in WATCHED:
        found = _watched(items, WATCHED[run.method], run.seed, limit)
    else:
        found = _fixed(items, FIXED[run.method], run.seed, limit)
        found |= _over_draws(found, items, run, limit)
    seconds = time.process_time() - start
    rate = float(items.errors.mean())
    each = seconds / found.pop("asked")
    return {**run._asdict(), "rate": round(rate, 6), "limit": round(limit, 6), **found, "seconds": round(each, 7)}


def _watched(items: Items, method: str, seed: int, limit: float) -> dict[str, Any]:
    enough, decided = -math.log1p(-LEVEL), []

    def told(witness: Witness) -> bool:
        if not decided and witness.may_decide() and max(witness.evidence()) >= enough:
            decided.append(len(witness.rows))
        return False

    claim = f"error <= {limit:.6f} at {LEVEL:.0%}"
    witness = follow(
        items.errors, items.doubt, method=method, seed=seed, answers=max(LABELS), claim=claim, level=LEVEL, until=told
    )
    upper = witness.bounds(LABELS, level=LEVEL, side="upper").high
    both = witness.bounds(LABELS, level=LEVEL, side="both")
    return {
        "upper": upper.round(7).tolist(), "width": (both.high - both.low).round(7).tolist(),
        "decided": [bool(decided) and decided[0] <= labels for labels in LABELS],
        "decided_at": decided[0] if decided else None, "asked": max(LABELS),
    }  # fmt: skip


def _fixed(items: Items, method: str, seed: int, limit: float) -> dict[str, Any]:
    scores, truth = {"doubt": items.doubt}, np.where(items.errors, "wrong", "right").tolist()
    by_doubt = None if method == "simple-random" else "doubt"
    upper, width, decided = [], [], []
    for labels in LABELS:
        question = Risk(Claim("error", limit, LEVEL), method=method, confidence=by_doubt, fixed=labels)
        estimator = question.estimator(size=len(items.errors), claim=question.claim, scores=scores)
        estimator.update(islice(asked(question.policy, truth, seed=seed, scores=scores), labels))
        finding = estimator.finding()
        decided.append(finding.verdict is not Verdict.NOT_YET_KNOWN)
        width.append(round(finding.interval.high - finding.interval.low, 7))
        upper.append(round(float(estimator._bounds("upper").high[0]), 7))
    return {"upper": upper, "width": width, "decided": decided, "asked": sum(LABELS)}


def _over_draws(first: Mapping[str, Any], items: Items, run: Run, limit: float) -> dict[str, Any]:
    """Return the means over all draws of a pool, of which the first is that of its seed; nothing if there is one."""
    seeds = [run.seed + _APART * draw for draw in range(1, DRAWS.get(run.method, 1))]
    if not seeds:
        return {}
    found = [first, *(_fixed(items, FIXED[run.method], seed, limit) for seed in seeds)]
    mean = {name: np.mean([one[name] for one in found], axis=0).round(7).tolist() for name in MEANS}
    return {"mean": mean, "asked": sum(one["asked"] for one in found)}


def measure(runs: Iterable[Run], path: Path | None, until: float = math.inf) -> list[dict[str, Any]]:
    """Do the runs that are not kept yet, in their order and until a time of `time.monotonic`; return all lines."""
    lines = begun(path)
    done = {tuple(line[field] for field in Run._fields) for line in lines}
    for line in _done(runs, done, until):
        lines.append(line)
        add(path, line)
    return lines


def _done(runs: Iterable[Run], done: set[tuple[Any, ...]], until: float) -> Iterator[dict[str, Any]]:
    pools: dict[tuple[str, int], Items | None] = {}
    absent: set[str] = set()
    for run in runs:
        if tuple(run) in done:
            continue
        if time.monotonic() > until:
            print("stopped after the time of the short form: --long does all, --out FILE keeps what is done")
            return
        if run[:2] not in pools:
            pools = {run[:2]: TASKS[run.task](run.seed)}
        items = pools[run[:2]]
        if items is not None:
            yield carried_out(run, items)
        elif run.task not in absent:
            absent.add(run.task)
            print(f"{run.task}: left out, its data is not beside the checkout")
