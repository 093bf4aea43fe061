"""What makes the kind of an input: the texts of its columns, and the group of a score that tells both sides apart."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput, Json, is_missing, label_text
from ringtrue.risk._grid import Floats


def texts(batch: Batch, column: str) -> list[str]:
    """Return the cells as texts, so that 1, 1.0 and "1" are one kind.

    >>> texts(Batch(["a", "b"], {"night": np.array([True, False])}), "night")
    ['true', 'false']
    """
    cells = _present(batch, column).tolist()
    # Cells repeat: each is written once. The type is part of the key because 1 and True are equal and are two kinds.
    keys = [(type(cell), cell) for cell in cells]
    known = {(kind, cell): label_text(cell) for kind, cell in set(keys)}
    return [known[key] for key in keys]


def numbers(batch: Batch, columns: Sequence[str]) -> Floats:
    """Return the cells of some columns as finite numbers, shape (items, columns)."""
    found = np.empty((len(batch), len(columns)))
    for place, column in enumerate(columns):
        if not is_numeric(batch, column):
            raise InvalidInput(f"column {column!r} must hold numbers: leave it out, or give numbers in its place")
        found[:, place] = _present(batch, column).astype(float)
        _refuse(batch, column, ~np.isfinite(found[:, place]), "must be finite")
    return found


def is_numeric(batch: Batch, column: str) -> bool:
    """Return whether the cells are numbers; truth values are kinds."""
    values = _present(batch, column)
    if values.dtype.kind == "O":
        return all(isinstance(cell, int | float | np.number) and not isinstance(cell, bool) for cell in values)
    return values.dtype.kind in "iuf"


def _present(batch: Batch, column: str) -> NDArray[Any]:
    """Return a column of which every cell holds something."""
    if column not in batch.columns:
        raise InvalidInput(f"column {column!r} is missing: name one of {', '.join(batch.columns)}")
    values = batch.columns[column]
    if values.ndim != 1:
        raise InvalidInput(f"column {column!r} has arrays for cells: name columns of numbers or texts")
    if values.dtype.kind == "f":
        _refuse(batch, column, np.isnan(values), "is missing")
    elif values.dtype.kind in "OUS":
        _refuse(batch, column, np.array([is_missing(cell) for cell in values.tolist()], dtype=bool), "is missing")
    return values


def _refuse(batch: Batch, column: str, wrong: NDArray[np.bool_], rule: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidInput(
            f"column {column!r} of item {batch.ids[place]!r}, {batch.columns[column][place]}, {rule}: "
            "mend it, remove the item, or leave the column out"
        )


MOST_FEATURES = 30
"""The score has a term for every pair of features: with more of them there are too many terms to fit."""


@dataclass(frozen=True, slots=True)
class Score:
    """Groups of inputs alike in how much more often operation has them than the pool.

    With z the features less `means` over `scales`, the score is the sum of `coefficients` times z and the products of
    its pairs, in the order of `combinations_with_replacement`. `edges` are the scores at which a group ends; they
    belong to the lower group.

    >>> Score(("x",), (0.0,), (1.0,), (1.0, 0.0), (-1.0, 1.0)).group_of(np.array([[-1.0], [0.0], [3.0]])).tolist()
    [0, 1, 2]
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    edges: tuple[float, ...]

    @property
    def groups(self) -> int:
        return len(self.edges) + 1

    def group_of(self, values: Floats) -> NDArray[np.int64]:
        """Return the group of each row of `values`, shape (items, features)."""
        score = _quadratic((values - self.means) / self.scales, self.coefficients)
        return np.searchsorted(np.array(self.edges), score, side="left").astype(np.int64)

    def to_json(self) -> dict[str, Json]:
        return {name: list(values) for name, values in asdict(self).items()}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Score:
        return cls(*(tuple(entry[field.name]) for field in fields(cls)))


def fit_score(pool: Floats, operation: Floats, features: Sequence[str], groups: int) -> Score:
    """Fit the score on rows of both sides, which count the same however many rows each has."""
    from sklearn.exceptions import ConvergenceWarning  # a second to import
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    names = tuple(features)
    if groups < 2:
        raise InvalidInput(f"groups={groups} must be at least 2: one group tells nothing apart")
    if not 1 <= len(names) <= MOST_FEATURES:
        raise InvalidInput(
            f"features has {len(names)} names, it must have 1 to {MOST_FEATURES}: choose those that matter"
        )
    both = np.concatenate([pool, operation])
    constant = np.ptp(both, axis=0) == 0
    if constant.any():
        place = int(np.argmax(constant))
        raise InvalidInput(f"feature {names[place]!r} is {both[0, place]:g} everywhere: leave it out, it tells nothing")
    share = np.repeat([0.5 / len(pool), 0.5 / len(operation)], [len(pool), len(operation)])
    plain = StandardScaler().fit(both, sample_weight=share)
    terms = PolynomialFeatures(2, include_bias=False).fit_transform(plain.transform(both))
    scaler = StandardScaler().fit(terms, sample_weight=share)
    classifier = LogisticRegression(class_weight="balanced", max_iter=1_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a fit that is not quite done defines groups just as well
        classifier.fit(scaler.transform(terms), np.arange(len(both)) >= len(pool))
    # The classifier's constant and the means of the terms move all scores alike, and so no item to another group.
    coefficients = tuple((classifier.coef_[0] / scaler.scale_).tolist())
    score = Score(names, tuple(plain.mean_.tolist()), tuple(plain.scale_.tolist()), coefficients, ())
    found = _quadratic((both - score.means) / score.scales, coefficients)
    return Score(names, score.means, score.scales, coefficients, _edges(found, share, groups))


def _quadratic(z: Floats, coefficients: Sequence[float]) -> Floats:
    """Return the score of each row; term by term, since a matrix product's last digits vary with the number of rows."""
    axes = z.shape[1]
    total = np.zeros(len(z))
    for axis in range(axes):
        total += coefficients[axis] * z[:, axis]
    for factor, (one, other) in zip(coefficients[axes:], combinations_with_replacement(range(axes), 2), strict=True):
        total += factor * (z[:, one] * z[:, other])
    return total


def _edges(score: Floats, share: Floats, groups: int) -> tuple[float, ...]:
    """Return where to cut into groups of equal shares. By hand, since numpy has weighted quantiles only from 2.0 on.

    Equal scores are never parted, so that heavy ties leave fewer groups.
    """
    order = np.argsort(score, kind="stable")
    below = np.cumsum(share[order])
    places = np.searchsorted(below, np.arange(1, groups) / groups - 1e-9)
    edges = np.unique(score[order][places])
    return tuple(edges[edges < score.max()].tolist())
