"""The surrogates of every task: Gaussian processes that grow with the evaluations, and share shapes while they may.

The same evaluations give the same bits, in any process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ringtrue.worst._arrays import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._refits import Common, Refits
from ringtrue.worst.surrogate import GaussianProcess, Posterior, Prediction, PredictionGradient


class Part(NamedTuple):
    """A process, those of its columns that are wanted, and what is predicted of these."""

    process: GaussianProcess
    columns: list[int]
    posterior: Posterior


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
        joined: Floats = self._joined([part.process.noise_sd[None, part.columns] for part in self._parts])[0]
        return joined

    @property
    def scales(self) -> Floats:
        """The standard deviation by which each task's function varies."""
        joined: Floats = self._joined([part.process.scales[None, part.columns] for part in self._parts])[0]
        return joined

    def _joined(self, tables: Sequence[Floats]) -> Floats:
        """Put tables (m, columns, …) of all parts side by side, in the order of the tasks."""
        return tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)[:, self._order]


class Surrogates:
    """The surrogates of a search's tasks: fitted to all at once where an evaluation reveals all, else to each."""

    def __init__(self, plan: Plan, *, of_gold: bool = False) -> None:
        """Take the plan; `of_gold` says that values are the gold standard's, and no deviations."""
        self._spread, self._alone = plan.spread, plan.alone
        self._refits = [Refits(plan, of_gold=of_gold) for _ in (plan.tasks if plan.alone else range(1))]
        # Of each output that training data tell of, much is known already.
        pools = plan.pools_shapes and not (of_gold and plan.knows_gold)
        self._common = Common(plan.kernel) if pools else None

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
            if self._common is not None:  # for choosing alone: what a finding tells of a task is by its own values
                process = replace(process, scales=self._common.scales(process, history))
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
        believed = None if self._common is None else self._common.after(history)
        for task in tasks if self._alone else tasks[:1]:
            refits = self._refits[task if self._alone else 0]
            places = history.of_task(task)
            values = history.values[places, task, None] if self._alone else history.values[places]
            own = (0,) if self._alone else tasks
            grown = refits.after(history.units[places], values, own, regimes=regimes, believed=believed)
            for columns, process in grown.items():
                known = [task] if self._alone else list(columns)
                wanted = [place for place, task_of in enumerate(known) if task_of in tasks]
                if wanted:
                    made = change(process, task, known)
                    posterior = made.posterior if spread is None else made.smoothed(spread)
                    whole = len(wanted) == len(known)
                    parts.append(Part(made, wanted, posterior if whole else posterior.only(wanted)))
                    found += [known[place] for place in wanted]
        return Surrogate(parts, found)
