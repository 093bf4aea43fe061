"""The searches that are compared: for the composition with the largest error over all phases, or of any phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alloy.proxy import Proxy
from alloy.space import SPACE
from kept_searches import Searched
from ringtrue.models import as_model
from ringtrue.worst import Trace, Training, Worst, simulate

Methods = Mapping[str, Mapping[str, Any]]
"""Searches by name: what of the question is not as it is by default."""

SINGLE: Methods = {"search": {}, "search, without training data": {"trained": False}, "random": {"rule": "random"}}
"""Searches for the largest root mean square over the phases."""

ALONE: Methods = {
    "default": {},
    "default, without training data": {"trained": False},
    "exp3bo": {"rule": "exp3bo", "acquisition": "upper-bound"},
    "round-robin": {"rule": "round-robin", "acquisition": "upper-bound"},
    "random-task": {"rule": "random-task", "acquisition": "upper-bound"},
}
"""Searches for the phase that deviates most, an evaluation of one phase. Upper bounds are what the paper's code has."""

TOGETHER: Methods = {
    "all phases": {},
    "all phases, without training data": {"trained": False},
    "all phases, random": {"rule": "random"},
}
"""The same, where an evaluation reveals all phases."""


def single(proxy: Proxy, evaluations: int, seed: int, **asked: Any) -> Searched:
    """A search for the largest root mean square deviation over the phases."""
    return _searched(proxy, single_question(proxy, evaluations, **asked), seed)


def alone(proxy: Proxy, evaluations: int, seed: int, *, trained: bool = True, **asked: Any) -> Searched:
    """A search for the largest deviation of any phase; an evaluation is of one phase."""
    if trained and "rule" not in asked:
        asked["training"] = known(proxy)
    question = Worst(SPACE, tasks=proxy.phases, priced="alone", evaluations=evaluations, **asked)
    return _searched(proxy, question, seed)


def together(proxy: Proxy, evaluations: int, seed: int, *, trained: bool = True, **asked: Any) -> Searched:
    """The same; an evaluation is of all phases."""
    if trained and "rule" not in asked:
        asked["training"] = known(proxy)
    return _searched(proxy, Worst(SPACE, tasks=proxy.phases, evaluations=evaluations, **asked), seed)


def oracle(proxy: Proxy, evaluations: int, seed: int, phase: str) -> Searched:
    """A search that was told the phase: what none can know that is priced alone."""
    place = proxy.phases.index(phase)
    training = known(proxy, place)
    trace = simulate(
        Worst(SPACE, tasks=(phase,), evaluations=evaluations, training=training),
        lambda values: answered(proxy, {**values, "task": phase}),
        model=as_model(lambda rows: proxy.predict(rows)[:, place]),
        seed=seed,
    )
    return Searched.of(_percents(trace), trace.deviations, np.full(evaluations, place))


def single_question(proxy: Proxy, evaluations: int, *, trained: bool = True, **asked: Any) -> Worst:
    """Where is the root mean square deviation over the phases largest?"""
    if trained and "rule" not in asked:
        deviations = np.sqrt(np.mean(proxy.on_training() ** 2, axis=1, keepdims=True))
        asked["training"] = Training.of(
            SPACE.decode(proxy.sample.points), gold=proxy.sample.scaled, deviations=deviations
        )
    return Worst(SPACE, deviation="rmse", evaluations=evaluations, **asked)


def known(proxy: Proxy, place: int | None = None) -> Training:
    """The training sample, with the amounts of all phases or of the one at a place."""
    own = slice(None) if place is None else slice(place, place + 1)
    return Training.of(
        SPACE.decode(proxy.sample.points),
        gold=proxy.sample.scaled[:, own],
        deviations=np.abs(proxy.on_training())[:, own],
    )


def answered(proxy: Proxy, values: Mapping[str, Any]) -> list[float] | float:
    """What the gold standard says; what the network says where it has no answer, so that none can be made of that."""
    found = proxy.found(values)
    if found is not None:
        return found
    said = proxy.predicted(values)
    return said[proxy.phases.index(values["task"])] if "task" in values else said


def _searched(proxy: Proxy, question: Worst, seed: int) -> Searched:
    trace = simulate(question, lambda values: answered(proxy, values), model=as_model(proxy.predict), seed=seed)
    return Searched.of(_percents(trace), trace.deviations, trace.tasks)


def _percents(trace: Trace) -> NDArray[np.float64]:
    return np.array([record.point for record in trace.records])[:, : SPACE.width]
