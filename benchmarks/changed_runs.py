"""Runs of the benchmark of `changed`'s methods: one method on one task, all its seeds kept as one line of JSON.

What is kept is not done again, so that the benchmark may be stopped at any time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from changed_tasks import scenario, snapshots, watched
from kept_lines import add, begun
from ringtrue.changed._baseline import Baseline, Floats, Ints
from ringtrue.changed.paired import LOOKS, error_bound, paired_shift
from ringtrue.changed.watch import Alarm, InSight, nearest
from ringtrue.changed.watch._question import STEADY_SENTINELS
from ringtrue.core import View
from ringtrue.stats import generator
from simulated_shifts import Scenario, calls_to_reach
from simulated_shifts.paired_runs import paired_counts

RUNS = 8
"""Runs of which a seed takes the mean error."""

SENTINELS, BASELINE, YEAR = 20, 100, 365
QUIET = 60
"""Calls of a watch before the update comes."""

ODD, ODD_NEAR, NEAR = 0.01, 0.04, 0.1
"""The chance that an answer is odd: everywhere, and on top of it where the service was least sure."""

CLUSTERS = 3


BLOCK = 10
"""Seeds that are kept together: a stop loses one block, and more seeds later add to those that are there."""


class Run(NamedTuple):
    """A block of seeds of a method on a task: what a line of the results is found again by."""

    part: str
    task: str
    method: str
    first: int
    seeds: int


def calls(task: str, method: str, seed: int) -> float:
    """Return the calls to a mean error of 1 %."""
    return calls_to_reach(scenario(task), method, runs=RUNS, seed=seed)


def language(task: str, method: str, seed: int) -> float:
    """Return the calls to a mean error of 1 % between two snapshots, with something in the place of confidences."""
    name, _, beside = method.partition("+")
    return calls_to_reach(_snapshots(task, beside), name, runs=RUNS, seed=seed)


def _snapshots(task: str, beside: str) -> Scenario:
    truth, said, length, prompts = snapshots()
    old, new = task.split(" ")[1].split(">")
    known = {
        "": None,
        "length": length[old],
        "clusters": _clusters(tuple(prompts)),
        "hash": np.array([sum(map(ord, prompt)) * 2654435761 % 1_009 for prompt in prompts], dtype=float),
    }
    baseline = Baseline.of(old=said[old], truth=truth, confidence=known[beside])
    names, codes = baseline.code(said[new])
    return Scenario.of(baseline, codes, names)


@cache
def _clusters(prompts: tuple[str, ...]) -> Floats:
    """Return the cluster of each prompt, by its letters and their neighbours: prompts that are alike have the same."""
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import HashingVectorizer

    vectors = HashingVectorizer(analyzer="char", ngram_range=(1, 3), n_features=512).transform(prompts).toarray()
    return np.asarray(KMeans(CLUSTERS, n_init=4, random_state=0).fit_predict(vectors), dtype=float)


def ceiling(task: str, method: str, seed: int) -> float:  # noqa: ARG001 - all that is known is told
    """Return how many of the calls to 1 % would be left, had all that is known of prompts and answers been learnt.

    Trees are told of four fifths of the items what they answer now, and predicts the rest, by label and old answer
    alone and with the length of the old answer, the prompt's letters and its clusters. The variance that an estimate
    is left with falls by as much as these predictions get better, and the calls without replacement follow.
    """
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.model_selection import KFold

    truth, said, length, prompts = snapshots()
    old, new = task.split(" ")[1].split(">")
    real, before, now = (np.unique(values, return_inverse=True)[1] for values in (truth, said[old], said[new]))
    letters = HashingVectorizer(analyzer="char", ngram_range=(1, 3), n_features=64).transform(prompts).toarray()
    cells = np.stack([real, before], axis=1).astype(float)
    off = []
    for known in (cells, np.hstack([cells, length[old][:, None], _clusters(tuple(prompts))[:, None], letters])):
        forest = ExtraTreesClassifier(50, min_samples_leaf=15, random_state=seed)
        folds = KFold(5, shuffle=True, random_state=seed)
        chances = np.zeros((len(now), now.max() + 1))
        for learnt, rest in folds.split(known):
            forest.fit(known[learnt], now[learnt])
            chances[np.ix_(rest, forest.classes_)] = forest.predict_proba(known[rest])
        off.append(float(((chances - np.eye(chances.shape[1])[now]) ** 2).sum(axis=1).mean()))
    size, target = len(now), 0.01**2
    needed = [1 / (1 / size + target / variance) for variance in off]
    return needed[1] / needed[0]


def stops(task: str, method: str, seed: int) -> list[float]:
    """Return of a run that stops as soon as it may, at 2 % and at 1 %: calls, whether the error was kept; all looks.

    The rule is `paired`, or `paired, each look alone`: that spends the whole chance of error on each look.
    """
    each = LOOKS if method == "paired" else 1
    known, found, bounded = scenario(task), [], True
    looks = [20]
    while looks[-1] < known.size:
        looks.append(min(known.size, max(looks[-1] + 20, int(looks[-1] * 1.08))))
    wanted = [0.02, 0.01]
    for counts in paired_counts(known, looks, generator(seed, f"bench stops {task}")):
        bound = error_bound(known.census, counts, looks=each)
        off = float(known.error(paired_shift(known.census, counts)))
        bounded &= off <= bound + 1e-9
        while wanted and bound <= wanted[0]:
            found += [float(counts.sum()), float(off <= wanted.pop(0))]
        if not wanted:
            break
    return [*found, float(bounded)]


def watch(task: str, method: str, seed: int) -> float:
    """Return the calls from an update to the alarm, infinite if none came within a year; below 0, a false one.

    `method` is how items are chosen, and whether the model is `noisy`: `nearest` and `random` are twenty that are asked
    again and again, `fresh` another item by chance at each call, compared with its old answer, and `turns` sentinels
    and other items in turn.
    """
    if method == "turns steady":
        return _in_turn(task, seed)
    (chosen, noise), rng = method.split(" "), generator(seed, f"bench watch {task} {method}")
    known, new, rank = watched(task, seed)
    odd = (ODD + ODD_NEAR * np.exp(-rank / NEAR)) * (noise == "noisy")
    if chosen == "nearest":
        rows = _sentinels(known, SENTINELS, seed)
    else:
        rows = rng.permutation(known.size)[: SENTINELS if chosen == "random" else 2 * (BASELINE + YEAR)]
    first = BASELINE if noise == "noisy" else 0
    questions = 1 if chosen == "fresh" else len(rows)
    alarm = Alarm(questions=questions, baseline=first, year=YEAR, seed=seed, steady=noise == "steady")
    if noise == "steady":
        for place, row in enumerate(rows if chosen != "fresh" else rows[:1]):
            alarm.expect(place, False if chosen == "fresh" else int(known.old[row]))
    for call in range(first + YEAR):
        place = call if chosen == "fresh" else int(rng.integers(len(rows)))
        row = rows[place]
        answer = int(new[row] if call >= first + QUIET else known.old[row])
        if odd[row] and rng.random() < odd[row]:
            answer = int(rng.integers(len(known.answers)))
        if chosen == "fresh":
            alarm.take(0, answer != int(known.old[row]))
        else:
            alarm.take(place, answer)
        if alarm.raised_at is not None:
            return float(alarm.raised_at - first - QUIET)
    return math.inf


def _in_turn(task: str, seed: int) -> float:
    """Return the calls from an update to the alarm of a steady model, watched as by default."""
    known, new, _ = watched(task, seed)
    policy = InSight(_sentinels(known, STEADY_SENTINELS, seed).tolist(), fresh=True, steady=True)
    alarm = Alarm(questions=1, baseline=0, year=YEAR, seed=seed, steady=True)
    for call in range(YEAR):
        (draw,) = policy.propose(View(seed, call, known.size, set(), []), 1)
        row = draw.row if draw.row is not None else -1
        alarm.expect(row, int(known.old[row]))
        alarm.take(row, int(new[row] if call >= QUIET else known.old[row]))
        if alarm.raised_at is not None:
            return float(alarm.raised_at - QUIET)
    return math.inf


@lru_cache(maxsize=100)
def _sentinels(known: Baseline, number: int, seed: int) -> Ints:
    return nearest(known.old, known.confidence, number, seed=seed)


MEASURES: Mapping[str, Callable[[str, str, int], Any]] = {
    "calls": calls, "language": language, "ceiling": ceiling, "stops": stops, "watch": watch,
}  # fmt: skip


def measure(runs: Iterable[Run], path: Path | None) -> list[dict[str, Any]]:
    """Do the runs that are not kept yet, in their order; return all lines, old and new."""
    lines = begun(path)
    done = {tuple(line[field] for field in Run._fields) for line in lines}
    for run in runs:
        if run in done:
            continue
        start = time.process_time()
        seeds = range(run.first, run.first + run.seeds)
        found = [MEASURES[run.part](run.task, run.method, seed) for seed in seeds]
        line = {**run._asdict(), "seconds": round(time.process_time() - start, 3), "found": _kept(found)}
        lines.append(line)
        add(path, line)
    return lines


def _kept(found: list[Any]) -> list[Any]:
    """Return numbers as JSON can hold them: what is infinite is None."""
    return [None if one == math.inf else one if isinstance(one, list) else round(one, 4) for one in found]
