"""How a hunt asks: what its search picks and, at fixed places in between, an item drawn at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._field import field_of
from ringtrue.blind._scope import scope_of
from ringtrue.blind.searches import Chooser, History, Search
from ringtrue.core import Draw, InvalidInput, Policy, Prediction, Record, View
from ringtrue.stats import generator


class Hunting(Policy):
    """A search with a floor of random draws.

    The share `floor` of the queries is drawn uniformly from the items of the scope not asked about yet, at
    places that are fixed beforehand. Such a draw is kept with what the search expected of every item just before, by
    which the bound on the rate of errors takes the known part out. What the search picks is known, and never weighted.
    """

    def __init__(self, search: Search, floor: float, name: str) -> None:
        self.name = search.name
        self._search, self._floor, self._question = search, floor, name
        self._field: tuple[Mapping[str, Any], NDArray[np.int64], Chooser] | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next draws, none of an item that was asked about."""
        if not view.scores:
            raise InvalidInput("nothing was prepared to go by: call Study.prepare before asking")
        rows, chooser = self._chooser(view)
        history = history_of(view.records, rows, view.asked)
        draws: list[Draw] = []
        while len(draws) < n:
            taken = np.searchsorted(rows, np.array([draw.row for draw in draws], dtype=np.int64))
            now = replace(history, open=np.concatenate([history.open, taken]))
            step = view.step + len(draws)
            if is_random(step, self._floor):
                found = self._random(view, rows, chooser, now, step)
            else:
                found = [
                    Draw(row=int(rows[item])) for item in chooser.choose(now, picks(step, n - len(draws), self._floor))
                ]
            if not found:
                break
            draws += found
        return draws

    def _chooser(self, view: View) -> tuple[NDArray[np.int64], Chooser]:
        """Return the search on this pool: made once, as long as the scores are the same."""
        if self._field is None or self._field[0] is not view.scores:
            rows = scope_of(view.scores)
            field = field_of(view.scores, view.seed, adjusted=self._search.adjusted)
            self._field = view.scores, rows, self._search.on(field)
        return self._field[1:]

    def _random(self, view: View, rows: NDArray[np.int64], chooser: Chooser, history: History, step: int) -> list[Draw]:
        left = np.flatnonzero(history.free(len(rows)))
        if not len(left):
            return []
        place = int(generator(view.seed, f"floor/{self._question}", step).integers(len(left)))
        guesses = np.clip(chooser.chances(history)[left], 0.0, 1.0)
        prediction = Prediction(
            guess=float(guesses[place]),
            rest=float(guesses.sum()),
            least=-float(guesses.max()) * len(left),
            most=float(1 - guesses.min()) * len(left),
        )
        # Over the whole pool this is a random draw for every question; in a part of it, for this one alone.
        chance = 1 / len(left) if len(rows) == view.size else None
        return [Draw(row=int(rows[left[place]]), probability=chance, floor=chance, prediction=prediction)]


def is_random(step: int, floor: float) -> bool:
    """Return whether the query of this step, counted from 0, is a random draw.

    >>> [step for step in range(12) if is_random(step, 0.2)]
    [4, 9]
    """
    share = 1e-9  # so that five times a fifth is one
    return math.floor((step + 1) * floor + share) > math.floor(step * floor + share)


def picks(step: int, most: int, floor: float) -> int:
    """Return how many queries from this step on, at most `most`, the search picks before the next random draw.

    >>> picks(0, 10, 0.2), picks(5, 2, 0.2)
    (4, 2)
    """
    return next((ahead for ahead in range(1, most) if is_random(step + ahead, floor)), most)


def history_of(records: Sequence[Record], rows: NDArray[np.int64], asked: AbstractSet[int]) -> History:
    """Return what was asked in the scope and how it was answered, as places in the scope."""
    told: list[tuple[int, bool]] = []
    closed = set()
    for record in records:
        if record.row is not None and record.responder == "oracle" and record.state == "answered":
            place = int(np.searchsorted(rows, record.row))
            if place < len(rows) and rows[place] == record.row:
                told.append((place, bool(record.failed)))
                closed.add(record.row)
    waiting = np.array(sorted(set(asked) - closed), dtype=np.int64)
    places = np.searchsorted(rows, waiting)
    inside = (places < len(rows)) & (rows[np.minimum(places, len(rows) - 1)] == waiting)
    return History(
        np.array([place for place, _ in told], dtype=np.int64),
        np.array([wrong for _, wrong in told], dtype=bool),
        places[inside].astype(np.int64),
    )
