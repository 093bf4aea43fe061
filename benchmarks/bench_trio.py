"""Three judges in closed form, beside the package `ntqr`: CPU time for one trio, and trios a second for many.

The other package is not needed by this one. To compare, install it in an environment of its own and run this file
there, with this package's source on the path:

    python -m venv ../ntqr && ../ntqr/bin/pip install ntqr numpy scipy
    PYTHONPATH=src ../ntqr/bin/python benchmarks/bench_trio.py

Without it the figures are those of this package alone. CPU time, because the machine may be shared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import product

import numpy as np

from ringtrue.core import Sketch
from ringtrue.judges import solve_trio, solve_trios

BOUND_RATIO = 1_000
BOUND_RATE = 1_000_000
MANY = 1_000_000
PATTERNS = list(product("ab", repeat=3))


def chances(share: float, rates: list[tuple[float, float]]) -> list[float]:
    """The chance of each pattern for judges with independent errors."""
    cells = []
    for pattern in PATTERNS:
        first, second = share, 1 - share
        for (a, b), vote in zip(rates, pattern, strict=True):
            first, second = (first * a, second * (1 - b)) if vote == "a" else (first * (1 - a), second * b)
        cells.append(first + second)
    return cells


def cpu(work: Callable[[], object], times: int) -> float:
    """Seconds of CPU per call; the best of three, since other work may disturb."""
    turns = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(times):
            work()
        turns.append((time.process_time() - start) / times)
    return min(turns)


def theirs(cells: list[int]) -> object | None:
    """The other package's evaluation of one trio, or None where it is not installed."""
    try:
        from ntqr.r2.datasketches import TrioVoteCounts
        from ntqr.r2.evaluators import ErrorIndependentEvaluation
    except ImportError:
        return None
    return ErrorIndependentEvaluation(TrioVoteCounts(dict(zip(PATTERNS, cells, strict=True))))


def main() -> int:
    rng = np.random.default_rng(0)
    table = rng.multinomial(1_000, chances(0.3, [(0.85, 0.8), (0.75, 0.9), (0.8, 0.7)]), size=MANY)
    cells = table[0].tolist()
    sketch = Sketch.from_cells("xyz", "ab", cells)
    status = cpu(lambda: solve_trio(sketch), 5_000)
    whole = cpu(lambda: solve_trio(sketch).chosen, 5_000)
    print(f"one trio: {1e6 * status:.1f} us for the status, {1e6 * whole:.1f} us with both solutions")
    rate = MANY / cpu(lambda: solve_trios(table), 1)
    kept = rate >= BOUND_RATE
    print(f"many trios: {rate / 1e6:.1f} million a second (bound {BOUND_RATE:,}) {'kept' if kept else 'BROKEN'}")
    if theirs(cells) is None:
        print("ntqr is not installed here, so nothing is compared: the head of this file says how")
        return int(not kept)
    other = cpu(lambda: theirs(cells), 1)
    ratio = other / whole
    faster = ratio >= BOUND_RATIO
    verdict = "kept" if faster else "BROKEN"
    print(f"ntqr: {1e3 * other:.0f} ms, {ratio:,.0f} times as long (bound {BOUND_RATIO:,}) {verdict}")
    return int(not (kept and faster))


if __name__ == "__main__":
    sys.exit(main())
