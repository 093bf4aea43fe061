"""A model in a file: its columns in, labels with probabilities or vectors out, and another file is another model."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors, check_listed, count
from ringtrue.models._answers import checked_labels, checked_vectors
from ringtrue.models.files._inputs import Inputs
from ringtrue.models.files._table import format_of, hash_of
from ringtrue.models.files._worker import Worker

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FileModel(Model):
    """A model in a file: ONNX, skops, XGBoost, LightGBM, torch.export, or a folder of a Hugging Face text classifier.

    It runs in a process of its own: a crash is an error, and the next call starts another process. No code comes from
    the file, and nothing is unpickled. Its name holds the first digits of the SHA-256 of the file, so that a study
    notices another one.

    Parameters
    ----------
    path
        The file, or the folder.
    features
        The columns that the model is sent, in the order of its inputs; by default those that the file names, else all
        but the pool's ids.
    classes
        The names of the classes in their order, for a file that does not name them; with them, a network whose outputs
        could be anything is a classifier.
    trusted
        Types that a file of skops may hold beyond those that skops trusts, by their full names.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        features: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        trusted: Sequence[str] = (),
    ) -> None:
        for argument, value in (("features", features), ("classes", classes), ("trusted", trusted)):
            check_listed(argument, value)
        self.path = Path(path)
        self.format = format_of(self.path)
        called = self.path.name or self.path.resolve().name
        if importlib.util.find_spec(self.format.package) is None:
            raise InvalidInput(
                f"the model {called} needs {self.format.package}: run pip install 'ringtrue[{self.format.extra}]'"
            )
        known = hash_of(self.path)
        self.name = f"{called} {known[:16]}"
        self.deterministic = self.format.repeats
        self._worker = Worker(called, self.format.module, self.path, trusted, known)
        about = self._worker.about()
        self.versions = {"library": about["library"]}
        self._inputs = Inputs(called, about["inputs"], about["features"])
        self.features = self._inputs.chosen(features)
        self._declared: str = about["gives"]
        self._gives = "labels" if self._declared == "labels" or (self._declared == "scores" and classes) else "vectors"
        self._own, self._given = about["classes"], _checked_classes(called, classes, about["classes"])
        if self._gives == "labels":
            self.classes = self._given or self._own
        self._kept_back: str | None = None

    def without(self, column: str | None) -> FileModel:
        """Return a model that is not sent this column, unless its features name it."""
        made = copy(self)
        made._kept_back = column
        return made

    def sent(self, columns: Sequence[str], withheld: Sequence[str | None] = ()) -> list[str]:
        """Return which columns the model is sent: those of the file or the user, else all but those `withheld`."""
        if self.features is not None:
            self._inputs.check_there(self.features, columns)
            return list(self.features)
        return self._inputs.chosen([name for name in columns if name not in withheld], offered=True) or []

    def showing(self, features: Sequence[str]) -> FileModel:
        """Return a model that is sent these columns."""
        made = copy(self)
        made.features = self._inputs.chosen(features)
        return made

    def with_classes(self, labels: Sequence[Any]) -> FileModel:
        """Return a model whose classes have these names, in their order, unless the file names them or has none."""
        own = self._own
        told = {str(one) for one in own or ()}
        if own is not None and (any(isinstance(one, str) for one in own) or told <= {str(one) for one in labels}):
            return self
        if self._declared == "vectors":
            return self
        made = copy(self)
        made._given = _checked_classes(self.path.name, labels, own)
        made._gives, made.classes = "labels", made._given
        return made

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the model says of these items; a process that died is raised as ResponderStopped."""
        names = self.sent(list(batch.columns), [self._kept_back])
        columns, arrays = self._inputs.of(batch, names)
        reply, tables = self._worker.ask(columns, arrays, len(batch))
        table = tables[0] if tables else None
        if self._gives == "vectors":
            outputs = table if table is not None else np.asarray(reply["labels"])
            return checked_vectors(self.name, batch, outputs.reshape(len(batch), -1))
        return self._labelled(batch, reply["labels"], table, self._own or reply["classes"])

    def _labelled(
        self, batch: Batch, labels: list[Any] | None, table: NDArray[Any] | None, own: Sequence[Any] | None
    ) -> Labels:
        """Return labels, with the probabilities of the classes where there are any."""
        if table is not None:
            table = _shares(table)
        classes = list(self._given or own or range(0 if table is None else table.shape[1]))
        if table is not None and table.shape[1] != len(classes):
            raise InvalidInput(
                f"the model {self.name} gives {count(table.shape[1], 'probability')} per item, and there are "
                f"{len(classes)} classes ({', '.join(map(str, classes))}): name as many classes"
            )
        if not (self._given or own) and labels and table is not None and not set(labels) <= set(classes):
            raise InvalidInput(
                f"the model {self.name} gives labels such as {labels[0]!r}, and does not say which of its "
                f"{len(classes)} probabilities is whose: name the classes in their order, --labels A,B (Python: "
                "classes=[…])"
            )
        if labels is None and table is not None:
            labels = [classes[place] for place in table.argmax(axis=1).tolist()]
        elif self._given:
            by_own = dict(zip(own or range(len(classes)), classes, strict=True))
            labels = [by_own.get(label, label) for label in labels or ()]
        return checked_labels(self.name, batch, labels, probabilities=table, classes=classes)


def _checked_classes(model: str, given: Sequence[Any] | None, own: Sequence[Any] | None) -> list[Any] | None:
    """Return the user's names of the classes; None where the file has names of its own, which are the same ones."""
    if given is None:
        return None
    if own is not None and len(own) != len(given):
        raise InvalidInput(
            f"classes={list(given)!r}: the model {model} has {len(own)} ({', '.join(map(str, own))}): name as many"
        )
    if own is not None and {str(one) for one in own} == {str(one) for one in given}:
        return None
    if own is not None and any(isinstance(one, str) for one in own):
        raise InvalidInput(
            f"classes={list(given)!r}: the model {model} names its own, {', '.join(own)}: leave them out"
        )
    return list(given)


def _shares(table: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores as probabilities: kept if each row adds up to 1, else by softmax; a single one is the second's.

    >>> _shares(np.array([[0.25, 0.75]])).tolist(), _shares(np.array([[0.0, 0.0]])).tolist()
    ([[0.25, 0.75]], [[0.5, 0.5]])
    >>> _shares(np.array([[0.25]])).tolist(), _shares(np.array([[0.0], [9.0]]))[0].tolist()
    ([[0.75, 0.25]], [0.5, 0.5])
    """
    scores = np.asarray(table, dtype=np.float64).reshape(len(table), -1)
    within = bool(np.all((scores >= 0) & (scores <= 1)))
    if scores.shape[1] == 1:
        chance = scores if within else 1 / (1 + np.exp(-scores))
        return np.concatenate([1 - chance, chance], axis=1)
    if within and bool(np.all(np.abs(scores.sum(axis=1) - 1) < 1e-3)):
        return scores
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares
