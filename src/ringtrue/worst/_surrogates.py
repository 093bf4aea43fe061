"""The surrogates of every task: Gaussian processes that grow with the evaluations, and share shapes while they may.

The same evaluations give the same bits, in any process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst._behind import Behind, Shapes, thinned
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._plateaus import Plateaus, plateaus_of
from ringtrue.worst.surrogate import (
    GaussianProcess,
    Posterior,
    Prediction,
    PredictionGradient,
    Shape,
    fit_shape,
    log_likelihood,
    varies,
)

_REFITTED = 6
"""Shapes are fitted anew when the evaluations have grown by one in so many; in the first edition, in ten."""


def own_shapes(inputs: Floats, outputs: Floats, common: Shape, kernel: str) -> dict[int, Shape]:
    """Return the shapes of the tasks that are far likelier with one of their own than with that of all together.

    Few evaluations tell little of one task's lengthscales, and more of those that many tasks have in common. A task
    gets its own when they raise its log likelihood by more than their number costs by the Bayesian information
    criterion, so that tasks which do differ part company as evaluations come in.
    """
    if outputs.shape[1] == 1:
        return {}
    cost = 0.5 * (inputs.shape[1] + 1) * math.log(max(2, len(inputs)))
    own: dict[int, Shape] = {}
    for task in np.flatnonzero(varies(outputs)).tolist():
        values = outputs[:, task, None]
        found = fit_shape(inputs, values, kernel=kernel, near=common)
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
        self._parted: tuple[int, list[int], Shape] | None = None
        self._own: dict[int, Shape] = {}
        self._grown: dict[tuple[int, ...], GaussianProcess] = {}

    def after(
        self, inputs: Floats, outputs: Floats, wanted: Sequence[int], *, regimes: bool = False
    ) -> Mapping[tuple[int, ...], GaussianProcess]:
        """Return the processes of the columns `wanted` after these evaluations, each by those that share its shape.

        With `regimes`, outputs that rest on a plateau are taken to leave it by a cliff, and else by a ramp.
        """
        base, told = refit_size(len(inputs), 10 if self._edition == 1 else _REFITTED), np.hstack([inputs, outputs])
        if not np.array_equal(self._seen, told[: len(self._seen)]):
            self._base, self._parted = 0, None
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
            then = fit_shape(inputs[told], values[told], kernel=self._kernel)
            own = own_shapes(inputs[told], values[told], then, self._kernel)
            self._own = {others[place]: shape for place, shape in own.items()}
            self._parted = parted, others, then
        common = self._parted[2]
        if parted < len(inputs):
            told = self._fitted_to(len(inputs))
            common = fit_shape(inputs[told], values[told], kernel=self._kernel, near=common)
        return {
            some: GaussianProcess.of(
                inputs, outputs[:, list(some)], self._own.get(some[0], common), kernel=self._kernel
            )
            for some in task_groups(others, list(self._own))
        }

    def _fitted_to(self, size: int) -> Ints:
        """Return which of the first evaluations shapes are fitted to; in the first edition, all of them."""
        places = np.arange(size)
        return places if self._edition == 1 else thinned(places)


class Part(NamedTuple):
    """A process, what is predicted with it, and those of its columns that are wanted."""

    process: GaussianProcess
    posterior: Posterior
    columns: list[int]


class Surrogate:
    """The processes of some tasks: predictions have a column per task, in the order of `tasks`."""

    def __init__(self, parts: Sequence[Part], tasks: Sequence[int]) -> None:
        """Take processes, and the tasks of their columns, one after the other."""
        self._parts, self._order = parts, np.argsort(tasks, kind="stable")
        self.tasks, self.processes = tuple(sorted(tasks)), [part.process for part in parts]

    def predict(self, points: Floats) -> Prediction:
        """Return means and standard deviations (m, tasks) at points (m, D)."""
        found = [part.posterior.predict(points) for part in self._parts]
        return Prediction(self._joined([one.mean for one in found]), self._joined([one.sd for one in found]))

    def predict_with_gradient(self, points: Floats) -> PredictionGradient:
        """Return the same, and derivatives by the coordinates of the points."""
        found = [part.posterior.predict_with_gradient(points) for part in self._parts]
        return PredictionGradient(
            self._joined([one.mean for one in found]),
            self._joined([one.sd for one in found]),
            self._joined([one.mean_gradient for one in found]),
            self._joined([one.sd_gradient for one in found]),
        )

    @property
    def noise(self) -> Floats:
        """The standard deviation of one evaluation's noise, by task."""
        joined: Floats = self._joined([process.noise_sd[None] for process in self.processes])[0]
        return joined

    @property
    def scales(self) -> Floats:
        """The standard deviation by which each task's function varies."""
        joined: Floats = self._joined([process.scales[None] for process in self.processes])[0]
        return joined

    def _joined(self, tables: Sequence[Floats]) -> Floats:
        """Put tables (m, outputs, …) of all parts side by side: the columns wanted, in the order of the tasks."""
        if len(tables) == 1 and tables[0].shape[1] == len(self.tasks):
            return tables[0]
        wanted = [table[:, part.columns] for table, part in zip(tables, self._parts, strict=True)]
        return np.concatenate(wanted, axis=1)[:, self._order]


class Surrogates:
    """The surrogates of a search's tasks: fitted to all at once where an evaluation reveals all, else to each."""

    def __init__(self, plan: Plan, *, of_gold: bool = False) -> None:
        """Take the plan; `of_gold` says that values are the gold standard's, and no deviations."""
        self._spread, self._alone = plan.spread, plan.alone
        self._refits = [Refits(plan, of_gold=of_gold) for _ in (plan.tasks if plan.alone else range(1))]

    def of(self, history: History, tasks: Sequence[int], *, averaged: bool = False) -> Surrogate:
        """Return what is known of these tasks; `averaged` over the noise of the inputs, if there is any."""
        return self._made(history, tasks, lambda process, *_: process, averaged=averaged)

    def expecting(
        self,
        history: History,
        tasks: Sequence[int],
        out: Sequence[tuple[Floats, int | None]],
        usual: Callable[[Floats], Floats] | None = None,
        *,
        regimes: bool = False,
    ) -> Surrogate:
        """Return what would be known if what is out had come back as expected.

        What was given up is taken to be as usual there: a surrogate that expects more of such a place would go on
        asking around it.

        Parameters
        ----------
        history
            What came back, and what is out or was given up.
        tasks
            Those that are predicted.
        out
            Further points that are out, each for a task or for all.
        usual
            Says what is usual (k, outputs) at places (k, D); without it, it is the median of what came back.
        regimes
            Take outputs that rest on a plateau to leave it by a cliff, and else by a ramp.
        """

        def grown(process: GaussianProcess, task: int, columns: list[int]) -> GaussianProcess:
            lost = history.out_of_task(task, lost=True)
            if len(lost):
                median = np.tile(np.median(process.outputs, axis=0), (len(lost), 1))
                process = process.with_points(lost, median if usual is None else usual(lost)[:, columns])
            more = [unit for unit, own in out if own is None or own == task]
            return process.imagined(np.vstack([history.out_of_task(task, lost=False), *more]))

        return self._made(history, tasks, grown, averaged=True, regimes=regimes)

    def _made(
        self,
        history: History,
        tasks: Sequence[int],
        change: Callable[[GaussianProcess, int, list[int]], GaussianProcess],
        *,
        averaged: bool,
        regimes: bool = False,
    ) -> Surrogate:
        parts, found, spread = [], [], self._spread if averaged else None
        for task in tasks if self._alone else tasks[:1]:
            refits = self._refits[task if self._alone else 0]
            places = history.of_task(task)
            values = history.values[places, task, None] if self._alone else history.values[places]
            own = (0,) if self._alone else tasks
            for columns, process in refits.after(history.units[places], values, own, regimes=regimes).items():
                known = [task] if self._alone else list(columns)
                wanted = [place for place, task_of in enumerate(known) if task_of in tasks]
                if wanted:
                    made = change(process, task, known)
                    posterior = made.posterior if spread is None else made.smoothed(spread)
                    parts.append(Part(made, posterior, wanted))
                    found += [known[place] for place in wanted]
        return Surrogate(parts, found)
