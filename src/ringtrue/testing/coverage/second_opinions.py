"""The cases of second opinions: first labels that may be wrong, some of them checked, and the rate by agreed labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ringtrue.core import percent
from ringtrue.stats import Bools, CheckedDraws, Side, generator, two_phase_sequence
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.testing.coverage._case import LEVEL, Case, by_study, numbers, watched
from ringtrue.testing.coverage.stats import rows_of

SEED = 20261118
LOOKS = (10, 20, 50, 100, 200, 300, 500, 700, 1000)
SIDES: tuple[Side, ...] = ("both", "upper", "lower")
SHORT = (10, 20, 50, 100, 200, 300)
RATES = (0.0, 0.001, 0.005, 0.01, 0.05)
ERRORS = (0.0, 0.01, 0.05)
_UNTOLD = 0.02
"""The share of checks that have no answer, in the studies that have such."""


def two_phase(
    rate: float,
    misses: float,
    false: float,
    *,
    items: int = 2000,
    looks: tuple[int, ...] = LOOKS,
    uneven: bool = False,
    tiring: bool = False,
    chance: float = 0.1,
) -> Case:
    """Return the case of a pool whose first labels are checked, all failures and a share of the others.

    Parameters
    ----------
    rate, misses, false
        The share that fails; how often a first label misses a failure, and how often it makes one up.
    items, looks
        The number of items of the pool, and the numbers of records after which bounds are looked at.
    uneven
        Whether doubtful items are drawn more often, by chances that the answers change, and some checks stay open.
    tiring
        Whether misses go up from none to twice their share as the study goes on.
    chance
        The chance of a check of an item that passed at first.
    """
    kind = f"{'uneven, some untold' if uneven else 'even'}{', tiring rater' if tiring else ''}"
    errs = percent(misses) if misses == false else f"{percent(misses)} and {percent(false)}"
    where = f"two_phase_sequence, {kind}, {items:,} items, rater errs {errs}, {percent(rate)} fail"

    def study(number: int, seed: int) -> Mapping[str, Bools]:
        rng, longest = generator(seed, where, number), max(looks)
        failed = rng.permutation(items) < round(rate * items)
        order, probabilities, floors = _weighted(failed, longest, rng) if uneven else _even(items, longest, rng)
        truth, half = failed[order], longest / 2
        missed = misses * np.arange(longest) / half if tiring else np.full(longest, misses)
        first = np.where(truth, rng.random(longest) >= missed, rng.random(longest) < false)
        checked = first | (rng.random(longest) < chance)
        agreed = np.where(uneven & (rng.random(longest) < _UNTOLD), np.nan, truth)
        draws = CheckedDraws.of(
            first, checked, agreed, population=items, chance=chance, probabilities=probabilities, floors=floors
        )
        held = {side: two_phase_sequence(draws, level=LEVEL, side=side, prefixes=looks) for side in SIDES}
        return {side: watched(bounds.covers(failed.mean())) for side, bounds in held.items()}

    rows = rows_of("two_phase_sequence", "watched")
    return Case(where, rows, by_study(study), SEED, numbers(looks), repetitions=500, chunk=100, seconds=0.15)


def _even(items: int, longest: int, rng: np.random.Generator) -> tuple[Ints, Floats, Floats]:
    """Return rows in the order of even draws, with their probabilities and floors."""
    chance = 1 / (items - np.arange(longest, dtype=float))
    return rng.permutation(items)[:longest], chance, chance


def _weighted(failed: Bools, longest: int, rng: np.random.Generator) -> tuple[Ints, Floats, Floats]:
    """Return rows drawn half evenly and half by doubt, a good guide that counts twice after a failure was drawn."""
    doubt = rng.gamma(np.where(failed, 2.0, 0.5)) + 0.01
    left = np.ones(len(failed), dtype=bool)
    found: list[tuple[int, float, float]] = []
    for _ in range(longest):
        power = 2.0 if found and failed[found[-1][0]] else 1.0
        weight = np.where(left, doubt**power, 0.0)
        chance = 0.5 * left / left.sum() + 0.5 * weight / weight.sum()
        row = int(rng.choice(len(failed), p=chance))
        found.append((row, float(chance[row]), float(chance[left].min())))
        left[row] = False
    rows, probabilities, floors = zip(*found, strict=True)
    return np.array(rows), np.array(probabilities), np.array(floors)


CASES: tuple[Case, ...] = (
    *(two_phase(rate, error, error) for error in ERRORS for rate in RATES),
    *(two_phase(rate, 0.05, 0.05, items=1000, looks=SHORT, uneven=True) for rate in RATES),
    *(
        two_phase(0.05, 0.5, 0.01, items=items, looks=SHORT, tiring=tiring)
        for items in (300, 2000)
        for tiring in (False, True)
    ),
)
