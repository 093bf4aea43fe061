"""The processes of tasks as evaluations come in: which shape each has, and when shapes are fitted anew.

The same evaluations give the same bits, in any process.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ringtrue.stats import one_thread
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst._behind import Behind, Shapes, thinned
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._plateaus import Plateaus, plateaus_of
from ringtrue.worst.surrogate import (
    GaussianProcess,
    Shape,
    fit_common,
    fit_shape,
    log_likelihood,
    varies,
)

_REFITTED = 6
"""Shapes are fitted anew when the evaluations have grown by one in so many; in the first edition, in ten."""

_POOLED = 2
"""The shape that all tasks have in common is, when all evaluations together have grown by one in so many."""


def own_shapes(
    inputs: Floats, outputs: Floats, common: Shape, kernel: str, *, few_matter: bool = False
) -> dict[int, Shape]:
    """Return the shapes of the tasks that are far likelier with one of their own than with that of all together.

    Few evaluations tell little of one task's lengthscales, and more of those that many tasks have in common. A task
    gets its own when they raise its log likelihood by more than their number costs by the Bayesian information
    criterion, so that tasks which do differ part company as evaluations come in.

    Parameters
    ----------
    inputs
        Where evaluations were made, (n, D).
    outputs
        What they told, (n, C).
    common
        The shape of all tasks together.
    kernel
        The name of the kernel.
    few_matter
        Take long lengthscales to be likely, as `fit_shape` does.
    """
    if outputs.shape[1] == 1:
        return {}
    cost = 0.5 * (inputs.shape[1] + 1) * math.log(max(2, len(inputs)))
    own: dict[int, Shape] = {}
    for task in np.flatnonzero(varies(outputs)).tolist():
        values = outputs[:, task, None]
        found = fit_shape(inputs, values, kernel=kernel, near=common, few_matter=few_matter)
        gain = log_likelihood(inputs, values, found, kernel) - log_likelihood(inputs, values, common, kernel)
        if gain > cost:
            own[task] = found
    return own


def task_groups(tasks: Sequence[int], own: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the tasks that share a shape, then each that has its own.

    >>> task_groups(range(4), [2])
    [(0, 1, 3), (2,)]
    """
    rest = tuple(task for task in tasks if task not in own)
    return [*([rest] if rest else []), *((task,) for task in own)]


def refit_size(size: int, part: int = 10) -> int:
    """Return how many of `size` evaluations shapes were last fitted to: it grows by a `part`-th a time, a tenth or so.

    >>> [refit_size(size) for size in (3, 19, 29, 30, 200)]
    [3, 19, 28, 30, 196]
    """
    fitted = min(size, 1)
    while (following := fitted + max(1, fitted // part)) <= size:
        fitted = following
    return fitted


def parting_size(size: int) -> int:
    """Return how many of `size` evaluations tasks were last given shapes of their own by: a power of two.

    >>> [parting_size(size) for size in (0, 1, 19, 200)]
    [0, 1, 16, 128]
    """
    return 1 << (size.bit_length() - 1) if size else 0


class Refits:
    """The processes of tasks that are evaluated together, as evaluations come in.

    Shapes are fitted to the first evaluations, as many as `refit_size` says; those after them are added one at a time.
    Fits begin where the shape of all tasks was when the evaluations had last doubled; that fit has fixed starts. So the
    processes are a function of the list alone, whether they grew with a study or are made at once when a study is
    opened again. What was made last is kept, since lists mostly grow.

    Which tasks have a shape of their own is found out when the evaluations have doubled: with many tasks, that takes
    most of the time. In the first edition it was found out with every fit. An output of the gold standard that rests on
    a plateau has a process of its own.
    """

    def __init__(self, plan: Plan, *, of_gold: bool) -> None:
        self._kernel, self._edition, self._of_gold = plan.kernel, plan.edition, of_gold
        # Those that training data told come before the first evaluation.
        self._told = len(plan.training.points) if plan.training is not None and of_gold and plan.knows_gold else 0
        self._levels: dict[int, Plateaus] = {}
        self._behind: dict[int, Shapes] = {}
        self._seen = np.empty((0, 0))
        self._base = 0
        self._believed: Shape | None = None
        self._parted: tuple[int, list[int], Shape] | None = None
        self._own: dict[int, Shape] = {}
        self._grown: dict[tuple[int, ...], GaussianProcess] = {}

    @one_thread
    def after(
        self,
        inputs: Floats,
        outputs: Floats,
        wanted: Sequence[int],
        *,
        regimes: bool = False,
        believed: Shape | None = None,
    ) -> Mapping[tuple[int, ...], GaussianProcess]:
        """Return the processes of the columns `wanted` after these evaluations, each by those that share its shape.

        Parameters
        ----------
        inputs
            Where evaluations were made, (n, D).
        outputs
            What they told, (n, C).
        wanted
            The columns of the outputs that are asked for.
        regimes
            Take outputs that rest on a plateau to leave it by a cliff, and else by a ramp.
        believed
            The shape that is believed of all tasks, where these evaluations are of one among several.
        """
        base, told = refit_size(len(inputs), 10 if self._edition == 1 else _REFITTED), np.hstack([inputs, outputs])
        if not np.array_equal(self._seen, told[: len(self._seen)]) or believed is not self._believed:
            self._base, self._parted, self._believed = 0, None, believed
        if self._base != base:
            self._grown, self._base, self._seen = self._fitted(inputs[:base], outputs[:base]), base, told[:base]
        for place in range(len(self._seen), len(told)):
            unit, values = inputs[place, None], outputs[place, None]
            self._grown = {own: one.with_points(unit, values[:, list(own)]) for own, one in self._grown.items()}
        self._seen = told
        found = {columns: process for columns, process in self._grown.items() if set(columns) & set(wanted)}
        for column in wanted:
            if column in self._levels:
                levels, values = self._levels[column], outputs[:, column, None]
                if column not in self._behind:
                    self._behind[column] = Behind(inputs[:base], values[:base], levels, self._kernel).shapes()
                behind = Behind(inputs, values, levels, self._kernel)
                found[column,] = (behind.regimes if regimes else behind.process)(self._behind[column])
        return found

    def _fitted(self, inputs: Floats, outputs: Floats) -> dict[tuple[int, ...], GaussianProcess]:
        every = range(outputs.shape[1])
        levels = {column: plateaus_of(outputs[:, column]) for column in every if self._of_gold}
        self._levels, self._behind = {column: one for column, one in levels.items() if one}, {}
        others = [column for column in every if column not in self._levels]
        if not others:
            return {}
        values = outputs[:, others]
        made = max(0, len(inputs) - self._told)
        parted = len(inputs) if self._edition == 1 else min(len(inputs), self._told + parting_size(made))
        if self._parted is None or self._parted[:2] != (parted, others):
            told = self._fitted_to(parted)
            then = self._shape_of(inputs[told], values[told])
            own = own_shapes(inputs[told], values[told], then, self._kernel, few_matter=self._edition > 1)
            self._own = {others[place]: shape for place, shape in own.items()}
            self._parted = parted, others, then
        common = self._parted[2]
        if parted < len(inputs):
            told = self._fitted_to(len(inputs))
            common = self._shape_of(inputs[told], values[told], near=common)
        return {
            some: GaussianProcess.of(
                inputs, outputs[:, list(some)], self._own.get(some[0], common), kernel=self._kernel
            )
            for some in task_groups(others, list(self._own))
        }

    def _shape_of(self, inputs: Floats, values: Floats, near: Shape | None = None) -> Shape:
        few = self._edition > 1 and self._believed is None  # what is believed knows already which coordinates matter
        return fit_shape(inputs, values, kernel=self._kernel, near=near, believed=self._believed, few_matter=few)

    def _fitted_to(self, size: int) -> Ints:
        """Return which of the first evaluations shapes are fitted to; in the first edition, all of them."""
        places = np.arange(size)
        return places if self._edition == 1 else thinned(places)


class Common:
    """The shape and the scale that tasks have in common which are priced alone, from the evaluations of all of them.

    Few evaluations tell little of one task's lengthscales. So each task's own are drawn towards those under which all
    evaluations are most likely. A function of the evaluations alone; what was found last is kept, as the same object.
    """

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._seen = np.empty((0, 0))
        self._shape: Shape | None = None

    @one_thread
    def after(self, history: History) -> Shape | None:
        """Return the shape after these evaluations; None before the first."""
        size = refit_size(len(history.units), _POOLED)
        told = np.hstack([history.units[:size], history.values[:size]])
        if size and not np.array_equal(self._seen, told, equal_nan=True):
            places = [thinned(np.flatnonzero(~np.isnan(column))) for column in history.values[:size].T]
            tables = [
                (history.units[own], history.values[own, task, None]) for task, own in enumerate(places) if len(own)
            ]
            self._seen, self._shape = told, fit_common(tables, kernel=self._kernel, few_matter=True)
        return self._shape

    def scales(self, process: GaussianProcess, history: History) -> Floats:
        """Return the scale of a task's process, drawn towards that of all tasks as if by one value more.

        A task that was the same at its first few places may still vary as others do: by its values alone, nothing would
        be expected of it, and it would never be evaluated again.
        """
        known = ~np.isnan(history.values)
        several = known.sum(axis=0) > 1
        if not several.any():
            return process.scales
        usual = np.mean(np.nanvar(history.values[:, several], axis=0, ddof=1))
        drawn: Floats = np.sqrt((usual + (process.n - 1) * process.scales**2) / process.n)
        return drawn
