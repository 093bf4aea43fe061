"""The shape of MLflow's scoring server: a table goes out as `dataframe_split`, `predictions` come back."""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.models.wires._wire import Columns, Wire, as_numbers, beside, by_place, cells, with_chances


class MlflowScoring(Wire):
    """`{"dataframe_split": {"columns": […], "data": [[…], …]}}`: the one form that a model with a signature takes.

    Text, truth values and whole numbers are labels. Numbers with a decimal point are a regressor's, and so are lists of
    numbers, unless the classes are named: then they are probabilities. A record is a label under "label", the
    probabilities of the named classes, or its only value.

    >>> MlflowScoring("https://host/invocations", ["no", "yes"]).predictions({"predictions": [[0.3, 0.7], 0]}, 2)
    [{'label': 'yes', 'probabilities': {'no': 0.3, 'yes': 0.7}}, 'no']
    """

    name = "MLflow"
    _server: str | None = None

    @property
    def about(self) -> str | None:
        """The version of MLflow that serves the model."""
        return beside(self.url, "/invocations", "/version")

    def learn(self, text: str | None) -> None:
        """Keep the version, which is one short line."""
        self._server = text.strip() if text is not None and len(text.split()) == 1 else None

    def body(self, columns: Columns) -> dict[str, Any]:
        """Return the columns' names and the rows."""
        rows = list(zip(*map(cells, columns.values()), strict=True))
        return {"dataframe_split": {"columns": list(columns), "data": rows}}

    def predictions(self, said: Any, items: int) -> list[Any]:  # noqa: ARG002 - the number is checked for all shapes
        """Return what each prediction of the answer means."""
        return [self._meant(one) for one in self.listed(said, "predictions")]

    def versions(self, said: Any) -> dict[str, Any]:  # noqa: ARG002 - the answer does not tell
        """Return the version of the server; it tells none of the model."""
        return {"mlflow": self._server}

    def _meant(self, one: Any) -> Any:
        if isinstance(one, dict):
            return self._record(one)
        if isinstance(one, list) and len(one) == 1:
            return self._meant(one[0])
        if isinstance(one, list) and all(isinstance(part, int | float) and not isinstance(part, bool) for part in one):
            return as_numbers(one, self.labels)
        if isinstance(one, float):
            return as_numbers([one], self.labels)
        return by_place(one, self.labels) if isinstance(one, int) else one

    def _record(self, one: dict[str, Any]) -> Any:
        """Return what a row of a table of predictions means."""
        if "label" in one:
            table = one.get("probabilities")
            return one if isinstance(table, dict) else by_place(one["label"], self.labels)
        if self.labels is not None and set(one) == set(self.labels):
            return with_chances(None, [one[label] for label in self.labels], self.labels)
        if len(one) == 1:
            return self._meant(next(iter(one.values())))
        raise InvalidInput(
            f'sent records of {self.shown(one)}, of which none is called "label": name the classes with --labels if '
            "these are their probabilities, or have the model return one column"
        )
