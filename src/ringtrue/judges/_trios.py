"""Many trios at once: the closed-form solution for arrays of sketches, with the status decided exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, count
from ringtrue.judges._evaluation import Floats
from ringtrue.judges._invariants import STATUSES, Status, float_root, invariants, majority_root, status_of

Bools: TypeAlias = NDArray[np.bool_]

_ROWS = 8192  # as many sketches at a time as keep the intermediate arrays in the processor's cache
_FEW = 2**16  # below so many items all invariants, fourth powers of it at most, are exact in 64 bits
_OK, _COMPLEX, _OUTSIDE, _EMPTY, _UNIDENTIFIED = (
    STATUSES.index(status) for status in ("ok", "complex", "outside", "empty", "unidentified")
)


@dataclass(frozen=True, slots=True, eq=False)
class Trios:
    """Solutions of m trios: `prevalence` (m,) of the first label, `accuracies` (m, 3, 2), `codes` (m,).

    A code is the place of the status in `STATUSES`; irrational solutions count as ok. Each row holds the solution in
    which most judges are better than chance, and NaN where no solution lies inside the unit cube.
    """

    prevalence: Floats
    accuracies: Floats
    codes: NDArray[np.int8]

    @property
    def valid(self) -> Bools:
        """True for the trios that have a solution inside the unit cube: shape (m,)."""
        valid: Bools = self.codes == _OK
        return valid

    def tally(self) -> dict[Status, int]:
        """Count the trios of each status."""
        numbers = np.bincount(self.codes, minlength=len(STATUSES)).tolist()
        return {status: number for status, number in zip(STATUSES, numbers, strict=True) if status != "irrational"}

    def __str__(self) -> str:
        parts = [f"{number:,} {status}" for status, number in self.tally().items() if number]
        return f"{count(len(self.codes), 'trio')}: {', '.join(parts) or 'none'}"


def solve_trios(counts: Any) -> Trios:
    """Solve many sketches of three judges and two labels at once: an (m, 8) array of whole counts.

    The columns are in the order of `Sketch.cells()`. A million sketches take about a second. Sketches of fewer than
    65,536 items are decided in integers of 64 bits, larger ones one by one in integers of any size (give Python
    integers beyond 64 bits), so that the codes are those of `solve_trio`.

    >>> trios = solve_trios([[114, 26, 60, 60, 36, 24, 45, 85], [10, 3, 9, 20, 8, 25, 4, 21]])
    >>> trios.prevalence.round(4), trios.valid
    (array([0.4444,    nan]), array([ True, False]))
    >>> print(trios)
    2 trios: 1 ok, 1 complex
    """
    table = _checked(counts)
    m = len(table)
    prevalence, accuracies = np.full(m, np.nan), np.full((m, 3, 2), np.nan)
    codes = np.empty(m, dtype=np.int8)
    few = np.minimum(table, _FEW).sum(axis=1) < _FEW
    together = np.flatnonzero(few)
    for start in range(0, len(together), _ROWS):
        rows = together[start : start + _ROWS]
        codes[rows], prevalence[rows], accuracies[rows] = _solve(np.ascontiguousarray(table[rows].T, dtype=np.int64))
    for row in np.flatnonzero(~few):
        facts = invariants([int(number) for number in table[row]])
        status = status_of(facts)
        codes[row] = _OK if status == "irrational" else STATUSES.index(status)
        if codes[row] == _OK:
            prevalence[row], accuracies[row] = float_root(facts, majority_root(facts))
    return Trios(prevalence, accuracies, codes)


def _solve(cells: NDArray[np.int64]) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Return codes, prevalences and accuracies of (8, m) counts; the rules are those of `status_of`."""
    facts: Any = invariants(list(cells))  # the same formulas, on arrays
    items, votes, pairs, triple, slices, determinant = facts
    others = pairs[::-1]  # each at the place of the judge who is not in it
    signs = [np.sign(pair) for pair in others]
    zeros = sum(sign == 0 for sign in signs)
    inside = signs[0] * signs[1] * signs[2] > 0
    for sign, (low, high) in zip(signs, slices, strict=True):
        inside &= np.minimum(sign * low, sign * high) >= 0
    cases = [(zeros >= 2) & (triple == 0), (zeros > 0) | (determinant == 0), determinant < 0, ~inside]
    codes = np.select(cases, [_UNIDENTIFIED, _EMPTY, _COMPLEX, _OUTSIDE], _OK).astype(np.int8)

    items = np.maximum(items, 1)
    moment, covariances = triple / items**3, [pair / items**2 for pair in others]
    root = np.sqrt(np.maximum(moment**2 + 4 * covariances[0] * covariances[1] * covariances[2], 0.0))
    root = np.where(signs[0] + signs[1] + signs[2] > 0, root, -root)  # most judges are better than chance
    accuracies = np.empty((len(items), 3, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        for i, (vote, covariance) in enumerate(zip(votes, covariances, strict=True)):
            accuracies[:, i, 0] = 1 - vote / items + (root - moment) / (2 * covariance)
            accuracies[:, i, 1] = vote / items + (root + moment) / (2 * covariance)
        prevalence = 0.5 + 0.5 * moment / root
    np.clip(accuracies, 0, 1, out=accuracies)
    prevalence[codes != _OK], accuracies[codes != _OK] = np.nan, np.nan
    return codes, prevalence, accuracies


def _checked(counts: Any) -> NDArray[Any]:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[1] != 8:
        raise InvalidInput(f"counts has the shape {table.shape}, not (m, 8): give one row of eight counts per sketch")
    whole = table.dtype.kind in "iu" or (
        table.dtype.kind == "O" and all(isinstance(number, int | np.integer) for number in table.flat)
    )
    if not whole and table.size:
        raise InvalidInput(f"counts has the type {table.dtype}, not whole numbers: give counts, not shares")
    if table.size and table.min() < 0:
        raise InvalidInput(f"counts holds {table.min()}, and counts are not negative: mend the counts")
    return table
