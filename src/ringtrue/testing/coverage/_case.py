"""The nouns of the coverage suite: a row of its page, a case that simulates rows, and how often they held."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import percent
from ringtrue.stats._bounds import Floats

Promise: TypeAlias = Literal["watched", "fixed", "about", "none", "below", "mean"]
Simulate: TypeAlias = Callable[[range, int], Mapping[str, NDArray[Any]]]
"""From the numbers of some studies and a seed to what held, by label: see `Case.simulate`."""

LEVEL = 0.95
ALLOWED = 0.02
"""An interval that is exact only in the limit may be this far from its level, on either side."""

ERRORS = 3.0
"""A promise counts as broken when it is missed by more than so many Monte Carlo standard errors."""


@dataclass(frozen=True, slots=True)
class Row:
    """One interval, or one claim that may be false, and what it promises: a line of the page.

    Parameters
    ----------
    question, name
        The package that it comes from; what it bounds, in words that a user meets, for a function its name.
    promise
        "watched" (it holds at all looks at once), "fixed" (at one look, chosen beforehand), "about" (its
        level, give or take two points), "none" (shown for comparison), "below" (a wrong way, shown as a warning: at
        the last look it must fall short of the level beyond chance) or "mean" (not an interval: a width or a power,
        for the details alone).
    level
        How often it must hold.
    shown
        Where users meet it: public functions, and fields of findings as `Finding.field`.
    """

    question: str
    name: str
    promise: Promise
    level: float = LEVEL
    shown: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return the promise in words."""
        if self.promise == "below":
            return f"stays below {percent(self.level)}"
        how = {"watched": "at every look", "fixed": "at one look", "about": "give or take 2 points"}
        return f"{percent(self.level)} {how[self.promise]}" if self.promise in how else "nothing"


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of study to simulate, and the rows that it tells of.

    Parameters
    ----------
    where
        What is simulated, in words; with the question it names the case, so that no two are alike.
    rows
        By label, the rows that the case tells of; several labels may tell of one row.
    simulate
        Called with a range of studies and the seed. Returns for each label an array (studies, looks) of what
        held, or (studies, looks, intervals) where a study has several intervals of one kind. Study number 7 comes
        out the same whichever others are asked for.
    seed, version
        Of this case's studies; another version says that others are simulated, and older results are not taken for it.
    looks
        What the columns are, in words; one that needs none is "".
    repetitions, chunk
        How many studies `make coverage` simulates, and how many at a time: a stop loses the chunk under way.
    seconds
        About how much processor time one study takes.
    """

    where: str
    rows: Mapping[str, Row]
    simulate: Simulate
    seed: int
    looks: tuple[str, ...] = ("",)
    repetitions: int = 200
    chunk: int = 50
    seconds: float = 0.1
    version: str = "1"

    @property
    def question(self) -> str:
        return next(iter(self.rows.values())).question

    @property
    def name(self) -> str:
        return f"{self.question}: {self.where}"

    @property
    def first(self) -> int:
        """How many of the first studies say whether other code comes out the same: a second of them, or five."""
        return min(self.repetitions, max(5, round(1 / self.seconds)))

    def held(self, numbers: range, *, seed: int | None = None) -> dict[str, Floats]:
        """Simulate some studies, and return what held by label."""
        held = self.simulate(numbers, self.seed if seed is None else seed)
        return {label: np.asarray(held[label], dtype=float) for label in self.rows}

    def count(self, numbers: range, *, seed: int | None = None) -> dict[str, Count]:
        """Simulate some studies and count what held."""
        return {label: Count.of(held) for label, held in self.held(numbers, seed=seed).items()}


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """How often an interval held, look by look: sums over studies of the share of a study's intervals that did.

    `squares` are the sums of the squared shares; None where they were not kept. They say how much intervals of one
    study hold or fail together.
    """

    repetitions: int
    intervals: int
    total: Floats
    squares: Floats | None

    @classmethod
    def of(cls, held: Floats) -> Count:
        """Count an array (studies, looks) or (studies, looks, intervals)."""
        shares = held.mean(axis=2) if held.ndim == 3 else held
        return cls(len(held), held.shape[2] if held.ndim == 3 else 1, shares.sum(axis=0), (shares**2).sum(axis=0))

    def __add__(self, other: Count) -> Count:
        squares = None if self.squares is None or other.squares is None else self.squares + other.squares
        return Count(self.repetitions + other.repetitions, self.intervals, self.total + other.total, squares)

    def is_like(self, other: Count) -> bool:
        """Return whether another count says the same, to the digits that are kept."""
        alike = (self.repetitions, self.intervals) == (other.repetitions, other.intervals)
        return alike and np.allclose(self.total, other.total, rtol=1e-6, atol=2e-6)

    @property
    def shares(self) -> Floats:
        """Return the coverage at each look."""
        return self.total / self.repetitions

    def errors(self, level: float) -> Floats:
        """Return the Monte Carlo standard error at each look of a coverage that equals the level.

        Where a study has several intervals it is what their shares vary by from study to study, if that is more than
        independent intervals would: those of one study go together.
        """
        known = self.squares is not None
        alone = math.sqrt(level * (1 - level) / self.repetitions / (self.intervals if known else 1))
        seen = np.zeros(len(self.total))
        if self.squares is not None and self.intervals > 1:
            seen = np.sqrt(np.maximum(self.squares / self.repetitions - self.shares**2, 0.0) / self.repetitions)
        return np.maximum(seen, alone)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Where an interval holds less often than it promises, or "about" its level and is not, beyond chance."""

    where: str
    row: Row
    share: float
    required: float

    def __str__(self) -> str:
        side = "at most" if self.share > self.required else "at least"
        found, wanted = percent(self.share), percent(self.required)
        return f"{self.row.question}, {self.row.name}: holds in {found}, where {side} {wanted} is needed ({self.where})"


def check(case: Case, *, repetitions: int | None = None, seed: int | None = None) -> list[Shortfall]:
    """Simulate a case, and return where it falls short of what its rows promise."""
    counted = case.count(range(case.repetitions if repetitions is None else repetitions), seed=seed)
    return [fall for label, count in counted.items() for fall in shortfalls(case, label, count)]


def shortfalls(case: Case, label: str, count: Count) -> Iterator[Shortfall]:
    """Yield the looks at which a coverage misses its promise by more than three standard errors.

    Of a wrong way only the last look counts: a few answers need not show what is wrong with it.
    """
    row = case.rows[label]
    errors = ERRORS * count.errors(row.level)
    looks = list(zip(case.looks, count.shares, errors, strict=True))
    for look, share, error in looks[-1:] if row.promise == "below" else looks:
        yield from _missed(", ".join(filter(None, (case.where, label, look))), row, float(share), float(error))


def together(row: Row, label: str, counts: Iterable[Count]) -> Iterator[Shortfall]:
    """Yield a shortfall if all cases of a row together, at their last looks, miss its promise; each may be chance."""
    each = [(count.repetitions, float(count.total[-1]), float(count.errors(row.level)[-1])) for count in counts]
    if len(each) > 1:
        studies = sum(times for times, _, _ in each)
        error = ERRORS * math.sqrt(sum((times * one) ** 2 for times, _, one in each)) / studies
        words = ", ".join(filter(None, (label, f"all {len(each)} cases together")))
        yield from _missed(words, row, sum(total for _, total, _ in each) / studies, error)


def _missed(where: str, row: Row, share: float, error: float) -> Iterator[Shortfall]:
    if row.promise in ("none", "mean"):
        return
    if row.promise == "below":
        if share > row.level - error:
            yield Shortfall(where, row, share, row.level - error)
        return
    allowed = ALLOWED if row.promise == "about" else 0.0
    least, most = row.level - allowed - error, row.level + allowed + error
    if share < least - 1e-12:
        yield Shortfall(where, row, share, least)
    elif row.promise == "about" and share > most + 1e-12:
        yield Shortfall(where, row, share, most)


def by_study(study: Callable[[int, int], Mapping[str, Any]]) -> Simulate:
    """Return a simulation that goes study by study; `study` is told its number and the seed."""

    def simulate(numbers: range, seed: int) -> Mapping[str, NDArray[Any]]:
        told = [study(number, seed) for number in numbers]
        return {label: np.array([one[label] for one in told]) for label in told[0]}

    return simulate


def holds(low: Any, high: Any, truth: Any) -> Any:
    """Return whether bounds hold the truth, but for rounding; of arrays, for each entry."""
    return (low <= truth + 1e-9) & (truth <= high + 1e-9)


def watched(held: Any) -> NDArray[np.bool_]:
    """Return for each look, the first axis, whether all looks up to it held.

    >>> watched([True, False, True]).tolist()
    [True, False, False]
    """
    return np.logical_and.accumulate(np.asarray(held, dtype=bool), axis=0)


def numbers(looks: Iterable[int]) -> tuple[str, ...]:
    """Return numbers of answers as words for looks.

    >>> numbers([10, 2000])
    ('10', '2,000')
    """
    return tuple(f"{look:,}" for look in looks)
