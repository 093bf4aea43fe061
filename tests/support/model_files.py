"""Model files of every format, each with what the library that made it says of a thousand items."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringtrue.core import Batch

NAMES = ["age", "income", "region", "score"]
WORDS = ["good", "fine", "bad", "poor", "great", "awful", "it", "was", "very", "not"]
ROWS = 1000


def table(rows=ROWS, seed=0):
    """Return the numbers of some items, in four columns."""
    return np.random.default_rng(seed).normal(size=(rows, 4))


def batch_of(numbers, names=NAMES):
    """Return the numbers as a batch of float64 columns."""
    columns = {name: numbers[:, place] for place, name in enumerate(names)}
    return Batch([str(row) for row in range(len(numbers))], columns)


def truth(numbers):
    """Return one of three classes per item."""
    return np.array(["lost", "open", "paid"])[(numbers[:, 0] > 0).astype(int) + (numbers[:, 1] > 0.3)]


@dataclass
class Made:
    """A model file, the items that it is asked about, and what it is to say of them."""

    path: Path
    batch: Batch
    labels: list | None = None
    probabilities: np.ndarray | None = None
    values: np.ndarray | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def onnx_of(folder, estimator, name="credit.onnx", **options):
    """Write an estimator of scikit-learn as ONNX."""
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed: pip install skl2onnx")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install 'ringtrue[onnx]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = skl2onnx.to_onnx(estimator, table(1).astype(np.float32), options={id(estimator): options})
    (folder / name).write_bytes(made.SerializeToString())
    return folder / name


def fitted(kind="forest"):
    """Return an estimator that was fitted on other items than it is asked about."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = table(400, seed=1)
    if kind == "regressor":
        return RandomForestRegressor(5, max_depth=4, random_state=0).fit(known, known[:, 0] * 2 + known[:, 1])
    estimators = {
        "forest": RandomForestClassifier(5, max_depth=4, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "network": MLPClassifier((5,), max_iter=30, random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimators[kind].fit(known, truth(known))


def said_by(estimator, path, **settings):
    """Return a file with what its estimator says; the numbers are single ones, as the file takes them."""
    numbers = table().astype(np.float32).astype(np.float64)
    chances = estimator.predict_proba(numbers)
    return Made(path, batch_of(numbers), estimator.predict(numbers).tolist(), chances, settings=settings)


def onnx_forest(folder):
    return said_by(estimator := fitted("forest"), onnx_of(folder, estimator, zipmap=False))


def onnx_zipmap(folder):
    return said_by(estimator := fitted("logistic"), onnx_of(folder, estimator, zipmap=True))


def onnx_network(folder):
    """Return one whose classes stand in a tensor of the file."""
    return said_by(estimator := fitted("network"), onnx_of(folder, estimator, zipmap=False))


def onnx_regressor(folder):
    estimator, numbers = fitted("regressor"), table().astype(np.float32).astype(np.float64)
    return Made(onnx_of(folder, estimator), batch_of(numbers), values=estimator.predict(numbers)[:, None])


def onnx_columns(folder):
    """Return a graph with an input per column, of two types: twice the age, and what the region is."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    shape = [None, 1]
    inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind in
              (("age", kinds.DOUBLE), ("region", kinds.STRING))]  # fmt: skip
    outputs = [helper.make_tensor_value_info("twice", kinds.DOUBLE, shape),
               helper.make_tensor_value_info("label", kinds.STRING, shape)]  # fmt: skip
    nodes = [helper.make_node("Add", ["age", "age"], ["twice"]), helper.make_node("Identity", ["region"], ["label"])]
    graph = helper.make_graph(nodes, "columns", inputs, outputs[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    made.graph.node.pop(0)
    made.graph.input.pop(0)
    made.graph.input.insert(0, inputs[0])
    (folder / "columns.onnx").write_bytes(made.SerializeToString())
    regions = np.array(["north", "south"], dtype=object)[(table()[:, 2] > 0).astype(int)]
    batch = Batch([str(row) for row in range(ROWS)], {"region": regions, "age": table()[:, 0]})
    return Made(folder / "columns.onnx", batch, labels=regions.tolist())


def skops_logistic(folder):
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install 'ringtrue[skops]'")
    estimator = fitted("logistic")
    skops.dump(estimator, folder / "credit.skops")
    return said_by(estimator, folder / "credit.skops")


def skops_forest(folder):
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install 'ringtrue[skops]'")
    estimator = fitted("forest")
    skops.dump(estimator, folder / "forest.skops")
    return said_by(estimator, folder / "forest.skops", trusted=["sklearn.tree._tree.Tree"])


def skops_frame(folder):
    """Return a pipeline that was fitted on a dataframe with a column of text."""
    skops = pytest.importorskip("skops.io", reason="skops is not installed: pip install 'ringtrue[skops]'")
    pandas = pytest.importorskip("pandas")
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    def frame(numbers):
        return pandas.DataFrame({"region": np.where(numbers[:, 2] > 0, "north", "south"), "age": numbers[:, 0]})

    made = make_column_transformer((OneHotEncoder(), ["region"]), remainder="passthrough")
    estimator = make_pipeline(made, LogisticRegression()).fit(frame(table(400, 1)), truth(table(400, 1)))
    skops.dump(estimator, folder / "frame.skops")
    rows = frame(table())
    columns = {"age": rows["age"].to_numpy(), "region": np.array(rows["region"].tolist(), dtype=object)}
    batch = Batch([str(row) for row in range(ROWS)], columns)
    return Made(folder / "frame.skops", batch, estimator.predict(rows).tolist(), estimator.predict_proba(rows))


def _boosted(folder, ending, objective, target, **settings):
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed: pip install 'ringtrue[xgboost]'")
    known, numbers = table(400, 1), table().astype(np.float32).astype(np.float64)
    data = xgboost.DMatrix(known, label=target(known), feature_names=NAMES)
    booster = xgboost.train({"objective": objective, "max_depth": 3, **settings}, data, num_boost_round=5)
    path = folder / f"credit{ending}"
    booster.save_model(path)
    return path, numbers, booster.predict(xgboost.DMatrix(numbers, feature_names=NAMES))


def _codes(numbers):
    return np.searchsorted(["lost", "open", "paid"], truth(numbers))


def xgboost_ubj(folder):
    path, numbers, chances = _boosted(folder, ".ubj", "multi:softprob", _codes, num_class=3)
    return Made(path, batch_of(numbers), chances.argmax(axis=1).tolist(), chances)


def xgboost_json(folder):
    path, numbers, chance = _boosted(folder, ".json", "binary:logistic", lambda rows: rows[:, 0] > 0)
    table = np.stack([1 - chance, chance], axis=1)
    labels = np.where(chance > 0.5, "yes", "no").tolist()
    return Made(path, batch_of(numbers), labels, table, settings={"classes": ["no", "yes"]})


def xgboost_regressor(folder):
    path, numbers, found = _boosted(folder, ".ubj", "reg:squarederror", lambda rows: rows[:, 0])
    return Made(path, batch_of(numbers), values=found[:, None])


def _lighter(folder, settings, target, names=NAMES):
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed: pip install 'ringtrue[lightgbm]'")
    data = lightgbm.Dataset(table(400, 1), label=target(table(400, 1)), feature_name=names)
    booster = lightgbm.train({"verbosity": -1, "num_threads": 1, **settings}, data, num_boost_round=5)
    booster.save_model(folder / "credit.txt")
    return folder / "credit.txt", booster.predict(table())


def lightgbm_binary(folder):
    path, chance = _lighter(folder, {"objective": "binary"}, lambda rows: rows[:, 0] > 0)
    chances = np.stack([1 - chance, chance], axis=1)
    return Made(path, batch_of(table()), chances.argmax(axis=1).tolist(), chances)


def lightgbm_classes(folder):
    path, chances = _lighter(folder, {"objective": "multiclass", "num_class": 3}, _codes, "auto")
    path = path.rename(folder / "credit.lgb")
    return Made(path, batch_of(table()), chances.argmax(axis=1).tolist(), chances)


def lightgbm_regressor(folder):
    path, found = _lighter(folder, {"objective": "regression"}, lambda rows: rows[:, 0])
    return Made(path, batch_of(table()), values=found[:, None])


def _exported(folder, network, example, name="net.pt2", *, dynamic=True):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'ringtrue[torch]'")
    shapes = ({0: torch.export.Dim("items")},) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(network.eval(), (example,), dynamic_shapes=shapes), folder / name)
    return folder / name


def _layers():
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'ringtrue[torch]'")
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.GELU(approximate="tanh"), nn.Dropout(), nn.Linear(8, 3))


def torch_softmax(folder):
    import torch

    network = torch.nn.Sequential(_layers(), torch.nn.Softmax(-1))
    path = _exported(folder, network, torch.zeros(2, 4))
    numbers = table().astype(np.float32)
    chances = network(torch.from_numpy(numbers)).detach().numpy()
    return Made(path, batch_of(numbers.astype(np.float64)), chances.argmax(axis=1).tolist(), chances)


def torch_logits(folder):
    """Return one that was exported for seven items at once, with names for the classes of its scores."""
    import torch

    network, numbers = _layers(), table().astype(np.float32)
    path = _exported(folder, network, torch.zeros(7, 4), dynamic=False)
    chances = torch.softmax(network(torch.from_numpy(numbers)), -1).detach().numpy()
    labels = np.array(["a", "b", "c"])[chances.argmax(axis=1)].tolist()
    return Made(path, batch_of(numbers.astype(np.float64)), labels, chances, settings={"classes": ["a", "b", "c"]})


def torch_images(folder):
    """Return a network of images, with sizes that depend on how many there are."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'ringtrue[torch]'")

    class Images(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.look = torch.nn.Sequential(
                torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(inplace=True), torch.nn.MaxPool2d(2)
            )
            self.norm, self.end = torch.nn.LayerNorm(36), torch.nn.Linear(36, 2)

        def forward(self, images):
            seen = self.look(images.unsqueeze(1))
            left, right = torch.chunk(self.norm(seen.reshape(seen.shape[0], -1)), 2, dim=-1)
            hidden = torch.cat([left, right.masked_fill(right < 0, 0.5)], dim=-1)
            return self.end(hidden) + torch.zeros(images.shape[0], 2)

    torch.manual_seed(0)
    network, images = Images(), np.random.default_rng(0).random((ROWS, 8, 8))
    path = _exported(folder, network, torch.zeros(2, 8, 8))
    found = network(torch.from_numpy(images.astype(np.float32))).detach().numpy()
    return Made(path, Batch([str(row) for row in range(ROWS)], {"image": images}), values=found)


def hugging_face(folder):
    """Return a text classifier of random weights."""
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed: pip install 'ringtrue[transformers]'"
    )
    import tokenizers
    import torch

    vocabulary = {word: place for place, word in enumerate(["[PAD]", "[UNK]", *WORDS])}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=16, id2label={0: "negative", 1: "positive", 2: "neither"},
        label2id={"negative": 0, "positive": 1, "neither": 2}, initializer_range=0.5,
    )  # fmt: skip
    network = transformers.BertForSequenceClassification(config).eval()
    network.save_pretrained(folder / "mood")
    tokenizer.save_pretrained(folder / "mood")
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(WORDS, size=draw.integers(1, 12))) for _ in range(ROWS)]
    with torch.inference_mode():
        tokens = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        chances = torch.softmax(network(**tokens).logits, -1).numpy()
    labels = [config.id2label[place] for place in chances.argmax(axis=1)]
    batch = Batch([str(row) for row in range(ROWS)], {"text": np.array(texts, dtype=object)})
    return Made(folder / "mood", batch, labels, chances)


EVERY = [
    onnx_forest, onnx_zipmap, onnx_network, onnx_regressor, onnx_columns, skops_logistic, skops_forest, skops_frame,
    xgboost_ubj, xgboost_json, xgboost_regressor, lightgbm_binary, lightgbm_classes, lightgbm_regressor, torch_softmax,
    torch_logits, torch_images, hugging_face,
]  # fmt: skip


def zipped(path, members, compression=zipfile.ZIP_STORED):
    """Write a zip archive with these members."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes | str) else json.dumps(content))
    path.write_bytes(held.getvalue())
    return path
