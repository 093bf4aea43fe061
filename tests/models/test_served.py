"""Models behind servers of several kinds: what real ones answered is played again, and what no server should send."""

import json

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, RingtrueWarning, Vectors
from ringtrue.models import HttpModel, _patience
from ringtrue.models import _post as post_module
from ringtrue.models.wires import wire_of
from support.replay import recording, replayed
from support.served_cases import CASES
from support.served_checks import check_case
from support.services import PROXIES, played, unhurried

INFER = "/v2/models/m/infer"


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    return unhurried(monkeypatch)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:url:ringtrue.core.RingtrueWarning")
def test_what_real_servers_answered_is_read_and_asked_for_in_the_same_words(name, monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    case = CASES[name]
    kind = case.server.partition("/")[0]
    with replayed(kind, name) as (url, strange):
        model = check_case(case, url)
    assert strange == [], "what is sent now is what the real server was sent"
    if case.served:
        told = {"mlflow": recording(kind)["recorded_with"]["mlflow"]} if kind == "mlflow" else case.served
        assert model.versions == told


def test_every_recording_says_with_what_it_was_made():
    assert {name.partition("/")[0] for name in (case.server for case in CASES.values())} == {"mlserver", "mlflow"}
    for kind in ("mlserver", "mlflow"):
        made = recording(kind)
        assert set(made) == {"recorded_with", "cases"}
        assert all(made["recorded_with"].values())
        assert set(made["cases"]) == {name for name, case in CASES.items() if case.server.startswith(kind)}


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/v2/models/m/infer", "KServe v2"),
        ("/seldon/v2/models/m/versions/3/infer", "KServe v2"),
        ("/v2/models/m/infer/", "KServe v2"),
        ("/v2/models/m/versions/infer", "v1"),
        ("/invocations", "MLflow"),
        ("/gateway/invocations/", "MLflow"),
        ("/v1/models/m:predict", "v1"),
        ("/invocations/more", "v1"),
        ("/", "v1"),
    ],
)
def test_the_address_tells_the_shape(path, shape):
    assert HttpModel(f"https://host{path}").shape == shape


TABLE = {"age": np.array([20, 30]), "income": np.array([1.5, np.nan])}
TEXT = {"age": np.array([20, 30]), "town": np.array(["ulm", None], dtype=object), "new": np.array([True, False])}


def tensor(name, datatype, shape, data):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


def asked(columns, outputs, *, metadata=None, labels=None, before=None, headers=None):
    """Ask a server that tells this of its model and answers so; returns the answer, what was sent, and the model."""
    sent = []

    def answer(method, path, body):
        if method == "GET":
            assert path == "/v2/models/m"
            return (404, {}, "") if metadata is None else (200, {}, json.dumps(metadata))
        sent.append(body)
        said = {"model_name": "m", "model_version": "7", "outputs": outputs}
        return 200, headers or {}, said if isinstance(said, str) else json.dumps(said)

    with played(answer) as url:
        model = HttpModel(url + INFER, labels=labels, before=before)
        items = Batch([f"i{place}" for place in range(len(next(iter(columns.values()))))], columns)
        found = model.answer(items)
    return found, sent, model


LABELS = [tensor("predict", "INT64", [2, 1], [0, 1])]


def test_numbers_go_out_as_one_matrix_in_the_order_of_the_pool():
    said = []
    _, sent, model = asked(TABLE, LABELS, before=said.append)
    assert sent == [{"inputs": [tensor("input-0", "FP64", [2, 2], [20.0, 1.5, 30.0, None])]}]
    assert said == [["age", "income"]]
    assert model.versions == {"model_version": "7"}


def test_text_goes_out_as_a_tensor_per_column():
    _, [sent], _ = asked(TEXT, LABELS)
    assert sent["parameters"] == {"content_type": "pd"}
    text = {**tensor("town", "BYTES", [2, 1], ["ulm", None]), "parameters": {"content_type": "str"}}
    new = tensor("new", "BOOL", [2, 1], [True, False])
    assert sent["inputs"] == [tensor("age", "INT64", [2, 1], [20, 30]), text, new]


def test_images_go_out_in_their_shape():
    images = np.arange(8.0).reshape(2, 2, 2)
    _, [sent], _ = asked({"image": images}, LABELS)
    assert sent == {"inputs": [tensor("input-0", "FP64", [2, 2, 2], list(range(8)))]}


def told(*inputs, outputs=()):
    return {"name": "m", "platform": "", "inputs": list(inputs), "outputs": list(outputs)}


def listed(name, datatype, *shape):
    return {"name": name, "datatype": datatype, "shape": [-1, *shape]}


def test_inputs_that_the_server_names_are_sent_in_its_order_and_datatypes_and_no_others():
    said = []
    metadata = told(listed("town", "BYTES"), listed("age", "FP32", 1))
    _, [sent], _ = asked(TEXT, LABELS, metadata=metadata, before=said.append)
    assert said == [["town", "age"]]
    assert sent["inputs"] == [tensor("town", "BYTES", [2], ["ulm", None]), tensor("age", "FP32", [2, 1], [20.0, 30.0])]
    assert "outputs" not in sent


def test_a_matrix_has_the_name_and_datatype_that_the_server_tells():
    whole = {"b": np.array([3.0, 4.0]), "a": np.array([1, 2])}
    _, [sent], _ = asked(whole, LABELS, metadata=told(listed("x", "INT32", 2)))
    assert sent == {"inputs": [tensor("x", "INT32", [2, 2], [3, 1, 4, 2])]}


def test_probabilities_are_asked_for_only_where_the_server_lists_them():
    both = [listed("predict", "INT64"), listed("predict_proba", "FP64", 2)]
    answers = [*LABELS, tensor("predict_proba", "FP64", [2, 2], [[0.9, 0.1], [0.3, 0.7]])]
    found, [sent], _ = asked(TABLE, answers, metadata=told(outputs=both))
    assert sent["outputs"] == [{"name": "predict"}, {"name": "predict_proba"}]
    assert (found.labels, list(found.classes)) == ([0, 1], ["0", "1"])
    np.testing.assert_array_equal(found.probabilities, [[0.9, 0.1], [0.3, 0.7]])
    _, [sent], _ = asked(TABLE, LABELS, metadata=told(outputs=both[:1]))
    assert "outputs" not in sent


CHANCES = [tensor("probabilities", "FP32", [2, 2], [0.9, 0.1, 0.3, 0.7])]


def test_the_first_most_likely_class_is_the_label_where_there_is_no_other():
    found, *_ = asked(TABLE, CHANCES)
    assert (found.labels, list(found.classes)) == (["0", "1"], ["0", "1"])
    found, *_ = asked(TABLE, CHANCES, labels=["no", "yes"])
    assert (found.labels, list(found.classes)) == (["no", "yes"], ["no", "yes"])


def test_numbers_are_a_regressors_unless_their_name_or_the_labels_say_otherwise():
    plain = [tensor("output_0", "FP32", [2, 2], [0.9, 0.1, 0.3, 0.7])]
    found, *_ = asked(TABLE, plain)
    assert isinstance(found, Vectors)
    np.testing.assert_array_equal(found.array, [[0.9, 0.1], [0.3, 0.7]])
    assert asked(TABLE, plain, labels=["no", "yes"])[0].labels == ["no", "yes"]
    one = [tensor("y", "FP64", [2], [0.25, 4.0])]
    assert asked(TABLE, one)[0].values() == [[0.25], [4.0]]


def test_probabilities_by_which_another_class_is_likelier_than_the_label_are_left_out_with_a_warning():
    """Classes that are named in another order than the model has them would else swap its confidences."""
    text = [tensor("predict", "BYTES", [2], ["no", "yes"]), *CHANCES]
    with pytest.warns(RingtrueWarning, match="its labels are not its most likely classes.*--labels, in its order"):
        found, *_ = asked(TABLE, text, labels=["yes", "no"])
    assert (found.labels, found.probabilities) == (["no", "yes"], None)
    found, *_ = asked(TABLE, text, labels=["no", "yes"])
    assert list(found.classes) == ["no", "yes"]


def test_whole_numbers_are_places_among_the_labels_unless_they_are_labels():
    assert asked(TABLE, LABELS, labels=["no", "yes"])[0].labels == ["no", "yes"]
    assert asked(TABLE, LABELS, labels=["1", "0"])[0].labels == [0, 1]


WRONG = {
    "another number of items": ([tensor("y", "INT64", [3], [0, 1, 2])], {}, ["3 answers for 2 items"]),
    "data that does not fit": ([tensor("y", "INT64", [2, 2], [0, 1])], {}, ["the shape [2, 2] with 2 values"]),
    "no data": ([{"name": "y", "datatype": "INT64", "shape": [2]}], {}, ["with no list as its data"]),
    "no tensors": (["a"], {}, ["outputs that are not tensors", "'a'"]),
    "no outputs": ([], {}, ["outputs that are not tensors"]),
    "no list": ({"y": 1}, {}, ['no list "outputs"']),
    "two labels": ([tensor("a", "INT64", [2], [0, 1]), tensor("b", "INT64", [2], [0, 1])], {}, ["the outputs 'a, b'"]),
    "a name twice": ([tensor("a", "INT64", [2], [0, 1])] * 2, {}, ["outputs that are not tensors"]),
    "no place": (LABELS, {"labels": ["no"]}, ["answered 1, which is neither one of the labels no nor a place"]),
    "too many classes": (CHANCES, {"labels": ["a", "b", "c"]}, ["gave 2 probabilities for the 3 labels a, b, c"]),
    "a probability above one": ([tensor("prob", "FP32", [2, 2], [9, 0, 0, 1])], {}, ["9", "[0, 1]"]),
    "no number": ([tensor("prob", "FP32", [2, 2], [None, 0.5, 0.5, 0.5])], {}, ["probabilities must lie in [0, 1]"]),
    "a label that is none": ([tensor("y", "BYTES", [2], [None, "a"])], {}, ["item 'i0' no label"]),
    "not whole": (LABELS, {"metadata": told(listed("x", "INT8", 2))}, ["takes INT8 in its input 'x'", "'income'"]),
    "too wide": (LABELS, {"metadata": told(listed("x", "FP32", 3))}, ["takes 3 numbers per item", "(age, income)"]),
    "another name": (LABELS, {"metadata": told(listed("age", "FP32"), listed("incom", "FP32"))},
                     ["no column 'incom' is sent", "did you mean 'income'"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_refused_in_one_line(name):
    outputs, given, words = WRONG[name]
    with pytest.raises(InvalidInput) as caught:
        asked({"age": np.array([20, 30]), "income": np.array([1.5, 2.5])}, outputs, **given)
    assert str(caught.value).startswith("the model url 127.0.0.1:")
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def test_versions_are_kept_from_headers_and_metadata_short_and_harmless():
    sent = {"X-Model-Version": "3\x1b[2J" + "9" * 200, "ce-modelid": "m", "x-request-id": "1"}
    metadata = {**told(), "versions": ["3", "4"]}
    model = asked(TABLE, LABELS, metadata=metadata, headers={k: v.replace("\x1b", "~") for k, v in sent.items()})[2]
    assert set(model.versions) == {"model_version", "versions", "ce-modelid", "x-model-version"}
    assert model.versions["versions"] == "3, 4"
    assert len(model.versions["x-model-version"]) == 100


def test_a_secret_that_comes_back_in_a_version_or_a_name_is_hidden(monkeypatch):
    monkeypatch.setenv(post_module.TOKEN, "s3cr3t-t0ken")
    model = asked(TABLE, LABELS, headers={"x-version": "for s3cr3t-t0ken"})[2]
    assert model.versions["x-version"] == "for …"
    with pytest.raises(InvalidInput) as caught:
        asked(TABLE, [tensor("s3cr3t-t0ken", "INT64", [2], [0, 1]), *LABELS])
    assert "s3cr3t" not in str(caught.value)
    with pytest.raises(InvalidInput, match="answered with a secret that it was sent"):
        asked(TABLE, [tensor("y", "BYTES", [2], ["s3cr3t-t0ken", "a"])])


def test_a_secret_in_the_name_of_a_tensor_is_hidden_in_every_error(monkeypatch):
    name = "s3cr3t-t0ken"
    monkeypatch.setenv(post_module.TOKEN, name)
    for outputs, given in (
        ([tensor(name, "INT64", [3], [0, 1])], {}),
        (LABELS, {"metadata": told(listed(name, "INT8", 2))}),
        (LABELS, {"metadata": told(listed(name, "FP32", 3))}),
        (LABELS, {"metadata": told(listed(name, "FP32"), listed("age", "FP32"))}),
    ):
        with pytest.raises(InvalidInput) as caught:
            asked(TABLE, outputs, **given)
        assert name not in str(caught.value), caught.value


def mlflow(predictions, labels=None):
    """Return what a scoring server's predictions are read as."""
    return wire_of("https://host/invocations", labels).predictions({"predictions": predictions}, len(predictions))


def test_predictions_of_mlflow():
    assert mlflow(["a", True, 3]) == ["a", True, 3]
    assert mlflow([1.0, 2.5]) == [[1.0], [2.5]], "numbers with a point are a regressor's"
    assert mlflow([[0], [1]], ["no", "yes"]) == ["no", "yes"]
    assert mlflow([1.0, 0.0], ["no", "yes"]) == ["yes", "no"]
    chances = {"label": "yes", "probabilities": {"no": 0.25, "yes": 0.75}}
    assert mlflow([[0.25, 0.75], {"yes": 0.75, "no": 0.25}], ["no", "yes"]) == [chances, chances]
    assert mlflow([[0.25, 0.75]]) == [[0.25, 0.75]]
    assert mlflow([{"label": "a", "score": 0.9}, {"prediction": 2.5}]) == ["a", [2.5]]
    with pytest.raises(InvalidInput, match=r"sent records of 'x, y', of which none is called \"label\""):
        mlflow([{"x": 1, "y": 2}])


def test_a_model_is_met_once_however_often_it_is_asked():
    paths = []

    def answer(method, path, body):
        paths.append((method, path))
        return 200, {}, json.dumps({"outputs": LABELS} if method == "POST" else told())

    said = []
    with played(answer) as url:
        model = HttpModel(url + INFER, before=said.append)
        for one in (model, model.without("age"), model):
            one.answer(Batch(["i0", "i1"], TABLE))
    assert paths == [("GET", "/v2/models/m"), *[("POST", INFER)] * 3]
    assert said == [["age", "income"]]
