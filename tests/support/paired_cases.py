"""Changes to estimate in tests: services whose answers are stored beside the checkout, and small pools made up."""

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ringtrue.changed._baseline import Baseline
from simulated_shifts import Scenario, switched

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "frugalml"
SERVICES = {"Google": 0, "FacePP": 1, "Microsoft": 2, "Baidu": 3, "Amazon": 4, "IBM": 5}


@cache
def _columns(dataset):
    path = FOLDER / f"{dataset}.csv.gz"
    if not path.exists():
        pytest.skip(f"{dataset}.csv.gz is not beside the checkout: its answers are needed")
    with gzip.open(path, "rt", newline="") as file:
        rows = csv.reader(file)
        head = next(rows)
        return dict(zip(head, zip(*rows, strict=True), strict=True))


@cache
def real(dataset, old, new, share=None):
    """One service in place of another or, with a share, the first with so many of the other's answers."""
    columns = _columns(dataset)
    before, after = SERVICES[old], SERVICES[new]
    sure = [float(value) for value in columns[f"conf_{before}"]]
    known = Baseline.of(old=columns[f"pred_{before}"], truth=columns["y"], confidence=sure)
    names, codes = known.code(columns[f"pred_{after}"])
    return Scenario.of(known, codes if share is None else switched(known, codes, share, seed=7), names)


@cache
def made_up(labels, *, size=3_000, changed=0.05, accuracy=0.8, labelled=True, sure=True, seed=0, extra=False):
    """A pool whose old answers are right so often, and of whose answers this share is drawn anew."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, size)
    confidence = rng.random(size)
    wrong = rng.random(size) > accuracy + 0.3 * (confidence - 0.5)
    old = np.where(wrong, rng.integers(0, labels, size), truth)
    anew = rng.random(size) < changed * 2 * (1 - confidence)
    new = np.where(anew, rng.integers(0, labels + extra, size), old)
    known = Baseline.of(
        old=old.tolist(),
        truth=truth.tolist() if labelled else None,
        confidence=confidence if sure else None,
    )
    names, codes = known.code(new.tolist())
    return Scenario.of(known, codes, names)


def counts_of(scenario, items):
    """The answers by kind if these items were asked."""
    counts = np.zeros((scenario.census.kinds, len(scenario.answers)))
    np.add.at(counts, (scenario.kind[items], scenario.new[items]), 1)
    return counts
