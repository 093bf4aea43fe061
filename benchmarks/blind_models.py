"""Small models that are trained in seconds, and what they say of many items at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from blind_data import Floats, Ints
from ringtrue.stats import generator

_ROWS = 2_000
_PATCHES, _WIDTH, _STEP = 64, 6, 3


def _logistic(c: float) -> Callable[[int], Any]:
    return lambda seed: LogisticRegression(C=c, max_iter=200, random_state=seed)


def _network(epochs: int) -> Callable[[int], Any]:
    return lambda seed: MLPClassifier((64,), max_iter=epochs, random_state=seed, learning_rate_init=2e-3)


MODELS: Mapping[str, Callable[[int], Any]] = {
    "logistic": _logistic(1.0),
    "logistic-shrunk": _logistic(1e-3),
    "logistic-free": _logistic(1e3),
    "network": _network(15),
    "network-long": _network(120),
    "boosting": lambda seed: HistGradientBoostingClassifier(max_iter=60, random_state=seed),
    "boosting-long": lambda seed: HistGradientBoostingClassifier(max_iter=400, learning_rate=0.3, random_state=seed),
    "forest": lambda seed: RandomForestClassifier(40, min_samples_leaf=2, random_state=seed),
    "trees": lambda seed: ExtraTreesClassifier(40, min_samples_leaf=5, random_state=seed),
    "nearest": lambda seed: KNeighborsClassifier(15),  # noqa: ARG005 - nothing is drawn
    "discriminant": lambda seed: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.01),  # noqa: ARG005 - the same
    "quadratic": lambda seed: QuadraticDiscriminantAnalysis(reg_param=0.01),  # noqa: ARG005 - the same
    "bayes": lambda seed: GaussianNB(var_smoothing=1e-3),  # noqa: ARG005 - nothing is drawn
}


class Fitted:
    """A model of two classes, fitted to items; photographs are shown to it as what some of their own patches match."""

    def __init__(self, name: str, seen: Floats, truth: Ints, seed: int) -> None:
        parts: list[Any] = [MODELS[name](seed)]
        if seen.ndim == 4:
            filters, middle = _patches(seen, seed)
            matched = FunctionTransformer(_matches, kw_args={"filters": filters, "middle": middle})
            parts = [matched, StandardScaler(), *parts]
        elif seen.ndim == 3:
            parts = [FunctionTransformer(_flat), *parts]
        self._model = make_pipeline(*parts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a network that stops early is what is wanted
            self._model.fit(seen, truth)

    def chances(self, seen: Floats) -> Floats:
        """Return the probability of class 1 of each item."""
        parts = [self._model.predict_proba(seen[at : at + _ROWS])[:, 1] for at in range(0, len(seen), _ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0)


def _flat(images: Floats) -> Floats:
    return images.reshape(len(images), -1)


def _windows(images: Floats) -> Floats:
    found = np.lib.stride_tricks.sliding_window_view(images, (_WIDTH, _WIDTH), axis=(1, 2))[:, ::_STEP, ::_STEP]
    return np.asarray(found.reshape(*found.shape[:3], -1), dtype=np.float32)


def _patches(images: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return patches of the training images as filters in whitened colours, and their mean."""
    rng = generator(seed, "patches")
    some = _windows(images[rng.permutation(len(images))[:500]])
    flat = some.reshape(-1, some.shape[-1])
    middle = flat.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov((flat - middle).T))
    white = (axes / np.sqrt(values + 0.02)) @ axes.T
    chosen = (flat[rng.permutation(len(flat))[:_PATCHES]] - middle) @ white
    chosen /= np.linalg.norm(chosen, axis=1, keepdims=True)
    return (white @ chosen.T).astype(np.float32), middle.astype(np.float32)


def _matches(images: Floats, filters: Floats, middle: Floats) -> Floats:
    """Return how well each quarter of an image matches each filter, either way, (n, 8 filters)."""
    found = (_windows(images) - middle) @ filters
    half = found.shape[1] // 2
    parts = [
        np.maximum(sign * part - 0.25, 0).mean(axis=(1, 2))
        for sign in (1, -1)
        for part in (found[:, :half, :half], found[:, :half, half:], found[:, half:, :half], found[:, half:, half:])
    ]
    return np.hstack(parts)
