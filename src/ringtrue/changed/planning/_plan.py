"""How many calls a question about a change takes, planned from the old answers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from ringtrue.changed._baseline import Floats
from ringtrue.changed._census import Census
from ringtrue.changed.planning._detection import calls_to_decide, calls_to_see, calls_to_see_drop, calls_to_stop, fewest
from ringtrue.changed.planning._precision import (
    assumed_answers,
    masa_error,
    oneshot_error,
    paired_error,
    uniform_error,
)
from ringtrue.core import Argument, InvalidInput, Json, count, percent, plain

_ERRORS: Mapping[str, Callable[[Census, Floats, int], float]] = {
    "paired": paired_error,
    "oneshot": oneshot_error,
    "uniform": uniform_error,
    "masa": masa_error,
}
_AT_MOST = 10_000_000
"""A method that may ask for an item again is not planned for more calls than this."""


@dataclass(frozen=True, slots=True)
class ShiftCase:
    """What to expect if this share of all answers changed; None where it was not asked for or cannot be.

    `first_half` and `first_most` are the calls after which a changed answer has been seen in half of all studies, and
    with the level as its chance. `calls` are, by method, those that bring the mean error of the shift down to the one
    wanted; `known` are those after which a study by the paired method knows it, at the level, and stops. `claim` are
    those within which half of all studies know whether "change <= limit". `drop_watched` and `drop_once` are the calls
    to know that the accuracy changed by the drop: in half of all studies while watching, and in a sample looked at
    once (power 80%).
    """

    share: float
    first_half: int | None
    first_most: int | None
    calls: Mapping[str, int] | None
    known: int | None
    claim: int | None
    drop_watched: int | None
    drop_once: int | None


@dataclass(frozen=True, slots=True)
class ShiftPlan:
    """Calls by the share of answers that changed; prints as a table for each thing asked for."""

    items: int
    labelled: bool
    level: float
    error: float | None
    change: float | None
    accuracy_drop: float | None
    cases: tuple[ShiftCase, ...]

    def __str__(self) -> str:
        such = "such labels" if self.labelled else "in general"
        parts = [
            f"calls to a new model on {count(self.items, 'item')}, by the share of answers that changed;",
            f"what changes is taken to be answered anew as the old model answers {such}",
            "",
            "until the first changed answer is seen, which is proof if the same question always gets the same answer:",
            *_table(
                ["changed", "half of studies", percent(self.level)],
                [[percent(c.share), _calls(c.first_half), _calls(c.first_most)] for c in self.cases],
            ),
        ]
        if self.error is not None:
            parts += ["", f"until the shift has a mean error of {percent(self.error)}:"]
            rows = [[percent(c.share), *map(_calls, [*(c.calls or {}).values(), c.known])] for c in self.cases]
            parts += _table(["changed", *_ERRORS, f"paired, known at {percent(self.level)}"], rows)
        if self.change is not None:
            parts += ["", f"until it is known whether change <= {percent(self.change)} at {percent(self.level)}:"]
            rings = ["rings true" if c.share <= self.change else "rings false" for c in self.cases]
            rows = [[percent(c.share), _calls(c.claim), ring] for c, ring in zip(self.cases, rings, strict=True)]
            parts += _table(["changed", "half of studies", "the claim"], rows)
        if self.accuracy_drop is not None:
            parts += ["", f"until a change of the accuracy by {percent(self.accuracy_drop)} is known:"]
            rows = [[percent(c.share), _calls(c.drop_watched), _calls(c.drop_once)] for c in self.cases]
            parts += _table(["changed", "watched, half of studies", "looked at once, 80%"], rows)
        return "\n".join(parts)

    def to_json(self) -> dict[str, Json]:
        """Return the plan as values that JSON can hold."""
        return {name: plain(value) for name, value in asdict(self).items()}


def plan_shift(
    census: Census,
    *,
    error: float | None = None,
    change: float | None = None,
    accuracy_drop: float | None = None,
    level: float = 0.95,
    rates: Sequence[float] = (0, 0.01, 0.05, 0.2),
) -> ShiftPlan:
    """Plan the calls for an `error` of the shift, a claim `change` <= limit, or to see an `accuracy_drop`.

    Nothing of the new model is known, so that the calls are planned for each share of changed answers in `rates`, and
    for changes as `assumed_answers` has them. Changes that gather elsewhere, such as an update that nearly only mends
    errors, take fewer calls, down to half. A study has the mean `error` long before it can be sure of it: "known"
    counts the calls until its own stopping rule holds, in a few simulated studies. All else is computed.

    >>> from ringtrue.changed._baseline import Baseline
    >>> old, truth = ["a"] * 900 + ["b"] * 1100, ["a"] * 800 + ["b"] * 1000 + ["a"] * 200
    >>> census, _ = Census.take(Baseline.of(old=old, truth=truth))
    >>> print(plan_shift(census, error=0.01, change=0.01, rates=[0, 0.05]))  # doctest: +ELLIPSIS
    calls to a new model on 2,000 items, by the share of answers that changed;
    what changes is taken to be answered anew as the old model answers such labels
    <BLANKLINE>
    until the first changed answer is seen, which is proof if the same question always gets the same answer:
    changed  half of studies    95%
         0%            never  never
         5%               14     58
    <BLANKLINE>
    until the shift has a mean error of 1%:
    changed  paired  oneshot  uniform   masa  paired, known at 95%
         0%       1        1    1,418  1,916 ...
         5%     457      523    1,418  1,916 ...
    <BLANKLINE>
    until it is known whether change <= 1% at 95%:
    changed  half of studies    the claim
         0%              332   rings true
         5%               93  rings false

    Parameters
    ----------
    census
        The pool as it was counted.
    error
        The mean Frobenius norm of what the estimated shift of the confusion matrix may be off by.
    change
        The limit of a claim on the share of changed answers.
    accuracy_drop
        The drop of the accuracy that is to be seen.
    level
        The level of what is known.
    rates
        Shares of changed answers, a row of the plan each.
    """
    for name, value in (("error", error), ("accuracy_drop", accuracy_drop)):
        if value is not None and not 0 < value < 1:
            raise InvalidInput(Argument(name, value), " must lie strictly between 0 and 1: write 0.01 for 1%")
    if change is not None and not 0 <= change < 1:
        raise InvalidInput(f"change={change:g} must lie in [0, 1): write 0.01 for 1%, and 0 for no change at all")
    if not 0 < level < 1:
        raise InvalidInput(f"level={level:g} must lie strictly between 0 and 1: write 0.95 for 95%")
    if not len(rates) or not all(0 <= rate <= 1 for rate in rates):
        raise InvalidInput(f"rates={list(rates)!r} must be shares in [0, 1], one at least: write 0.05 for 5%")
    if accuracy_drop is not None and not census.labelled:
        raise InvalidInput(f"accuracy_drop={accuracy_drop:g} needs true labels: name their column, or leave it out")

    def case(share: float) -> ShiftCase:
        size, calls, known = census.size, None, None
        if error is not None:
            means = assumed_answers(census, share)
            calls = {name: _reach(name, census, means, error) for name in _ERRORS}
            known = calls_to_stop(census, means, error, level)
        claim = None if change is None else calls_to_decide(size, share, change, level)
        seen = None if accuracy_drop is None else calls_to_see_drop(size, share, accuracy_drop, level)
        half, most = (calls_to_see(size, share, chance) for chance in (0.5, level))
        return ShiftCase(share, half, most, calls, known, claim, *(seen or (None, None)))

    cases = tuple(case(float(share)) for share in rates)
    return ShiftPlan(census.size, census.labelled, level, error, change, accuracy_drop, cases)


def _reach(name: str, census: Census, means: Floats, error: float) -> int:
    """Return the calls from which on the error is small enough.

    After very few calls it may be small as well, because an estimate that has seen nothing says that nothing changed.
    """
    most = _AT_MOST if name == "masa" else census.size

    def holds(calls: int) -> bool:
        return _ERRORS[name](census, means, calls) <= error

    after = most
    while after > 1 and holds(after // 2):
        after //= 2
    before = after // 2
    return before + fewest(lambda more: holds(before + more), after - before)


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    return ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in [head, *rows]]


def _calls(number: int | None) -> str:
    return "never" if number is None else f"{number:,}"
