"""How many labels a bound takes: drawn by doubt, and simply at random, from the same pools in one run.

Run `python benchmarks/bench_risk.py`. The real pools are looked for in ../shared/data beside the project.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk import METHODS
from ringtrue.stats import pool_rate_sequence
from ringtrue.testing._replayed import follow
from ringtrue.testing.coverage.risk_models import scenario

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "cleanlab_label_errors"
LEVEL = 0.95
ANSWERS = (100, 200, 400, 800, 1600)


def pools() -> Iterator[tuple[str, NDArray[np.bool_], NDArray[np.float64]]]:
    """The pools by name: which items the model fails on, and how doubtful each seemed."""
    for name in ("B", "C"):
        made = scenario(name, np.random.default_rng(1))
        yield f"scenario {name}", made.pool_errors, made.pool_doubt
    for name in ("mnist", "cifar10"):
        path = SHARED / f"{name}_test_set.npz"
        if not path.exists():
            print(f"{name}: left out, {path.name} is not there")
            continue
        with np.load(path) as stored:
            chances = stored["probs"].astype(float)
            yield name, chances.argmax(axis=1) != stored["y"], 1 - chances.max(axis=1)


def simple_upper(errors: NDArray[np.bool_], ends: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """The upper bounds of simple random draws after each number of answers."""
    failures = np.cumsum(errors[np.random.default_rng(seed).permutation(len(errors))])[ends - 1]
    return pool_rate_sequence(failures, ends, population=len(errors), level=LEVEL, side="upper").high


def upper(errors: NDArray[np.bool_], doubt: NDArray[np.float64], method: str, seeds: int) -> NDArray[np.float64]:
    """The upper bound after each number of answers, on average over the studies."""
    found = [
        follow(errors, doubt, method=method, seed=seed, answers=max(ANSWERS)).bounds(ANSWERS, level=LEVEL, side="upper")
        for seed in range(seeds)
    ]
    return np.mean([bounds.high for bounds in found], axis=0)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=20, help="studies for each method")
    runs = options.parse_args().runs
    slower = []
    for name, errors, doubt in pools():
        rate = errors.mean()
        print(f"\n{name}: {len(errors):,} items, {rate:.2%} fail; {runs} studies; upper bound at {LEVEL:.0%}")
        ends = np.unique(np.geomspace(50, len(errors), 120).astype(int))
        simple = np.mean([simple_upper(errors, ends, seed) for seed in range(200)], axis=0)
        for method in METHODS:
            start = time.process_time()
            mine = upper(errors, doubt, method, runs)
            # Labels by which simple random draws reach the same bound on average; np.interp wants rising places.
            needed = np.interp(-mine, -simple, ends)
            ratio = needed / np.array(ANSWERS)
            cells = "  ".join(
                f"{answers}: {high:.4f} (simple {labels:.0f}, {times:.2f}x)"
                for answers, high, labels, times in zip(ANSWERS, mine, needed, ratio, strict=True)
            )
            print(f"  {method:19} {cells}  [{(time.process_time() - start) / runs:.1f} CPU s a study]")
            if method == "stratified" and ratio[-1] < 1:
                slower.append(name)
    print(
        f"\nstratified takes fewer labels than simple random draws at {ANSWERS[-1]}: "
        f"{'everywhere' if not slower else f'not in {slower}'}"
    )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
