"""Which pairs of judges vote together more often, or less, than an evaluation explains."""

from __future__ import annotations

import numpy as np

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges._evaluation import Evaluation, Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._em import Point, Votes

ONE_ITEM = 0.25
"""The least variance of a pair's sum: where the evaluation calls all votes certain, one item is no alarm."""


def pair_residuals(sketch: Sketch, evaluation: Evaluation) -> Floats:
    """How far each pair's agreement is from what the evaluation explains, in standard errors: shape (judges, judges).

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
    if (evaluation.judges, evaluation.labels) != (sketch.judges, sketch.labels):
        raise InvalidInput(
            f"evaluation is of {len(evaluation.judges)} judges on {list(evaluation.labels)}, the sketch of "
            f"{len(sketch.judges)} on {list(sketch.labels)}: evaluate the same judges and labels in the same order"
        )
    patterns, counts = arrays_of(sketch)
    votes = Votes.of(patterns, counts, len(sketch.labels))
    return residuals(votes, float(counts @ (votes.weights > 0)), Point.of(evaluation))[0]


def residuals(votes: Votes, items: float, point: Point) -> tuple[Floats, Floats]:
    """Residuals and numbers of common items of all pairs, both (judges, judges)."""
    judges, labels = votes.judges, votes.labels
    seen = pair_tables(votes, items)
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


def pair_tables(votes: Votes, items: float) -> Floats:
    """How often each pair of judges gave each pair of votes: shape (judges, judges, labels, labels)."""
    weights = votes.weights * items
    table = votes.heard @ (votes.said * weights[:, None])
    table = table if isinstance(table, np.ndarray) else table.toarray()
    counted: Floats = table.reshape(votes.judges, votes.labels, votes.judges, votes.labels).transpose(0, 2, 1, 3)
    return counted


def upper(table: Floats) -> Floats:
    """The entries above the diagonal, one per pair."""
    above: Floats = table[np.triu_indices(len(table), 1)]
    return above
