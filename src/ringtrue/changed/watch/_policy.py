"""Who is asked next: a sentinel, an item that was not asked about before, or the two in turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ringtrue.core import Draw, Policy, View
from ringtrue.stats import Shuffle, generator


class InSight(Policy):
    """Asks about a sentinel chosen by chance, each time anew: so all answers may stand in any order (`Alarm`).

    With `fresh` every other call, or each where there are no sentinels, is about an item by chance. Of a steady model
    it is one that was not asked about before, until all were: any choice is good where one other answer is a proof.
    Else it is any item of the pool, each time anew, so that these answers may stand in any order, too.

    Parameters
    ----------
    rows, fresh, steady
        The rows of the sentinels, whether other items are asked about, and whether the model always answers the same.
    """

    name = "sentinels"
    asks_again = True

    def __init__(self, rows: Sequence[int], *, fresh: bool = False, steady: bool = False) -> None:
        self._rows, self._fresh, self._steady = list(rows), fresh, steady
        self._in_order = sorted(rows)

    def propose(self, view: View, n: int) -> list[Draw]:
        """Propose the next calls; a proposal ends before a row that stands in it already."""
        draws: dict[int, Draw] = {}
        for step in range(view.step, view.step + n):
            row = self._row(view, step)
            if row in draws:
                break
            draws[row] = Draw(row=row)
        return list(draws.values())

    def _row(self, view: View, step: int) -> int:
        others = view.size - len(self._rows)
        turns = 2 if self._rows else 1
        if self._fresh and others and step % turns == turns - 1:
            return self._other(view, others, step // turns)
        return self._rows[int(generator(view.seed, "changed/watch", step).random() * len(self._rows))]

    def _other(self, view: View, others: int, turn: int) -> int:
        """Return the row of an item that is no sentinel."""
        if self._steady:
            times, place = divmod(turn, others)
            row = _order(others, view.seed, times)[place]
        else:
            row = int(generator(view.seed, "changed/watch other", turn).random() * others)
        for sentinel in self._in_order:
            row += row >= sentinel
        return row


@lru_cache(maxsize=8)
def _order(size: int, seed: int, times: int) -> Shuffle:
    """Return the order in which the other items are asked about, another one each time that all were."""
    return Shuffle(size, seed, f"changed/watch fresh {times}")
