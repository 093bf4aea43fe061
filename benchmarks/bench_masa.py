"""MASA by heap and by sorting, beside the supplement's algorithm in plain Python: seconds a decision and for many runs.

The reference goes through all parts for every decision, as the algorithm is written down: it works out every index
anew and updates the mean of every answer. A kinder reference that keeps the indices of the parts that did not change,
and only looks for the greatest, is shown as well, without a bound. Data are made up: 31 labels, 3 levels, an API that
is right nine times in ten, and more often at higher levels.

    python benchmarks/bench_masa.py

CPU time, because the machine may be shared. Ratios are what counts: both sides run in the same process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from ringtrue.changed._baseline import Baseline
from ringtrue.changed.masa import Masa, Partition
from simulated_shifts import Scenario, mean_errors

LABELS, LEVELS = 31, 3
ITEMS = 60_000
SAMPLES, RUNS = 2_000, 1_500
BOUND_DECISION, BOUND_RUNS = 15, 50
REFERENCE_RUNS = 5


def made_up() -> Scenario:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, LABELS, ITEMS)
    sure = rng.random(ITEMS)

    def answers() -> list[int]:
        wrong = rng.random(ITEMS) > 0.8 + 0.2 * sure
        return np.where(wrong, rng.integers(0, LABELS, ITEMS), truth).tolist()

    known = Baseline.of(old=answers(), truth=truth.tolist(), confidence=sure.tolist())
    names, new = known.code(answers())
    return Scenario.of(known, new, names)


def plain(shares: list[float], draws: list[list[int]], names: int, total: int, *, keep: bool) -> list[list[float]]:
    """The algorithm as written, on answers drawn beforehand; `keep` keeps the indices that did not change."""
    parts = len(shares)
    asked = [0] * parts
    seen = [[0] * names for _ in range(parts)]
    mean = [[0.0] * names for _ in range(parts)]
    score = [0.0] * parts
    index = [0.0] * parts

    def take(part: int) -> None:
        answer = draws[part][asked[part]]
        asked[part] += 1
        n = asked[part]
        for other in range(names):
            mean[part][other] += ((other == answer) - mean[part][other]) / n
        if n > 1:
            score[part] += 2 / n * (1 - seen[part][answer] / (n - 1) - score[part])
        seen[part][answer] += 1
        if keep:
            index[part] = shares[part] / n * (max(score[part], 0.0) ** 0.5 + n**-0.25)

    for _ in range(2):
        for part in range(parts):
            take(part)
    for _ in range(total - 2 * parts):
        if keep:
            take(max(range(parts), key=index.__getitem__))
            continue
        best, greatest = 0, -1.0
        for part in range(parts):
            n = asked[part]
            value = shares[part] / n * (max(score[part], 0.0) ** 0.5 + n**-0.25)
            if value > greatest:
                best, greatest = part, value
        take(best)
    return mean


def heap(partition: Partition, draws: list[list[int]], total: int) -> Masa:
    masa = Masa(partition)
    place = [0] * partition.parts
    for _ in range(total):
        part = masa.next() or 0
        masa.tell(part, draws[part][place[part]])
        place[part] += 1
    return masa


def cpu(work: Callable[[], object], turns: int = 3) -> float:
    """Seconds of CPU; the best of a few, since other work may disturb."""
    taken = []
    for _ in range(turns):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def verdict(what: str, ratio: float, bound: float) -> bool:
    print(f"{what}: {ratio:.0f} times as fast (bound {bound}) {'kept' if ratio >= bound else 'BROKEN'}")
    return ratio >= bound


def main() -> int:
    scenario = made_up()
    partition = scenario.by_level
    names, shares = len(scenario.answers), partition.shares.tolist()
    rng = np.random.default_rng(1)
    order = np.split(np.argsort(partition.part, kind="stable"), np.cumsum(partition.sizes)[:-1])
    draws = [scenario.new[rng.choice(rows, SAMPLES)].tolist() for rows in order]
    scan = cpu(lambda: plain(shares, draws, names, SAMPLES, keep=False), REFERENCE_RUNS)
    kinder = cpu(lambda: plain(shares, draws, names, SAMPLES, keep=True), REFERENCE_RUNS)
    ours = cpu(lambda: heap(partition, draws, SAMPLES), REFERENCE_RUNS)
    print(f"{partition.parts} parts, {SAMPLES:,} samples, CPU microseconds a decision:")
    print(f"  plain scan {1e6 * scan / SAMPLES:.1f}, scan that keeps indices {1e6 * kinder / SAMPLES:.1f}", end="")
    print(f", heap {1e6 * ours / SAMPLES:.2f}")
    kept = verdict("a decision by heap", scan / ours, BOUND_DECISION)
    print(f"  (against the scan that keeps indices: {kinder / ours:.1f} times)")
    many = cpu(lambda: mean_errors(scenario, "masa", [SAMPLES], RUNS), 2)
    print(f"{RUNS:,} runs: {many:.2f} s by sorting; the plain scan would take {RUNS * scan:.0f} s")
    kept &= verdict(f"{RUNS:,} runs by sorting", RUNS * scan / many, BOUND_RUNS)
    print(f"  (against the scan that keeps indices: {RUNS * kinder / many:.0f} times)")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
