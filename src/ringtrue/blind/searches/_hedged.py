"""The learning search: asks what several models of error, weighted by the answers, expect most of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ringtrue.blind._checks import Bools, Floats, Ints
from ringtrue.blind.searches._editions import COPY, fitted, success
from ringtrue.blind.searches._experts import CONFIDENCE_ALONE, TRUSTS, Experts, Prior
from ringtrue.blind.searches._field import Chooser, Field, History, Search, shuffled_ranks
from ringtrue.blind.searches._learning import Reach

MOST_CANDIDATES = 10_000
"""Of a larger pool no more items than this are candidates: half of them by every simple order in equal parts, the rest
drawn at random."""

MOST_EXACT = 60
"""Answers up to which each one refits the models."""


class Goal(NamedTuple):
    """What a hunt is after: asking is worth the chance of error less `price` times the doubt, which is 1 - confidence.

    The price is a function of how far the confidence alone is trusted, and of how surely more errors were found than
    it admits, both from 0 to 1. `curiosity` is what asking the item that speaks for most of the pool is worth beyond
    that. It fades as answers cover the pool, and as errors are found; without it a pocket that no signal points to is
    found less often than by chance.
    """

    price: Callable[[float, float], float]
    curiosity: float
    shares: tuple[float, ...]
    """How much each of `TRUSTS` counts before any answer."""

    def worth(self, chances: Floats, doubt: Floats, trusted: float, exceeded: float) -> Floats:
        """Return what asking each item is worth, from its chance of error and its doubt."""
        return np.asarray(chances - self.price(trusted, exceeded) * doubt)


def errors(trusted: float, exceeded: float) -> float:
    """Return the price where errors are counted: of two items as likely to be errors the surer one is asked.

    Where the confidence alone foretells the answers, or admits as many errors as were found, the price is nothing, and
    the likeliest errors are asked.
    """
    return 0.6 * (1 - trusted) * exceeded


def excess(trusted: float, exceeded: float) -> float:
    """Return the price where errors beyond the doubt are counted: all of it, whatever was found."""
    del trusted, exceeded
    return 1.0


GOALS: Mapping[str, Goal] = {
    "errors": Goal(errors, 0.0, (0.15, 0.5, 0.15, 0.2)),
    "excess": Goal(excess, 0.4, (0.4, 0.2, 0.2, 0.2)),
}
"""Most errors, or most errors beyond those that the confidence admits. The first begins close to asking for the lowest
confidence, which is hard to beat at errors, the second to the signals. Chosen on the tuning tasks."""


def exceeding(history: History, doubt: Floats) -> float:
    """Return from 0 to 1 how surely more errors were found than the confidence admits.

    Nothing up to what chance brings, by one standard deviation; a half at one error more than that.
    """
    more = success(history, doubt)
    return more / (1 + more)


@dataclass(frozen=True, kw_only=True)
class Hedged(Search):
    """Asks the item of which most is expected under a mixture of models of error, given all answers."""

    goal: Goal

    def on(self, field: Field) -> HedgedChooser:
        return HedgedChooser(field, self.goal)


class HedgedChooser(Chooser):
    def __init__(self, field: Field, goal: Goal) -> None:
        self.doubt, self._goal = 1 - field.confidence, goal
        priors = [Prior(trust, field) for trust in TRUSTS]
        self._candidates = screened(field, priors, goal)
        self._doubt = self.doubt[self._candidates]
        self._experts = Experts(field, self._candidates, priors, goal.shares)
        self._reach = Reach(field, self._candidates) if goal.curiosity else None
        self._learnt: tuple[bytes, bytes] | None = None

    def chances(self, history: History) -> Floats:
        self._learn(history)
        return self._experts.likely()

    @property
    def trusted(self) -> float:
        """Return how far the confidence alone is trusted, by what the answers taught."""
        return self._experts.trusted

    def choose(self, history: History, n: int) -> list[int]:
        self._learn(history)
        free = history.free(len(self.doubt))
        fresh = free[self._candidates]
        for item in history.open.tolist():
            fresh &= ~self._copies(item)
        exceeded = exceeding(history, self.doubt)
        worth = self._goal.worth(self._experts.chances, self._doubt, self.trusted, exceeded)
        chosen: list[int] = []
        while len(chosen) < n and np.any(free[self._candidates]):
            among = fresh if np.any(fresh) else free[self._candidates]
            total = worth + self._curiosity(history, chosen)
            best = int(self._candidates[np.argmax(np.where(among, total, -np.inf))])
            chosen.append(best)
            free[best] = False
            if len(chosen) < n:
                fresh &= free[self._candidates] & ~self._copies(best)
        rest: list[int] = np.flatnonzero(free)[: n - len(chosen)].tolist() if len(chosen) < n else []
        return chosen + rest

    def _curiosity(self, history: History, chosen: list[int]) -> Floats | float:
        """Return what asking each candidate is worth beyond its chance of error."""
        if self._reach is None:
            return 0.0
        spoken_for = np.concatenate([history.asked, history.open, chosen]).astype(np.int64)
        return self._goal.curiosity / (1 + success(history, self.doubt) ** 2) * self._reach.gains(spoken_for)

    def _learn(self, history: History) -> None:
        count = fitted(len(history.asked), exact=MOST_EXACT)
        asked, wrong = history.asked[:count], history.wrong[:count]
        key = asked.tobytes(), wrong.tobytes()
        if self._learnt != key:
            self._experts.learn(asked, wrong)
            self._learnt = key

    def _copies(self, item: int) -> Bools:
        """Return which candidates are copies of the item, or it itself."""
        return np.asarray(self._experts.bends.likeness(item) > COPY)


def screened(field: Field, priors: list[Prior], goal: Goal) -> Ints:
    """Return the items that the models are worked out for: all, or of very many the first of every simple order.

    What a model finds worth asking is looked at as if half an excess had been found: it is not known yet.
    """
    ranks = shuffled_ranks(field)
    if len(field) <= MOST_CANDIDATES:
        return np.arange(len(field))
    doubt = 1 - field.confidence
    trusted = goal.shares[CONFIDENCE_ALONE]
    worths = [doubt, *field.signals.values(), *(goal.worth(one.chances(), doubt, trusted, 0.5) for one in priors)]
    each = MOST_CANDIDATES // 2 // len(worths)
    inside = np.zeros(len(field), dtype=np.bool_)
    for worth in worths:
        inside[np.argsort(-worth, kind="stable")[:each]] = True
    others = np.flatnonzero(~inside)
    drawn = others[np.argsort(ranks[others])[: MOST_CANDIDATES - int(inside.sum())]]
    return np.sort(np.concatenate([np.flatnonzero(inside), drawn]))
