"""A search as it is told in the end, and a file of those that were made, so that hours of searches may be stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kept_lines import add, begun


@dataclass(frozen=True)
class Leader:
    """An evaluation that deviated more than all before it: its number from 1 up, its place, and its task."""

    number: int
    deviation: float
    place: tuple[float, ...]
    task: int


@dataclass(frozen=True, eq=False)
class Searched:
    """One search: the task that each evaluation (T,) was of, and those evaluations that took the lead.

    Where an evaluation reveals all tasks, the task is the one that deviated most.
    """

    tasks: NDArray[np.int64]
    leaders: tuple[Leader, ...]

    @classmethod
    def of(cls, places: ArrayLike, deviations: ArrayLike, tasks: ArrayLike) -> Searched:
        """Return the search whose evaluations, in their order, were at these places (T, D)."""
        found, of, leaders = np.asarray(deviations, dtype=float), np.asarray(tasks, dtype=np.int64), []
        for number, (place, deviation, task) in enumerate(zip(np.asarray(places), found, of, strict=True), 1):
            if not leaders or deviation > leaders[-1].deviation:
                leaders.append(Leader(number, float(deviation), tuple(map(float, place)), int(task)))
        return cls(of, tuple(leaders))

    @cached_property
    def best(self) -> NDArray[np.float64]:
        """The largest deviation (T,) so far."""
        since = [leader.number for leader in self.leaders]
        leads = np.diff([*since, len(self.tasks) + 1])
        return np.repeat([leader.deviation for leader in self.leaders], leads)

    @property
    def worst(self) -> Leader:
        """The evaluation with the largest deviation."""
        return self.leaders[-1]


def largest(searches: Sequence[Searched]) -> Searched:
    """Return the search that found the largest deviation."""
    return max(searches, key=lambda each: each.worst.deviation)


class Kept:
    """Searches that were made before, in a file of JSON lines; without a file, none is kept.

    `of` names what was searched, such as the hash of a network: searches of another are passed over.
    """

    def __init__(self, file: Path | None, of: str | None = None) -> None:
        self._file, self._of, self._known = file, of, {}
        for made in begun(file):
            leaders = [Leader(**{**each, "place": tuple(each["place"])}) for each in made["leaders"]]
            key = made["name"], made["evaluations"], made["seed"]
            if made.get("of") == of:
                self._known[key] = Searched(np.array(made["tasks"], dtype=np.int64), tuple(leaders))

    def get(self, name: str, evaluations: int, seed: int, search: Callable[[], Searched]) -> Searched:
        """Return the search of this name and length with this seed: as it was kept, else made now."""
        key = (name, evaluations, seed)
        if key not in self._known:
            found = self._known[key] = search()
            told: dict[str, Any] = {} if self._of is None else {"of": self._of}
            told |= {"name": name, "evaluations": evaluations, "seed": seed, "tasks": found.tasks.tolist()}
            add(self._file, told | {"leaders": [_shortened(leader) for leader in found.leaders]})
        return self._known[key]


def _shortened(leader: Leader) -> dict[str, Any]:
    """Return a leader with the digits that tables and figures show, and some more."""
    return {
        **asdict(leader), "deviation": float(f"{leader.deviation:.8g}"),
        "place": [float(f"{value:.6g}") for value in leader.place],
    }  # fmt: skip
