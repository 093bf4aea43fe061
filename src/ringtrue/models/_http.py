"""A model behind an address: items go out as JSON, predictions come back."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors, check_listed, harmless, plain
from ringtrue.models._answers import check_length, checked_labels, checked_vectors, column_of
from ringtrue.models._credentials import is_repeated, masked
from ringtrue.models._post import Post
from ringtrue.models.wires import wire_of

_VERSION = re.compile(r"ce-modelid|x-[a-z0-9-]{0,30}version[a-z0-9-]{0,10}", re.IGNORECASE)
"""Headers by which servers tell which model answered."""

_LONGEST, _MOST = 100, 8
"""Characters that are kept of a version, and headers that are looked at."""


class HttpModel(Model):
    """A web service that is sent items as JSON and answers with predictions; its address tells in which shape.

    A path that ends in `/v2/models/M/infer` is asked in the Open Inference Protocol (KServe v2), one that ends in
    `/invocations` as MLflow's scoring server. Any other is sent `{"instances": [{column: value}, …]}` and answers with
    `{"predictions": […]}` (TensorFlow Serving, KServe v1, Vertex AI). There, a prediction is a label, or `{"label": …,
    "probabilities": {class: number}}`; probabilities are kept when all items of a batch have the same classes. A
    regressor predicts a list of numbers, as many for each item; a bare number is a label. There is one request per
    batch.

    A token in the environment variable RINGTRUE_MODEL_TOKEN is sent as a bearer token. Redirects are not followed:
    the secrets and the items would go along.

    Parameters
    ----------
    url
        The address of the service; secrets do not belong into it.
    features
        The columns that are sent; by default all but the pool's ids.
    timeout
        The seconds that one request may take, to the last byte of its answer.
    empty
        The name of the answer that a missing label is; without it, a missing label is an error.
    headers
        Headers by name, each with the environment variable that holds its value.
    labels
        The names of the model's classes, in its order, for servers that count them (KServe v2, MLflow).
    before
        Called with the columns that are sent, before the first batch is.
    """

    remote = True
    """Every call goes out and may cost: it is known again by a few answers, not by all that were recorded."""

    def __init__(
        self,
        url: str,
        *,
        features: Sequence[str] | None = None,
        timeout: float = 60.0,
        empty: str | None = None,
        headers: Mapping[str, str] | None = None,
        labels: Sequence[str] | None = None,
        before: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        check_listed("features", features)
        check_listed("labels", labels)
        self.features = None if features is None else list(features)
        self.empty = empty
        self.url = url
        self._post = Post(url, timeout=timeout, headers=headers)
        self.name = f"url {self._post.where}"
        self.versions: dict[str, str] = {}
        self._wire = wire_of(url, labels, self._hidden)
        self._before = before
        self._met = threading.Lock(), threading.Event()  # shared with the copies that `without` makes
        self._kept_back: str | None = None

    def without(self, column: str | None) -> HttpModel:
        """Return a model that is not sent this column, unless its features name it: a pool's ids tell who is who."""
        made = copy(self)
        made._kept_back = column
        return made

    @property
    def shape(self) -> str:
        """What people call the shape in which it is asked."""
        return self._wire.name

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the service predicts of these items; a failure that stays is raised as ResponderStopped."""
        names = self.features
        if names is None:
            names = [name for name in batch.columns if name != self._kept_back]
        self._meet(names)
        with self._named_errors():
            columns = {name: column_of(self.name, batch, name) for name in self._wire.sent(names)}
            body = self._json(self._wire.body(columns))
        said, headers = self._post(body)
        with self._named_errors():
            predictions = self._wire.predictions(said, len(batch))
        self._note_versions(said, headers)
        check_length(self.name, len(predictions), len(batch))
        if predictions and all(map(_is_numbers, predictions)):
            return checked_vectors(self.name, batch, predictions)
        parts = [self._parts(item, one) for item, one in zip(batch.ids, predictions, strict=True)]
        labels, tables = [label for label, _ in parts], [table for _, table in parts]
        if is_repeated([*labels, *(name for table in tables for name in table)], self._post.headers):
            raise InvalidInput(f"the model {self.name} answered with a secret that it was sent: mend the service")
        classes = list(tables[0]) if tables else []
        if not classes or any(set(table) != set(classes) for table in tables):
            return checked_labels(self.name, batch, labels, empty=self.empty)
        rows = [[table[one] for one in classes] for table in tables]
        return checked_labels(self.name, batch, labels, probabilities=rows, classes=classes, empty=self.empty)

    def _meet(self, names: Sequence[str]) -> None:
        """Learn what the service tells of its model and say what is sent, once, before the first batch."""
        lock, met = self._met
        with lock:
            if met.is_set():
                return
            if self._wire.about is not None:
                self._wire.learn(self._post.about(self._wire.about))
            with self._named_errors():
                sent = self._wire.sent(names)
            if self._before is not None:
                self._before(sent)
            met.set()

    def _note_versions(self, said: Any, headers: Mapping[str, str]) -> None:
        """Keep what the answer tells of the version of the model or of its server."""
        names = [name for name in sorted(headers) if _VERSION.fullmatch(name)][:_MOST]
        for name, text in {**self._wire.versions(said), **{name: headers[name] for name in names}}.items():
            if text is not None and str(text).strip():
                self.versions[name] = harmless(self._hidden(str(text)))[:_LONGEST]

    def _hidden(self, text: str) -> str:
        return masked(text, self._post.headers)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Begin what a shape says of an error with the name of the model."""
        try:
            yield
        except InvalidInput as error:
            text = self._hidden(str(error))
            raise InvalidInput(text if text.startswith("the model ") else f"the model {self.name} {text}") from None

    def _json(self, body: Mapping[str, Any]) -> str:
        """Return the body of a request as JSON."""
        try:
            return json.dumps(body, allow_nan=False, default=plain)
        except ValueError:
            raise InvalidInput(
                f"the model {self.name} cannot be sent infinite numbers, which JSON cannot hold: replace them"
            ) from None

    def _parts(self, item: str, prediction: Any) -> tuple[Any, dict[str, Any]]:
        """Return the label and the probabilities of a prediction, which may be the label alone."""
        if not isinstance(prediction, dict):
            return prediction, {}
        table = prediction.get("probabilities") or {}
        if "label" not in prediction or not isinstance(table, dict):
            raise InvalidInput(
                f"the model {self.name} sent item {item!r} an object that is not a prediction: "
                'send a label, or {"label": …, "probabilities": {class: number}}'
            )
        return prediction["label"], table


def _is_numbers(prediction: Any) -> bool:
    """Return whether a prediction is a regressor's; a null in it is a number that JSON could not hold."""
    if not isinstance(prediction, list) or not prediction:
        return False
    return all(one is None or (isinstance(one, int | float) and not isinstance(one, bool)) for one in prediction)
