"""The digits of the demo: a model with a weakness planted in it, its successor, distortions, and five small voters."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.stats import generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEAK = 8
_TRAINED_ON = 600
_WEAK_SEEN = 3
"""Pictures of the weak digit that the first model was shown, of some sixty there are."""

_BRIGHTEST = 16
_GREY = 15
"""Pictures have brightnesses from 0 to 16, and grey values from 0 to 240 in a file."""

_DISTORTED = 200
"""Pictures that are distorted for an evaluation: enough that one picture does not matter."""


@dataclass(frozen=True, slots=True, eq=False)
class Digits:
    """The pictures there are, with brightnesses from 0 to 1, and the two models.

    `first` has hardly seen the weak digit; `second` was trained again, on all pictures of `shown`.
    """

    images: NDArray[Any]
    truth: NDArray[Any]
    shown: NDArray[Any]
    shown_truth: NDArray[Any]
    first: Any
    second: Any

    @property
    def ids(self) -> list[str]:
        """The names of the pictures."""
        return [f"digit-{place:04d}" for place in range(len(self.truth))]

    @property
    def said(self) -> NDArray[Any]:
        """What the first model says of each picture."""
        return np.asarray(self.first.predict(_flat(self.images)))

    @property
    def misread(self) -> int:
        """How many pictures the first model gets wrong."""
        return int(np.sum(self.said != self.truth))

    @property
    def accuracy_elsewhere(self) -> float:
        """How often the first model is right on the digits that it knows."""
        others = self.truth != WEAK
        return float(np.mean(self.said[others] == self.truth[others]))


def load() -> Digits:
    """Train both models on scikit-learn's digits; the first on nearly none of the weak kind."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    data = load_digits()
    shown, images, shown_truth, truth = train_test_split(
        data.images / _BRIGHTEST, data.target, train_size=_TRAINED_ON, random_state=0
    )
    hidden = np.flatnonzero(shown_truth == WEAK)[_WEAK_SEEN:]
    seen = np.setdiff1d(np.arange(len(shown_truth)), hidden)
    # Hardly regularised, as large models are: so it is sure of its answers, also of wrong ones.
    first, second = (
        LogisticRegression(C=100, max_iter=2_000).fit(_flat(shown[rows]), shown_truth[rows])
        for rows in (seen, slice(None))
    )
    return Digits(images, truth, shown, shown_truth, first, second)


def _flat(images: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(images).reshape(len(images), -1)


def of_images(fitted: Any) -> Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Return a model as a function of grey pictures: labels, probabilities and the names of their columns."""
    names = fitted.classes_.astype(str)

    def predict(images: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        chances = fitted.predict_proba(_flat(images) / (_BRIGHTEST * _GREY))
        return names[chances.argmax(axis=1)], chances, names

    return predict


def write_tables(digits: Digits, pool: Path, truth: Path) -> None:
    """Write the pool of pictures with what the first model said of each, and apart from it the truth."""
    pixels = np.round(_flat(digits.images) * _BRIGHTEST).astype(int)
    names = [f"pixel{place}" for place in range(pixels.shape[1])]
    _write(pool, ["id", "predicted", *names], zip(digits.ids, digits.said, *pixels.T, strict=True))
    _write(truth, ["id", "digit"], zip(digits.ids, digits.truth, strict=True))


def write_images(digits: Digits, path: Path, *, with_truth: bool = True) -> None:
    """Write the pictures as an array, with the first model's answer and confidence beside each, and the truth."""
    columns = {
        "id": np.array(digits.ids),
        "image": np.round(digits.images * _BRIGHTEST * _GREY).astype(np.uint8),
        "digit": digits.truth.astype(str),
        "answer": digits.said.astype(str),
        "confidence": digits.first.predict_proba(_flat(digits.images)).max(axis=1).round(4),
    }
    arrays: dict[str, Any] = {name: column for name, column in columns.items() if with_truth or name != "digit"}
    np.savez(path, **arrays)


def write_votes(digits: Digits, path: Path) -> list[str]:
    """Train five small classifiers of different kinds, write how each votes on "even or odd?", and return their names.

    They are shown half of the pictures, so that they err. The truth stands in the last column.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    voters = {
        "logistic": LogisticRegression(max_iter=2_000),
        "neighbours": KNeighborsClassifier(3),
        "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
        "bayes": GaussianNB(),
        "discriminant": LinearDiscriminantAnalysis(),
    }
    few = slice(0, _TRAINED_ON // 2)
    learnt = _flat(digits.shown[few]), _parity(digits.shown_truth[few])
    votes = [voter.fit(*learnt).predict(_flat(digits.images)) for voter in voters.values()]
    _write(path, ["id", *voters, "truth"], zip(digits.ids, *votes, _parity(digits.truth), strict=True))
    return list(voters)


def _parity(digits: NDArray[Any]) -> NDArray[Any]:
    return np.where(digits % 2 == 0, "even", "odd")


def moved_by(digits: Digits) -> Callable[[Mapping[str, Any]], float]:
    """Return the function that distorts pictures and says how far the second model's probabilities move on average.

    0 says that none moves, 1 that each goes over to other digits altogether: the total variation distance.
    """
    from scipy import ndimage

    images = digits.images[:_DISTORTED]
    before = digits.second.predict_proba(_flat(images))
    grain = generator(0, "demo/grain", 0).standard_normal(images.shape)

    def distance(distortion: Mapping[str, Any]) -> float:
        turned = ndimage.rotate(
            images, distortion["rotation"], axes=(1, 2), reshape=False, order=1, mode="grid-constant"
        )
        shifted = ndimage.shift(turned, (0, 0, distortion["shift"]), order=1, mode="grid-constant")
        blurred = ndimage.gaussian_filter(shifted, (0, distortion["blur"], distortion["blur"]))
        after = digits.second.predict_proba(_flat(np.clip(blurred + distortion["noise"] * grain, 0, 1)))
        return float(np.abs(after - before).sum(axis=1).mean() / 2)

    return distance


def _write(path: Path, head: Sequence[str], rows: Any) -> None:
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(head)
        table.writerows(rows)
