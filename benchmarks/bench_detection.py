"""How many calls tests of a change need, and how often they are wrong, beside a test that is not meant to be watched.

    python benchmarks/bench_detection.py [--runs 200]

Calls: items drawn uniformly, without replacement, until a test decides. False alarms: 10% of the answers changed, half
for the better and half for the worse, so that the accuracy did not; watched after every one of 2,000 answers, in a
stream and in a pool that is used up. "Peeking" looks at McNemar's statistic every ten answers and stops beyond 1.96.
The real answers are looked for in `../shared/data` beside the checkout; without them only false alarms are measured.
Exits with 1 if a watched test is wrong more often than 5% by more than three standard errors.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "casestudies"))

from api_shift._data import frugalml, frugalml_path, prime, prime_path
from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import AccuracyTest, ChangeTest, ShiftDraws
from ringtrue.stats import Guess
from simulated_shifts import switched

SIZE = 2000
NOISE = 0.005
MOST = 4000


def calls(known: Baseline, new: Sequence[int], runs: int) -> dict[str, np.ndarray]:
    """Calls until each test decided, by run; infinite where it had not after 4,000."""
    census, kind = Census.take(known)
    found: dict[str, list[float]] = {"accuracy": [], f"change beyond {NOISE:.1%}": []}
    for run in range(runs):
        draws = ShiftDraws(census)
        tests = AccuracyTest(draws.old_accuracy), ChangeTest(NOISE)
        for place, item in enumerate(np.random.default_rng([1, run]).permutation(known.size)[:MOST].tolist()):
            chance = 1 / (known.size - place)
            said = draws.take(int(kind[item]), int(new[item]), probability=chance, floor=chance)
            tests[0].take(said.right)
            tests[1].take(said.changed)
            if all(test.detected_at is not None for test in tests):
                break
        for name, test in zip(found, tests, strict=True):
            found[name].append(test.detected_at or math.inf)
    return {name: np.array(counts) for name, counts in found.items()}


def peeking(differences: np.ndarray) -> bool:
    """Whether McNemar's statistic, looked at every ten answers, ever exceeds 1.96."""
    better, worse = np.cumsum(differences > 0)[9::10], np.cumsum(differences < 0)[9::10]
    return bool((np.abs(better - worse) > 1.96 * np.sqrt(np.maximum(better + worse, 1))).any())


def false_alarms(runs: int, *, stream: bool) -> dict[str, float]:
    """The share of studies in which a test ever says that the accuracy, or more than 10% of the answers, changed."""
    truth = np.repeat([0, 1], SIZE // 2)
    moved = np.arange(SIZE) % (SIZE // 2) < SIZE // 20
    old = np.where(moved, 1 - truth, truth)
    old[SIZE // 2 :] = truth[SIZE // 2 :]
    new = old.copy()
    new[moved] = 1 - old[moved]  # those wrong before are right now, as many right ones are wrong
    known = Baseline.of(old=old.tolist(), truth=truth.tolist())
    census, kind = Census.take(known)
    gains = (new == truth).astype(int) - (old == truth)
    alarms = {"accuracy": 0, "change beyond 10%": 0, "peeking, McNemar": 0}
    for run in range(runs):
        rng = np.random.default_rng([2, run])
        order = rng.integers(0, SIZE, SIZE) if stream else rng.permutation(SIZE)
        alarms["peeking, McNemar"] += peeking(gains[order])
        draws = ShiftDraws(census)
        tests = AccuracyTest(0.0 if stream else draws.old_accuracy), ChangeTest(0.1)
        for place, item in enumerate(order.tolist()):
            if stream:
                guesses = Guess.of_stream(float(gains[item]), lowest=-1.0), Guess.of_stream(float(moved[item]))
            else:
                chance = 1 / (SIZE - place)
                said = draws.take(int(kind[item]), int(new[item]), probability=chance, floor=chance)
                guesses = said.right, said.changed
            for test, guess in zip(tests, guesses, strict=True):
                test.take(guess)
        for name, test in zip(alarms, tests, strict=False):
            alarms[name] += test.detected_at is not None
    return {name: number / runs for name, number in alarms.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    wrong = False
    print(f"false alarms over {SIZE:,} looks, {runs} studies (standard error {math.sqrt(0.05 * 0.95 / runs):.1%})")
    for stream in (False, True):
        found = false_alarms(runs, stream=stream)
        print(
            f"  {'stream' if stream else 'pool  '}  "
            + ", ".join(f"{name} {share:.1%}" for name, share in found.items())
        )
        wrong |= any(share > limit for name, share in found.items() if not name.startswith("peeking"))
    if not (prime_path().exists() and frugalml_path("YELP").exists()):
        print("calls to decide: the real answers are not there")
        return int(wrong)
    print(f"calls to decide, median and nine in ten of {min(runs, 60)} studies")
    for name, (known, new) in real().items():
        for test, counts in calls(known, new, min(runs, 60)).items():
            print(f"  {name}: {test} {np.median(counts):,.0f}, {np.quantile(counts, 0.9):,.0f}")
    return int(wrong)


def real() -> dict[str, tuple[Baseline, Sequence[int]]]:
    """Changes of real models, and an update made of two services."""
    said = prime(prime_path())
    cases = {}
    for model in ("gpt-4", "gpt-3.5-turbo"):
        (truth, march), (_, june) = (
            said[f"{model}-0314" if model == "gpt-4" else f"{model}-0301"],
            said[f"{model}-0613"],
        )
        known = Baseline.of(old=march, truth=truth)
        cases[f"PRIME {model}, March to June 2023"] = known, known.code(june)[1]
    truth, apis = frugalml(frugalml_path("YELP"))
    known = Baseline.of(old=apis[4][0], truth=truth, confidence=apis[4][1])
    cases["YELP, 3.1% of Amazon's answers become Google's"] = (
        known, switched(known, known.code(apis[0][0])[1], 0.031, seed=7),
    )  # fmt: skip
    return cases


if __name__ == "__main__":
    sys.exit(main())
