"""The table of the coverage suite: one row for each interval that the package ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ringtrue import stats
from ringtrue.testing._coverage_simulation import (
    Hits,
    Interval,
    counts,
    hunted,
    segments,
    weighted,
)


@dataclass(frozen=True, slots=True)
class Row:
    """An interval, how studies of it are simulated, and what it promises.

    `promise` is "watched" (holds at every size at once), "fixed" (holds at one size chosen beforehand) or "none"
    (shown for comparison).
    """

    name: str
    interval: Interval
    simulate: Callable[..., Hits]
    promise: Literal["watched", "fixed", "none"]
    population: int | None = None
    side: str = "both"
    longest: int = 2000
    """Beyond this size the interval is not simulated: each look costs time in proportion to the size."""


def _sides(name: str, interval: Interval, simulate: Callable[..., Hits], promise: str, **options: int) -> list[Row]:
    labels = {"both": name, "upper": f"{name}, upper", "lower": f"{name}, lower"}
    return [Row(label, interval, simulate, promise, side=side, **options) for side, label in labels.items()]  # type: ignore[arg-type]


ROWS: tuple[Row, ...] = (
    *_sides("rate_sequence", stats.rate_sequence, counts, "watched"),
    *_sides("pool_rate_sequence, 200 items", stats.pool_rate_sequence, counts, "watched", population=200),
    *_sides("pool_rate_sequence, 2,000 items", stats.pool_rate_sequence, counts, "watched", population=2000),
    *_sides(
        "segmented_pool_sequence, 200 items",
        stats.segmented_pool_sequence,
        segments,
        "watched",
        population=200,
        longest=200,
    ),
    *_sides(
        "weighted_mean_sequence, 200 items",
        stats.weighted_mean_sequence,
        weighted,
        "watched",
        population=200,
        longest=200,
    ),
    *_sides("average_chance_sequence", stats.average_chance_sequence, hunted, "watched", longest=500),
    *_sides("clopper_pearson", stats.clopper_pearson, counts, "fixed"),
    *_sides("hypergeometric, 200 items", stats.hypergeometric, counts, "fixed", population=200),
    *_sides("hypergeometric, 2,000 items", stats.hypergeometric, counts, "fixed", population=2000),
    *_sides("wilson", stats.wilson, counts, "none"),
)
