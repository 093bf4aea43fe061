"""The parts of a finding that are told in numbers: the worst point, the region around it, the share above a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Claim, Json, label_of, number
from ringtrue.stats import clopper_pearson, rate_sequence
from ringtrue.worst._arrays import Floats
from ringtrue.worst._history import History, WorstSoFar
from ringtrue.worst._plan import Plan
from ringtrue.worst._really_set import said_there
from ringtrue.worst._region import SHARE, Region
from ringtrue.worst._surrogates import Surrogate


@dataclass(frozen=True, slots=True)
class WorstPoint:
    """The largest deviation measured: which evaluation, where, of which task, and what both sides said.

    `asked` is the point that was asked about, if the evaluation was made at another one; both sides speak of `point`.

    `low` and `high` hold the deviation there without noise, at 95 % and allowing for having picked the largest; both
    are the deviation itself where evaluations are exact. `noise` is what the surrogate makes of their scatter.
    """

    number: int
    answer: int
    point: dict[str, Any]
    task: str
    deviation: float
    signed: float | None
    model: Json
    gold: Json
    low: float
    high: float
    noise: float | None
    level: float = 0.95
    method: str = "measured value and stated noise, as if each evaluation were claimed"
    asked: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Json]:
        told = asdict(self)
        return told if self.asked is not None else {name: told[name] for name in told if name != "asked"}


def point_text(point: Mapping[str, Any], asked: Mapping[str, Any] | None = None) -> str:
    """Write a point for people, with what was asked where something else was set.

    >>> point_text({"x": 0.123456, "solvent": "water", "layers": 3}, {"x": 0.1, "solvent": "water", "layers": 3})
    'x=0.1235 (set; 0.1 asked), solvent=water, layers=3'
    """

    def told(name: str, value: Any) -> str:
        before = value if asked is None else asked[name]
        return f"{name}={_value(value)}" + (f" (set; {_value(before)} asked)" if before != value else "")

    return ", ".join(told(*one) for one in point.items())


def _value(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def worst_point(plan: Plan, history: History, worst: WorstSoFar, surrogate: Surrogate | None) -> WorstPoint:
    """Return the worst evaluation, with what its noise leaves open."""
    place, record = worst.place, history.records[worst.place]
    asked = (record.point or ())[: len(plan.space.names)]
    # The largest of several is picked, so the interval is as wide as if each of them were claimed.
    low, high = without_noise(plan, worst.value, 0.05 / 2 / max(1, int(np.sum(~np.isnan(history.values)))))
    return WorstPoint(
        number=record.number,
        answer=place + 1,
        point=plan.space.values(history.points[place]),
        task=plan.tasks[worst.task],
        deviation=worst.deviation,
        signed=worst.value if plan.deviation.signed else None,
        model=said_there(record, record.value),
        gold=label_of(record.value) if place in history.moved else record.value,
        low=low,
        high=high,
        noise=None if surrogate is None else float(surrogate.noise[0]),
        asked=plan.space.values(asked) if place in history.moved else None,
    )


def in_own_unit(plan: Plan, task: int, value: float) -> float:
    """Return how far apart a measured value says that both sides are, in the unit of the output.

    >>> from ringtrue.worst import Real, SearchSpace, Worst
    >>> plan = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=9, scales={"deviation": 50}).plan
    >>> in_own_unit(plan, 0, -0.5)
    25.0
    """
    return abs(value) * plan.scale_of(task)


def without_noise(plan: Plan, value: float, chance: float) -> tuple[float, float]:
    """Return between which deviations the one lies that an evaluation measured, but for this chance at either end.

    >>> from ringtrue.worst import Real, SearchSpace, Worst
    >>> plan = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=9, noise=0.1).plan
    >>> [round(end, 3) for end in without_noise(plan, -1.0, 0.025)]
    [0.804, 1.196]
    """
    reach = -float(ndtri(chance)) * plan.noise
    if not plan.deviation.signed:
        return value - reach, value + reach
    low, high = plan.deviation.size(np.array([max(0.0, abs(value) - reach), abs(value) + reach]))
    return float(low), float(high)


def counterexample(plan: Plan, history: History, claim: Claim) -> bool:
    """Say whether an evaluation shows a deviation above the limit, noise aside.

    The i-th evaluation may mislead by 1/(i(i+1)) of what the level allows, its tasks sharing it: so the level holds for
    all evaluations there will ever be.
    """
    for place in range(history.size):
        values = history.values[place][~np.isnan(history.values[place])]
        chance = (1 - claim.level) / ((place + 1) * (place + 2)) / len(values)
        if any(without_noise(plan, float(value), chance)[0] > claim.limit for value in values):
            return True
    return False


@dataclass(frozen=True, slots=True)
class RegionFound:
    """The region of high deviation around the worst point, and how evaluations at random within it came out.

    Of `tried`, `confirmed` deviated at least as much as the threshold that held when they were chosen; the share of the
    region that does lies between `low` and `high`, at 95 %.
    """

    share: float
    threshold: float
    volume: float
    extent: dict[str, Json]
    tried: int
    confirmed: int
    low: float
    high: float
    level: float = 0.95
    method: str = "Clopper-Pearson"


def region_found(plan: Plan, history: History, region: Region) -> RegionFound:
    """Count the evaluations that were made to confirm a region."""
    tried = confirmed = 0
    size = plan.deviation.size(history.values)
    for place, record in enumerate(history.records):
        note = record.note
        if note.get("phase") == "confirm":
            tried += 1
            confirmed += bool(size[place, note["task"]] >= note["threshold"])
    interval = clopper_pearson(confirmed, tried, level=0.95) if tried else None
    low, high = (0.0, 1.0) if interval is None else (float(interval.low), float(interval.high))
    return RegionFound(SHARE, region.threshold, region.volume, region.extent, tried, confirmed, low, high)


@dataclass(frozen=True, slots=True)
class AboveShare:
    """The share of the space that deviates more than a limit, from uniformly random evaluations and nothing else."""

    threshold: float
    low: float
    high: float
    level: float
    method: str
    n: int


def above_share(plan: Plan, history: History, claim: Claim) -> AboveShare | None:
    """Return what the random evaluations say without any surrogate; valid while you watch.

    None where outputs are priced alone: such an evaluation does not tell whether another output deviates there.
    """
    size = plan.deviation.size(history.values)
    checks = [place for place, record in enumerate(history.records) if record.note.get("phase") == "check"]
    if not checks or plan.alone:
        return None
    above = sum(bool(np.nanmax(size[place]) > claim.limit) for place in checks)
    interval = rate_sequence(above, len(checks), level=claim.level)
    low, high, method = float(interval.low), float(interval.high), "rate sequence, valid while you watch"
    return AboveShare(claim.limit, low, high, claim.level, method, len(checks))


def tables(plan: Plan, history: History) -> dict[str, Json]:
    """Return the evaluations as figures need them: in order, by task, and their inputs."""
    size = plan.deviation.size(history.values)
    largest: Floats = np.nanmax(size, axis=1) if history.size else np.empty(0)
    task = np.nanargmax(size, axis=1) if history.size else np.empty(0, dtype=np.int64)
    notes = [record.note for record in history.records]
    values = [plan.space.values(point) for point in history.points]
    by_task: list[Json] = []
    for place, name in enumerate(plan.tasks):
        own = history.of_task(place)
        top = int(own[int(np.argmax(size[own, place]))]) if len(own) else None
        asked = len(own) if plan.alone else int(np.sum(task == place))
        deviation, point = (None, None) if top is None else (float(size[top, place]), values[top])
        row: dict[str, Json] = {"task": name, "evaluations": asked, "worst": deviation, "point": point}
        if plan.scales is not None and not plan.deviation.folds:
            row["scale"] = plan.scale_of(place)
            row["own_unit"] = None if top is None else in_own_unit(plan, place, float(history.values[top, place]))
        by_task.append(row)
    path: dict[str, Json] = {
        "answer": list(range(1, history.size + 1)),
        "deviation": largest.tolist(),
        "task": [plan.tasks[index] for index in task],
        "best": np.maximum.accumulate(largest).tolist(),
        "phase": [note.get("phase", "search") for note in notes],
        "expected": [note.get("promise") for note in notes],
    }
    if any("seen" in note for note in notes):
        path["seen"] = [bool(note.get("seen")) for note in notes]
    inputs: dict[str, Json] = {name: [value[name] for value in values] for name in plan.space.names}
    return {"path": path, "by_task": by_task, "inputs": inputs}
