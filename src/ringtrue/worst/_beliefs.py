"""What the evaluations so far say of every task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.worst._chains import Chain
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst.surrogate import GaussianProcess, Posterior, Prediction, PredictionGradient


@dataclass(frozen=True, slots=True)
class Panel:
    """The processes of some tasks: predictions have a column per task, in the order of `tasks`.

    `posteriors` are what is predicted with; each tells of several outputs, of which `columns` are the ones wanted.
    """

    tasks: tuple[int, ...]
    processes: tuple[GaussianProcess, ...]
    posteriors: tuple[Posterior, ...]
    columns: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, parts: Sequence[tuple[GaussianProcess, Sequence[int], Sequence[int]]], spread: Floats | None) -> Panel:
        """Of processes, each with the columns that are wanted and the tasks that these are.

        With a `spread` of the inputs, what is predicted are averages over inputs that vary so much.
        """
        tasks = [task for _, _, own in parts for task in own]
        order = tuple(int(place) for place in np.argsort(tasks, kind="stable"))
        posteriors = [process.posterior if spread is None else process.smoothed(spread) for process, _, _ in parts]
        return cls(
            tuple(sorted(tasks)), tuple(process for process, _, _ in parts), tuple(posteriors),
            tuple(tuple(columns) for _, columns, _ in parts), order,
        )  # fmt: skip

    def predict(self, points: Floats) -> Prediction:
        parts = [posterior.predict(points) for posterior in self.posteriors]
        return Prediction(self._joined([part.mean for part in parts]), self._joined([part.sd for part in parts]))

    def predict_with_gradient(self, points: Floats) -> PredictionGradient:
        parts = [posterior.predict_with_gradient(points) for posterior in self.posteriors]
        return PredictionGradient(
            self._joined([part.mean for part in parts]), self._joined([part.sd for part in parts]),
            self._joined([part.mean_gradient for part in parts]), self._joined([part.sd_gradient for part in parts]),
        )  # fmt: skip

    @property
    def noise(self) -> Floats:
        """The standard deviation of one evaluation's noise, by task."""
        joined: Floats = self._joined([process.noise_sd[None] for process in self.processes])[0]
        return joined

    @property
    def scales(self) -> Floats:
        """How far each task's function varies, as a standard deviation."""
        joined: Floats = self._joined([process.scales[None] for process in self.processes])[0]
        return joined

    def _joined(self, tables: Sequence[Floats]) -> Floats:
        """Tables (m, outputs, …) of all parts side by side, with the columns wanted, in the order of the tasks."""
        if len(tables) == 1 and tables[0].shape[1] == len(self.tasks):
            return tables[0]
        wanted = [table[:, list(columns)] for table, columns in zip(tables, self.columns, strict=True)]
        return np.concatenate(wanted, axis=1)[:, list(self.order)]


class Beliefs:
    """The processes of a search's tasks: of all at once where an evaluation reveals all, else of each by itself."""

    def __init__(self, plan: Plan) -> None:
        self._spread, self._alone = plan.spread, plan.alone
        self._chains = [Chain(plan.kernel) for _ in (plan.tasks if plan.alone else range(1))]

    def of(self, history: History, tasks: Sequence[int], *, averaged: bool = False) -> Panel:
        """What is known of these tasks; `averaged` over the noise of the inputs, if there is any."""
        return self._panel(history, tasks, lambda process, _: process, averaged=averaged)

    def expecting(self, history: History, tasks: Sequence[int], out: Sequence[tuple[Floats, int | None]]) -> Panel:
        """As if what is out had come back as expected; `out` are further points, each for a task or for all.

        What was given up is taken to be as usual there: what expects more of such a place would go on asking around it.
        """

        def grown(process: GaussianProcess, task: int) -> GaussianProcess:
            lost = history.out_of_task(task, lost=True)
            if len(lost):
                usual = np.median(process.outputs, axis=0)
                process = process.with_points(lost, np.tile(usual, (len(lost), 1)))
            more = [unit for unit, own in out if own is None or own == task]
            return process.imagined(np.vstack([history.out_of_task(task, lost=False), *more]))

        return self._panel(history, tasks, grown, averaged=True)

    def _panel(
        self,
        history: History,
        tasks: Sequence[int],
        change: Callable[[GaussianProcess, int], GaussianProcess],
        *,
        averaged: bool,
    ) -> Panel:
        parts = []
        for task in tasks if self._alone else tasks[:1]:
            chain = self._chains[task if self._alone else 0]
            places = history.of_task(task)
            values = history.values[places, task, None] if self._alone else history.values[places]
            for process, columns in zip(*chain.after(history.units[places], values), strict=True):
                known = [task] if self._alone else list(columns)
                wanted = [place for place, own in enumerate(known) if own in tasks]
                if wanted:
                    parts.append((change(process, task), wanted, [known[place] for place in wanted]))
        return Panel.of(parts, self._spread if averaged else None)
