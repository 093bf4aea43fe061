"""Do the votes fit judges who err independently? The check that four judges allow and three do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from ringtrue.core import InvalidInput, Sketch, count
from ringtrue.judges._evaluation import Floats, Told
from ringtrue.judges.latent._climb import climb
from ringtrue.judges.latent._em import Point, Votes, arrays_of, posterior_of
from ringtrue.judges.latent._latent import LatentFit
from ringtrue.judges.latent._pairs import above_diagonal, residuals
from ringtrue.stats import generator

COMMON = 10
"""Pairs with fewer common items are left out of the sum of squared residuals: theirs are far from normal."""

FILLED = 5
"""The table is compared cell by cell if it has so many items per cell on average, otherwise pair by pair."""

REFIT = 1e-6
"""Simulated panels are refitted from the fit until no probability moves by more: their statistic needs no more."""

PLENTY = 10
"""Once so many simulated panels fit worse, the fit is plainly not rejected, and no more are made."""

_SIMULATED = 2**33
"""Multiplications that the simulated panels may take, some ten seconds of them."""

_LEAST, _USUAL = 39, 99
"""Panels that are simulated: fewer than 39 could hardly show a misfit at 5%."""

TABLE = 2**14
"""Tables of more patterns are not written out."""

VOTES = 100_000
"""A simulated panel has no more items than so many votes allow; the reference then is that of a large panel."""


@dataclass(frozen=True, slots=True)
class FitTest(Told):
    """A test of independent errors: `p` is the chance of a misfit like this if errors are independent.

    `p` is None where nothing can be checked. `df` is None where the reference was simulated pair by pair.
    """

    statistic: float | None
    df: int | None
    p: float | None
    method: str

    def __str__(self) -> str:
        if self.p is None:
            return self.method
        freedom = "" if self.df is None else f", {count(self.df, 'degree')} of freedom"
        return f"{self.method}: {self.statistic:.4g}{freedom}, p = {self.p:.3g}"


def fit_test(sketch: Sketch, fit: LatentFit, *, seed: int = 0, repetitions: int = 99) -> FitTest:
    """Test the fit of independent errors against any other explanation of the votes.

    The statistic is G-squared, twice the sum of count times log(count / expected) over the patterns. With R labels and
    n judges it has (R^n - 1) - (R - 1) - n R (R - 1) degrees of freedom, R - 1 more if the prevalence is known; with
    three judges and two labels none, and nothing can be checked. It is compared with chi-square if all votes are
    there, no probability is on the boundary, every pattern is expected at least once and four in five patterns five
    times; otherwise with panels simulated from the fit and fitted again. Tables too sparse for that, and votes
    with gaps, are compared pair by pair: the sum of squared `pair_residuals` over pairs with ten common items or more,
    against simulated panels.

    >>> from ringtrue.judges import fit_latent
    >>> cells = [538, 265, 139, 133, 239, 160, 143, 204, 311, 200, 153, 202, 211, 299, 244, 559]
    >>> panel = Sketch.from_cells(["ann", "bob", "cyd", "dan"], ["no", "yes"], cells)
    >>> print(fit_test(panel, fit_latent(panel)))
    G-squared against chi-square: 7.741, 6 degrees of freedom, p = 0.258

    References: Goodman, Biometrika 61 (1974); Cochran, Biometrics 10 (1954), for the rule on expected counts.
    """
    if repetitions < 1:
        raise InvalidInput(f"repetitions={repetitions} must be at least 1: simulate some panels")
    patterns, counts = arrays_of(sketch)
    judges, labels = len(sketch.judges), len(sketch.labels)
    if fit.posterior.shape != (len(counts), labels):
        raise InvalidInput(f"fit is of {len(fit.posterior)} patterns, the sketch has {len(counts)}: fit this sketch")
    free = degrees_of_freedom(judges, labels, known_prevalence=fit.known_prevalence)
    if free <= 0:
        few = f"with {count(judges, 'judge')} and {count(labels, 'label')} the fit cannot be checked"
        return FitTest(None, None, None, f"{few}: there are as many unknowns as frequencies, or more")
    voted = (patterns >= 0).any(axis=1)
    patterns, counts = patterns[voted], counts[voted]
    point = Point.of(fit.evaluation)
    gaps = bool((patterns < 0).any())
    if not gaps and not fit.on_boundary and expects_enough(point, judges, float(counts.sum())):
        excess = _g_squared(Votes.of(patterns, counts, labels), point) or 0.0
        p = float(gammaincc(free / 2, max(excess, 0.0) / 2))
        return FitTest(excess, free, p, "G-squared against chi-square")
    whole = judges == 3 or (not gaps and labels**judges <= min(TABLE, counts.sum() / FILLED))
    measure = _g_squared if whole else _pair_sum
    statistic = measure(Votes.of(patterns, counts, labels), point)
    if statistic is None:
        lacking = "on no item did all judges vote" if whole else f"no two judges share {COMMON} items"
        return FitTest(None, None, None, f"the fit cannot be checked: {lacking}")
    larger, tried = 0, 0
    randoms = (generator(seed, "fit test", step) for step in range(repetitions))
    # A hundredth nearer to chance: an EM step leaves a zero at zero, and a refit must be free to move.
    start = Point(*(0.99 * each + 0.01 / labels for each in (point.prevalence, point.chance)))
    for votes in simulate_panels(patterns, counts, point, randoms):
        refit = climb(votes, start, fixed=fit.known_prevalence, iterations=50, tolerance=REFIT)
        reached = measure(votes, refit.point)
        larger += reached is not None and reached >= statistic
        tried += 1
        if larger == PLENTY:
            break
    method = f"{'G-squared' if whole else 'pair residuals'} against {count(tried, 'simulated panel')}"
    # Stopped early, the share itself is a valid p-value (Besag & Clifford, Biometrika 78, 1991).
    p = larger / tried if larger == PLENTY else (1 + larger) / (1 + tried)
    return FitTest(statistic, free if whole else None, p, method)


def degrees_of_freedom(judges: int, labels: int, *, known_prevalence: bool) -> int:
    """Count the free frequencies of the whole table less the parameters of independent errors."""
    prevalences = 0 if known_prevalence else labels - 1
    return int(labels**judges) - 1 - prevalences - judges * labels * (labels - 1)


def expects_enough(point: Point, judges: int, items: float) -> bool:
    """Say whether items suffice to expect every pattern at least once, and four in five patterns five times."""
    labels = point.chance.shape[1]
    if labels**judges > min(TABLE, items):
        return False
    expected = _table(point, judges)[1] * items
    return bool(expected.min() >= 1 and np.mean(expected >= 5) >= 0.8)


def _g_squared(votes: Votes, point: Point) -> float | None:
    """Return twice the sum of count times log(count / expected), over the items on which every judge voted."""
    _, logs = posterior_of(votes, point)
    rows = np.asarray(votes.said.sum(axis=1)).ravel() == votes.judges
    rows &= votes.weights > 0
    if not rows.any():
        return None
    shares = votes.weights[rows] / votes.weights[rows].sum()
    complete = votes.items * float(votes.weights[rows].sum())
    return 2 * complete * float(shares @ (np.log(shares) - logs[rows]))


def _pair_sum(votes: Votes, point: Point) -> float | None:
    """Sum the squared residuals of the pairs with enough common items."""
    z, common = residuals(votes, point)
    squares = above_diagonal(z)[above_diagonal(common) >= COMMON] ** 2
    return float(squares.sum()) if len(squares) else None


def simulate_panels(
    patterns: NDArray[np.int64], counts: Floats, point: Point, randoms: Iterable[np.random.Generator]
) -> Iterator[Votes]:
    """Simulate panels of the same judges who err independently as the point says, one for each generator.

    Whole tables are drawn at once where all votes are there and the table is small; otherwise item by item.
    """
    judges, labels, items = patterns.shape[1], point.chance.shape[1], counts.sum()
    if np.all(patterns >= 0) and labels**judges <= min(TABLE, max(items, 1024)):
        votes, shares = _table(point, judges)
        for random in randoms:
            yield votes.counted(random.multinomial(int(min(items, 2**53)), shares / shares.sum()))
        return
    steps, most = np.cumsum(point.by_truth(), axis=2), VOTES // max(1, judges)
    for random in randoms:
        if items <= most:
            masks = np.repeat(patterns >= 0, counts.astype(np.int64), axis=0)
        else:
            masks = (patterns >= 0)[random.choice(len(patterns), most, p=counts / items)]
        truth = random.choice(labels, len(masks), p=point.prevalence[0])
        said = np.full(masks.shape, -1, dtype=np.int64)
        item, judge = np.nonzero(masks)
        chance: Any = steps[judge, truth[item], :-1]
        said[item, judge] = (random.random(len(item))[:, None] > chance).sum(axis=1)
        yield Votes.of(said, np.ones(len(said)), labels)


def _table(point: Point, judges: int) -> tuple[Votes, Floats]:
    """Return all patterns that so many judges can vote, and the chance of each."""
    labels = point.chance.shape[1]
    table = np.indices((labels,) * judges).reshape(judges, -1).T
    votes = Votes.of(table, np.ones(len(table)), labels)
    return votes, np.exp(posterior_of(votes, point)[1])


def simulations(votes: Sketch) -> int:
    """Choose how many panels the fit test simulates: fewer where each is dear, so that their work is bounded."""
    judges, labels = len(votes.judges), len(votes.labels)
    refit = 50 * 4 * min(votes.size, 100_000 // judges) * judges * labels**2
    return max(_LEAST, min(_USUAL, _SIMULATED // refit))
