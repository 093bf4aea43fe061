"""The learning search: ask where more error is expected than the confidence admits, and learn from the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.blind._checks import Bools, Floats, Ints
from ringtrue.blind.searches._editions import COPY, fitted, success
from ringtrue.blind.searches._error_model import ErrorModel, Posterior, chance
from ringtrue.blind.searches._field import Chooser, Field, History, Search, shuffled_ranks
from ringtrue.stats import generator

_SHARE = 0.04
"""An answer speaks for the items that have it among this share of the pool nearest to them. Pockets of errors that
are much smaller are left to signals and luck."""

_COUNTED = 300  # items drawn at random, by which the pool is counted


class Reach:
    """How many items each candidate would newly speak for, as a share of the most that any could at first.

    Nearest by rank and not by distance, so that it means the same in two dimensions and in thirty. A confident
    candidate counts for more: an error there is the clearer sign.
    """

    def __init__(self, field: Field, candidates: Ints) -> None:
        self._places = field.features
        self._counted = generator(field.seed, "blind: reach").permutation(len(field))[:_COUNTED]
        apart = cdist(self._places[self._counted], self._places[candidates])
        rank = int(_SHARE * len(candidates))
        self._radius = np.partition(apart, rank, axis=1)[:, rank]
        self._near = apart <= self._radius[:, None]
        self._weight = field.confidence[candidates] / self._near.sum(axis=0).max()

    def gains(self, asked: Ints) -> Floats:
        """Return what each candidate would add to answers, or to questions still open, about the `asked` items."""
        apart = cdist(self._places[self._counted], self._places[asked])
        waiting = ~np.any(apart <= self._radius[:, None], axis=1)
        return np.asarray(self._near[waiting].sum(axis=0) * self._weight)


CURIOSITY = 0.6
"""What asking the item that speaks for most of the pool is worth beyond its chance of error. It fades as answers cover
the pool, and as errors are found; without it a pocket that no signal points to is found less often than by chance."""

MOST_EXACT = 300
"""Answers up to which each one refits the exact model. Beyond, the model bends at no more items than this: the work per
answer stays bounded."""

MOST_CANDIDATES = 20_000
"""Of a larger pool no more items than this are candidates: half of them by the prior, half drawn at random."""

_AT_ONCE = 1024

Objective = Callable[[Floats, Floats], Floats]
"""(chance of error, doubt = 1 - confidence) -> what asking is worth; it must grow with the chance."""


@dataclass(frozen=True, kw_only=True)
class Learning(Search):
    """Asks the item of the largest objective under the error model, given all answers."""

    objective: Objective

    def on(self, field: Field) -> LearningChooser:
        return LearningChooser(field, self.objective)


class LearningChooser(Chooser):
    def __init__(self, field: Field, objective: Objective) -> None:
        self._model = ErrorModel(field)
        self._objective = objective
        self._candidates = self._screened(shuffled_ranks(field))
        self._reach = Reach(field, self._candidates)
        self._columns: dict[int, Floats] = {}
        self._fitted: tuple[bytes, Posterior] | None = None

    def chances(self, history: History) -> Floats:
        return self._posterior(history).chances()

    def choose(self, history: History, n: int) -> list[int]:
        chances = _Chances(self._posterior(history), self._candidates, self._columns)
        free = history.free(len(self._model.doubt))
        fresh = free[self._candidates]
        for item in history.open.tolist():
            fresh &= ~self._copies(item)
        curiosity = CURIOSITY / (1 + success(history, self._model.doubt) ** 2)
        chosen: list[int] = []
        while len(chosen) < n and np.any(free[self._candidates]):
            spoken_for = np.concatenate([history.asked, history.open, chosen]).astype(np.int64)
            bonus = curiosity * self._reach.gains(spoken_for)
            best = self._best(chances, bonus, fresh if np.any(fresh) else free[self._candidates])
            chosen.append(best)
            free[best] = False
            fresh &= free[self._candidates] & ~self._copies(best)
        rest: list[int] = np.flatnonzero(free)[: n - len(chosen)].tolist()
        return chosen + rest

    def _posterior(self, history: History) -> Posterior:
        count = fitted(len(history.asked), exact=MOST_EXACT)
        asked, wrong = history.asked[:count], history.wrong[:count]
        key = asked.tobytes() + wrong.tobytes()
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = key, self._model.posterior(asked, wrong.astype(np.float64), spanning(asked, wrong))
        return self._fitted[1]

    def _best(self, chances: _Chances, bonus: Floats, free: Bools) -> int:
        """Return the free candidate of the largest objective, in blocks from the highest bound down."""
        doubt = self._model.doubt[self._candidates]
        bound = self._objective(chances.bound + bonus, doubt)
        order = np.flatnonzero(free)
        order = order[np.argsort(-bound[order], kind="stable")]
        best, found = -np.inf, -1
        for start in range(0, len(order), _AT_ONCE):
            block = order[start : start + _AT_ONCE]
            if bound[block[0]] < best:
                break
            worth = self._objective(chances.at(block) + bonus[block], doubt[block])
            if worth.max() > best:
                best, found = float(worth.max()), int(block[np.argmax(worth)])
        return int(self._candidates[found])

    def _copies(self, item: int) -> Bools:
        """Return which candidates are copies of the item, or it itself."""
        one = np.array([item])
        return np.asarray(self._model.likeness(one, self._candidates)[0] > COPY * self._model.likeness(one, one)[0])

    def _screened(self, ranks: Ints) -> Ints:
        if len(ranks) <= MOST_CANDIDATES:
            return np.arange(len(ranks))
        worth = self._objective(chance(self._model.offset, self._model.prior_variance), self._model.doubt)
        order = np.argsort(-worth, kind="stable")
        half = MOST_CANDIDATES // 2
        others = order[half:]
        return np.sort(np.concatenate([order[:half], others[np.argsort(ranks[others])[:half]]]))


class _Chances:
    """Chances of error of the candidates after some answers: bounds of all, and exact ones of those asked for.

    `columns` keeps the likeness of the basis to the candidates from one time to the next.
    """

    def __init__(self, posterior: Posterior, candidates: Ints, columns: dict[int, Floats]) -> None:
        basis = posterior.basis.tolist()
        for item in set(columns) - set(basis):
            del columns[item]
        new = np.array([item for item in basis if item not in columns], dtype=np.int64)
        columns.update(zip(new.tolist(), posterior.model.likeness(new, candidates), strict=True))
        self._posterior, self._candidates = posterior, candidates
        self._local = np.array([columns[item] for item in basis]).reshape(len(basis), len(candidates))
        self._mean = posterior.means(candidates, self._local)
        # The variance lies between none and the prior one, and the chance between those that they give.
        surest, least_sure = (chance(self._mean, v) for v in (0.0, posterior.model.prior_variance[candidates]))
        self.bound: Floats = np.maximum(surest, least_sure)
        self._exact = np.full(len(candidates), np.nan)

    def at(self, places: Ints) -> Floats:
        new = places[np.isnan(self._exact[places])]
        if new.size:
            variance = self._posterior.variances(self._candidates[new], self._local[:, new])
            self._exact[new] = chance(self._mean[new], variance)
        return self._exact[places]


def spanning(asked: Ints, wrong: Bools) -> Ints:
    """Return the items at which the model can bend: all that were asked, or else the errors and then the newest."""
    order = np.lexsort((-np.arange(len(asked)), ~wrong))
    return asked[order[:MOST_EXACT]]


def excess(chances: Floats, doubt: Floats) -> Floats:
    """Return error to be expected beyond what the confidence admits."""
    return chances - doubt


def standardised(chances: Floats, doubt: Floats) -> Floats:
    """Return the same in standard deviations of what the confidence admits: fewer errors, but more confident ones."""
    return (chances - doubt) / np.sqrt(np.maximum(doubt, 0.02))
