"""Small pools and studies, and an oracle that counts what it is asked."""

import csv
from collections import Counter

import numpy as np

from ringtrue.core import Reply
from ringtrue.risk import Risk
from ringtrue.study import Study


def make_pool(path, size=40, failing=4, seed=0):
    """A CSV of items with a prediction and the truth; `failing` of them, chosen by the seed, are predicted wrongly."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(["cat", "dog"], size)
    wrong = set(rng.choice(size, failing, replace=False).tolist())
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "feature", "predicted", "truth"])
        for place, label in enumerate(truth):
            other = "dog" if label == "cat" else "cat"
            rows.writerow([f"item-{place}", round(float(rng.normal()), 6), other if place in wrong else label, label])
    return path


def make_study(folder, size=40, failing=4, claim="error <= 20% at 95%", **options):
    """A study of such a pool, with stored predictions."""
    pool = make_pool(folder / "pool.csv", size, failing)
    options = {"question": Risk(claim), "model": "predicted", **options}
    return Study.create(folder / "study.ringtrue", pool=pool, **options)


class CountingOracle:
    """Answers from the `truth` column and counts how often each item was asked about."""

    def __init__(self):
        self.items = Counter()
        self.order = []

    def answer(self, queries):
        for query in queries:
            self.items[query.item.id] += 1
            self.order.append(query.item.id)
        return [Reply(str(query.item.values["truth"])) for query in queries]


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now=1_000.0):
        self.now = now

    def __call__(self):
        return self.now
