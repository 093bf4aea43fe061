"""How a hunt asks: what its search picks and, at fixed places in between, an item drawn at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind._scope import scope_of
from ringtrue.blind.expectation import Residual, adversarial_distance
from ringtrue.blind.searches import Chooser, Field, History, Search
from ringtrue.blind.signals import TRAITS, standardised
from ringtrue.core import Draw, InvalidInput, Policy, Prediction, Record, View
from ringtrue.stats import generator, one_thread


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

    @one_thread
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
            field = field_of(view.scores, view.seed, adjusted=self._search.adjusted)
            self._field = view.scores, scope_of(view.scores), self._search.on(field)
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

    def located(wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
        return places, rows[places] == wanted

    told = [record for record in records if record.responder == "oracle" and record.state == "answered"]
    answered = [-1 if record.row is None else record.row for record in told]
    places, inside = located(np.array(answered, dtype=np.int64))
    wrong = [bool(record.failed) for record, hunted in zip(told, inside, strict=True) if hunted]
    waiting, hunted = located(np.array(sorted(set(asked).difference(answered)), dtype=np.int64))
    return History(places[inside], np.array(wrong, dtype=bool), waiting[hunted])


def field_of(scores: Mapping[str, NDArray[Any]], seed: int, *, adjusted: bool = False) -> Field:
    """Return the items in scope: their confidence, their place among the others, and what makes an error likelier.

    With `adjusted`, a search by distance goes by the one that the looks of an image do not explain. As one of several
    signals the plain one is better: on nine tasks its search found a little more (`casestudies/confident_errors`).
    """
    rows = scope_of(scores)
    confidence = scores["confidence"][rows].astype(np.float64)
    signals = {
        name: standardised(scores[name][rows].astype(np.float64), confidence)
        for name in ("neighbours", "nearness")
        if name in scores
    }
    if "steadiness" in scores:
        signals["variations"] = standardised(-scores["steadiness"][rows], confidence)
    residual = residual_of(scores)
    if residual is not None:
        signals["distance"] = standardised(-residual.values, confidence)
    if adjusted:
        residual = residual_of(scores, adjusted=True)
    features = scores["space"][rows] if "space" in scores else np.zeros((len(rows), 0))
    disagreement = scores["neighbours"][rows].astype(np.float64) if "neighbours" in scores else None
    return Field(confidence, features, signals, None if residual is None else residual.values, seed, disagreement)


def residual_of(scores: Mapping[str, NDArray[Any]], *, adjusted: bool = False) -> Residual | None:
    """Return the adversarial distance of the items in scope; None where nothing was measured or changed.

    `adjusted` takes out what brightness, contrast and edges explain, and divides by the local spread.
    """
    if "distance" not in scores:
        return None
    rows = scope_of(scores)
    distance = scores["distance"][rows].astype(np.float64)
    changed = np.isfinite(distance)
    if not changed.any():
        return None
    traits = np.stack([scores[name][rows] for name in TRAITS], axis=1) if adjusted and TRAITS[0] in scores else None
    # A distance of nothing at all has no logarithm: it is nearer than any other.
    smallest = distance[changed & (distance > 0)].min(initial=1.0)
    return adversarial_distance(
        np.where(changed, np.maximum(distance, smallest), 1.0),
        scores["confidence"][rows],
        changed=changed,
        traits=traits,
        scaled=adjusted,
    )
