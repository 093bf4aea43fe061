"""Gaussian processes over a growing list of evaluations: the same list gives the same bits, in any process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ringtrue.worst._deviation import Floats
from ringtrue.worst._sharing import groups, shapes
from ringtrue.worst.surrogate import GaussianProcess


def refit_size(size: int) -> int:
    """The number of evaluations that shapes were last fitted to, when there are `size`: it grows by a tenth a time.

    >>> [refit_size(size) for size in (3, 19, 29, 30, 200)]
    [3, 19, 28, 30, 196]
    """
    fitted = min(size, 1)
    while (following := fitted + max(1, fitted // 10)) <= size:
        fitted = following
    return fitted


class Grown(NamedTuple):
    """The processes after some evaluations, each of the tasks that share its shape."""

    processes: tuple[GaussianProcess, ...]
    columns: tuple[tuple[int, ...], ...]

    def with_point(self, unit: Floats, values: Floats) -> Grown:
        """One more evaluation: its place (1, D) and a value for each column (1, C)."""
        grown = [
            process.with_points(unit, values[:, list(own)])
            for process, own in zip(self.processes, self.columns, strict=True)
        ]
        return Grown(tuple(grown), self.columns)


class Chain:
    """The processes of tasks that are evaluated together, as evaluations come in.

    Shapes are fitted to the first evaluations, as many as `refit_size` says, always from the same starts; those after
    them are added one at a time. So the processes are a function of the list alone, whether they grew with a study or
    are made at once when a study is opened again. What was made last is kept, since lists mostly grow.
    """

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._seen = np.empty((0, 0))
        self._base = 0
        self._grown: Grown | None = None

    def after(self, inputs: Floats, outputs: Floats) -> Grown:
        """The processes after these evaluations."""
        base, wanted = refit_size(len(inputs)), np.hstack([inputs, outputs])
        if self._grown is None or self._base != base or not np.array_equal(self._seen, wanted[: len(self._seen)]):
            self._grown, self._base, self._seen = self._fitted(inputs[:base], outputs[:base]), base, wanted[:base]
        grown = self._grown
        for place in range(len(self._seen), len(wanted)):
            grown = grown.with_point(inputs[place, None], outputs[place, None])
        self._grown, self._seen = grown, wanted
        return grown

    def _fitted(self, inputs: Floats, outputs: Floats) -> Grown:
        common, own = shapes(inputs, outputs, self._kernel)
        columns = groups(outputs.shape[1], list(own))
        made = [
            GaussianProcess.of(inputs, outputs[:, list(some)], own.get(some[0], common), kernel=self._kernel)
            for some in columns
        ]
        return Grown(tuple(made), tuple(columns))
