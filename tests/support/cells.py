"""Models and data that tests of cells share."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from ringtrue.risk._grid import Grid

CHALLENGE = Path(__file__).resolve().parents[3] / "shared" / "data" / "siemens_challenge"


def waves(points):
    """A smooth boundary through the unit square or cube: at module level, where processes find it."""
    return (points[:, 1] > 0.5 + 0.3 * np.sin(6 * points[:, 0])).astype(int)


def wavy_points(n, axes=2, seed=0):
    """Points with labels of a wavy boundary, a twentieth of them wrong."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, axes))
    return points, np.where(rng.random(n) < 0.05, 1 - waves(points), waves(points))


@dataclass(frozen=True)
class Challenge:
    """A file of the Siemens challenge with the paper's forest and grid, and the profile as its program computes it."""

    points: np.ndarray
    labels: np.ndarray
    forest: RandomForestClassifier
    grid: Grid
    profile: np.ndarray

    def unastuteness(self, shares):
        """A row for each failure type: all, of true class 1, of true class 0. Empty cells have the model's vote."""
        counts = np.bincount(2 * self.grid.index(self.points) + self.labels, minlength=2 * self.grid.size)
        counts = counts.reshape(-1, 2)
        cross = (counts > 0).all(axis=1)
        truth = np.where(counts.any(axis=1), counts.argmax(axis=1), shares.argmax(axis=1))
        failing = np.where(cross, 1.0, 1 - shares[np.arange(len(shares)), truth])
        return np.array([failing, failing * (cross | (truth == 1)), failing * (cross | (truth == 0))])


@cache
def challenge(name):
    """`running_example` (b) or `ds1` (a); skips the test where the files are not there."""
    path = CHALLENGE / f"{name}.csv"
    if not path.exists():
        pytest.skip("the Siemens challenge lies beside the checkout, in shared/data, and is not there")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    points, labels = table[:, :2], table[:, 2].astype(int)
    seen, _, taught, _ = train_test_split(points, labels, test_size=0.2, random_state=1)
    forest = RandomForestClassifier(n_estimators=10, random_state=5).fit(seen, taught)
    grid = Grid.over((0, 0), (1, 1), 250)
    centres = (np.arange(250) + 0.5) / 250
    first, second = (np.exp(-((points[:, [axis]] - centres) ** 2) / (2 * 0.2**2)) for axis in (0, 1))
    density = (first.T @ second).ravel()
    return Challenge(points, labels, forest, grid, density / density.sum())
