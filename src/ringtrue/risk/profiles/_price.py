"""The failure rate in operation, for any profile, from labels that were drawn without regard to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Interval, InvalidInput, Json, count, percent
from ringtrue.risk._grid import Floats
from ringtrue.stats import WeightedDraws, tails, weighted_mean_sequence

FLOOR = 30
"""A rate is not priced from labels that are worth fewer even ones than this."""

FLOOR_SHARE = 0.1
"""Nor from labels of which less than this share is left when they are weighted."""

METHOD = "betting on weighted draws"


@dataclass(frozen=True, slots=True)
class Priced:
    """The failure rate of operation under one profile; without interval where the labels say too little, and why."""

    name: str
    interval: Interval | None
    effective: float
    most_weight: float
    unassessed: float
    refusal: str | None

    def __str__(self) -> str:
        if self.interval is None:
            return f"profile {self.name!r}: not priced, {self.refusal}"
        worth = f"{count(self.interval.n, 'label')} worth {count(self.effective, 'even one')}"
        return f"profile {self.name!r}: {self.interval}; {worth}, {percent(self.unassessed)} of operation unassessed"

    def to_json(self) -> dict[str, Json]:
        return {"sentence": str(self), **asdict(self)}


def effective_size(weights: ArrayLike, probabilities: ArrayLike | None = None) -> float:
    """Return how many equally weighted labels tell as much about a mean as these.

    `probabilities` are those of drawing each item, up to a common factor: an item drawn half as often counts twice.

    >>> effective_size([1, 1, 1, 1]), effective_size([3, 1, 0, 0]), effective_size([2, 1], [2, 1])
    (4.0, 1.6, 2.0)

    Reference: Kish, Survey Sampling (1965), section 11.7.
    """
    shares = np.asarray(weights, dtype=float)
    if probabilities is not None:
        shares = shares / np.asarray(probabilities, dtype=float)
    squares = float(np.sum(shares**2))
    return float(np.sum(shares)) ** 2 / squares if squares else 0.0


def price(
    name: str,
    failed: ArrayLike,
    weight: ArrayLike,
    probability: ArrayLike,
    floor: ArrayLike,
    *,
    population: int,
    most: float,
    unassessed: float = 0.0,
    level: float = 0.95,
) -> Priced:
    """Bound the failure rate in operation, validly after every label, from labels in the order of asking.

    Parameters
    ----------
    name
        The name of the profile.
    failed
        Whether each item failed, as 0 or 1. NaN stands where the oracle could not tell: such an item counts as failed
        in the upper bound and as right in the lower one.
    weight
        The profile's weight of each item.
    probability
        The probability by which each item was chosen, as in `WeightedDraws`.
    floor
        The smallest probability any item had in that draw, as in `WeightedDraws`.
    population
        The number of items of the pool.
    most
        A number that no weight in the pool exceeds.
    unassessed
        The share of operation of whose kinds the pool has no item. It is added to the upper bound; the estimate takes
        it to fail as often as the rest.
    level
        The level of the interval.
    """
    told, w, chance, least = (np.asarray(one, dtype=float) for one in (failed, weight, probability, floor))
    _check(told, w, chance, least, most, unassessed)
    each = 1 - tails(level, "both")[0]  # the two sides share the chance of error
    known, drawn = ~np.isnan(told), ~np.isnan(chance)
    even: Floats = chance * (population - np.arange(len(chance)))  # a draw that favours no item has 1
    labels, effective = int(known.sum()), effective_size(w[drawn & known], even[drawn & known])
    needed = max(FLOOR, FLOOR_SHARE * labels)
    if effective < needed:
        are = "is" if labels == 1 else "are"
        refusal = (
            f"{count(labels, 'label')} {are} worth {effective:.1f} even ones under its weights (largest {most:.3g}), "
            f"below the floor of {needed:.0f}: label more of the kinds that weigh most"
        )
        return Priced(name, None, effective, most, unassessed, refusal)
    optimist, pessimist = (
        WeightedDraws.of(w * np.where(known, told, unknown) / most, chance, least) for unknown in (0.0, 1.0)
    )
    least_rate = most * weighted_mean_sequence(optimist, population=population, level=each, side="lower").low[0]
    most_rate = most * weighted_mean_sequence(pessimist, population=population, level=each, side="upper").high[0]
    if not np.any(w[known] * (1 - told[known]) > 0):
        most_rate = 1.0  # nothing right was seen: as long as all fails, all may
    # With a chance of at most 1 - level the bounds contradict each other; they then only change places.
    low, high = sorted((min(float(least_rate), 1.0), min(float(most_rate) + unassessed, 1.0)))
    # The share of all weight that failed: what was picked without chance as known, the rest as among the drawn.
    mass, picked = population * (1 - unassessed), known & ~drawn
    worth = np.where(drawn & known, w / np.where(drawn, even, 1.0), 0.0)
    rest = float(worth @ np.where(known, told, 0.0) / worth.sum()) if worth.any() else 0.5
    failing = float(w[picked] @ told[picked]) + max(mass - float(w[picked].sum()), 0.0) * rest
    interval = Interval(float(np.clip(failing / mass, low, high)), low, high, level, METHOD, labels)
    return Priced(name, interval, effective, most, unassessed, None)


def _check(told: Floats, weight: Floats, chance: Floats, least: Floats, most: float, unassessed: float) -> None:
    lengths = [len(one) for one in (told, weight, chance, least)]
    if len(set(lengths)) > 1:
        raise InvalidInput(f"failed, weight, probability and floor have {lengths} entries: give one of each per label")
    if not 0 <= unassessed <= 1:
        raise InvalidInput(f"unassessed={unassessed!r} must lie in [0, 1]: give a share of operation")
    if not np.all((weight >= 0) & (weight <= most)):
        raise InvalidInput(f"weight must lie in [0, most={most:g}]: give the profile's largest weight")
    if not np.all(np.isnan(chance) | (chance > 0)):
        raise InvalidInput(
            "probability must be positive, or NaN for an item picked without chance: give the draw's own"
        )
    if not np.all(np.isnan(told) | (told == 0) | (told == 1)):
        raise InvalidInput("failed must hold 0, 1, or NaN where the oracle could not tell: compare the answers first")
