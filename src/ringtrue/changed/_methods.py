"""The methods a study of a change can use: what to ask, how to estimate the shift, and how far that may be off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed._census import Census
from ringtrue.changed._decision import NoiseWatch
from ringtrue.changed._reader import Reading
from ringtrue.changed.masa import MasaPolicy, masa_bound, masa_shift
from ringtrue.changed.paired import (
    EVEN,
    draw_weights,
    error_bound,
    oneshot_bound,
    oneshot_shift,
    paired_shift,
    uniform_bound,
    uniform_shift,
)
from ringtrue.changed.paired._estimates import unchanged
from ringtrue.core import Draw, Json, Policy, Record, View
from ringtrue.stats import GroupDraws, Groups, Left, Plan, even_and_weighted, settled


class Draws(GroupDraws):
    """Draws items without replacement: uniformly until a change is detected, then by what is learnt if `adaptive`.

    An item's chance is then half an equal share and half by the weight of its kind, Neyman's allocation on what the
    answers teach; it is learnt anew after 8, 12, 18, ... answers. Every chance is known, as intervals need it, and
    with it the chance that the draw fell on any item of the same label or slice.

    `watch` makes the watch over a model whose answers vary: changed answers may then be asked for once more.

    Reference: Neyman, Journal of the Royal Statistical Society 97 (1934).
    """

    def __init__(self, census: Census, *, adaptive: bool, watch: Callable[[], NoiseWatch] | None = None) -> None:
        super().__init__("paired" if adaptive else "uniform", "changed/draw", "model")
        self.asks_again = watch is not None
        self._census, self._adaptive, self._watch = census, adaptive, watch

    def plan(self, view: View) -> Plan:
        """Return the items by kind, and by the values of the slice columns."""
        census, watch = self._census, self._watch
        marks = {column: view.scores[slice_score(column)] for column in census.slices}
        groups = Groups(census.check_kinds(view.scores.get("kind")), census.kinds)
        return Plan(groups, lambda: _Kinds(census, self._adaptive, None if watch is None else watch()), marks)

    def propose(self, view: View, n: int) -> list[Draw]:
        """Propose second questions that are due, then new items, each with its chance given all before."""
        followed = self.follow(view)
        again = [Draw(row=row) for row in followed.learner.due if row not in followed.again][:n]
        return again + self.draws(followed, view, n - len(again), before=len(again))


class _Kinds:
    """What the answers teach of each kind of item, and which items are due to be asked again."""

    def __init__(self, census: Census, adaptive: bool, noise: NoiseWatch | None) -> None:
        self._census, self._adaptive, self._noise = census, adaptive, noise
        self._reading = Reading(census)
        self._weights: Floats | None = None
        self._learnt = 0

    def learn(self, record: Record, row: int) -> None:  # noqa: ARG002 - it stands in the record
        """Take an answer; weights are learnt anew after 8, 12, 18, ... items."""
        told = self._reading.read(record)
        if self._noise is not None:
            self._noise.take(told)
        answers = len(self._reading.first)
        if self._adaptive and settled(answers) != self._learnt:
            self._learnt = answers
            counts = self._reading.counts
            # Once a change was seen; where answers vary, one beyond the noise, and the claim decided as well.
            seen = not unchanged(self._census, counts) if self._noise is None else self._noise.enough
            self._weights = draw_weights(self._census, counts) if seen else None

    @property
    def due(self) -> list[int]:
        """The rows to ask again."""
        return [] if self._noise is None else self._noise.due

    def chances(self, left: Floats) -> Floats:
        """Return the chance of an item by kind."""
        if self._weights is None:
            return even_and_weighted(left, np.ones(len(left)), even=1.0)
        return even_and_weighted(left, self._weights, even=EVEN)

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:
        """Return the draw with the chance that it falls on any item of its label, and on any of each of its slices."""
        if self._weights is None or draw.row is None:
            return draw
        alike = self._census.truth == self._census.truth[group]
        slices: dict[str, Json] = {name: float(counts @ chance) for name, counts in left.like(draw.row).items()}
        return draw._replace(note={"share": float((left.groups * chance)[alike].sum()), "slice_shares": slices})


def slice_score(column: str) -> str:
    """Return the name under which the value of a slice column is prepared for each row, as a code."""
    return f"slice {column}"


Watch: TypeAlias = Callable[[], NoiseWatch] | None


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn what changed. `shift` and `bound` are functions of the census and of the answers by kind.

    `bound` is the Frobenius error of the shift that is kept at 95 % however often one `looks`; a run stops when it is
    small enough.
    """

    name: str
    policy: Callable[[Census, Watch], Policy]
    shift: Callable[[Census, Floats], Floats]
    bound: Callable[..., float]
    only_steady: bool = False
    """Whether it picks items by a rule: then noise cannot be told from a change."""


def _uniform(census: Census, watch: Watch) -> Policy:
    return Draws(census, adaptive=False, watch=watch)


def _masa(census: Census, counts: Floats, *, looks: int) -> float:
    """Return the bound of the paper, which knows no looks."""
    del looks
    return masa_bound(census, counts)


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("paired", lambda census, watch: Draws(census, adaptive=True, watch=watch), paired_shift, error_bound),
        Method("oneshot", _uniform, oneshot_shift, oneshot_bound),
        Method("uniform", _uniform, uniform_shift, uniform_bound),
        Method("masa", lambda census, _: MasaPolicy(census), masa_shift, _masa, only_steady=True),
    )
}
"""A new method is one row here."""
