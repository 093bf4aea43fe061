"""Columns, estimators and functions answer alike, and a wrong answer is refused in one line."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from ringtrue.core import Batch, InvalidInput, Labels, Model, Vectors
from ringtrue.models import ColumnModel, EstimatorModel, FunctionModel, as_model, contradicted, mark_of

X = np.array([[0.0, 1.0], [1.0, 0.0], [0.2, 0.9], [0.8, 0.1]])
Y = np.array(["cat", "dog", "cat", "dog"])


def fingerprint(model, batch):
    """Return the model's name with a hash of its answers, as a study keeps it."""
    answers, wrong = contradicted(model, batch)
    return mark_of(model.name, None if wrong else answers)


def batch(**columns):
    columns = columns or {"a": X[:, 0], "b": X[:, 1], "predicted": Y.astype(object), "p": X[:, 1], "q": X[:, 0]}
    size = len(next(iter(columns.values())))
    return Batch([f"i{place}" for place in range(size)], {name: np.asarray(v) for name, v in columns.items()})


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


CLASSIFIERS = {
    "column": lambda: ColumnModel("predicted"),
    "column with probabilities": lambda: ColumnModel("predicted", probabilities={"cat": "p", "dog": "q"}),
    "logistic": lambda: EstimatorModel(LogisticRegression().fit(X, Y), features=["a", "b"]),
    "svm": lambda: EstimatorModel(LinearSVC().fit(X, Y), features=["a", "b"]),
    "function": lambda: FunctionModel(lambda rows: ["cat" if row["b"] > 0.5 else "dog" for row in rows]),
    "function of arrays": lambda: FunctionModel(lambda rows: np.where([r["b"] > 0.5 for r in rows], "cat", "dog")),
    "function with probabilities": lambda: FunctionModel(lambda rows: (Y, np.full((4, 2), 0.5), ["cat", "dog"])),
    "function of labels": lambda: FunctionModel(lambda rows: Labels(list(Y))),
}


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classifiers(kind):
    model = CLASSIFIERS[kind]()
    assert isinstance(model, Model)
    answer = model.answer(batch())
    assert isinstance(answer, Labels)
    assert answer.labels == Y.tolist()
    assert all(type(label) is str for label in answer.labels)
    assert (answer.probabilities is not None) == (kind == "logistic" or "probabilities" in kind)
    assert model.classes in (None, ["cat", "dog"])
    assert fingerprint(model, batch()) == fingerprint(model, batch())
    assert fingerprint(model, batch()).startswith(f"{model.name}:")
    assert as_model(model) is model


REGRESSORS = {
    "linear": lambda: EstimatorModel(LinearRegression().fit(X, X[:, 0]), features=["a", "b"]),
    "function": lambda: FunctionModel(lambda rows: np.array([[row["a"]] for row in rows])),
    "function of lists": lambda: FunctionModel(lambda rows: [[row["a"]] for row in rows]),
    "function of vectors": lambda: FunctionModel(lambda rows: Vectors(np.array([[row["a"]] for row in rows]))),
    "stranger": lambda: EstimatorModel(Stranger(lambda table: table[:, 0]), features=["a", "b"]),
}


class Stranger:
    """Something with a predict method that has never heard of scikit-learn."""

    def __init__(self, predict):
        self.predict = predict


@pytest.mark.parametrize("kind", REGRESSORS)
def test_regressors(kind):
    answer = REGRESSORS[kind]().answer(batch())
    assert isinstance(answer, Vectors)
    np.testing.assert_allclose(answer.array, X[:, :1], atol=1e-12)


def test_two_outputs():
    model = EstimatorModel(LinearRegression().fit(X, X), features=["a", "b"])
    assert model.answer(batch()).array.shape == (4, 2)
    assert model.classes is None


def test_labels_that_are_numbers():
    model = EstimatorModel(LogisticRegression().fit(X, [0.0, 1.0, 0.0, 1.0]), features=["a", "b"])
    answer = model.answer(batch())
    assert isinstance(answer, Labels)
    assert answer.labels == [0, 1, 0, 1]
    assert model.classes == [0, 1]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("features", [None, ["b", "a"]])
def test_estimators_fitted_on_a_frame_know_their_columns(library, features):
    frames = pytest.importorskip(library)
    estimator = LogisticRegression().fit(frames.DataFrame({"a": X[:, 0], "b": X[:, 1]}), Y)
    assert EstimatorModel(estimator, features=features).answer(batch()).labels == Y.tolist()
    renamed = batch(left=X[:, 0], right=X[:, 1])
    assert EstimatorModel(estimator, features=["left", "right"]).answer(renamed).labels == Y.tolist()
    refused(lambda: EstimatorModel(estimator, features=["a"]), "features has 1 names", "fitted with 2", "a, b")


def test_integers_beside_missing_cells_reach_an_estimator():
    holed = np.column_stack([X[:, 0], [1, np.nan, 1, 2]])
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(holed, Y)
    columns = batch(a=X[:, 0], n=np.array([1, None, 1, 2], dtype=object))
    model = EstimatorModel(forest, features=["a", "n"])
    assert model.answer(columns).labels == forest.predict(holed).tolist()


def test_functions_see_what_they_should():
    seen = []
    model = FunctionModel(lambda rows: seen.extend(rows) or ["x"] * len(rows), features=["a"])
    model.answer(batch())
    assert seen == [{"a": value} for value in X[:, 0].tolist()]
    assert all(type(row["a"]) is float for row in seen)


def test_a_tuple_of_three_labels_is_three_labels():
    assert FunctionModel(lambda rows: ("a", "b", "c")).answer(batch(x=[1, 2, 3])).labels == ["a", "b", "c"]


FUNCTIONS = {
    "too few": (lambda rows: ["cat"] * 3, ["3 answers for 4 items", "one per item"]),
    "none": (lambda rows: None, ["NoneType", "return a list"]),
    "text": (lambda rows: "cats", ["str", "return a list"]),
    "dict": (lambda rows: {"a": 1}, ["dict", "return a list"]),
    "missing label": (lambda rows: ["cat", None, "cat", "dog"], ["item 'i1'", "no label"]),
    "nan label": (lambda rows: np.array([1.0, 2.0, np.nan, 1.0]), ["item 'i2'", "no label (nan)"]),
    "blank label": (lambda rows: ["cat", "cat", "cat", ""], ["item 'i3'", "no label"]),
    "ragged": (lambda rows: [[1.0], [1.0, 2.0], [1.0], [1.0]], ["not a table of numbers"]),
    "text in a table": (lambda rows: [["a"]] * 4, ["not a table of numbers"]),
    "nan output": (lambda rows: np.array([[1.0], [np.nan], [1.0], [1.0]]), ["nan", "item 'i1'", "finite"]),
    "infinite output": (lambda rows: np.array([[1.0], [1.0], [1.0], [np.inf]]), ["inf", "item 'i3'"]),
    "too many rows": (lambda rows: np.ones((5, 2)), ["5 answers for 4 items"]),
    "three dimensions": (lambda rows: np.ones((4, 2, 2)), ["(4, 2, 2)", "flattened"]),
    "probabilities of another shape": (lambda rows: (Y, np.ones((4, 3)), ["cat", "dog"]), ["(4, 3)", "(4, 2)"]),
    "probabilities above one": (lambda rows: (Y, np.full((4, 2), 2.0), ["cat", "dog"]), ["2", "'i0'", "[0, 1]"]),
    "probabilities of nan": (lambda rows: (Y, np.full((4, 2), np.nan), ["a", "b"]), ["nan", "'i0'"]),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_wrong_answers(case):
    function, words = FUNCTIONS[case]
    refused(
        lambda: FunctionModel(function, name="f").answer(batch()),
        "the model f returned" if case not in {"missing label", "nan label", "blank label"} else "the model f gave",
        *words,
    )


def test_several_labels_for_an_item():
    model = EstimatorModel(Stranger(lambda table: np.array([["a", "b"]] * len(table))), features=["a"])
    refused(lambda: model.answer(batch()), "item 'i0' several labels", "one per item")


def test_missing_predictions():
    holed = batch(predicted=np.array(["cat", None], dtype=object))
    refused(lambda: ColumnModel("predicted").answer(holed), "item 'i1'", "'predicted'", "fill it in")
    refused(lambda: ColumnModel("predcted").answer(holed), "'predcted'", "did you mean 'predicted'", "columns: ")
    model = ColumnModel("predicted", probabilities={"cat": "p"})
    texts = batch(predicted=["cat"], p=np.array(["high"], dtype=object))
    refused(lambda: model.answer(texts), "not a table of numbers")


def test_as_model():
    assert as_model("predicted").name == "column predicted"
    assert as_model(LogisticRegression().fit(X, Y), features=["a", "b"]).name == "LogisticRegression"
    assert as_model(len).name == "len"
    assert as_model(lambda rows: rows).name == "function"
    refused(lambda: as_model(42), "model=int", "give a column's name")
    refused(lambda: as_model(""), "names no column")
    refused(lambda: as_model(LogisticRegression), "is a class", "LogisticRegression()")
    refused(lambda: as_model(LogisticRegression().fit(X, Y)), "LogisticRegression", "features=[...]")
    refused(lambda: as_model(LogisticRegression().fit(X, Y), features="a"), "features='a'", "give a list")
    refused(lambda: as_model(len, features="a"), "features='a'", "give a list")
    refused(lambda: as_model("predicted", features=["a"]), "features=['a']", "leave them out")
    refused(lambda: FunctionModel(3), "function=3")


def test_a_fingerprint_tells_models_apart():
    prints = {fingerprint(FunctionModel(lambda rows, n=n: [n] * len(rows), name="f"), batch()) for n in (1, 2)}
    assert len(prints) == 2
    count = iter(range(10))
    drifting = FunctionModel(lambda rows: [next(count)] * len(rows), name="f")
    assert fingerprint(drifting, batch()) == "f:nondeterministic"


EMPTY = "(empty)"
SPEECHLESS = {
    "column": lambda empty: ColumnModel("said", empty=empty),
    "column by name": lambda empty: as_model("said", empty=empty),
    "function": lambda empty: FunctionModel(lambda rows: [row["said"] for row in rows], empty=empty),
    "function by itself": lambda empty: as_model(lambda rows: [row["said"] for row in rows], empty=empty),
    "function of labels": lambda empty: FunctionModel(lambda rows: Labels([r["said"] for r in rows]), empty=empty),
    "function with probabilities": lambda empty: FunctionModel(
        lambda rows: ([row["said"] for row in rows], np.full((4, 2), 0.5), ["cat", "dog"]), empty=empty
    ),
}


@pytest.mark.parametrize("kind", SPEECHLESS)
def test_an_answer_that_is_none_has_a_name_where_one_is_given(kind):
    items = batch(said=np.array(["cat", None, float("nan"), " "], dtype=object))
    assert SPEECHLESS[kind](EMPTY).answer(items).labels == ["cat", EMPTY, EMPTY, EMPTY]
    refused(lambda: SPEECHLESS[kind](None).answer(items), "'i1'", "no label" if "function" in kind else "no prediction")


def test_what_is_stored_does_not_vary():
    assert ColumnModel("predicted").deterministic is True
    assert FunctionModel(len).deterministic is False


def test_features_cannot_be_chosen_for_a_model_that_answers_by_itself():
    class Own:
        name = "own"

        def answer(self, batch):
            return Labels(["a"] * len(batch))

    assert as_model(Own()).answer(batch()).labels == ["a"] * len(batch())
    with pytest.raises(InvalidInput, match="cannot be chosen"):
        as_model(Own(), features=["a"])
