"""Every format says what the library says that made the file: the same labels, probabilities and outputs, in order."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Vectors
from ringtrue.models import FileModel, as_model
from support import model_files

CLOSE = {"rtol": 0, "atol": 2e-6}  # the files compute in single precision


HEAVY = ("torch", "hugging", "skops")
"""Makers whose libraries take seconds to load, once here and once in the process of the file."""

MAKERS = [
    pytest.param(make, marks=[pytest.mark.slow] if make.__name__.startswith(HEAVY) else [], id=make.__name__)
    for make in model_files.EVERY
]


@pytest.mark.parametrize("make", MAKERS)
def test_a_file_says_what_its_maker_says(make, tmp_path):
    made = make(tmp_path)
    model = FileModel(made.path, **made.settings)
    said = model.answer(made.batch)
    if made.values is not None:
        assert isinstance(said, Vectors)
        assert said.array.shape == made.values.shape
        assert np.allclose(said.array, made.values, rtol=1e-5, atol=1e-5)
        return
    assert said.labels == made.labels
    if made.probabilities is not None:
        assert np.allclose(said.probabilities, made.probabilities, **CLOSE)
        assert [said.classes[place] for place in said.probabilities.argmax(axis=1)] == made.labels
    assert (model.classes is None) == (make in (model_files.onnx_columns, model_files.torch_softmax))


def test_probabilities_whose_classes_are_not_told_are_not_guessed(tmp_path):
    """A graph of labels and of numbers that are not said to be theirs."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install 'ringtrue[onnx]'")
    helper, kinds = onnx.helper, onnx.TensorProto
    inputs = [helper.make_tensor_value_info("word", kinds.STRING, [None, 1])]
    inputs.append(helper.make_tensor_value_info("chance", kinds.FLOAT, [None, 1]))
    outputs = [helper.make_tensor_value_info("label", kinds.STRING, [None, 1])]
    outputs.append(helper.make_tensor_value_info("probabilities", kinds.FLOAT, [None, 2]))
    nodes = [helper.make_node("Identity", ["word"], ["label"])]
    nodes.append(helper.make_node("Concat", ["chance", "chance"], ["probabilities"], axis=1))
    graph = helper.make_graph(nodes, "untold", inputs, outputs)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (tmp_path / "untold.onnx").write_bytes(made.SerializeToString())
    batch = Batch(["1"], {"word": np.array(["no"], dtype=object), "chance": np.array([0.5])})
    model = FileModel(tmp_path / "untold.onnx")
    with pytest.raises(InvalidInput, match="gives labels such as 'no', and does not say which of its 2 probabilities"):
        model.answer(batch)
    assert model.with_classes(["no", "yes"]).answer(batch).classes == ["no", "yes"]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (np.array([["a"], ["b"]], dtype=object), "takes numbers, and item '0' has"),
        (np.array(["x", "y"], dtype=object), "takes numbers, and item '0' has 'x' in column 'age'"),
    ],
)
def test_what_is_not_a_number_is_named(tmp_path, cells, words):
    made = model_files.xgboost_ubj(tmp_path)
    columns = {**model_files.batch_of(model_files.table(2)).columns, "age": cells}
    with pytest.raises(InvalidInput, match=words):
        FileModel(made.path).answer(Batch(["0", "1"], columns))


def test_arrays_of_another_shape_are_refused(tmp_path):
    made = model_files.torch_images(tmp_path)
    model = FileModel(made.path)
    with pytest.raises(
        InvalidInput, match=r"takes arrays of the shape \(8, 8\), and those in column 'image' have \(9, 8\)"
    ):
        model.answer(Batch(["0"], {"image": np.zeros((1, 9, 8))}))
    with pytest.raises(InvalidInput, match="column 'image' holds none: name the column of the arrays"):
        model.answer(Batch(["0"], {"image": np.array([1.0])}))


def test_columns_and_classes_are_named_by_the_user(tmp_path):
    made = model_files.onnx_forest(tmp_path)
    other = {f"c{place}": made.batch.columns[name] for place, name in enumerate(model_files.NAMES)}
    batch = Batch(made.batch.ids, {"noise": np.zeros(model_files.ROWS), **other})
    model = as_model(made.path, features=["c0", "c1", "c2", "c3"])
    assert model.answer(batch).labels == made.labels
    with pytest.raises(InvalidInput, match="takes 4 columns and is given 2"):
        FileModel(made.path, features=["a", "b"])
    with pytest.raises(InvalidInput, match="names its own, lost, open, paid: leave them out"):
        FileModel(made.path, classes=["a", "b", "c"])
    with pytest.raises(InvalidInput, match="features='age' is text"):
        FileModel(made.path, features="age")
