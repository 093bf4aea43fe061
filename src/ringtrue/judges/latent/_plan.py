"""How many judges and how many unlabelled items an evaluation needs, before any vote is paid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.core import Argument, InvalidInput, count, percent
from ringtrue.judges._evaluation import Evaluation, Floats, Target, Values, check_target
from ringtrue.judges.latent._information import information

MOST_JUDGES = 12
"""Panels up to this size are planned: their patterns can all be listed."""

_ENDLESS = 1e12
"""More items than this are called endless; judges no better than chance need infinitely many."""


@dataclass(frozen=True, slots=True)
class PanelCase:
    """The items that a panel of this size needs; None stands for no number of items.

    `prevalence_items` and `accuracy_items` bring the standard error of the prevalence, and of every accuracy of
    every judge, down to the error planned for. With a number of items given, `error` is the standard error of the
    prevalence they leave, and `worth` the number of items with which the plan's first panel is as precise.
    """

    judges: int
    prevalence_items: int | None
    accuracy_items: int | None
    error: float | None
    worth: int | None


@dataclass(frozen=True, slots=True)
class PanelPlan(Values):
    """Items by number of judges, and the fewest judges for the items at hand; prints as a small table."""

    accuracies: tuple[tuple[float, float], ...]
    prevalence: float
    error: float
    target: Target
    items: int | None
    cases: tuple[PanelCase, ...]
    judges_needed: int | None

    def __str__(self) -> str:
        head = ["judges", "for the prevalence", "for every accuracy"]
        rows = [[f"{c.judges}", _items(c.prevalence_items), _items(c.accuracy_items)] for c in self.cases]
        if self.items is not None:
            head += [f"error with {self.items:,}", f"as {self.cases[0].judges} judges with"]
            for row, case in zip(rows, self.cases, strict=True):
                row += ["unbounded" if case.error is None else percent(case.error), _items(case.worth)]
        widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
        lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in [head, *rows]]
        first = (
            f"unlabelled items for a standard error of {percent(self.error)} {self.target}, "
            f"if {percent(self.prevalence)} have the first label"
        )
        second = f"and judges, right {_accuracies(self.accuracies)}, err independently:"
        return "\n".join([first, second, *lines, *self._needed()])

    def _needed(self) -> list[str]:
        if self.items is None:
            return []
        if self.judges_needed is None:
            return [f"{count(self.items, 'item')} do not suffice for the prevalence with up to {MOST_JUDGES} judges"]
        needed = count(self.judges_needed, "judge")
        return [f"{count(self.items, 'item')} suffice for the prevalence with {needed}"]


def plan_panel(
    accuracy: float | Sequence[float] | Sequence[tuple[float, float]],
    *,
    prevalence: float = 0.3,
    judges: Sequence[int] = (3, 4, 5, 7, 10),
    error: float = 0.02,
    items: int | None = None,
    target: Target = "in general",
) -> PanelPlan:
    """Plan a panel of two labels by Fisher information: exact for many items, and if judges err independently.

    >>> print(plan_panel(0.8, judges=(3, 5), items=1000))
    unlabelled items for a standard error of 2% in general, if 30% have the first label
    and judges, right 80% of the time, err independently:
    judges  for the prevalence  for every accuracy  error with 1,000  as 3 judges with
         3               2,885               4,780              3.4%             1,000
         5                 938               2,135             1.94%             3,079
    1,000 items suffice for the prevalence with 5 judges

    Here two more judges are worth 2,079 more items. With judges hardly better than chance the numbers are too small:
    there the likelihood is not a parabola until there are many more items.

    Parameters
    ----------
    accuracy
        One for all judges, or a list with one for each, or with a pair for each (on the first label, on the second). A
        larger panel takes the list again from its start.
    prevalence
        The share of the first label.
    judges
        The numbers of judges to compare.
    error
        The standard error wanted.
    items
        The items at hand, to see what they do with each number of judges: whether to add judges or items.
    target
        "in general" for items like these, "on this test" for these very items.
    """
    pairs = _pairs(accuracy)
    sizes = _sizes(judges, len(pairs), listed=not isinstance(accuracy, int | float))
    if not 0 < prevalence < 1:
        raise InvalidInput(Argument("prevalence", prevalence), " must lie strictly between 0 and 1: write 0.3 for 30%")
    if not 0 < error < 1:
        raise InvalidInput(Argument("error", error), " must lie strictly between 0 and 1: write 0.02 for 2 points")
    if items is not None and items < 1:
        raise InvalidInput(f"items={items} must be at least 1: give the number of items, or leave it out")
    check_target(target)
    variances = {size: _variances(pairs, size, prevalence, target) for size in sizes}
    base = variances[sizes[0]][0]
    cases = []
    for size, variance in variances.items():
        needs = _needs(variance[0], error)
        left: tuple[float | None, int | None] = None, None
        if items is not None and needs is not None:
            left = math.sqrt(variance[0] / items), _needs(base * items, math.sqrt(variance[0]))
        cases.append(PanelCase(size, needs, _needs(float(variance[1:].max()), error), *left))
    needed, most = None, 0.0 if items is None else items * error**2
    if items is not None:
        tried = range(3, MOST_JUDGES + 1)
        needed = next((n for n in tried if _variances(pairs, n, prevalence, target)[0] <= most), None)
    return PanelPlan(pairs, float(prevalence), float(error), target, items, tuple(cases), needed)


def _variances(pairs: tuple[tuple[float, float], ...], size: int, prevalence: float, target: Target) -> Floats:
    """Return the variance of the prevalence and of each accuracy, times the number of items."""
    accuracies = np.array([pairs[place % len(pairs)] for place in range(size)])
    names = tuple(str(place) for place in range(size))
    panel = Evaluation.binary(names, ("first", "second"), prevalence, accuracies, "assumed")
    variances: Floats = np.diagonal(information(panel).covariance(target)).copy()
    return variances


def _needs(variance: float, error: float) -> int | None:
    """Count the items that bring a variance per item down to a standard error."""
    items = variance / error**2
    return None if items > _ENDLESS else max(1, math.ceil(items - 1e-6))


def _pairs(accuracy: float | Sequence[float] | Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    entries = [accuracy] if isinstance(accuracy, int | float) else list(accuracy)
    try:
        pairs = [(float(e), float(e)) if np.ndim(e) == 0 else (float(e[0]), float(e[1])) for e in entries]  # type: ignore[index,arg-type]
        fine = bool(pairs) and all(0 <= value <= 1 for pair in pairs for value in pair)
        fine = fine and all(np.ndim(entry) == 0 or len(entry) == 2 for entry in entries)  # type: ignore[arg-type]
    except (TypeError, ValueError, IndexError):
        fine = False
    if not fine:
        raise InvalidInput(
            Argument("accuracy", accuracy),
            " must be a share, a list of shares or a list of pairs of them: write 0.8, or "
            "[0.8, 0.9], or [(0.8, 0.9), (0.7, 0.7)]",
        )
    return tuple(pairs)


def _sizes(judges: Sequence[int], given: int, *, listed: bool) -> list[int]:
    sizes = sorted({int(size) for size in judges} | ({given} if listed and 3 <= given <= MOST_JUDGES else set()))
    if not sizes or sizes[0] < 3 or sizes[-1] > MOST_JUDGES:
        raise InvalidInput(
            Argument("judges", list(judges)),
            f" must be numbers from 3 to {MOST_JUDGES}: fewer cannot be evaluated by votes alone, more are not planned",
        )
    return sizes


def _items(number: int | None) -> str:
    return "endless" if number is None else f"{number:,}"


def _accuracies(pairs: tuple[tuple[float, float], ...]) -> str:
    if len(set(pairs)) == 1 and pairs[0][0] == pairs[0][1]:
        return f"{percent(pairs[0][0])} of the time"
    texts = [percent(a) if a == b else f"{percent(a)}/{percent(b)}" for a, b in pairs]
    return f"{', '.join(texts)} of the time"
