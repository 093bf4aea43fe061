"""The process of a model file: its death is one line and no more, it ends with the model, Python or an interrupt."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, ResponderStopped
from ringtrue.models import FileModel, as_model
from support import PATIENCE, model_files

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install 'ringtrue[onnx]'")


@pytest.fixture
def made(tmp_path):
    return model_files.onnx_forest(tmp_path)


def process_of(model):
    """Return the id of the process that runs a model."""
    return model._worker._living[0].pid


def is_there(pid):
    """Return whether a process lives, and is not only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid):
    """Wait until a process is gone."""
    end = time.monotonic() + PATIENCE
    while is_there(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_there(pid)


@pytest.mark.parametrize(("number", "word"), [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGKILL, "SIGKILL, as a machine")])
def test_a_death_is_one_line_and_the_next_call_starts_another(made, number, word):
    model = as_model(str(made.path))
    first = process_of(model)
    os.kill(first, number)
    assert gone(first)
    with pytest.raises(ResponderStopped) as error:
        model.answer(made.batch)
    assert str(error.value).startswith("the model credit.onnx was killed")
    assert word in str(error.value)
    assert "\n" not in str(error.value)
    assert model.answer(made.batch).labels == made.labels
    assert process_of(model) != first


def test_a_crash_inside_is_one_line(made, monkeypatch):
    """A library that dies in the middle of an answer leaves no half answer behind."""
    model = FileModel(made.path)
    pid = process_of(model)
    os.kill(pid, signal.SIGSTOP)
    killer = subprocess.Popen(
        [sys.executable, "-S", "-c", f"import os, time; time.sleep(0.3); os.kill({pid}, 11); os.kill({pid}, 18)"]
    )
    with pytest.raises(ResponderStopped, match="SIGSEGV while it answered 1,000 items"):
        model.answer(made.batch)
    killer.wait()
    assert model.answer(made.batch).labels == made.labels


def test_the_process_ends_with_the_model(made):
    model = FileModel(made.path)
    pid = process_of(model)
    other = model.without("id")
    del model
    gc.collect()
    assert is_there(pid), "a copy still needs it"
    del other
    gc.collect()
    assert gone(pid)


SCRIPT = """
import sys, time
from ringtrue.models import FileModel
model = FileModel(sys.argv[1])
print(model._worker._living[0].pid, flush=True)
try:
    time.sleep(float(sys.argv[2]))
finally:
    print("ending", flush=True)
"""


@pytest.mark.parametrize("how", ["end", "interrupt", "kill"])
def test_no_process_is_left_behind(made, how):
    wait = "0" if how == "end" else "9999"
    asker = subprocess.Popen([sys.executable, "-c", SCRIPT, str(made.path), wait], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)  # fmt: skip
    pid = int(asker.stdout.readline())
    if how != "end":
        assert is_there(pid)
        asker.send_signal(signal.SIGINT if how == "interrupt" else signal.SIGKILL)
    asker.communicate()
    assert gone(pid)


def test_another_process_has_one_of_its_own(made):
    """A model is sent to other processes by name; and a fork leaves its parent's process alone."""
    model = FileModel(made.path)
    sent = pickle.loads(pickle.dumps(model))
    assert sent.answer(made.batch).labels == made.labels
    assert process_of(sent) != process_of(model)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            alike = copy.copy(model).answer(made.batch).labels == made.labels
            code = 0 if alike and model._worker._living[0].owner == os.getpid() else 2
        finally:
            model._worker._living[0].kill()
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert model.answer(made.batch).labels == made.labels


def test_what_the_library_refuses_is_one_line_and_the_process_lives_on(tmp_path):
    """A graph that divides whole numbers by those that it is sent: a zero is an error of the library, or a death."""
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    shape = helper.make_tensor("shape", kinds.INT64, [2], [7, 7])
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "shape"], ["y"])],
        "reshape",
        [helper.make_tensor_value_info("x", kinds.FLOAT, [None, 1])],
        [helper.make_tensor_value_info("y", kinds.FLOAT, None)],
        [shape],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (tmp_path / "odd.onnx").write_bytes(made.SerializeToString())
    model = FileModel(tmp_path / "odd.onnx")
    pid = process_of(model)
    with pytest.raises(InvalidInput, match=r"the model odd.onnx failed \(.*Reshape") as error:
        model.answer(Batch(["a"], {"x": np.array([1.0])}))
    assert "\n" not in str(error.value)
    assert model.answer(Batch([str(n) for n in range(49)], {"x": np.arange(49.0)})) is not None
    assert process_of(model) == pid
