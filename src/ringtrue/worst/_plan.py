"""The settings that the policy and the estimator share: where to search, how and how long."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ringtrue.core import Argument, Claim, InvalidInput, Json
from ringtrue.worst._arrays import Floats
from ringtrue.worst._deviation import Deviation, divided
from ringtrue.worst._training import Training
from ringtrue.worst.rules import DEFAULT, RULES
from ringtrue.worst.spaces import Choice, SearchSpace, TaskSpace

Priced = Literal["together", "alone"]

TOGETHER = "joint"
"""The rule where one evaluation reveals every output: the largest expected improvement, whichever output gives it."""

PLAIN = ("random", "sobol")
"""Baselines that learn nothing."""

PUBLISHED = ("exp3bo", "exp3bo-safe", "round-robin", "random-task")
"""Rules that spend every evaluation as their authors did."""

ACQUISITIONS = ("improvement", "upper-bound")

CONFIRMING = 5
"""Evaluations at the end that try the region around the worst point, at most; a tenth of a small budget."""

CHECKING, UNCLAIMED = 5, 10
"""One evaluation in so many is made at a uniformly random point, to check the surrogate: with a claim, and without."""

EDITION = 2
"""The way in which searches are made now. Studies of edition 1 go on as they began: the model is asked only where the
gold standard is, one evaluation in five is made at random, and five confirm, whatever the budget."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One search: the arguments of `Worst`, checked, and with defaults filled in.

    `initial` is the number of evaluations before the surrogate is asked.
    """

    name: str
    space: SearchSpace
    tasks: tuple[str, ...]
    deviation: Deviation
    priced: Priced
    evaluations: int
    rule: str
    acquisition: str
    kernel: str
    initial: int
    input_noise: Mapping[str, float] | None
    claim: Claim | None
    after: tuple[str, ...] = ()
    noise: float = 0.0
    model_queries: int | None = None
    edition: int = EDITION
    scales: Mapping[str, float] | None = None
    training: Training | None = None

    @property
    def scale_row(self) -> tuple[float, ...] | None:
        """The scales in the order in which both sides give their outputs; None without any."""
        return None if self.scales is None else tuple(self.scales.values())

    def scale_of(self, task: int) -> float:
        """Return what one unit of a task's deviation is in the unit of its output; 1 where outputs are folded."""
        return 1.0 if self.scale_row is None or self.deviation.folds else self.scale_row[task]

    def scaled(self, answer: Json, who: str, task: int | None = None) -> Json:
        """Return an answer with every output divided by its scale; `task` is the one that it is about, if it is one."""
        row = self.scale_row
        return answer if row is None else [*divided(answer, who, row if task is None else row[task : task + 1])]

    @property
    def knows_gold(self) -> bool:
        """True if training data tell what the gold standard says at some points, and the search goes by it."""
        return self.sees_model and self.training is not None and self.training.gold is not None

    @property
    def before_sight(self) -> int:
        """The number of evaluations before the next is chosen with the model in sight.

        The gold standard is smoother than a deviation, so that half as many as for that will do; with training data it
        is known already. Where tasks are priced alone, an evaluation tells of one task only.
        """
        if self.knows_gold:
            return 1
        return self.initial if self.alone else min(self.initial, max(6, self.space.width))

    @property
    def begins_trained(self) -> bool:
        """True if the first evaluation is made where the training data deviate worst."""
        return self.training is not None and len(self.training.points) > 0

    @property
    def trained_task(self) -> int:
        """The task in which the training data deviate worst, where tasks are priced alone; else all of them."""
        return self.training.task if self.training is not None and self.alone else -1

    @property
    def trained(self) -> Floats:
        """The place in the unit cube where the training data deviate worst."""
        assert self.training is not None
        place: Floats = self.space.snap(self.space.encode(self.training.points[:1]))[0]
        return place

    @property
    def spread(self) -> Floats | None:
        """The standard deviations of the input noise in the unit cube; None without any."""
        return encoded_spread(self.space, self.input_noise)

    @property
    def asked_space(self) -> SearchSpace | TaskSpace:
        """The space of the queries: with the task where an evaluation asks about one."""
        return TaskSpace(self.space, self.tasks) if self.alone else self.space

    @property
    def alone(self) -> bool:
        return self.priced == "alone"

    @property
    def learns(self) -> bool:
        """True if the search goes by a surrogate."""
        return self.rule not in PLAIN

    @property
    def sees_model(self) -> bool:
        """True if what the model says, wherever it is asked, tells where the deviation may be large.

        Rules that were published search as their authors did. The worst average over inputs that vary is that of the
        model, too, which no surrogate has.
        """
        compared = self.deviation.signed or self.deviation.name == "rmse"
        as_published = self.alone and self.rule in PUBLISHED
        willing = self.edition > 1 and self.model_queries != 0
        return self.learns and compared and willing and not self.input_noise and not as_published

    @property
    def takes_turns(self) -> bool:
        """True if several outputs take turns, each searched for a larger deviation than its own largest.

        By the largest of all alone, a search would refine the first high peak, and never see that another output has a
        higher one.
        """
        by_default = self.rule == (DEFAULT if self.alone else TOGETHER)
        return self.edition > 1 and len(self.tasks) > 1 and by_default

    @property
    def pools_shapes(self) -> bool:
        """True if each task's surrogate learns from all tasks priced alone how fast a task varies."""
        return self.edition > 1 and self.alone and len(self.tasks) > 1 and self.rule not in PUBLISHED

    @property
    def checks(self) -> bool:
        """True if some evaluations are made at random: always where a claim rests on the surrogate.

        They also keep a search from trusting a surrogate that is too sure of itself. Rules that choose among tasks
        priced alone do without them, unless there is a claim: an evaluation there tells of one task only.
        """
        return self.learns and (self.claim is not None or not self.alone)

    @property
    def confirming(self) -> int:
        """The number of evaluations kept for the region.

        None where the budget is too small to spare them, where nothing is learnt, or by a rule published without.
        """
        if self.alone and self.rule in PUBLISHED:
            return 0
        most = CONFIRMING if self.edition == 1 else min(CONFIRMING, self.evaluations // 10)
        return most if self.learns and self.evaluations >= self.initial + 4 * CONFIRMING else 0

    def phase(self, place: int, turn: int | None = None) -> Literal["initial", "search", "check", "confirm"]:
        """Say what the evaluation at this place, counted from 0, is for; `turn` also counts what was given up."""
        if place < self.initial:
            return "initial"
        if self.evaluations - self.confirming <= place < self.evaluations:
            return "confirm"
        every = CHECKING if self.claim is not None or self.edition == 1 else UNCLAIMED
        if self.checks and ((place if turn is None else turn) - self.initial) % every == every - 1:
            return "check"
        return "search"


def checked_count(argument: str, number: Any) -> int:
    """Return a whole number of at least 1; refuse anything else."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidInput(Argument(argument, number), " must be a whole number of at least 1")
    return number


def named(argument: str, name: str, known: Collection[str]) -> str:
    """Return a name that is one of those known; refuse any other."""
    if name not in known:
        raise InvalidInput(Argument(argument, name), f" is none of {', '.join(known)}: name one of them")
    return name


def chosen_rule(rule: str | None, priced: str) -> str:
    """Return the rule of this name, or the default for how evaluations are priced."""
    if priced not in ("together", "alone"):
        raise InvalidInput(
            Argument("priced", priced),
            ' must be "together" (an evaluation reveals all outputs) or "alone" (it reveals one)',
        )
    if rule is None:
        return TOGETHER if priced == "together" else DEFAULT
    known = (TOGETHER, *PLAIN) if priced == "together" else (*RULES, *PLAIN)
    if rule not in known:
        raise InvalidInput(
            Argument("rule", rule), " is none for ", Argument("priced", priced), f": name one of {', '.join(known)}"
        )
    return rule


def checked_scales(scales: Any, tasks: Sequence[str], deviation: Deviation) -> dict[str, float] | None:
    """Return the scale of every output, in the order of the outputs; None without any."""
    if not scales and scales is not False:
        return None
    told = Argument("scales", scales)
    if not isinstance(scales, Mapping):
        raise InvalidInput(told, " is not a table: give a number above 0 by output")
    if deviation.name == "mismatch":
        raise InvalidInput(told, ": labels that differ have no scale: leave it out, or use another deviation")
    for name, scale in scales.items():
        known = isinstance(scale, int | float) and not isinstance(scale, bool)
        if not known or not 0 < scale < float("inf"):
            raise InvalidInput(told, f": the scale of {name!r} is {scale!r}: give a finite number above 0")
    if deviation.folds:  # there is one task, and the outputs have no other names than these
        return {str(name): float(scale) for name, scale in scales.items()}
    for name in (*scales, *tasks):
        if name not in tasks:
            raise InvalidInput(told, f" names {name!r}, which is not an output: name {', '.join(tasks)}")
        if name not in scales:
            raise InvalidInput(told, f" has none for {name!r}: give one for every output, {', '.join(tasks)}")
    return {name: float(scales[name]) for name in tasks}


def encoded_spread(space: SearchSpace, input_noise: Mapping[str, float] | None) -> Floats | None:
    """Return standard deviations by parameter as those of the unit cube's coordinates; None where nothing varies."""
    if not input_noise:
        return None
    by_name = {parameter.name: parameter for parameter in space.parameters}
    for name, spread in input_noise.items():
        if name not in by_name:
            raise InvalidInput(
                f"input_noise names {name!r}, which is not a parameter: name some of {', '.join(by_name)}"
            )
        parameter = by_name[name]
        if isinstance(parameter, Choice) or parameter.log:
            kind = "a choice" if isinstance(parameter, Choice) else "on a log scale"
            raise InvalidInput(f"input_noise of {name!r}, which is {kind}: give it for numbers on a plain scale alone")
        if isinstance(spread, bool) or not isinstance(spread, int | float) or not 0 <= spread < float("inf"):
            raise InvalidInput(f"input_noise of {name!r} is {spread!r}: give a standard deviation of at least 0")
    spreads = [
        np.full(parameter.width, input_noise.get(parameter.name, 0.0) / (parameter.high - parameter.low))
        for parameter in space.parameters
    ]
    return np.concatenate(spreads)


def initial_size(space: SearchSpace, tasks: int, evaluations: int, *, alone: bool) -> int:
    """Count the evaluations that come before the surrogate: two per encoded coordinate and at least eight.

    Of a small budget it is a third, but three at least. Where tasks are priced alone, it is a few for each, and at most
    half of the budget, but one for each.
    """
    if alone and tasks > 1:
        return min(tasks * max(2, min(space.width, evaluations // (5 * tasks))), max(evaluations // 2, tasks))
    return max(3, min(max(2 * space.width, 8), evaluations // 3))
