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
_EXACT = 2.0**53  # below, sums and products of whole numbers are exact in floating point
_MARGIN = 2.0**-46  # above, a difference is trusted beyond this part of what was subtracted: over 100 roundings
_LARGE = 1e70  # beyond, fourth powers leave the range of floating point
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

    The columns are in the order of `Sketch.cells()`. A million sketches take less than a second. Signs are taken from
    floating point where it is exact or far enough from zero; the few sketches left in doubt are decided in integers,
    so that the codes are those of `solve_trio` for counts of any size (give Python integers beyond 64 bits).

    >>> trios = solve_trios([[114, 26, 60, 60, 36, 24, 45, 85], [10, 3, 9, 20, 8, 25, 4, 21]])
    >>> trios.prevalence.round(4), trios.valid
    (array([0.4444,    nan]), array([ True, False]))
    >>> print(trios)
    2 trios: 1 ok, 1 complex
    """
    table = _checked(counts)
    m = len(table)
    prevalence, accuracies = np.empty(m), np.empty((m, 3, 2))
    codes = np.empty(m, dtype=np.int8)
    for start in range(0, m, _ROWS):
        part = slice(start, start + _ROWS)
        # Numbers too large for floating point become infinite, and their sketches are in doubt.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            codes[part], prevalence[part], accuracies[part], doubt = _solve(_floats(table[part]))
        for row in np.flatnonzero(doubt) + start:
            facts = invariants([int(number) for number in table[row]])
            status = status_of(facts)
            codes[row] = _OK if status == "irrational" else STATUSES.index(status)
            prevalence[row], accuracies[row] = np.nan, np.nan
            if codes[row] == _OK:
                prevalence[row], accuracies[row] = float_root(facts, majority_root(facts))
    return Trios(prevalence, accuracies, codes)


def _solve(cells: Floats) -> tuple[NDArray[np.int8], Floats, Floats, Bools]:
    """Return codes, prevalences, accuracies and doubts of (8, m) counts; the rules are those of `status_of`."""
    a, b, c, d, e, f, g, h = cells
    items = cells.sum(axis=0)
    votes = (e + f + g + h, c + d + g + h, b + d + f + h)
    doubt = items > _LARGE
    small = bool(items.max() ** 2 < _EXACT)

    def difference(left: Floats, right: Floats, where: Bools | None = None) -> Floats:
        """Subtract whole numbers that are not negative; mark sketches whose sign rounding could have changed."""
        result = left - right
        if not small:
            total = left + right
            unsure = (total >= _EXACT) & (np.abs(result) <= _MARGIN * total)
            doubt[unsure if where is None else unsure & where] = True
        return result

    pairs = (
        difference((a + e) * (d + h), (b + f) * (c + g)),
        difference((a + c) * (f + h), (b + d) * (e + g)),
        difference((a + b) * (g + h), (c + d) * (e + f)),
    )  # each at the place of the judge who is not in it
    zeros = [pair == 0 for pair in pairs]
    degenerate = zeros[0] | zeros[1] | zeros[2]
    positive = [pair > 0 for pair in pairs]
    inside = (positive[0] ^ positive[1] ^ positive[2]) & ~degenerate  # so far: the product of the pairs is positive
    odd = ~inside & ~degenerate
    tables = ((a, d, b, c), (e, h, f, g)), ((a, f, b, e), (c, h, d, g)), ((a, g, c, e), (b, h, d, f))
    for plus, both in zip(positive, tables, strict=True):
        for w, x, y, z in both:
            slice_ = difference(w * x, y * z, where=inside)
            inside &= (slice_ == 0) | ((slice_ > 0) == plus)

    codes = np.where(inside, _OK, _OUTSIDE).astype(np.int8)
    if odd.any():
        determinant, total = _hyperdeterminant(cells)
        doubt |= odd & (total >= _EXACT) & (np.abs(determinant) <= _MARGIN * total)
        codes[odd & (determinant < 0)] = _COMPLEX
        codes[odd & (determinant == 0)] = _EMPTY
    if degenerate.any():
        codes[degenerate] = _EMPTY
        for i, both_others in enumerate((d + h, f + h, g + h)):
            # A judge related to neither of the others: the third moment is its covariance with "both others".
            alone = zeros[i - 1] & zeros[i - 2]
            moment = difference(items * h, votes[i] * both_others, where=alone)
            codes[alone & (moment == 0)] = _UNIDENTIFIED

    triple = items * items * h - votes[0] * (votes[1] * votes[2] + pairs[0]) - votes[1] * pairs[1] - votes[2] * pairs[2]
    triple /= np.maximum(items, 1) ** 3
    prevalence, accuracies = _values(items, votes, pairs, triple, positive[0] & positive[1] & positive[2])
    prevalence[~inside], accuracies[~inside] = np.nan, np.nan
    return codes, prevalence, accuracies, doubt


def _values(
    items: Floats, votes: tuple[Floats, ...], pairs: tuple[Floats, ...], triple: Floats, all_agree: Bools
) -> tuple[Floats, Floats]:
    """Evaluate the closed form, with the sign of the root that makes most judges better than chance."""
    items = np.maximum(items, 1)
    shares = [vote / items for vote in votes]
    covariances = [pair / items**2 for pair in pairs]
    root = np.sqrt(triple**2 + 4 * covariances[0] * covariances[1] * covariances[2])
    root = np.where(all_agree, root, -root)
    accuracies = np.empty((len(items), 3, 2))
    for i, (share, covariance) in enumerate(zip(shares, covariances, strict=True)):
        accuracies[:, i, 0] = 1 - share + (root - triple) / (2 * covariance)
        accuracies[:, i, 1] = share + (root + triple) / (2 * covariance)
    return 0.5 + 0.5 * triple / root, np.clip(accuracies, 0, 1, out=accuracies)


def _hyperdeterminant(cells: Floats) -> tuple[Floats, Floats]:
    """Return Cayley's hyperdeterminant, and the sum of the sizes of what is added up in it."""
    a, b, c, d, e, f, g, h = cells
    ah, de, bg, cf, ad, bc, eh, fg = a * h, d * e, b * g, c * f, a * d, b * c, e * h, f * g
    value = (ah + de - bg - cf) ** 2 - 4 * (ad - bc) * (eh - fg)
    return value, (ah + de + bg + cf) ** 2 + 4 * (ad + bc) * (eh + fg)


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


def _floats(part: NDArray[Any]) -> Floats:
    if part.dtype.kind == "O":
        part = np.minimum(part, 10**300)  # still far too large to be trusted, but a number
    return np.ascontiguousarray(part.T, dtype=np.float64)
