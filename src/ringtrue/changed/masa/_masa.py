"""MASA itself: from which part of the pool to buy the next answer, in time logarithmic in the number of parts."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import partial
from heapq import heapify, heappop, heappush, heapreplace
from math import inf, sqrt

import numpy as np

from ringtrue.changed._baseline import Floats, Ints, answer_name
from ringtrue.changed._census import Census
from ringtrue.changed.masa._partition import CONSTANT, Partition, error_bound, new_matrix
from ringtrue.core import Draw, InvalidInput, Policy, Record, View
from ringtrue.stats import Following, Shuffle

EXPLORATION = 1.0
"""The paper's a, and its default."""


class Masa:
    """Algorithm 1 of the paper: `next` names a part, `tell` takes the answer of an item drawn from it.

    Two answers of each part come first: one of each, from large parts to small, then the second. From then on it is
    the part with the greatest index, share / n * (score + a / n^(1/4)), where n answers of the part are known and the
    score is the root of the share of pairs of them that differ. Equal indices go to the first part. Only the index of
    the part that was told of changes, and a heap keeps the greatest on top.

    With `replace` an item may be drawn again, as in the paper. Without it a part of whose items all are known is left
    alone, and `next` is None when that is all parts. A budget that ends before every part has its two answers is not
    an error: see `new_matrix` for what is then assumed.

    >>> masa = Masa(Partition(np.array([0, 1, 1, 1]), np.array([0, 1]), np.array([1, 3])), replace=False)
    >>> for answer in (0, 1, 0):
    ...     masa.tell(masa.next(), answer)
    >>> masa.asked.tolist(), masa.next(), masa.counts(2).tolist()
    ([1, 2], 1, [[0, 1], [2, 0]])

    Reference: Chen, Cai, Zaharia & Zou, (How) Did the Model Change?, ICLR 2022, algorithm 1 and lemmas 3 to 7.
    """

    def __init__(self, partition: Partition, *, exploration: float = EXPLORATION, replace: bool = True) -> None:
        if not 0 <= exploration < inf:
            raise InvalidInput(f"exploration={exploration} must be a number from 0 on: the paper takes 1")
        self.partition, self.exploration, self.replace = partition, float(exploration), replace
        parts = partition.parts
        self._shares: list[float] = partition.shares.tolist()
        self._left: list[float] = [inf] * parts if replace else partition.sizes.tolist()
        self._asked = [0] * parts
        self._squares = [0] * parts
        self._seen: list[dict[int | str, int]] = [{} for _ in range(parts)]
        self._keys = [-self._index(part, 0) for part in range(parts)]
        self._heap = [(key, part) for part, key in enumerate(self._keys)]
        heapify(self._heap)

    def next(self) -> int | None:
        """Return the part to draw the next item from; None when there is nothing left."""
        heap, keys = self._heap, self._keys
        while heap and heap[0][0] != keys[heap[0][1]]:  # told of since, while it was not on top
            heappop(heap)
        return heap[0][1] if heap else None

    def tell(self, part: int, answer: int | str) -> None:
        """Take the answer of an item of this part, whether or not it was the next."""
        self._take_one(part)
        seen = self._seen[part]
        before = seen.get(answer, 0)
        seen[answer] = before + 1
        self._asked[part] += 1
        # The squared score is the share of pairs that differ, (n^2 - sum of squared counts) / (n (n - 1)): the paper's
        # running update of it, in whole numbers, which do not drift.
        self._squares[part] += 2 * before + 1
        self._renew(part, -self._index(part, self._asked[part]))

    def lose(self, part: int) -> None:
        """Take out an item of this part that can never be asked: without replacement there is one less."""
        self._take_one(part)
        self._renew(part, self._keys[part])

    def batch(self, number: int, waiting: Iterable[int] = ()) -> list[int]:
        """Return the parts of the next draws, if neither they nor those `waiting` are answered before all are made.

        A draw without its answer counts, and is expected to leave its part's score as it is.
        """
        asked, left = self._asked.copy(), self._left.copy()
        for part in waiting:
            asked[part] += 1
            left[part] -= 1
        heap = [(-self._index(part, asked[part]), part) for part in range(len(asked)) if left[part] > 0]
        heapify(heap)
        chosen: list[int] = []
        while heap and len(chosen) < number:
            part = heap[0][1]
            chosen.append(part)
            asked[part] += 1
            left[part] -= 1
            if left[part] > 0:
                heapreplace(heap, (-self._index(part, asked[part]), part))
            else:
                heappop(heap)
        return chosen

    @property
    def asked(self) -> Ints:
        """The number of answers of each part."""
        return np.array(self._asked, dtype=np.int64)

    @property
    def score(self) -> Floats:
        """The uncertainty score of each part, sigma in the paper; 1 where fewer than two answers are known."""
        return np.array([self._score(part) for part in range(len(self._asked))])

    def counts(self, names: int) -> Ints:
        """Return how often each part gave each answer, for answers that are codes below `names`."""
        table = np.zeros((len(self._seen), names), dtype=np.int64)
        for part, seen in enumerate(self._seen):
            for answer, number in seen.items():
                table[part, int(answer)] = number
        return table

    def shift(self, old_matrix: Floats) -> Floats:
        """Return the estimated shift from an old confusion matrix of shape (labels, answers)."""
        return new_matrix(self.partition, self.counts(old_matrix.shape[1]), old_matrix) - old_matrix

    def bound(self, constant: float = CONSTANT) -> float:
        """Return the stopping rule's bound on the error: see `error_bound`."""
        return error_bound(
            self.partition,
            self.asked,
            self.score,
            constant=constant,
            exploration=self.exploration,
            replace=self.replace,
        )

    def _score(self, part: int) -> float:
        asked = self._asked[part]
        return 1.0 if asked < 2 else sqrt((asked * asked - self._squares[part]) / (asked * (asked - 1)))

    def _index(self, part: int, asked: int) -> float:
        """Return the index of a part if so many of its items have been asked for and its score is as it is."""
        share = self._shares[part]
        if asked < 2:  # above any later index, which is at most share * (1 + a) / 2
            return (2 - asked) * (2 + self.exploration) + share
        return share / asked * (self._score(part) + self.exploration / sqrt(sqrt(asked)))

    def _take_one(self, part: int) -> None:
        if not 0 <= part < len(self._left):
            raise InvalidInput(f"part={part} must lie in [0, {len(self._left)}): the partition has no other")
        if self._left[part] <= 0:
            raise InvalidInput(f"part={part} has no items left: draw from the part that next() names")
        self._left[part] -= 1

    def _renew(self, part: int, key: float) -> None:
        self._keys[part] = key
        heap = self._heap
        if self._left[part] <= 0:
            self._keys[part] = inf  # no entry has this key: they are all passed over
        elif heap and heap[0][1] == part:
            heapreplace(heap, (key, part))
        elif len(heap) < 4 * len(self._keys):
            heappush(heap, (key, part))
        else:  # mostly passed over by now
            self._heap = [(key, part) for part, key in enumerate(self._keys) if key < inf]
            heapify(self._heap)


class MasaPolicy(Policy):
    """Picks the next items by MASA's rule, without replacement; its picks are not random, and are never weighted.

    The parts are those of `Partition.of_kinds`; `view.scores["kind"]` tells the kind of each row. Answers that are
    still out count as asked and leave the score of their part as it is. Which item of a part comes next is a matter of
    the seed alone.
    """

    name = "masa"

    def __init__(self, census: Census, *, exploration: float = EXPLORATION) -> None:
        self._census, self._exploration = census, exploration
        self._following: Following[_Answers] | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next `n` items, fewer when the pool is exhausted."""
        if self._following is None or view.records is not self._following.records or view.seed != self._seed:
            self._following = self._follow(view)
        learner = self._following.advance()
        waiting = [int(self._part[row]) for row in self._following.waiting()]
        rows: dict[int, None] = {}
        for part in learner.masa.batch(n, waiting):
            rows[self._unasked(part, view, rows.keys())] = None
        return [Draw(row=row) for row in rows]

    def _follow(self, view: View) -> Following[_Answers]:
        """Begin with a pool: its parts, and which items of each come next."""
        self._seed, partition = view.seed, Partition.of_kinds(self._census)
        self._part = partition.part[self._census.check_kinds(view.scores.get("kind"))]
        order = np.argsort(self._part, kind="stable")
        self._rows: list[Ints] = np.split(order, np.cumsum(partition.sizes)[:-1])
        self._orders = [Shuffle(len(rows), view.seed, f"changed/masa/{part}") for part, rows in enumerate(self._rows)]
        self._passed = [0] * len(self._rows)
        learner = partial(_Answers, partition, self._exploration, self._part)
        return Following(view.records, "model", learner, once=True)

    def _unasked(self, part: int, view: View, gone: AbstractSet[int]) -> int:
        """Return the first item of a part, in its random order, that was not asked yet."""
        rows, order = self._rows[part], self._orders[part]
        while int(rows[order[self._passed[part]]]) in view.asked:
            self._passed[part] += 1  # what was asked stays asked
        place = self._passed[part]
        while (row := int(rows[order[place]])) in gone or row in view.asked:
            place += 1
        return row


class _Answers:
    """Tells MASA of each row's answer, the first if there are two."""

    def __init__(self, partition: Partition, exploration: float, part: Ints) -> None:
        self.masa, self._part = Masa(partition, exploration=exploration, replace=False), part

    def learn(self, record: Record, row: int) -> None:
        if record.state == "abandoned":
            self.masa.lose(int(self._part[row]))
        else:
            self.masa.tell(int(self._part[row]), answer_name(record.label))
