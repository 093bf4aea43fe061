"""Training data: read chunk by chunk, thinned, and what a search makes of them."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput
from ringtrue.worst import Choice, Real, SearchSpace, Training, Worst, simulate
from ringtrue.worst._training import MOST, training_of

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


LINE = SearchSpace([Real("x", 0, 1)])


def rows_of(count, tasks=1):
    """Rows whose last deviates most, in its last output."""
    points = np.linspace(0.02, 0.98, count)[:, None]
    gold = np.column_stack([np.sin(7 * points[:, 0] + task) for task in range(tasks)])
    deviations = np.abs(gold) / 10
    deviations[-1, -1] = 3.0
    return points, gold, deviations


def test_many_rows_are_thinned_to_the_worst_of_each_output_and_some_of_the_others():
    points, gold, deviations = rows_of(5000, tasks=3)
    kept = Training.of(points, gold=gold, deviations=deviations)
    assert len(kept.points) == MOST
    assert kept.points[0] == points[-1]
    assert kept.task == 2
    for task in range(3):
        assert points[np.argmax(deviations[:, task])] in kept.points
    assert [float(np.sin(7 * x)) for x in kept.points[:, 0]] == pytest.approx(kept.gold[:, 0])
    assert np.all(np.histogram(kept.points, bins=5, range=(0, 1))[0] > 5), "they spread over the space"


def test_a_question_keeps_the_rows_it_was_made_with():
    points, gold, deviations = rows_of(7)
    question = Worst(LINE, evaluations=9, training=Training.of(points, gold=gold, deviations=deviations))
    again = Worst.from_config(question.config())
    assert again.config() == question.config()
    assert again.plan.training.points.tolist() == question.plan.training.points.tolist()
    assert "training" not in Worst(LINE, evaluations=9).config()


@pytest.mark.parametrize("priced", ["together", "alone"])
def test_no_search_ends_below_the_training_data(priced):
    points, gold, deviations = rows_of(30, tasks=2)
    known = Training.of(points, gold=gold, deviations=deviations)
    truth = lambda x: [float(np.sin(7 * x + task)) for task in range(2)]  # noqa: E731

    def answer(values):
        found = truth(values["x"])
        return found[("a", "b").index(values["task"])] if "task" in values else found

    def model(values):
        """Right but for the last row, where it is off by three in its second output."""
        said = truth(values["x"])
        return [said[0], said[1] - 3.0 * (abs(values["x"] - 0.98) < 1e-6)]

    question = Worst(LINE, evaluations=5, tasks=("a", "b"), priced=priced, training=known)
    trace = simulate(question, answer, model=model, seed=0)
    assert trace.deviations[0] == pytest.approx(3.0)
    assert trace.records[0].note["trained"] is True
    unseen = Worst(LINE, evaluations=5, tasks=("a", "b"), priced=priced, training=known, model_queries=0)
    assert simulate(unseen, answer, model=model, seed=0).deviations[0] == pytest.approx(3.0)


def test_rows_outside_the_space_are_shown_and_not_searched():
    plan = Worst(LINE, evaluations=9, tasks=("y",)).plan
    data = Batch(["0", "1"], {"x": np.array([0.5, 4.0]), "y": np.array([1.0, 9.0])})
    found = training_of(plan, [data], lambda batch: [[0.0]] * len(batch), "old.csv")
    assert found.shown == {"point": {"x": 4.0}, "task": "y", "deviation": 9.0, "rows": 2, "outside": 1}
    assert found.points.tolist() == [[0.5]]
    alone = training_of(
        plan, [Batch(["1"], {"x": np.array([4.0]), "y": np.array([9.0])})], lambda _: [[0.0]], "old.csv"
    )
    trace = simulate(
        Worst(LINE, evaluations=3, tasks=("y",), training=alone), lambda _: 0.0, model=lambda _: 0.0, seed=0
    )
    assert len(trace.records) == 3


@pytest.mark.parametrize(
    ("training", "words"),
    [
        ({"x": [1]}, "is dict: give Training.of(points, gold=…, deviations=…)"),
        (Training(np.array([[2.0]]), None), "x"),
        (Training(np.array([[0.5]]), np.array([[1.0, 2.0]])), "has 2 outputs for 1 task: give one per task"),
    ],
)
def test_rows_that_are_none_of_the_space_are_refused(training, words):
    with pytest.raises(InvalidInput) as refused:
        Worst(LINE, evaluations=9, training=training)
    assert words in str(refused.value)


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="must be tables with as many rows"):
        Training.of([[0.1], [0.2]], gold=[[1.0]], deviations=[[0.5], [0.7]])
