"""Linear algebra of searches has one thread; the model and the gold standard have as many as before."""

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from ringtrue import blind
from ringtrue.blind.searches import HedgedChooser
from ringtrue.stats import one_thread
from ringtrue.worst import Real, SearchSpace, Worst, simulate

BLAS = ThreadpoolController().select(user_api="blas")


def counts():
    return {each.num_threads for each in BLAS.lib_controllers}


@pytest.fixture
def _two_threads():
    with BLAS.limit(limits=2):
        if counts() != {2}:
            pytest.skip("this linear algebra has no threads that can be counted")
        yield


@pytest.mark.usefixtures("_two_threads")
def test_there_is_one_thread_within_and_as_many_as_before_afterwards():
    @one_thread
    def within(deeper):
        assert counts() == {1}
        return within(deeper - 1) if deeper else 1 / deeper

    with pytest.raises(ZeroDivisionError):
        within(2)
    assert counts() == {2}


@pytest.mark.usefixtures("_two_threads")
def test_a_search_calls_the_model_and_the_gold_standard_with_the_threads_they_had():
    model_saw, gold_saw = set(), set()

    def model(values):
        model_saw.update(counts())
        return values["x"]

    def gold(values):
        gold_saw.update(counts())
        return np.sin(9 * values["x"])

    question = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=14)
    simulate(question, gold, model=model)
    assert model_saw == gold_saw == {2}
    assert counts() == {2}


@pytest.mark.usefixtures("_two_threads")
def test_the_search_itself_computes_on_one(monkeypatch):
    from ringtrue.worst.surrogate import Posterior

    seen, predict = set(), Posterior.predict

    def watched(self, points):
        seen.update(counts())
        return predict(self, points)

    monkeypatch.setattr(Posterior, "predict", watched)
    question = Worst(SearchSpace([Real("x", 0, 1)]), evaluations=12)
    trace = simulate(question, lambda values: np.sin(9 * values["x"]))
    estimator = question.estimator(size=0, claim=None)
    estimator.update(trace.records)
    estimator.finding()
    assert seen == {1}


@pytest.mark.usefixtures("_two_threads")
@pytest.mark.parametrize("goal", ["errors", "excess"])
def test_a_hunt_computes_on_one(monkeypatch, goal):
    seen, choose = set(), HedgedChooser.choose

    def watched(self, history, n):
        seen.update(counts())
        return choose(self, history, n)

    monkeypatch.setattr(HedgedChooser, "choose", watched)
    confidence = np.linspace(0.6, 0.99, 40)
    hunt = blind.Blind(None, threshold=0.5, goal=goal)
    scores = hunt.gather({"label": np.zeros(40, dtype=np.int64), "confidence": confidence})
    blind.simulate(hunt, scores, confidence < 0.7, budget=8)
    assert seen == {1}
    assert counts() == {2}
