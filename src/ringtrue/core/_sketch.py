"""The data sketch of a panel: how often each pattern of votes was seen, in exact integers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, TypeAlias

from ringtrue.core._canonical import Json, is_missing, label_text
from ringtrue.core._errors import Argument, InvalidInput
from ringtrue.core._text import count

Pattern: TypeAlias = tuple[int, ...]
"""One vote per judge, as the place of the label; ABSTAINED where a judge gave none."""

ABSTAINED = -1

DENSE = 16
"""Up to so many judges all patterns can be listed; beyond, only those that were seen are."""


class Sketch:
    """Counters of vote patterns for named judges and named labels. Sketches add, subtract and marginalise exactly.

    The truth, where it is known, is one more judge, who abstains on items without a label: see `given`.

    >>> sketch = Sketch(["ann", "bob", "cyd"], ["no", "yes"])
    >>> sketch.add({"ann": "yes", "bob": "yes", "cyd": "no"})
    >>> sketch.add(["yes", None, "yes"], times=2)
    >>> sketch.size, dict(sketch)
    (3, {(1, 1, 0): 1, (1, -1, 1): 2})
    >>> dict(sketch.marginal(["cyd"]))
    {(0,): 1, (1,): 2}
    """

    __slots__ = ("_counts", "_judge_places", "_label_places", "judges", "labels", "size")

    def __init__(
        self,
        judges: Iterable[str],
        labels: Iterable[Any],
        counts: Mapping[Pattern, int] | Iterable[tuple[Pattern, int]] = (),
    ) -> None:
        self.judges: tuple[str, ...] = tuple(judges)
        self.labels: tuple[str, ...] = tuple(label_text(label) for label in labels)
        self._judge_places = _places("judges", self.judges, "give each judge a name of its own")
        self._label_places = _places("labels", self.labels, "name each label once")
        if not self.judges:
            raise InvalidInput(Argument("judges", ()), " must name at least one judge: give their names")
        if len(self.labels) < 2:
            rule = " must name at least two labels: name also the unseen ones"
            raise InvalidInput(Argument("labels", list(self.labels)), rule)
        self.size = 0
        self._counts: dict[Pattern, int] = {}
        for pattern, times in counts.items() if isinstance(counts, Mapping) else counts:
            self.count(self._checked(pattern), times)

    def add(self, votes: Mapping[str, Any] | Sequence[Any], times: int = 1) -> None:
        """Count one item by its votes: by judge, or in the order of the judges; a missing vote is an abstention."""
        self.count(self.pattern(votes), times)

    def pattern(self, votes: Mapping[str, Any] | Sequence[Any]) -> Pattern:
        """Return the pattern of an item's votes; labels are compared as text, so that 1, 1.0 and "1" are one."""
        if isinstance(votes, Mapping):
            for judge in votes:
                if judge not in self._judge_places:
                    raise InvalidInput(f"judge={judge!r} is none of {_few(self.judges)}: mend the name, or add it")
            votes = [votes.get(judge) for judge in self.judges]
        elif isinstance(votes, str) or len(votes) != len(self.judges):
            raise InvalidInput(f"votes={votes!r} must hold {len(self.judges)} votes, one per judge: None abstains")
        return tuple(self._place(judge, vote) for judge, vote in zip(self.judges, votes, strict=True))

    def count(self, pattern: Pattern, times: int = 1) -> None:
        """Count a pattern that is known to be one of this sketch's; the quick way for streams."""
        times = operator.index(times)
        total = self._counts.get(pattern, 0) + times
        if times < 0:
            raise InvalidInput(
                f"times={times} must not be negative for {pattern}: subtract a sketch to take votes back"
            )
        if total:
            self._counts[pattern] = total
            self.size += times

    def marginal(self, judges: Iterable[str]) -> Sketch:
        """Return the sketch of these judges alone, in this order."""
        names = tuple(judges)
        places = [self.place_of(judge) for judge in names]
        return self._counted(names, ((tuple(pattern[place] for place in places), n) for pattern, n in self.items()))

    def given(self, judge: str, label: Any) -> Sketch:
        """Return the other judges' sketch on the items where this judge voted so; None for where it abstained."""
        place, wanted = self.place_of(judge), self._place(judge, label)
        chosen = ((pattern, times) for pattern, times in self.items() if pattern[place] == wanted)
        rest = self.judges[:place] + self.judges[place + 1 :]
        return self._counted(rest, ((pattern[:place] + pattern[place + 1 :], times) for pattern, times in chosen))

    def without(self, judge: str) -> Sketch:
        """Return the sketch of all the other judges."""
        self.place_of(judge)
        return self.marginal(name for name in self.judges if name != judge)

    def complete(self) -> Sketch:
        """Return the sketch of the items on which no judge abstained."""
        return self._counted(self.judges, (pair for pair in self.items() if ABSTAINED not in pair[0]))

    def _counted(self, judges: Sequence[str], counts: Iterable[tuple[Pattern, int]]) -> Sketch:
        """Return the sketch of these judges with these counts of patterns, which are known to be its own."""
        sketch = Sketch(judges, self.labels)
        for pattern, times in counts:
            sketch.count(pattern, times)
        return sketch

    @property
    def abstentions(self) -> int:
        """How many votes are missing."""
        return sum(times * pattern.count(ABSTAINED) for pattern, times in self._counts.items())

    def cells(self) -> list[int]:
        """Return the counts of all patterns in order, the last judge changing fastest; for judges who never abstain.

        >>> Sketch.from_cells(["a", "b"], ["no", "yes"], [5, 0, 1, 4]).cells()
        [5, 0, 1, 4]
        """
        self._check_dense()
        if self.abstentions:
            are = "is" if self.abstentions == 1 else "are"
            raise InvalidInput(
                f"{count(self.abstentions, 'vote')} {are} missing: use .complete() for the items with all votes, "
                "or fit_latent, which takes missing votes"
            )
        return [self._counts.get(pattern, 0) for pattern in product(range(len(self.labels)), repeat=len(self.judges))]

    @classmethod
    def from_cells(cls, judges: Sequence[str], labels: Sequence[Any], cells: Sequence[int]) -> Sketch:
        """Return the sketch with these counts of all patterns, the last judge changing fastest."""
        sketch = cls(judges, labels)
        sketch._check_dense()
        patterns = list(product(range(len(sketch.labels)), repeat=len(sketch.judges)))
        if len(cells) != len(patterns):
            raise InvalidInput(
                f"cells has {len(cells)} counts, {len(sketch.judges)} judges with {len(sketch.labels)} labels have "
                f"{len(patterns)} patterns: give one count each"
            )
        return sketch._counted(sketch.judges, zip(patterns, cells, strict=True))

    def place_of(self, judge: str) -> int:
        """Return where a judge stands in a pattern."""
        if judge not in self._judge_places:
            raise InvalidInput(f"judge={judge!r} is none of {_few(self.judges)}: mend the name")
        return self._judge_places[judge]

    def __getitem__(self, pattern: Pattern) -> int:
        return self._counts.get(pattern, 0)

    def __iter__(self) -> Iterator[Pattern]:
        """Return the patterns that were seen."""
        return iter(self._counts)

    def __len__(self) -> int:
        """Return how many different patterns were seen."""
        return len(self._counts)

    def keys(self) -> Iterable[Pattern]:
        return self._counts.keys()

    def items(self) -> Iterable[tuple[Pattern, int]]:
        return self._counts.items()

    def __add__(self, other: Sketch) -> Sketch:
        self._check_same(other)
        return self._counted(self.judges, chain(self.items(), other.items()))

    def __sub__(self, other: Sketch) -> Sketch:
        self._check_same(other)
        left = dict(self._counts)
        for pattern, times in other.items():
            left[pattern] = left.get(pattern, 0) - times
            if left[pattern] < 0:
                raise InvalidInput(
                    f"pattern {pattern} was seen {self[pattern]:,} times and cannot be taken back {times:,} times: "
                    "subtract a sketch that was added"
                )
        return Sketch(self.judges, self.labels, left)

    def copy(self) -> Sketch:
        return Sketch(self.judges, self.labels, self._counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        return (self.judges, self.labels, self._counts) == (other.judges, other.labels, other._counts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        judges, labels = count(len(self.judges), "judge"), count(len(self.labels), "label")
        return f"Sketch({judges}, {labels}, {count(self.size, 'item')})"

    def to_json(self) -> dict[str, Json]:
        """Return judges, labels and counts, in an order that depends on the content alone."""
        rows: list[Json] = [[list(pattern), times] for pattern, times in sorted(self._counts.items())]
        return {"judges": list(self.judges), "labels": list(self.labels), "counts": rows}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Sketch:
        return cls(entry["judges"], entry["labels"], ((tuple(pattern), times) for pattern, times in entry["counts"]))

    def _place(self, judge: str, vote: Any) -> int:
        if type(vote) is str and vote in self._label_places:  # what nearly every vote of a stream is
            return self._label_places[vote]
        if is_missing(vote):
            return ABSTAINED
        place = self._label_places.get(label_text(vote))
        if place is None:
            raise InvalidInput(
                f"judge {judge!r} voted {vote!r}, which is none of the labels {_few(self.labels)}: mend it, or name it"
            )
        return place

    def _checked(self, pattern: Sequence[int]) -> Pattern:
        votes = tuple(operator.index(vote) for vote in pattern)
        if len(votes) != len(self.judges) or not all(ABSTAINED <= vote < len(self.labels) for vote in votes):
            raise InvalidInput(
                f"pattern={votes} must hold {len(self.judges)} places of labels from 0 to {len(self.labels) - 1}: "
                "-1 abstains"
            )
        return votes

    def _check_same(self, other: Sketch) -> None:
        if (self.judges, self.labels) != (other.judges, other.labels):
            raise InvalidInput(
                f"sketches of {_few(self.judges)} on {_few(self.labels)} and of {_few(other.judges)} on "
                f"{_few(other.labels)} do not go together: use marginal() to give both the same judges in one order"
            )

    def _check_dense(self) -> None:
        if len(self.labels) ** len(self.judges) > 2**DENSE:
            raise InvalidInput(
                f"{len(self.judges)} judges with {len(self.labels)} labels have more than {2**DENSE:,} patterns: "
                "go through those that were seen with items()"
            )


def _places(what: str, names: tuple[str, ...], remedy: str) -> dict[str, int]:
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"{what} has {twice!r} twice: {remedy}")
    return places


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown
