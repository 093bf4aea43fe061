"""One simulated study of a change: a pool whose new answers are known, drawn as a study draws it by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.changed._baseline import Baseline, Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.evidence import LimitVerdict, Repeats, ShiftDraws
from ringtrue.changed.evidence._repeats import EXCESS, NOISE, Outcome
from ringtrue.changed.paired import EVEN, draw_weights
from ringtrue.core import Verdict
from ringtrue.stats import generator, settled

_UNANSWERED = 0.02
"""The share of questions that stay unanswered, in every fourth study: they only widen intervals."""
_SLICES = ("left", "right")
_CHANGES: dict[Outcome, float] = {"persisted": 0.6, "reverted": 0.3, "third": 0.1}


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A pool by kind, and what the new model answers to each item: a code, and what a second question would bring."""

    census: Census
    kind: Ints
    new: Ints
    became: list[Outcome]
    part: Ints

    @classmethod
    def of(cls, labels: int, changed: float, n: int, rng: np.random.Generator) -> World:
        """Draw n items: old answers are right five times in six, changed ones go anywhere, at times to new words."""
        truth = rng.integers(labels, size=n)
        right = rng.random(n) < 5 / 6
        old = np.where(right, truth, (truth + rng.integers(1, labels, size=n)) % labels)
        known = Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=(rng.random(n) + right).tolist())
        census, kind = Census.take(known)
        part = rng.integers(len(_SLICES), size=n)
        counted = {name: np.bincount(kind[part == place], minlength=census.kinds) for place, name in enumerate(_SLICES)}
        census = Census(
            census.answers, census.labels, census.labelled, census.truth, census.old, census.level, census.items,
            census.cuts, {"part": counted},
        )  # fmt: skip
        new, became = known.old.copy(), np.full(n, "unchanged", dtype=object)
        where = rng.permutation(n)[: round(changed * n)]
        new[where] = (new[where] + rng.integers(1, labels + 1, size=len(where))) % (labels + 1)
        became[where] = rng.choice(list(_CHANGES), size=len(where), p=list(_CHANGES.values()))
        return cls(census, kind, new, became.tolist(), part)

    def urn(self, rng: np.random.Generator) -> list[list[int]]:
        """Return the items of each kind in random order."""
        return [rng.permutation(np.flatnonzero(self.kind == kind)).tolist() for kind in range(self.census.kinds)]

    @property
    def shift(self) -> Floats:
        columns = self.census.labels + 1
        table = np.zeros((self.census.labels, columns))
        np.add.at(table, (self.census.truth[self.kind], self.new), 1 / len(self.new))
        return table - self.census.old_matrix(columns)

    def means(self, rows: NDArray[np.bool_] | slice = slice(None)) -> tuple[float, float]:
        """The share of changed answers and the difference in accuracy over some items."""
        truth, old, new = self.census.truth[self.kind][rows], self.census.old[self.kind][rows], self.new[rows]
        return float(np.mean(new != old)), float(np.mean((new == truth) * 1.0 - (old == truth)))

    @property
    def repeated(self) -> tuple[float, float]:
        """The expected excess and noise: chances of the model, whatever its answers happened to be."""
        changed = float(np.mean([one != "unchanged" for one in self.became]))
        expected = (sum(share * values[one] for one, share in _CHANGES.items()) for values in (EXCESS, NOISE))
        excess, noise = (changed * value for value in expected)
        return excess, noise


def study_of(
    world_of: Callable[..., World], labels: int, changed: float, items: int, seed: int, number: int
) -> dict[str, NDArray[np.bool_]]:
    """Return whether what is said of a change holds after each answer of a study that uses up its pool.

    Parameters:
        world_of: draws the pool; `World.of`, or a pool of another kind.
        labels: how many labels there are.
        changed: the share of the items that have a new answer.
        items: the size of the pool.
        seed: of all studies.
        number: of this study.
    """
    rng = generator(seed, f"changed Case(labels={labels}, changed={changed}, items={items})", number)
    world = world_of(labels, changed, items, rng)
    census = world.census
    draws, repeats = ShiftDraws(census), Repeats()
    share, difference = world.means()
    claims = {"true claim": LimitVerdict.at_most(share), "false claim": LimitVerdict.at_most(share - 1 / items)}
    never = {"true claim": Verdict.RINGS_FALSE, "false claim": Verdict.RINGS_TRUE}
    right: dict[str, list[bool]] = {label: [] for label in claims}
    urn = world.urn(rng)
    weights: Floats | None = None
    for place in range(items):
        chances = chances_of(draws.left, weights)
        kind = int(rng.choice(census.kinds, p=draws.left * chances / (draws.left @ chances)))
        item = urn[kind].pop()
        unanswered = bool(number % 4 == 0 and rng.random() < _UNANSWERED)
        part = _SLICES[world.part[item]]
        inside = draws.slice_left("part", part)
        said = draws.take(
            kind,
            None if unanswered else int(world.new[item]),
            probability=float(chances[kind]),
            floor=float(chances[draws.left > 0].min()),
            share=float((draws.left * chances)[census.truth == census.truth[kind]].sum()),
            slices={"part": part},
            slice_shares={"part": float(inside @ chances)},
        )
        for label, claim in claims.items():
            claim.take(said.changed)
            right[label].append(claim.verdict is not never[label])
        if weights is None:  # items that were chosen for their old answers tell nothing of chances
            repeats.take(None if unanswered else world.became[item])
        if settled(place + 1) == place + 1:
            weights = weights_of(census, draws.counts)
    pool, twice = draws.pool_holds(share, difference), repeats.holds(*world.repeated)
    twice = twice[np.minimum(np.arange(items), len(twice) - 1)]  # nothing more is learnt after the uniform draws
    parts = {("part", name): world.means(world.part == place) for place, name in enumerate(_SLICES)}
    return {
        "change": pool[:, 0],
        "difference in accuracy": pool[:, 1],
        "cells": draws.cells_hold(world.shift[:, : draws.counts.shape[1]]),
        "slices": draws.slices_hold(parts),
        "excess": twice[:, 0],
        "noise": twice[:, 1],
        **{label: np.array(held) for label, held in right.items()},
    }


def counts_at(world: World, looks: Sequence[int], rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the answers by kind at some numbers of answers of a study that draws as it does by default."""
    census, urn = world.census, world.urn(rng)
    counts, left = np.zeros((census.kinds, census.labels + 1)), census.items.astype(float)
    weights: Floats | None = None
    for place in range(1, max(looks) + 1):
        chances = left * chances_of(left, weights)
        kind = int(np.searchsorted(np.cumsum(chances), rng.random() * chances.sum(), side="right"))
        counts[kind, world.new[urn[kind].pop()]] += 1
        left[kind] -= 1
        if settled(place) == place:
            weights = weights_of(census, counts)
        if place in looks:
            yield counts


def weights_of(census: Census, counts: Floats) -> Floats | None:
    """Return what the answers teach about where to ask, None as long as none of them has changed."""
    changed = counts.sum() > counts[np.arange(census.kinds), census.old].sum()
    return draw_weights(census, counts) if changed else None


def chances_of(left: Floats, weights: Floats | None) -> Floats:
    """The chance of one item of each kind: equal, or half equal and half by weight."""
    if weights is None:
        return np.full(len(left), 1 / left.sum())
    chances: Floats = EVEN / left.sum() + (1 - EVEN) * weights / (left @ weights)
    return chances
