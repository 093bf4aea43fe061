"""A hunt beside other questions: their draws count as random only where they were, and its labels are theirs too."""

import numpy as np
import pytest

from ringtrue.blind import Blind
from ringtrue.models import ColumnModel
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study

SIZE = 600


def crowd(seed):
    """A pool in which a third of the doubtful items and hardly any other is wrong."""
    rng = np.random.default_rng(seed)
    sure = 0.66 + 0.33 * rng.random(SIZE)
    wrong = rng.random(SIZE) < np.where(sure < 0.85, 0.45, 0.04)
    truth = np.where(wrong, "b", "a").astype(object)
    said = np.array(["a"] * SIZE, dtype=object)
    return TablePool({"said": said, "sure": sure, "x": rng.random(SIZE), "truth": truth}, name="crowd"), wrong


def hunt(name="blind", **settings):
    return Blind(None, score="sure", features=["x"], name=name, **settings)


@pytest.mark.parametrize("method", ["importance", "stratified"])
def test_draws_that_favour_some_items_are_no_random_draws_of_a_hunt(tmp_path, method):
    missed = 0
    for seed in range(4):
        pool, wrong = crowd(seed)
        risk = Risk(confidence="sure", method=method)
        path = tmp_path / f"{seed}.ringtrue"
        with Study.create(path, question=risk, pool=pool, model=ColumnModel("said"), budget=120, seed=seed) as study:
            study.run("truth")
            study.add(hunt())
            study.prepare(question="blind")
            found = study.finding(question="blind").to_json()
        assert found["answers"] == 120
        if method == "importance":  # strata are drawn from evenly until something is learned
            assert found["random"] == 0
        missed += not found["rate"]["low"] <= wrong.mean() <= found["rate"]["high"]
    assert missed == 0


def test_even_draws_of_another_question_count_as_random(tmp_path):
    pool, _ = crowd(0)
    with Study.create(tmp_path / "s", question=Risk(), pool=pool, model=ColumnModel("said"), budget=50) as study:
        study.run("truth")
        study.add(hunt(threshold=0.8))
        study.prepare(question="blind")
        found = study.finding(question="blind").to_json()
    inside = found["answers"]
    assert 20 < inside < 50, "those outside the scope say nothing of it"
    assert found["random"] == inside


def test_the_draws_of_a_hunt_in_another_scope_are_not_random_here(tmp_path):
    pool, wrong = crowd(1)
    with Study.create(
        tmp_path / "s",
        question=hunt("narrow", threshold=0.9, floor=0.5),
        pool=pool,
        model=ColumnModel("said"),
        budget=60,
    ) as study:
        study.run("truth")
        study.add(hunt("wide", claim="error <= 10% at 95%"))
        study.prepare(question="wide")
        found = study.finding(question="wide").to_json()
    assert found["answers"] == 60
    assert found["random"] == 0
    assert found["verdict"] == "not yet known"
    assert found["rate"]["low"] <= wrong.mean() <= found["rate"]["high"]
