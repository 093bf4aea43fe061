"""The surrogates of every task: Gaussian processes that grow with the evaluations, and share shapes while they may.

The same evaluations give the same bits, in any process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ringtrue.worst._arrays import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
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


def shared_shapes(inputs: Floats, outputs: Floats, kernel: str) -> tuple[Shape, dict[int, Shape]]:
    """Return the shape of all tasks together, and those of tasks that are far likelier with one of their own.

    Few evaluations tell little of one task's lengthscales, and more of those that many tasks have in common. A task
    gets its own when they raise its log likelihood by more than their number costs by the Bayesian information
    criterion, so that tasks which do differ part company as evaluations come in.
    """
    common = fit_shape(inputs, outputs, kernel=kernel)
    if outputs.shape[1] == 1:
        return common, {}
    cost = 0.5 * (inputs.shape[1] + 1) * math.log(max(2, len(inputs)))
    own: dict[int, Shape] = {}
    for task in range(outputs.shape[1]):
        values = outputs[:, task, None]
        if not varies(values).any():
            continue
        found = fit_shape(inputs, values, kernel=kernel, near=common)
        gain = log_likelihood(inputs, values, found, kernel) - log_likelihood(inputs, values, common, kernel)
        if gain > cost:
            own[task] = found
    return common, own


def task_groups(count: int, own: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the tasks that share a shape, then each that has its own.

    >>> task_groups(4, [2])
    [(0, 1, 3), (2,)]
    """
    rest = tuple(task for task in range(count) if task not in own)
    return [*([rest] if rest else []), *((task,) for task in own)]


def refit_size(size: int) -> int:
    """Return how many of `size` evaluations shapes were last fitted to: it grows by a tenth a time.

    >>> [refit_size(size) for size in (3, 19, 29, 30, 200)]
    [3, 19, 28, 30, 196]
    """
    fitted = min(size, 1)
    while (following := fitted + max(1, fitted // 10)) <= size:
        fitted = following
    return fitted


class Refits:
    """The processes of tasks that are evaluated together, as evaluations come in.

    Shapes are fitted to the first evaluations, as many as `refit_size` says, always from the same starts; those after
    them are added one at a time. So the processes are a function of the list alone, whether they grew with a study or
    are made at once when a study is opened again. What was made last is kept, since lists mostly grow.
    """

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._seen = np.empty((0, 0))
        self._base = 0
        self._grown: dict[tuple[int, ...], GaussianProcess] = {}

    def after(self, inputs: Floats, outputs: Floats) -> Mapping[tuple[int, ...], GaussianProcess]:
        """Return the processes after these evaluations, each by the columns that share its shape."""
        base, wanted = refit_size(len(inputs)), np.hstack([inputs, outputs])
        if not self._grown or self._base != base or not np.array_equal(self._seen, wanted[: len(self._seen)]):
            self._grown, self._base, self._seen = self._fitted(inputs[:base], outputs[:base]), base, wanted[:base]
        grown = self._grown
        for place in range(len(self._seen), len(wanted)):
            unit, values = inputs[place, None], outputs[place, None]
            grown = {own: process.with_points(unit, values[:, list(own)]) for own, process in grown.items()}
        self._grown, self._seen = grown, wanted
        return grown

    def _fitted(self, inputs: Floats, outputs: Floats) -> dict[tuple[int, ...], GaussianProcess]:
        common, own = shared_shapes(inputs, outputs, self._kernel)
        return {
            some: GaussianProcess.of(inputs, outputs[:, list(some)], own.get(some[0], common), kernel=self._kernel)
            for some in task_groups(outputs.shape[1], list(own))
        }


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

    def __init__(self, plan: Plan) -> None:
        self._spread, self._alone = plan.spread, plan.alone
        self._refits = [Refits(plan.kernel) for _ in (plan.tasks if plan.alone else range(1))]

    def of(self, history: History, tasks: Sequence[int], *, averaged: bool = False) -> Surrogate:
        """Return what is known of these tasks; `averaged` over the noise of the inputs, if there is any."""
        return self._made(history, tasks, lambda process, *_: process, averaged=averaged)

    def expecting(
        self,
        history: History,
        tasks: Sequence[int],
        out: Sequence[tuple[Floats, int | None]],
        usual: Callable[[Floats], Floats] | None = None,
    ) -> Surrogate:
        """Return what would be known if what is out had come back as expected.

        `out` are further points, each for a task or for all. What was given up is taken to be as usual there: a
        surrogate that expects more of such a place would go on asking around it. `usual` says what that is (k, outputs)
        at places (k, D); without it, it is the median of what came back.
        """

        def grown(process: GaussianProcess, task: int, columns: list[int]) -> GaussianProcess:
            lost = history.out_of_task(task, lost=True)
            if len(lost):
                median = np.tile(np.median(process.outputs, axis=0), (len(lost), 1))
                process = process.with_points(lost, median if usual is None else usual(lost)[:, columns])
            more = [unit for unit, own in out if own is None or own == task]
            return process.imagined(np.vstack([history.out_of_task(task, lost=False), *more]))

        return self._made(history, tasks, grown, averaged=True)

    def _made(
        self,
        history: History,
        tasks: Sequence[int],
        change: Callable[[GaussianProcess, int, list[int]], GaussianProcess],
        *,
        averaged: bool,
    ) -> Surrogate:
        parts, found, spread = [], [], self._spread if averaged else None
        for task in tasks if self._alone else tasks[:1]:
            refits = self._refits[task if self._alone else 0]
            places = history.of_task(task)
            values = history.values[places, task, None] if self._alone else history.values[places]
            for columns, process in refits.after(history.units[places], values).items():
                known = [task] if self._alone else list(columns)
                wanted = [place for place, own in enumerate(known) if own in tasks]
                if wanted:
                    made = change(process, task, known)
                    posterior = made.posterior if spread is None else made.smoothed(spread)
                    parts.append(Part(made, posterior, wanted))
                    found += [known[place] for place in wanted]
        return Surrogate(parts, found)
