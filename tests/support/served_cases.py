"""What is asked of real servers, recorded from them, and played again: columns, names of classes, what comes out."""

from typing import NamedTuple

import numpy as np

from ringtrue.core import Batch

NUMBERS = {"a": [-2.0, 0.5, 2.0], "b": [0.25, 0.0, -1.0]}
FRAME = {"age": [1.5, -1.5, 2.0], "town": ["ulm", "bonn", "ulm"]}
INFER = "/v2/models/{}/infer"


class Case(NamedTuple):
    """One call, and what it gives: labels, whether probabilities, outputs of a regressor, or the words of an error."""

    server: str
    """The kind of server, or of MLflow also the model: it serves one."""
    path: str
    columns: dict
    names: list | None = None
    labels: list | None = None
    classes: list | None = None
    outputs: list | None = None
    error: tuple = ()
    served: dict | None = None

    def batch(self):
        cells = {
            name: np.array(column, dtype=object if name == "town" else None) for name, column in self.columns.items()
        }
        return Batch(["i0", "i1", "i2"], cells)


def _mlserver(model, columns, **given):
    told = {} if "error" in given else {"served": {"model_version": "v1.2", "ce-modelid": model}}
    return Case("mlserver", INFER.format(model), columns, **given, **told)


def _mlflow(model, columns, **given):
    return Case(f"mlflow/{model}", "/invocations", columns, **given)


GRADES = ["low", "mid", "high"]
WIDE = {**NUMBERS, "c": [1.0, 2.0, 3.0]}
GOOD = ["good", "bad", "good"]
CASES = {
    "numbers, nothing told": _mlserver("grades", NUMBERS, labels=[0, 1, 2]),
    "numbers, nothing told, named": _mlserver("grades", NUMBERS, names=GRADES, labels=GRADES),
    "numbers, told": _mlserver("grades-told", NUMBERS, labels=[0, 1, 2], classes=["0", "1", "2"]),
    "numbers, told, named": _mlserver("grades-told", NUMBERS, names=GRADES, labels=GRADES, classes=GRADES),
    "text, nothing told": _mlserver("credit", FRAME, labels=GOOD),
    "text, told, named": _mlserver("credit-told", FRAME, names=["bad", "good"], labels=GOOD, classes=["bad", "good"]),
    "a regressor": _mlserver("sums", NUMBERS, outputs=[[-1.5], [0.5], [0.0]]),
    "a model that is not there": _mlserver(
        "nope", NUMBERS, error=("status 404 (Model nope not found)", "check the address")
    ),
    "columns that do not fit": _mlserver(
        "grades", WIDE, error=("status 500 (ValueError: X has 3 features, but Logistic",)
    ),
    "columns that cannot fit": _mlserver(
        "grades-told", WIDE, error=("takes 2 numbers per item", "3 columns are sent (a, b, c)")
    ),
    "a column that is missing": _mlserver(
        "credit-told", {"age": FRAME["age"]}, error=("takes the inputs 'town, age'", "no column 'town' is sent")
    ),
    "a table": _mlflow("labels", FRAME, labels=GOOD, served={"mlflow": ""}),
    "a table without a column": _mlflow(
        "labels", {"age": [1.5, -1.5, 2.0]}, error=("400 (INVALID_PARAMETER_VALUE: Model is missing inputs ['town'].)",)
    ),
    "a table with an unknown town": _mlflow(
        "labels", {**FRAME, "town": ["ulm", "rome", "ulm"]}, error=("400 (BAD_REQUEST: ValueError: Found unknown",)
    ),
    "chances, named": _mlflow("chances", FRAME, names=["bad", "good"], labels=GOOD, classes=["bad", "good"]),
    "chances, unnamed": _mlflow("chances", FRAME, outputs=[]),
    "chances, too few named": _mlflow(
        "chances", FRAME, names=["bad"], error=("gave 2 probabilities for the label bad",)
    ),
    "sums of a table": _mlflow("sums", NUMBERS, outputs=[[-1.5], [0.5], [0.0]]),
    "records": _mlflow("records", FRAME, labels=GOOD),
}  # fmt: skip
