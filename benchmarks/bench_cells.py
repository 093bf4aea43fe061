"""Risk by cells, beside a loop as the paper describes it: one call to the model per cell, one density per resample.

    python benchmarks/bench_cells.py

The paper's running example (its data lies beside the checkout; without it, made data of the same size), its forest of
ten trees and its 62,500 cells. The loop would take 25 minutes: it is run on a random sample of cells and on some of
the 100 bootstrap resamples at the centres of that sample, and its time is scaled up, since it does the same in each.
It judges draws one by one, as the published program does; what that alone costs is told. The batched draws are run on
a sample too, all else in full. CPU seconds of one run, on one thread. A ratio is the time of the loop over ours, where
ours includes the profile and its variance: by 100 resamples for the same draws, in closed form for the others.

Then the same work in two processes, which must find the same bits, and 10 million cells for their peak memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KernelDensity
from sklearn.utils import resample
from threadpoolctl import threadpool_limits

from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._profile import KernelProfile, closed_form_variance, paper_bootstrap_variance
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._trees import exact_trees

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "siemens_challenge" / "running_example.csv"
GRID = Grid.over((0, 0), (1, 1), 250)
ALL = np.arange(GRID.size)
LARGE = Grid.over((0, 0), (1, 1), 3163)
DRAWS, BANDWIDTH = 10_000, 0.2
CELLS, BATCHED, RESAMPLES = 800, 4_000, 4
BOUND_MEGABYTES = 4_000


def data() -> tuple[np.ndarray, np.ndarray]:
    """Points and labels: the running example, or made ones in its place."""
    if DATA.exists():
        table = np.loadtxt(DATA, delimiter=",", skiprows=1)
        return table[:, :2], table[:, 2].astype(int)
    points = np.random.default_rng(0).random((5000, 2))
    return points, (points[:, 1] > 0.5 + 0.3 * np.sin(6 * points[:, 0])).astype(int)


def fitted(points: np.ndarray, labels: np.ndarray) -> RandomForestClassifier:
    """The paper's model."""
    seen, _, taught, _ = train_test_split(points, labels, test_size=0.2, random_state=1)
    return RandomForestClassifier(n_estimators=10, random_state=5).fit(seen, taught)


def timed(work: Callable[[], Any], turns: int = 1) -> tuple[Any, float]:
    """What it finds and its CPU seconds, in the quickest of some turns."""
    seconds = []
    for _ in range(turns):
        start = time.process_time()
        found = work()
        seconds.append(time.process_time() - start)
    return found, min(seconds)


def loop_over_cells(forest: RandomForestClassifier, cells: np.ndarray) -> tuple[np.ndarray, float]:
    """The share of each cell that is not of class 1, and the CPU seconds of judging draws one by one."""
    shares, judging = [], 0.0
    for cell in cells:
        corner = GRID.corners([cell])[0]
        said = forest.predict(np.random.RandomState(100).uniform(corner, corner + GRID.sides, (DRAWS, 2)))
        start = time.process_time()
        shares.append(np.mean([fails(label, truth, "all") for label, truth in zip(said, np.ones(DRAWS), strict=True)]))
        judging += time.process_time() - start
    return np.array(shares), judging


def fails(said: float, truth: float, kind: str) -> bool:
    """Whether a draw is a failure: of all kinds, or of the points of one class alone."""
    return said != truth and (kind == "all" or truth == float(kind))


def resampled_densities(points: np.ndarray) -> list[KernelDensity]:
    """Appendix A: a density for each resample of half the points."""
    half = len(points) // 2
    picks = [resample(points, n_samples=half, random_state=turn) for turn in range(RESAMPLES)]
    return [KernelDensity(bandwidth=BANDWIDTH).fit(picked) for picked in picks]


def estimate(points: np.ndarray, labels: np.ndarray, mass: np.ndarray, shares: np.ndarray) -> float:
    """The paper's E: cells with points have their label, those with two labels fail, empty ones have the vote."""
    counts = np.bincount(2 * GRID.index(points) + labels, minlength=2 * GRID.size).reshape(-1, 2)
    truth = np.where(counts.any(axis=1), counts.argmax(axis=1), shares.argmax(axis=1))
    failing = np.where(counts.all(axis=1), 1.0, 1 - np.take_along_axis(shares, truth[:, None], axis=1)[:, 0])
    return float(mass @ failing / mass.sum())


def judged(name: str, seconds: float, loop: float, bound: int, note: str) -> bool:
    """Print a ratio; whether it keeps its bound."""
    kept = loop >= bound * seconds
    print(f"{name}: {seconds:.2f} s, {loop / seconds:,.0f} times as quick (bound >= {bound:,}), {note} ", end="")
    print("kept" if kept else "BROKEN", flush=True)
    return kept


def speed(points: np.ndarray, labels: np.ndarray, forest: RandomForestClassifier) -> bool:
    """The ratios; whether all keep their bounds."""
    rng = np.random.default_rng(0)
    some = np.sort(rng.choice(ALL, CELLS, replace=False))
    (drawn, judging), cell_seconds = timed(lambda: loop_over_cells(forest, some))
    densities, whole = resampled_densities(points), KernelDensity(bandwidth=BANDWIDTH).fit(points)
    _, density_seconds = timed(lambda: whole.score_samples(GRID.centres(some)))
    _, resample_seconds = timed(lambda: [each.score_samples(GRID.centres(some)) for each in densities])
    scale = GRID.size / CELLS
    loop = scale * (cell_seconds + density_seconds + resample_seconds * 100 / RESAMPLES)
    print(
        f"the loop: {loop:,.0f} s, of which {scale * judging:,.0f} s judge draws one by one; from {CELLS} of "
        f"{GRID.size:,} cells in {cell_seconds:.1f} s, and {RESAMPLES} of 100 resamples there in "
        f"{resample_seconds:.1f} s",
        flush=True,
    )

    profile = KernelProfile(points, BANDWIDTH)
    mass, mass_seconds = timed(lambda: profile.mass(GRID), turns=5)
    _, closed_seconds = timed(lambda: closed_form_variance(profile, GRID), turns=5)
    _, bootstrap_seconds = timed(lambda: paper_bootstrap_variance(profile, GRID))
    print(f"the profile: {mass_seconds:.2f} s, variance {closed_seconds:.2f} s, by resamples {bootstrap_seconds:.1f} s")

    batch = np.union1d(some, rng.choice(ALL, BATCHED - CELLS, replace=False))
    found, seconds = timed(lambda: monte_carlo(forest.predict, GRID, batch, (0, 1), seed=100, shared=True))
    # Rounded in another order, a draw in many millions may fall on the other side of a threshold.
    off = float(np.abs(found.shares[np.isin(batch, some), 0] - drawn).max())
    total = seconds * GRID.size / len(batch) + mass_seconds + bootstrap_seconds
    kept = judged("the same draws, batched", total, loop, 10, f"shares differ by at most {off:g}") and off <= 1 / DRAWS

    exact, seconds = timed(lambda: exact_trees(forest, GRID, ALL, (0, 1)), turns=5)
    truth = estimate(points, labels, mass, exact.shares)
    total = seconds + mass_seconds + closed_seconds
    kept &= judged("exact trees", total, loop, 5_000, f"{exact.calls:,} predictions, E = {truth:.9f}")

    even, seconds = timed(lambda: lattice(forest.predict, GRID, ALL, (0, 1), per_axis=8, seed=0))
    off = estimate(points, labels, mass, even.shares) / truth - 1
    total = seconds + mass_seconds + closed_seconds
    kept &= judged("a lattice of 64 points, any model", total, loop, 400, f"E off by {off:+.2%} (bound 1%)")
    kept &= abs(off) <= 0.01
    return kept


def same_bits(forest: RandomForestClassifier) -> bool:
    """Whether two processes find what one finds."""
    cells = np.random.default_rng(1).choice(ALL, 2_000, replace=False)
    kept = True
    with ProcessPoolExecutor(2) as executor:
        for name, look in {
            "monte carlo": lambda workers: monte_carlo(
                forest.predict, GRID, cells, (0, 1), seed=1, draws=500, executor=workers
            ),
            "lattice": lambda workers: lattice(
                forest.predict, GRID, cells, (0, 1), seed=1, per_axis=16, executor=workers
            ),
            "exact trees": lambda workers: exact_trees(forest, GRID, ALL, (0, 1), executor=workers),
        }.items():
            same = np.array_equal(look(None).shares, look(executor).shares)
            print(f"{name} in two processes: {'the same bits, kept' if same else 'other bits, BROKEN'}", flush=True)
            kept &= same
    return kept


def large() -> None:
    """Ten million cells: the work of the process whose memory is measured."""
    points, labels = data()
    forest, profile, cells = fitted(points, labels), KernelProfile(points, BANDWIDTH), np.arange(LARGE.size)
    mass = profile.mass(LARGE)
    closed_form_variance(profile, LARGE)
    exact = exact_trees(forest, LARGE, cells, (0, 1)).shares
    even = lattice(forest.predict, LARGE, cells, (0, 1), per_axis=2, seed=0).shares
    off = np.abs(mass @ (even - exact)).max() / mass.sum()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{LARGE.size:,} cells, profile, variance, exact trees and a lattice of 4 points, {off:.0e} of the mass apart",
        end="|",
    )
    print(f"{peak:.0f}|{time.process_time():.0f}")


def main() -> int:
    if sys.argv[1:] == ["large"]:
        large()
        return 0
    print("data: the paper's running example" if DATA.exists() else f"data: made, because there is no {DATA}")
    points, labels = data()
    forest = fitted(points, labels)
    with threadpool_limits(1):
        kept = speed(points, labels, forest)
    kept &= same_bits(forest)
    run = subprocess.run([sys.executable, __file__, "large"], capture_output=True, text=True, check=True)
    did, peak, seconds = run.stdout.strip().split("|")
    fits = float(peak) < BOUND_MEGABYTES
    print(f"{did}: {seconds} s, peak memory {peak} MB (bound < {BOUND_MEGABYTES:,} MB) {'kept' if fits else 'BROKEN'}")
    return int(not (kept and fits))


if __name__ == "__main__":
    sys.exit(main())
