"""The demo's model: a small classifier of handwritten digits, trained on the spot, with a weakness planted in it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np


def write_digits(pool: Path, truth: Path, *, weak: int) -> tuple[float, int, int]:
    """Train on digits from which nearly all of one kind are left out; write the pool with the model's answers.

    Returns the accuracy on the other digits, the size of the pool and the number of items the model gets wrong.
    """
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    data = load_digits()
    train_x, pool_x, train_y, pool_y = train_test_split(data.data, data.target, train_size=600, random_state=0)
    rare = np.flatnonzero(train_y == weak)[3:]
    seen = np.setdiff1d(np.arange(len(train_y)), rare)
    model = LogisticRegression(max_iter=2_000).fit(train_x[seen] / 16, train_y[seen])
    said = model.predict(pool_x / 16)
    names = [f"digit-{place:04d}" for place in range(len(pool_y))]
    pixels = [f"pixel{place}" for place in range(pool_x.shape[1])]
    with open(pool, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "predicted", *pixels])
        rows.writerows([name, label, *row.astype(int)] for name, label, row in zip(names, said, pool_x, strict=True))
    with open(truth, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "digit"])
        rows.writerows(zip(names, pool_y, strict=True))
    others = pool_y != weak
    return float(np.mean(said[others] == pool_y[others])), len(pool_y), int(np.sum(said != pool_y))
