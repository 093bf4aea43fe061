"""The two labelled files that the paper's tables are made from, and its model: a forest of ten trees."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from ringtrue.risk._grid import Grid

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "siemens_challenge"
GRID = Grid.over((0, 0), (1, 1), 250)


class Labelled(NamedTuple):
    points: np.ndarray
    labels: np.ndarray


@cache
def siemens(name):
    """The points and labels of `running_example` or `ds1`, or a skip where the files are not beside the checkout."""
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{name}.csv of the Siemens challenge is not beside the checkout, in shared/data")
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    points = np.array([[float(row["x1"]), float(row["x2"])] for row in rows])
    return Labelled(points, np.array([int(row["label"]) for row in rows]))


@cache
def paper_forest(name):
    """The model of the paper's two-dimensional rows."""
    points, labels = siemens(name)
    train, _, truth, _ = train_test_split(points, labels, test_size=0.2, random_state=1)
    return RandomForestClassifier(n_estimators=10, random_state=5).fit(train, truth)


@cache
def share_of_ones(name):
    """The exact share of each cell that the forest labels 1: it is constant between its thresholds."""
    forest = paper_forest(name)
    middles, widths, starts = [], [], []
    for axis in range(2):
        edges = GRID.edges(axis)
        cuts = [tree.tree_.threshold[tree.tree_.feature == axis] for tree in forest.estimators_]
        ends = np.unique(np.concatenate([edges, *cuts]))
        middles.append((ends[1:] + ends[:-1]) / 2)
        widths.append(np.diff(ends))
        starts.append(np.searchsorted(ends, edges[:-1]))
    pieces = forest.predict(np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2))
    areas = pieces.reshape(len(middles[0]), -1) * np.outer(*widths)
    shares = np.add.reduceat(np.add.reduceat(areas, starts[0], axis=0), starts[1], axis=1).ravel() * GRID.size
    return np.where(shares < 1e-9, 0, np.where(shares > 1 - 1e-9, 1, shares))
