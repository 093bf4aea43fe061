"""Where a fitted tree ensemble of scikit-learn may change its answer along each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats

Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """The thresholds of a model along one feature, rising; `single` if it compares in single precision."""

    cuts: Floats
    single: bool

    def safe(self, points: Floats) -> Floats:
        """Points between the same thresholds as the given ones, that rounding does not carry across one.

        A model that compares in single precision may round a point to the other side of a threshold nearby. Where no
        single-precision number lies between two thresholds, no point is answered as from there, and it stays.
        """
        if not self.single:
            return points
        bounds = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        # A tree goes left where a number is not above its threshold: a box lacks its lower bound and has its upper.
        box = np.searchsorted(self.cuts, points, side="left")
        lowest = np.nextafter(_rounded_down(bounds[box]), np.float32(np.inf))
        highest = _rounded_down(bounds[box + 1])
        return np.where(lowest <= highest, np.clip(points.astype(np.float32), lowest, highest), points)


def thresholds(model: Any, axes: int) -> list[Thresholds]:
    """Return the thresholds of a model along each of its features."""
    # A second of loading, which only those pay who look into a forest.
    from sklearn import ensemble
    from sklearn.exceptions import NotFittedError
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils.validation import check_is_fitted

    binned = ensemble.HistGradientBoostingClassifier
    forests = ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier, ensemble.GradientBoostingClassifier
    known = isinstance(model, (DecisionTreeClassifier, *forests, binned))
    kind = type(model).__name__
    # Gradient boosting may start from another model, which need not be constant anywhere.
    if not known or getattr(model, "init", None) not in (None, "zero"):
        raise InvalidInput(
            f"model={kind} is not a scikit-learn classifier known to be constant between thresholds: "
            "look with lattice or monte_carlo"
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InvalidInput(f"model={kind} is not fitted: call fit first") from None
    if model.n_features_in_ != axes:
        raise InvalidInput(f"model={kind} reads {model.n_features_in_} features, but the grid has {axes} axes")
    if isinstance(model, binned):  # only a private list shows these trees
        splits = [_binned_splits(tree.nodes) for stage in model._predictors for tree in stage]
    else:
        trees = [model] if isinstance(model, DecisionTreeClassifier) else np.ravel(model.estimators_)
        splits = [_splits(tree.tree_) for tree in trees]
    features, cuts = (np.concatenate(parts) for parts in zip(*splits, strict=True))
    single = not isinstance(model, binned)
    return [Thresholds(np.unique(cuts[features == axis]), single) for axis in range(axes)]


def _splits(tree: Any) -> tuple[Any, Any]:
    inner = tree.children_left >= 0
    return tree.feature[inner], tree.threshold[inner]


def _binned_splits(nodes: Any) -> tuple[Any, Any]:
    inner = nodes[nodes["is_leaf"] == 0]
    if inner["is_categorical"].any():
        raise InvalidInput("model splits categorical features, which have no thresholds: look with monte_carlo")
    return inner["feature_idx"], inner["num_threshold"]


def _rounded_down(numbers: Floats) -> Singles:
    """The largest single-precision number that is not above each."""
    near = numbers.astype(np.float32)
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)
