"""Makes the models that real servers serve in tests; run by a server's own Python: served_models.py KIND FOLDER."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

rng = np.random.default_rng(0)
numbers = rng.normal(size=(300, 2))
frame = pd.DataFrame({"age": rng.normal(size=300), "town": rng.choice(["ulm", "bonn"], 300)})
grades = LogisticRegression().fit(numbers, (numbers[:, 0] > 0).astype(int) + (numbers[:, 0] > 1))
encoded = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
credit = make_pipeline(encoded, LogisticRegression()).fit(frame, np.where(frame["age"] > 0, "good", "bad"))
sums = LinearRegression().fit(numbers, numbers @ [1.0, 2.0])


def tensor(name, datatype, *shape, **more):
    return {"name": name, "datatype": datatype, "shape": [-1, *shape], **more}


BOTH = [tensor("predict", "INT64"), tensor("predict_proba", "FP64", 3)]
NAMED = [tensor("town", "BYTES", parameters={"content_type": "str"}), tensor("age", "FP64")]
MLSERVER = {
    "grades": (grades, {}),
    "grades-told": (grades, {"inputs": [tensor("x", "FP64", 2)], "outputs": BOTH}),
    "credit": (credit, {}),
    "credit-told": (
        credit,
        {"inputs": NAMED, "outputs": [tensor("predict", "BYTES"), tensor("predict_proba", "FP64", 2)]},
    ),
    "sums": (sums, {}),
}


def for_mlserver(folder):
    import joblib

    for name, (model, told) in MLSERVER.items():
        (folder / name).mkdir()
        joblib.dump(model, folder / name / "model.joblib")
        about = {"name": name, "implementation": "mlserver_sklearn.SKLearnModel", **told}
        about["parameters"] = {"uri": "./model.joblib", "version": "v1.2"}
        (folder / name / "model-settings.json").write_text(json.dumps(about))


def for_mlflow(folder):
    import mlflow
    from mlflow.models import infer_signature

    class Records(mlflow.pyfunc.PythonModel):
        def predict(self, context, model_input, params=None):
            return pd.DataFrame({"label": np.where(model_input["age"] > 0, "good", "bad"), "score": 0.75})

    labels, chances = infer_signature(frame, credit.predict(frame)), infer_signature(frame, credit.predict_proba(frame))
    mlflow.sklearn.save_model(credit, folder / "labels", signature=labels)
    mlflow.sklearn.save_model(credit, folder / "chances", signature=chances, pyfunc_predict_fn="predict_proba")
    table = pd.DataFrame(numbers, columns=["a", "b"])
    mlflow.sklearn.save_model(sums, folder / "sums", signature=infer_signature(table, sums.predict(numbers)))
    mlflow.pyfunc.save_model(folder / "records", python_model=Records())


if __name__ == "__main__":
    {"mlserver": for_mlserver, "mlflow": for_mlflow}[sys.argv[1]](Path(sys.argv[2]))
