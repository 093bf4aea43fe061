"""The worst case of training data, found chunk by chunk."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput
from ringtrue.worst import Choice, Real, SearchSpace, Worst
from ringtrue.worst._training import training_of

SPACE = SearchSpace([Real("x", 0, 1), Choice("kind", ["a", "b"])])


def chunk(**columns):
    arrays = {name: np.array(cells) for name, cells in columns.items()}
    return Batch([str(place) for place in range(len(columns["x"]))], arrays)


def twice(batch):
    """The model: of both tasks it says twice x."""
    return [[2 * x, 2 * x] for x in batch.columns["x"].tolist()]


def test_the_model_is_compared_with_every_output_of_every_chunk():
    plan = Worst(SPACE, evaluations=9, tasks=("one", "two")).plan
    data = [
        chunk(x=[0.5, 0.25], kind=["a", "b"], one=[1.0, 0.0], two=[1.5, 0.5]),
        chunk(x=[0.125], kind=["b"], one=[0.25], two=[-2.0]),
        chunk(x=[1.0], kind=["a"], one=[2.0], two=[3.0]),
    ]
    found = training_of(plan, data, twice, "old.csv").shown
    assert found == {"point": {"x": 0.125, "kind": "b"}, "task": "two", "deviation": 2.25, "rows": 4}
    squared = Worst(SPACE, evaluations=9, tasks=("one", "two"), deviation="squared").plan
    assert training_of(squared, data, twice, "old.csv").shown["deviation"] == 2.25**2


def test_a_column_says_the_deviation_outright_and_no_model_is_asked():
    plan = Worst(SPACE, evaluations=9, deviation="rmse").plan
    found = training_of(plan, [chunk(x=[0, 1], kind=["a", "b"], deviation=[0.5, 3])], pytest.fail, "old.csv").shown
    assert found == {"point": {"x": 1, "kind": "b"}, "task": None, "deviation": 3.0, "rows": 2}


def test_no_rows_have_no_worst_case():
    assert training_of(Worst(SPACE, evaluations=9).plan, [], twice, "old.csv") is None


@pytest.mark.parametrize(
    ("deviation", "columns", "words"),
    [
        ("absolute", {"out": [1.0]}, "training='old.csv' has no column 'kind': give x, kind, out"),
        ("absolute", {"kind": ["a"]}, "training='old.csv' has no column 'out': give x, kind, out"),
        ("rmse", {"kind": ["a"], "out": [1.0]}, "training='old.csv' has no column 'deviation': add it"),
        ("absolute", {"kind": ["a"], "out": [np.nan]}, "training='old.csv', column 'out': nan is not a finite number"),
        ("absolute", {"kind": ["a"], "out": ["much"]}, "column 'out': 'much' is not a finite number: mend it"),
    ],
)
def test_data_that_cannot_be_used_are_refused_in_one_line(deviation, columns, words):
    plan = Worst(SPACE, evaluations=9, tasks=("out",), deviation=deviation).plan
    with pytest.raises(InvalidInput) as refused:
        training_of(plan, [chunk(x=[0.5], **columns)], twice, "old.csv")
    assert words in str(refused.value)
    assert refused.value.args[0] == ("training", "old.csv")
