"""Pairs of judges who vote alike more than independent errors explain: residuals, excess correlation, copies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, InvalidInput, Sketch, count
from ringtrue.judges._evaluation import SAME, Evaluation, Floats
from ringtrue.judges.latent._em import Point, Votes, arrays_of
from ringtrue.judges.latent._latent import fit_latent

ONE_ITEM = 0.25
"""The least variance of a pair's sum: where the evaluation calls all votes certain, one item is not an alarm."""

COMMON = 10
"""Pairs with fewer common items have no correlation worth comparing."""

BUSIEST = 12
"""A pair is compared with at most so many others, those with the most votes: that makes 132 comparisons."""

ITEMS = 20
"""With fewer common items two good judges agree on all of them too often to be called clones."""

APART = 0.05
"""Clones vote apart on no more than this share of their common items."""

EVIDENCE = 8.0
"""By so much copying must be ahead in log-likelihood, 3,000 times as likely; independent judges seldom reach 3."""

DISSENT = 3
"""On so many items at least two clones stand together against most of the others: fewer are not such evidence."""

NEVER = 100
"""Two judges who never vote apart on so many items, and good ones do on one in thirty, are taken for clones anyway."""

SECOND = 5
"""If they used another label than their usual one so often: on items of one label all judges agree."""

WITNESSES = 6
"""So many other judges, those with the most votes, tell copying from accuracy; more cost time and add little."""


def pair_residuals(sketch: Sketch, evaluation: Evaluation) -> Floats:
    """Measure each pair's agreement beyond what the evaluation explains, in standard errors: shape (judges, judges).

    For an item on which both voted, agreement is 1 if the votes are equal, less what the two judges' shares of labels
    explain by themselves: for two labels, twice the product of the votes' deviations. Its sum over items, less the
    expected one, is divided by its standard deviation under independent errors. Under an evaluation fitted to these
    very votes the residuals are smaller than standard normal, since the fit follows the votes. Positive: the two agree
    more than it explains. That need not be the two who err together: a fit follows those and then seems wrong about
    the others, see `pair_excess`. 0 on the diagonal and for pairs without a common item.

    >>> cells = [40, 3, 3, 10, 3, 10, 10, 40, 40, 3, 3, 10, 3, 10, 10, 40]
    >>> sketch = Sketch.from_cells(["ann", "bob", "cyd", "dan"], ["no", "yes"], cells)
    >>> fair = Evaluation.binary(sketch.judges, sketch.labels, 0.5, np.full((4, 2), 0.5), "")
    >>> pair_residuals(sketch, fair).round(1).tolist()[1]
    [0.0, 0.0, 8.7, 8.7]
    """
    evaluation.check_panel(sketch, SAME)
    return residuals(Votes.of(*arrays_of(sketch), len(sketch.labels)), Point.of(evaluation))[0]


def residuals(votes: Votes, point: Point) -> tuple[Floats, Floats]:
    """Return residuals and numbers of common items of all pairs, both (judges, judges)."""
    judges, labels = votes.judges, votes.labels
    seen = pair_tables(votes)
    common = seen.sum(axis=(2, 3))
    prevalence = point.prevalence[0]
    chance = point.chance.reshape(judges, labels, labels)
    rates = chance @ prevalence
    expected = np.einsum("iat,jbt->ijab", chance * prevalence, chance)
    agreement = np.eye(labels) - rates[None, :, :, None] - rates[:, None, None, :]
    agreement = agreement + (rates @ rates.T)[:, :, None, None]
    mean = (agreement * expected).sum(axis=(2, 3))
    variance = (agreement**2 * expected).sum(axis=(2, 3)) - mean**2
    gap = (agreement * seen).sum(axis=(2, 3)) - common * mean
    z = gap / np.sqrt(np.maximum(common * variance, ONE_ITEM))
    np.fill_diagonal(z, 0.0)
    return np.where(common > 0, z, 0.0), common


def pair_tables(votes: Votes) -> Floats:
    """Count how often each pair of judges gave each pair of votes: shape (judges, judges, labels, labels)."""
    weights = votes.weights * votes.items
    table = votes.heard @ (votes.said * weights[:, None])
    table = table if isinstance(table, np.ndarray) else table.toarray()
    counted: Floats = table.reshape(votes.judges, votes.labels, votes.judges, votes.labels).transpose(0, 2, 1, 3)
    return counted


def above_diagonal(table: Floats) -> Floats:
    """Return the entries above the diagonal, one per pair."""
    above: Floats = table[np.triu_indices(len(table), 1)]
    return above


def pair_excess(sketch: Sketch) -> Floats:
    """Measure how much more each pair's votes correlate than those of independent judges would: (judges, judges).

    For two labels and five judges or more. If judges i, j, k and l err independently, the covariance of i and j is that
    of i and k times that of j and l over that of k and l. The excess is the correlation of i and j less the median of
    what all pairs k and l of others make of it, so that a few judges who err together do not spoil the comparison of
    the rest: unlike `pair_residuals` of a fit, which two judges who err together can draw to themselves until the
    others seem to be at fault. Still, if most judges err together nothing in the votes tells. 0 on the diagonal, and
    for pairs with fewer than ten common items or without others to compare with.

    >>> rates = [0.8, 0.8, 0.8, 0.7, 0.7]
    >>> sketch = Sketch([*"abcde"], ["no", "yes"])
    >>> for code in range(32):
    ...     votes = [code >> place & 1 for place in range(5)]
    ...     yes, no = (np.prod([r if v == t else 1 - r for r, v in zip(rates, votes)]) for t in (1, 0))
    ...     together = 1.5 if votes[3] == votes[4] else 0.5
    ...     sketch.count(tuple(votes), round(10**6 * together * (yes + no)))
    >>> pair_excess(sketch).round(2).tolist()[3]
    [0.0, 0.0, 0.0, 0.0, 0.3]

    Reference: Spearman, The abilities of man (1927), for the vanishing tetrads.
    """
    if len(sketch.labels) != 2:
        raise InvalidInput(f"the sketch has {len(sketch.labels)} labels, not two: use pair_residuals for more labels")
    judges = len(sketch.judges)
    if judges < 5:
        raise InvalidInput(
            f"the sketch has {count(judges, 'judge')}: with fewer than five, two who err together cannot be told from "
            "the others"
        )
    tables = pair_tables(Votes.of(*arrays_of(sketch), 2))
    common = tables.sum(axis=(2, 3))
    shares = tables / np.maximum(common, 1)[:, :, None, None]
    one, other = shares.sum(axis=3)[:, :, 1], shares.sum(axis=2)[:, :, 1]
    covariance = np.where(common >= COMMON, shares[:, :, 1, 1] - one * other, 0.0)
    spread = np.sqrt(one * (1 - one) * other * (1 - other))
    busy = np.argsort(-np.diagonal(common), kind="stable")
    excess = np.zeros((judges, judges))
    for i in range(judges):
        for j in range(i):
            others = [place for place in busy.tolist() if place not in (i, j)][:BUSIEST]
            below = covariance[np.ix_(others, others)]
            above = np.outer(covariance[i, others], covariance[j, others])
            usable = (below != 0) & (above != 0) & ~np.eye(len(others), dtype=bool)
            if covariance[i, j] and usable.any():
                expected = np.median(above[usable] / below[usable])
                excess[i, j] = excess[j, i] = (covariance[i, j] - expected) / spread[i, j]
    return excess


def clones(sketch: Sketch) -> tuple[tuple[str, str], ...]:
    """Name the pairs of judges of whom one seems to copy the other.

    Two judges who agree on at least 95% of 20 common items or more may both be good. So two explanations are compared
    by their likelihood, with as many parameters each: that both err independently, and that one of them sees the items
    and the other sees only its vote. Copying must be 3,000 times as likely. Judges about as close to one of the two
    as they are to each other are left out of the comparison, which needs two others. Pairs that never vote apart on
    100 items are named in any case: two perfect judges would look the same, and votes could not tell.

    >>> cells = [300, 90, 90, 60, 0, 0, 0, 0, 0, 0, 0, 0, 60, 90, 90, 300]
    >>> clones(Sketch.from_cells(["ann", "bob", "cyd", "dan"], ["no", "yes"], cells))
    (('ann', 'bob'),)
    """
    patterns, counts = arrays_of(sketch)
    tables = pair_tables(Votes.of(patterns, counts, len(sketch.labels)))
    common = tables.sum(axis=(2, 3))
    apart = common - np.einsum("ijaa->ij", tables)
    rate = np.divide(apart, common, out=np.ones(common.shape), where=common > 0)
    found = []
    for one, other in zip(*np.nonzero(np.triu((common >= ITEMS) & (rate <= APART), 1)), strict=True):
        far = np.minimum(rate[one], rate[other]) > 2 * rate[one, other] + 1 / common[one, other]
        far[[one, other]] = False
        busy = np.flatnonzero(far)[np.argsort(-np.diagonal(common)[far], kind="stable")][:WITNESSES]
        copied = not apart[one, other] and common[one, other] >= NEVER and _second(tables[one, other]) >= SECOND
        if not copied and len(busy) >= 2 and _dissent(patterns, counts, one, other) >= DISSENT:
            copied = _evidence(sketch, [sketch.judges[place] for place in (one, other, *busy)]) >= EVIDENCE
        if copied:
            found.append((sketch.judges[one], sketch.judges[other]))
    return tuple(found)


def _dissent(patterns: NDArray[np.int64], counts: Floats, one: int, other: int) -> float:
    """Count the items on which two judges vote alike and most of the others otherwise."""
    alike = (patterns[:, one] == patterns[:, other]) & (patterns[:, one] >= 0)
    others = np.delete(patterns[alike], [one, other], axis=1)
    against = (others >= 0) & (others != patterns[alike, one][:, None])
    return float(counts[alike] @ (2 * against.sum(axis=1) > (others >= 0).sum(axis=1)))


def _evidence(sketch: Sketch, judges: list[str]) -> float:
    """Compare how likely the votes are, in logarithm, if one of the first two judges copies the other, and if not."""
    both = sketch.marginal(judges)
    both = Sketch(judges, sketch.labels, {votes: times for votes, times in both.items() if ABSTAINED not in votes[:2]})
    independent = fit_latent(both).log_likelihood
    table = pair_tables(Votes.of(*arrays_of(both), len(both.labels)))[0, 1]
    copying = [
        fit_latent(both.without(copy)).log_likelihood + _given(joint)
        for copy, joint in ((judges[1], table), (judges[0], table.T))
    ]
    return max(copying) - independent


def _given(table: Floats) -> float:
    """Return the log-likelihood of the column votes given the row votes, each row with its own chances."""
    total = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / total[seen])).sum())


def _second(table: Floats) -> float:
    """Count how often two judges who never vote apart used another label than their usual one."""
    return float(table.sum() - np.diagonal(table).max())
