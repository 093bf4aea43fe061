"""What two judges say of each other when nothing is assumed: where they disagree, one of them errs."""

from __future__ import annotations

from dataclasses import dataclass

from ringtrue.core import ABSTAINED, InvalidInput, Json, Sketch, count, percent


@dataclass(frozen=True, slots=True)
class TwoJudges:
    """Two judges on the items on which both voted; every bound holds whatever the truth is."""

    judges: tuple[str, str]
    items: int
    disagreements: int

    @property
    def disagreement(self) -> float:
        """The share of items on which they disagree; their error rates sum to at least this much."""
        return self.disagreements / self.items

    @property
    def worse_errs_at_least(self) -> float:
        """The error rate of the worse of the two is at least half of the disagreement."""
        return self.disagreement / 2

    @property
    def accuracies_differ_at_most(self) -> float:
        """Where they agree they are right or wrong together, so only disagreements can set their accuracies apart."""
        return self.disagreement

    def __str__(self) -> str:
        first, second = self.judges
        if not self.disagreements:
            return (
                f"{first} and {second} agree on all of {count(self.items, 'item')}: they are equally good, how "
                "good their votes cannot say"
            )
        return (
            f"{first} and {second} disagree on {percent(self.disagreement)} of {count(self.items, 'item')}: one of "
            f"them errs on at least {percent(self.worse_errs_at_least, toward='below')}, their accuracies differ by "
            f"at most {percent(self.accuracies_differ_at_most, toward='above')}"
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self), "judges": list(self.judges), "items": self.items,
            "disagreements": self.disagreements, "disagreement": self.disagreement,
            "worse_errs_at_least": self.worse_errs_at_least,
            "accuracies_differ_at_most": self.accuracies_differ_at_most,
        }  # fmt: skip


def two_judges(sketch: Sketch) -> TwoJudges:
    """What the votes of two judges say of them if nothing is assumed: about these very items, without an interval.

    On every disagreement at least one of them errs, so their error rates sum to at least the share of
    disagreements, and the worse judge errs on at least half of it. With two labels exactly one errs there.

    >>> print(two_judges(Sketch.from_cells(["ann", "bob"], ["yes", "no"], [40, 12, 8, 40])))
    ann and bob disagree on 20% of 100 items: one of them errs on at least 10%, their accuracies differ by at \
most 20%
    """
    if len(sketch.judges) != 2:
        raise InvalidInput(
            f"judges={list(sketch.judges)!r} must be two: take a pair with sketch.marginal([first, second])"
        )
    both = [(pattern, times) for pattern, times in sketch.items() if ABSTAINED not in pattern]
    items = sum(times for _, times in both)
    if not items:
        raise InvalidInput(f"{sketch.judges[0]} and {sketch.judges[1]} never voted on the same item: take another pair")
    apart = sum(times for pattern, times in both if pattern[0] != pattern[1])
    return TwoJudges((sketch.judges[0], sketch.judges[1]), items, apart)
