"""From which failure rate on doubt pays: labels until a claim is decided, by doubt and simply at random.

    python benchmarks/bench_doubt.py [--runs 25]

Pools of at most 6,000 items with the answers and confidences of three commercial services (FrugalML), looked for in
../shared/data beside the checkout. No constant of `risk` was chosen on them. Failing items, or right ones, are left out
at random until the pool has the wanted rate: what is left is as doubtful as it was. Exits with 1 if doubt costs more
than 3% where nothing fails.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "casestudies"))

from api_shift._data import frugalml, frugalml_path
from ringtrue.testing._replayed import labels_to_decide

POOLS = {"YELP": 0, "SHOP": 3, "FERPLUS": 2}
"""The service whose answers are judged, by dataset."""

CASES = ((0.0, 0.05), (0.0, 0.01), (0.001, 0.01), (0.003, 0.01), (0.01, 0.03), (0.03, 0.06), (0.05, 0.1), (0.1, 0.2))
"""The failure rate, and the limit of the claim."""

SIZE = 6000
EVEN_RUNS = 8
"""Even draws are quick to follow: so many times as many studies."""


def thinned(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], rate: float, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """A pool of this failure rate, of items of the one given."""
    failing, right = np.flatnonzero(errors), np.flatnonzero(~errors)
    size = min(SIZE, int(len(failing) / rate) if rate else SIZE)
    many = round(rate * size)
    rows = np.concatenate(
        [rng.choice(failing, many, replace=False), rng.choice(right, min(len(right), size - many), replace=False)]
    )
    rng.shuffle(rows)
    return errors[rows], doubt[rows]


def measured(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], rate: float, limit: float, method: str, runs: int
) -> NDArray[np.float64]:
    """The labels that each study took."""
    found = []
    for seed in range(runs):
        failed, doubted = thinned(errors, doubt, rate, np.random.default_rng([seed, 7]))
        found.append(labels_to_decide(failed, doubted, method=method, seed=seed, claim=f"error <= {limit:.4%}"))
    return np.array(found, dtype=float)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=25, help="studies by doubt for each pool and rate")
    runs = options.parse_args().runs
    pools = {}
    for dataset, service in POOLS.items():
        if not (path := frugalml_path(dataset)).exists():
            print(f"{dataset}: left out, {path.name} is not there")
            continue
        truth, said = frugalml(path)
        pools[dataset] = np.array(said[service][0]) != np.array(truth), np.clip(1 - said[service][1], 0, 1)
    dear = False
    for rate, limit in CASES:
        ratios, errors_of = [], []
        for name, (errors, doubt) in pools.items():
            even = measured(errors, doubt, rate, limit, "simple-random", EVEN_RUNS * runs if rate else 1)
            mine = measured(errors, doubt, rate, limit, "stratified", runs if rate else 1)
            ratios.append(mine.mean() / even.mean())
            spread = [part.std() / part.mean() / np.sqrt(len(part)) for part in (even, mine)]
            errors_of.append(ratios[-1] * np.hypot(*spread))
            print(f"  {name:8} {rate:6.1%} error <= {limit:.0%}: {even.mean():7.1f} even, {mine.mean():7.1f} by doubt")
            dear |= rate == 0 and ratios[-1] > 1.03
        if ratios:
            error = np.sqrt(np.sum(np.square(errors_of))) / len(ratios)
            print(f"{rate:6.1%} error <= {limit:.0%}: {np.mean(ratios):.2f} times the labels ± {error:.2f}")
    return int(dear)


if __name__ == "__main__":
    sys.exit(main())
