"""What is known of every item before the new model is asked: its label, the old answer, its confidence and level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, is_missing, label_text

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Cuts: TypeAlias = Mapping[int, tuple[float, ...]]
"""By group, the confidences at which a level ends; they belong to the lower level."""

EMPTY = "(empty)"
"""The name of an answer that is none: nothing came back, or the model refused."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """A pool as codes: `answers` names them, the first `labels` of which are true labels.

    `truth`, `old` and `confidence` have an entry per item; NaN is a missing confidence. Without true labels the old
    answers stand in their place: rows of a matrix are then what the old model said, and it was always "right".

    >>> known = Baseline.of(old=["yes", "no", None], truth=["yes", "yes", "no"])
    >>> known.answers, known.truth.tolist(), known.old.tolist()
    (('no', 'yes', '(empty)'), [1, 1, 0], [1, 0, 2])
    """

    answers: tuple[str, ...]
    labels: int
    truth: Ints
    old: Ints
    confidence: Floats
    labelled: bool

    @classmethod
    def of(
        cls, *, old: Sequence[Any], truth: Sequence[Any] | None = None, confidence: Sequence[Any] | None = None
    ) -> Baseline:
        """Make a baseline of values as people have them; an old answer may be missing, a true label may not."""
        said = [answer_name(value) for value in old]
        if not said:
            raise InvalidInput("old has no answers: give one per item of the pool")
        missing = [] if truth is None else [place for place, value in enumerate(truth) if is_missing(value)]
        if missing:
            raise InvalidInput(
                f"truth of item {missing[0]} is missing: fill it in, or leave true labels out altogether"
            )
        real = said if truth is None else [label_text(value) for value in truth]
        labels = sorted(set(real))
        names = labels + sorted(set(said) - set(labels))
        code = {name: place for place, name in enumerate(names)}
        sure = np.full(len(said), np.nan) if confidence is None else confidences(confidence)
        for what, entries in (("truth", len(real)), ("confidence", len(sure))):
            if entries != len(said):
                raise InvalidInput(f"{what} has {entries:,} entries for {len(said):,} old answers: give one per item")
        return cls(
            tuple(names),
            len(labels),
            np.array([code[name] for name in real], dtype=np.int64),
            np.array([code[name] for name in said], dtype=np.int64),
            sure,
            truth is not None,
        )

    @property
    def size(self) -> int:
        return len(self.old)

    def code(self, new: Sequence[Any]) -> tuple[tuple[str, ...], Ints]:
        """Return new answers as codes; answers that the old model never gave are appended to the names."""
        names = {name: place for place, name in enumerate(self.answers)}
        codes = [names.setdefault(answer_name(value), len(names)) for value in new]
        return tuple(names), np.array(codes, dtype=np.int64)


def answer_name(value: Any) -> str:
    """Return an answer as text; a missing one has a name of its own."""
    return EMPTY if is_missing(value) else label_text(value)


def confidences(values: Sequence[Any]) -> Floats:
    """Return confidences as floats, NaN where missing; text is an error."""
    try:
        found = np.array([np.nan if is_missing(value) else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"confidence is not a number ({error}): give numbers, or leave the cells empty") from None
    if np.isinf(found).any():
        raise InvalidInput("confidence is infinite: give finite numbers, or leave the cells empty")
    return found


def cut(values: Floats, groups: Ints, levels: int, *, fewest: int = 1) -> dict[int, tuple[float, ...]]:
    """Return where to cut each group's values into `levels` parts of about equal size, each of at least `fewest` items.

    Equal values are never parted, so that heavy ties leave fewer levels. Missing values (NaN) are not counted.

    >>> cut(np.array([0.1, 0.2, 0.3, 0.9, 0.9, 0.9]), np.array([0, 0, 0, 1, 1, 1]), 3)
    {0: (0.1, 0.2), 1: ()}
    """
    cuts: dict[int, tuple[float, ...]] = {}
    order = np.argsort(groups, kind="stable")
    names, starts = np.unique(groups[order], return_index=True)
    for group, rows in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
        present = values[rows]
        present = present[~np.isnan(present)]
        parts = max(1, min(levels, len(present) // fewest))
        shares = np.arange(1, parts) / parts
        ends = np.unique(np.quantile(present, shares, method="inverted_cdf")) if parts > 1 else np.zeros(0)
        cuts[group] = tuple(ends[ends < present.max()].tolist()) if len(ends) else ()
    return cuts


def level_of(values: Floats, groups: Ints, cuts: Cuts) -> Ints:
    """Return the level of each value: 0 for the lowest of its group; a missing value has the level after the highest.

    >>> level_of(np.array([0.1, 0.15, 0.9, np.nan]), np.zeros(4, dtype=int), {0: (0.1, 0.2)}).tolist()
    [0, 1, 2, 3]
    """
    found = np.zeros(len(values), dtype=np.int64)
    for group in np.unique(groups).tolist():
        here, ends = groups == group, cuts.get(group, ())
        level = np.searchsorted(np.array(ends, dtype=float), values[here], side="left")
        found[here] = np.where(np.isnan(values[here]), len(ends) + 1, level)
    return found
