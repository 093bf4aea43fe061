"""Items in the unit cube, where steps are taken, and whether a point there changes the decision about its item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.distances._asker import Asker
from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.blind.distances._result import Distances

Flags = NDArray[np.bool_]


class Decisions:
    """The model's decisions about items, seen from the unit cube: `rows` (n, d) are the items there.

    Points are rows, too; `owners` are the places of the items they belong to.
    """

    def __init__(self, asker: Asker, inputs: Inputs, labels: Codes, box: Box) -> None:
        self.asker, self.labels, self.box = asker, labels, box
        self.inputs = np.asarray(inputs, dtype=np.float32)
        self.shape = self.inputs.shape[1:]
        self.rows = box.to_unit(self.inputs)

    def __len__(self) -> int:
        return len(self.rows)

    def changed(self, points: Inputs, owners: Codes) -> Flags:
        """Whether the model labels each point otherwise than its item."""
        flags: Flags = self.asker.labels(self.box.from_unit(points, self.shape), owners) != self.labels[owners]
        return flags

    def left(self, queries: int) -> Codes:
        """How many queries each item has left."""
        return self.asker.left(len(self), queries)

    def bisected(self, points: Inputs, owners: Codes, steps: int) -> Inputs:
        """Nearer changed points on the lines from the items to changed points, to 1 part in 2 to the `steps`."""
        origin = self.rows[owners]
        near, far = np.zeros((len(points), 1), np.float32), np.ones((len(points), 1), np.float32)
        for _ in range(steps):
            middle = (near + far) / 2
            changed = self.changed(origin + middle * (points - origin), owners)[:, None]
            near, far = np.where(changed, near, middle), np.where(changed, middle, far)
        # The far end is the very point that was asked about, bit by bit: it has been seen to change the decision.
        return np.where(far < 1, origin + far * (points - origin), points)

    def distances(self, points: Inputs, found: Flags) -> Distances:
        """The result: a point for each item where one was `found`, the item itself elsewhere."""
        nearest = self.box.from_unit(points, self.shape)
        nearest[~found] = self.inputs[~found]
        return Distances(self.inputs, nearest, found, self.asker.queries_of(len(self)))
