"""Files that want more than to be a model: each is refused in one line with its reason, and nothing of them runs."""

import json
import os
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.models import FileModel
from support import model_files
from support.model_files import zipped


class Evil:
    """Leaves a trace as soon as it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


@pytest.fixture
def trace(tmp_path):
    """A folder that is there in the end if code of a file ran."""
    path = tmp_path / "it ran"
    yield path
    assert not path.exists(), "code of the file ran"


def refused(path, **settings):
    with pytest.raises(InvalidInput) as error:
        FileModel(path, **settings)
    assert "\n" not in str(error.value)
    assert str(path.name) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["m.onnx", "m.skops", "m.ubj", "m.json", "m.txt", "m.pt2", "m.pkl", "m.joblib"])
def test_a_pickle_is_refused_whatever_it_is_called(tmp_path, trace, name):
    (tmp_path / name).write_bytes(pickle.dumps(Evil(trace)))
    assert "is a pickle, which can run any code as it is opened: export the model to ONNX or skops" in refused(
        tmp_path / name
    )


@pytest.mark.parametrize("name", ["m.onnx", "m.skops", "m.ubj", "m.json", "m.txt", "m.pt2"])
def test_an_empty_file_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert f"{name}: is empty: export the model again" in refused(tmp_path / name)


def test_a_missing_file_is_told_with_the_folder(tmp_path):
    with pytest.raises(InvalidInput, match=r"none\.onnx: no such file: check the path"):
        FileModel(tmp_path / "none.onnx")


def test_a_wrong_ending_is_told(tmp_path):
    made = model_files.xgboost_ubj(tmp_path)
    os.rename(made.path, tmp_path / "credit.onnx")
    said = refused(tmp_path / "credit.onnx")
    assert "credit.onnx: ends like ONNX, but is XGBoost by its first bytes: let it end in .ubj or .json" in said


TRUNCATED = [model_files.onnx_forest, model_files.skops_logistic, model_files.xgboost_ubj, model_files.xgboost_json,
             model_files.lightgbm_binary, model_files.torch_softmax]  # fmt: skip


@pytest.mark.parametrize("make", TRUNCATED, ids=lambda make: make.__name__)
@pytest.mark.slow
def test_a_truncated_file_is_one_line(tmp_path, make):
    path = make(tmp_path).path
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    refused(path)


def outside(location):
    """Return an ONNX model whose weights lie in this place."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    weights = helper.make_tensor("w", kinds.FLOAT, [4, 1], np.ones(4, dtype=np.float32))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "sum",
        [helper.make_tensor_value_info("x", kinds.FLOAT, [None, 4])],
        [helper.make_tensor_value_info("y", kinds.FLOAT, [None, 1])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    tensor = model.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.data_location = kinds.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "16")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return model.SerializeToString()


@pytest.mark.parametrize("location", ["../secret.bin", "{folder}/secret.bin", "deeper/../../secret.bin", "link.bin"])
def test_weights_outside_of_the_folder_are_not_read(tmp_path, location):
    folder = tmp_path / "model"
    (folder / "deeper").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(struct.pack("4f", 1, 2, 3, 4))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "m.onnx").write_bytes(outside(location.format(folder=tmp_path)))
    assert "which is not in its own folder: save it with its weights beside it" in refused(folder / "m.onnx")


def test_weights_beside_the_model_are_read(tmp_path):
    (tmp_path / "m.onnx").write_bytes(outside("weights.bin"))
    assert "keeps weights in 'weights.bin', which is not there" in refused(tmp_path / "m.onnx")
    (tmp_path / "weights.bin").write_bytes(struct.pack("4f", 1, 2, 3, 4))
    batch = model_files.batch_of(np.eye(4))
    assert FileModel(tmp_path / "m.onnx").answer(batch).array.tolist() == [[1.0], [2.0], [3.0], [4.0]]


@pytest.mark.slow
def test_a_type_that_nobody_trusts_is_named_with_the_option(tmp_path):
    made = model_files.skops_forest(tmp_path)
    said = refused(made.path)
    assert "holds the types sklearn.tree._tree.Tree, which skops does not trust" in said
    assert "--trust-type sklearn.tree._tree.Tree" in said


@pytest.mark.slow
def test_a_skops_file_that_calls_is_refused(tmp_path, trace):
    """What skops would have to call to build an object is a type that nobody trusts."""
    pytest.importorskip("skops.io", reason="skops is not installed: pip install 'ringtrue[skops]'")

    def node(name, module, loader, **more):
        return {"__class__": name, "__module__": module, "__loader__": loader, "__id__": id(more), **more}

    text = node("str", "builtins", "JsonNode", is_json=True, content=json.dumps(str(trace)))
    arguments = node("tuple", "builtins", "TupleNode", content=[text])
    made = node("mkdir", "posix", "ConstructorFromReduceNode", content=arguments, __reduce__={"args": arguments})
    reduced = {**made, "protocol": 2, "_skops_version": "0.16.0"}
    said = refused(zipped(tmp_path / "m.skops", {"schema.json": reduced}))
    assert "posix.mkdir" in said
    assert "posix.mkdir" in refused(tmp_path / "m.skops", trusted=["sklearn.tree._tree.Tree"])


@pytest.mark.parametrize("name", ["m.skops", "m.pt2"])
def test_a_bomb_is_not_unpacked(tmp_path, name):
    member = "schema.json" if name == "m.skops" else "m/archive_format"
    zipped(tmp_path / name, {member: b"0" * (100 << 20)}, zipfile.ZIP_DEFLATED)
    assert (tmp_path / name).stat().st_size < 1 << 20
    assert "unpacks to 104,857,600 bytes, more than 100 times its size" in refused(tmp_path / name)


@pytest.mark.slow
def test_torchscript_holds_code(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'ringtrue[torch]'")
    zipped(tmp_path / "m.pt2", {"m/data.pkl": b"x", "m/code/__torch__.py": b"x", "m/constants.pkl": b"x"})
    assert "is a TorchScript archive, which holds code" in refused(tmp_path / "m.pt2")
    torch.save({"w": torch.zeros(1)}, tmp_path / "w.pt2")
    assert "is a file of torch.save, which is a pickle" in refused(tmp_path / "w.pt2")
    zipped(tmp_path / "a.pt2", {"a/archive_format": b"pt2", "a/data/aotinductor/model/x.so": b"x"})
    assert "is an AOTInductor package, which holds machine code" in refused(tmp_path / "a.pt2")


def changed(path, change):
    """Change the graph and the weights' table of a file of torch.export."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    root = next(iter(members)).partition("/")[0]
    program, weights = f"{root}/models/model.json", f"{root}/data/weights/model_weights_config.json"
    told = json.loads(members[program]), json.loads(members[weights])
    change(*told, members)
    members |= {program: json.dumps(told[0]).encode(), weights: json.dumps(told[1]).encode()}
    return zipped(path, members)


def first_node(program):
    return program["graph_module"]["graph"]["nodes"][0]


@pytest.mark.slow
def test_a_graph_calls_operators_alone(tmp_path, trace):
    path = model_files.torch_softmax(tmp_path).path
    whole = path.read_bytes()
    for target in (
        "torch.os.mkdir",
        "torch.ops.aten._dir.append",
        "torch.hub.load",
        "_operator.methodcaller",
        "math.pow",
    ):
        path.write_bytes(whole)
        changed(path, lambda program, *_, target=target: first_node(program).update(target=target))
        assert f"calls {target!r}, which is not an operator of ATen" in refused(path)


@pytest.mark.slow
def test_an_operator_is_not_told_the_name_of_a_file(tmp_path):
    path = model_files.torch_softmax(tmp_path).path

    def read(program, *_):
        arguments = [{"name": "filename", "arg": {"as_string": "/etc/hostname"}, "kind": 1}]
        first_node(program).update(target="torch.ops.aten.from_file.default", inputs=arguments)

    assert "gives the operator from_file a text" in refused(changed(path, read))


@pytest.mark.slow
def test_text_of_a_graph_is_not_evaluated(tmp_path, trace):
    """Shapes and guards, which torch.export.load would run, are not looked at; samples are not unpickled."""
    made = model_files.torch_softmax(tmp_path)
    code = f"__import__('os').mkdir({str(trace)!r})"

    def add(program, _, members):
        program["guards_code"] = [code]
        for told in program["graph_module"]["graph"]["tensor_values"].values():
            told["sizes"] = [
                {"as_expr": {"expr_str": code, "hint": None}} if "as_expr" in one else one for one in told["sizes"]
            ]
        sample = next(name for name in members if "sample_inputs" in name)
        members[sample] = pickle.dumps(Evil(trace))

    assert FileModel(changed(made.path, add)).answer(made.batch).labels == made.labels


@pytest.mark.slow
def test_a_pickled_weight_is_refused(tmp_path, trace):
    path = model_files.torch_softmax(tmp_path).path

    def add(_, weights, members):
        _, told = next(iter(weights["config"].items()))
        told["use_pickle"] = True
        place = next(member for member in members if member.endswith(told["path_name"]))
        members[place] = pickle.dumps(Evil(trace))

    assert "as a pickle, which can run any code: export it with plain tensors" in refused(changed(path, add))


@pytest.fixture
def mood(tmp_path):
    return model_files.hugging_face(tmp_path).path


def rewritten(folder, name, **keys):
    content = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**content, **keys}))


@pytest.mark.slow
def test_code_in_a_folder_is_not_run(mood, trace):
    (mood / "modeling.py").write_text(f"import os\nos.mkdir({str(trace)!r})\n")
    rewritten(mood, "config.json", auto_map={"AutoModelForSequenceClassification": "modeling.Net"})
    assert "names code of its own (auto_map in config.json), which is not run" in refused(mood)


@pytest.mark.slow
def test_a_folder_must_hold_a_classifier_in_safetensors(mood, trace):
    weights = mood / "model.safetensors"
    weights.rename(mood / "kept")
    assert "holds no model.safetensors" in refused(mood)
    (mood / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(trace)))
    assert "keeps its weights as a pickle (pytorch_model.bin)" in refused(mood)
    (mood / "kept").rename(weights)
    rewritten(mood, "config.json", architectures=["BertModel"])
    assert "has the architecture BertModel: only text classifiers" in refused(mood)
    rewritten(mood, "config.json", architectures=["BertForSequenceClassification"])
    (mood / "tokenizer.json").unlink()
    assert "holds no tokenizer" in refused(mood)
    (mood / "config.json").unlink()
    assert "is a folder without config.json" in refused(mood)


def test_a_package_that_is_not_installed_is_named_with_its_extra(tmp_path, monkeypatch):
    path = model_files.onnx_forest(tmp_path).path
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert refused(path) == "the model credit.onnx needs onnxruntime: run pip install 'ringtrue[onnx]'"


def test_modules_beside_a_model_are_not_imported(tmp_path, trace, monkeypatch):
    """The folder where you stand may be a stranger's."""
    made = model_files.onnx_forest(tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("onnxruntime.py").write_text(f"import os\nos.mkdir({str(trace)!r})\n")
    assert FileModel("credit.onnx").answer(made.batch).labels == made.labels
