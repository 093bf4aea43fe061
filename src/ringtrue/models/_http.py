"""A model behind an address: items go out as JSON, predictions come back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors, check_listed, plain
from ringtrue.models._answers import check_length, checked_labels, checked_vectors, column_of
from ringtrue.models._credentials import is_repeated, masked
from ringtrue.models._post import Post


class HttpModel(Model):
    """A web service that answers `{"instances": [{column: value}, …]}` with `{"predictions": […]}`.

    A prediction is a label, or `{"label": …, "probabilities": {class: number}}`; probabilities are kept when all items
    of a batch have the same classes. A regressor predicts a list of numbers, as many for each item; a bare number is a
    label. There is one request per batch.

    A token in the environment variable RINGTRUE_MODEL_TOKEN is sent as a bearer token. Redirects are not followed:
    the secrets and the items would go along. TensorFlow Serving, KServe (protocol v1) and Vertex AI are asked this way.

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
    ) -> None:
        check_listed("features", features)
        self.features = None if features is None else list(features)
        self.empty = empty
        self.url = url
        self._post = Post(url, timeout=timeout, headers=headers)
        self.name = f"url {self._post.where}"
        self._kept_back: str | None = None

    def without(self, column: str | None) -> HttpModel:
        """Return a model that is not sent this column, unless its features name it: a pool's ids tell who is who."""
        made = copy(self)
        made._kept_back = column
        return made

    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return what the service predicts of these items; a failure that stays is raised as ResponderStopped."""
        said = self._post(self._body(batch))
        predictions = said.get("predictions") if isinstance(said, dict) else None
        if not isinstance(predictions, list):
            found = ", ".join(" ".join(key.split()) for key in said)[:60] if isinstance(said, dict) else said
            shown = masked(f"{found!r}", self._post.headers)[:80]
            raise InvalidInput(f'the model {self.name} sent no list "predictions" ({shown}): mend the service')
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

    def _body(self, batch: Batch) -> str:
        """Return the items as JSON; what is not a number is null."""
        names = self.features
        if names is None:
            names = [name for name in batch.columns if name != self._kept_back]
        columns = [
            [None if isinstance(cell, float) and cell != cell else cell for cell in column.tolist()]
            for column in (column_of(self.name, batch, name) for name in names)
        ]
        rows = [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]
        try:
            return json.dumps({"instances": rows}, allow_nan=False, default=plain)
        except ValueError:
            raise InvalidInput(
                f"the model {self.name} cannot be sent infinite numbers, which JSON has not: mend the items"
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
