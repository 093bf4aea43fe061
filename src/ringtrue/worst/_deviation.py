"""The deviation of a model's answer from the gold standard's: the number that the search makes as large as it can."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.core import InvalidInput, Json, count, is_rounding, label_of, same_label
from ringtrue.worst._arrays import Floats

_HUGE = 1e150
"""Beyond this a square overflows."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A measure of deviation. `measure` turns what the model and the gold standard said into one number per task.

    Where it is `signed`, that number is the model's output less the gold standard's: the surrogate learns it as it is,
    since folding it first makes a rougher function, and both of its tails are searched. `folds` says that all outputs
    become one number, and `needs_model` that there is something to compare with.
    """

    name: str
    measure: Callable[[Json, Json], list[float]]
    signed: bool = False
    folds: bool = False
    needs_model: bool = True

    def size(self, values: Floats) -> Floats:
        """Return the deviation that measured values amount to: never below zero where they are signed."""
        if not self.signed:
            return values
        return values**2 if self.name == "squared" else np.abs(values)

    def magnitude(self, deviation: float) -> float:
        """Return the size of a measured value that amounts to this deviation.

        >>> DEVIATIONS["squared"].magnitude(9.0)
        3.0
        """
        return math.sqrt(max(deviation, 0.0)) if self.name == "squared" else deviation


def numbers(value: Json, who: str) -> list[float]:
    """Return an answer as a list of finite numbers; one number is a list of one.

    >>> numbers({"label": [1, 2.5]}, "the model"), numbers(3, "the model")
    ([1.0, 2.5], [3.0])
    """
    said = label_of(value)
    cells = said if isinstance(said, list) else [said]
    try:
        found = [float(cell) for cell in cells]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = []
    if not found or any(isinstance(cell, bool | str) for cell in cells):
        raise InvalidInput(f"{who} answered {said!r:.80}: give one number, or a list with one per output")
    if not all(abs(number) < _HUGE for number in found):
        raise InvalidInput(
            f"{who} answered {said!r:.80}: give finite numbers below {_HUGE:g}, or None where it cannot tell"
        )
    return found


def _differences(model: Json, gold: Json) -> list[float]:
    said, truth = numbers(model, "the model"), numbers(gold, "the gold standard")
    if len(said) != len(truth):
        raise InvalidInput(
            f"the model gave {count(len(said), 'output')} and the gold standard {len(truth)}: give as many, in order"
        )
    return [_less(one, other) for one, other in zip(said, truth, strict=True)]


def _less(one: float, other: float) -> float:
    """Return the difference of two numbers; zero where it is rounding.

    >>> _less(0.1 + 0.2, 0.3), _less(1.0, 0.75)
    (0.0, 0.25)
    """
    return 0.0 if is_rounding(one - other, max(abs(one), abs(other))) else one - other


def _rmse(model: Json, gold: Json) -> list[float]:
    found = _differences(model, gold)
    return [math.sqrt(math.fsum(one**2 for one in found) / len(found))]


def _mismatch(model: Json, gold: Json) -> list[float]:
    said, truth = (label if isinstance(label := label_of(side), list) else [label] for side in (model, gold))
    if not truth or len(said) != len(truth):
        raise InvalidInput(
            f"the model gave {count(len(said), 'label')} and the gold standard {len(truth)}: give as many, at least one"
        )
    return [sum(not same_label(one, other) for one, other in zip(said, truth, strict=True)) / len(truth)]


def _given(_: Json, gold: Json) -> list[float]:
    return numbers(gold["deviation"] if isinstance(gold, dict) and "deviation" in gold else gold, "the gold standard")


DEVIATIONS: Mapping[str, Deviation] = {
    one.name: one
    for one in (
        Deviation("absolute", _differences, signed=True),
        Deviation("squared", _differences, signed=True),
        Deviation("rmse", _rmse, folds=True),
        Deviation("mismatch", _mismatch, folds=True),
        Deviation("given", _given, needs_model=False),
    )
}
"""The measures by name: per output, or all outputs folded into one number; "given" is what the oracle says itself."""


def divided(answer: Json, who: str, scales: Sequence[float]) -> list[float]:
    """Return the numbers of an answer, each divided by the scale of its output.

    >>> divided([700.0, 0.5], "the model", [50.0, 0.01])
    [14.0, 50.0]
    """
    told = numbers(answer["deviation"] if isinstance(answer, dict) and "deviation" in answer else answer, who)
    if len(told) != len(scales):
        raise InvalidInput(
            f"{who} gave {count(len(told), 'output')} for {count(len(scales), 'scale')}: give a scale for each output, "
            "in order"
        )
    return [one / scale for one, scale in zip(told, scales, strict=True)]


def measured_values(deviation: Deviation, model: Json, gold: Json, tasks: int) -> list[float]:
    """Return the measured values of all tasks, where one evaluation reveals them."""
    measured = deviation.measure(model, gold)
    if len(measured) != tasks:
        raise InvalidInput(
            f"an evaluation gave {count(len(measured), 'output')} for {count(tasks, 'task')}: give one per task"
        )
    return measured


def measured_value(deviation: Deviation, model: Json, gold: Json) -> float:
    """Return the measured value of the one task that the gold standard was asked about."""
    measured = deviation.measure(model, gold)
    if len(measured) != 1:
        raise InvalidInput(
            f"the gold standard gave {count(len(measured), 'number')} for one task: give the one that was asked"
        )
    return measured[0]


def model_output(deviation: Deviation, model: Json, task: int, tasks: int) -> Json:
    """Return what the model said of the task at this place, whether it answered for all of them or for this one."""
    if not deviation.needs_model:
        return None
    check_outputs(deviation, model, tasks, alone=True)
    outputs = numbers(model, "the model")
    return outputs[task if len(outputs) == tasks else 0]


def check_outputs(deviation: Deviation, model: Json, tasks: int, *, alone: bool) -> None:
    """Refuse a model's answer that could not be compared, before the gold standard is paid for."""
    if not deviation.signed:
        if deviation.name == "rmse":
            numbers(model, "the model")
        return
    outputs = len(numbers(model, "the model"))
    if outputs != tasks and not (alone and outputs == 1):
        one = "one, or one per task" if alone else "one per task"
        raise InvalidInput(
            f"the model gave {count(outputs, 'output')} for {count(tasks, 'task')}: give {one}, in order"
        )
