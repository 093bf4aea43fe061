"""The parts of a finding that are told in numbers: the worst point, the region around it, the share above a limit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Claim, Json
from ringtrue.stats import clopper_pearson, rate_sequence
from ringtrue.worst._beliefs import Panel
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import History, noted
from ringtrue.worst._next_point import is_noisy
from ringtrue.worst._plan import Plan
from ringtrue.worst._region import SHARE, Region
from ringtrue.worst._worst_so_far import WorstSoFar


@dataclass(frozen=True, slots=True)
class WorstPoint:
    """The largest deviation measured: which evaluation, where, of which task, and what both sides said.

    `low` and `high` hold the deviation there without noise, at 95 % and allowing for having picked the largest; both
    are the deviation itself where evaluations have no noise to speak of, or there is no surrogate yet to tell.
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

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def worst_point(plan: Plan, history: History, worst: WorstSoFar, panel: Panel | None) -> WorstPoint:
    """The worst evaluation, with its noise where a surrogate tells of it."""
    record = history.records[worst.place]
    low = high = worst.deviation
    if panel is not None and is_noisy(panel):
        low, high = noiseless(plan, panel, history, worst, level=0.95)
    said = record.predicted["label"] if isinstance(record.predicted, dict) and "label" in record.predicted else None
    return WorstPoint(
        record.number, worst.place + 1, plan.space.values(history.points[worst.place]), plan.tasks[worst.task],
        worst.deviation, worst.value if plan.deviation.signed else None, said, record.value, low, high,
        None if panel is None else float(panel.noise[0]),
    )  # fmt: skip


def noiseless(plan: Plan, panel: Panel, history: History, worst: WorstSoFar, level: float) -> tuple[float, float]:
    """Where the deviation at the worst evaluation lies, by the surrogate and apart from noise.

    The largest of several noisy values is picked, so the band is as wide as if each of them were claimed.
    """
    tried = max(1, int(np.sum(~np.isnan(history.values))))
    width = -float(ndtri((1 - level) / 2 / tried))
    found = panel.predict(history.units[worst.place][None])
    mean, reach = float(found.mean[0, 0]), width * float(found.sd[0, 0])
    if not plan.deviation.signed:
        return mean - reach, mean + reach
    sizes = plan.deviation.size(np.array([max(0.0, abs(mean) - reach), abs(mean) + reach]))
    return float(sizes[0]), float(sizes[1])


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

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def region_found(plan: Plan, history: History, region: Region) -> RegionFound:
    """A region with the evaluations that were made to confirm it."""
    tried = confirmed = 0
    size = plan.deviation.size(history.values)
    for place, record in enumerate(history.records):
        note = noted(record)
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

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def above_share(plan: Plan, history: History, claim: Claim) -> AboveShare | None:
    """What the random evaluations say without any surrogate; valid while you watch."""
    size = plan.deviation.size(history.values)
    checks = [place for place, record in enumerate(history.records) if noted(record).get("phase") == "check"]
    if not checks:
        return None
    above = sum(bool(np.nanmax(size[place]) > claim.limit) for place in checks)
    interval = rate_sequence(above, len(checks), level=claim.level)
    return AboveShare(
        claim.limit,
        float(interval.low),
        float(interval.high),
        claim.level,
        "rate sequence, valid while you watch",
        len(checks),
    )


def tables(plan: Plan, history: History) -> dict[str, Json]:
    """The evaluations for figures: in order, by task, and their inputs."""
    size = plan.deviation.size(history.values)
    largest: Floats = np.nanmax(size, axis=1) if history.size else np.empty(0)
    task = np.nanargmax(size, axis=1) if history.size else np.empty(0, dtype=np.int64)
    notes = [noted(record) for record in history.records]
    values = [plan.space.values(point) for point in history.points]
    by_task: list[Json] = []
    for place, name in enumerate(plan.tasks):
        own = history.of_task(place)
        top = int(own[int(np.argmax(size[own, place]))]) if len(own) else None
        asked = len(own) if plan.alone else int(np.sum(task == place))
        by_task.append({
            "task": name, "evaluations": asked, "worst": None if top is None else float(size[top, place]),
            "point": None if top is None else values[top],
        })  # fmt: skip
    path: dict[str, Json] = {
            "answer": list(range(1, history.size + 1)), "deviation": largest.tolist(),
            "task": [plan.tasks[index] for index in task], "best": np.maximum.accumulate(largest).tolist(),
            "phase": [note.get("phase", "search") for note in notes],
            "expected": [note.get("promise") for note in notes],
    }  # fmt: skip
    inputs: dict[str, Json] = {name: [value[name] for value in values] for name in plan.space.names}
    return {"path": path, "by_task": by_task, "inputs": inputs}
