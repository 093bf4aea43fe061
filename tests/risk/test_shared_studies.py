"""Several risk questions in one study: each uses the other's labels and none is misled by them."""

import numpy as np
import pytest

from ringtrue import Risk, Study
from ringtrue.core import Verdict
from ringtrue.pools import read_pool
from ringtrue.risk._draw_row import DrawRow
from ringtrue.risk._evidence import Witness
from support.profiles import slices


@pytest.fixture
def pool():
    rng = np.random.default_rng(6)
    size = 600
    doubt = rng.beta(0.4, 3, size)
    wrong = rng.random(size) < doubt
    columns = {
        "id": [f"i{place}" for place in range(size)],
        "kind": np.where(np.arange(size) < 200, "a", "b"),
        "other": np.where(np.arange(size) % 3 == 0, "x", "y"),
        "confidence": 1 - doubt,
        "answer": np.full(size, "right"),
        "truth": np.where(wrong, "wrong", "right"),
    }
    import pandas as pd

    return read_pool(pd.DataFrame(columns))


KIND = slices("ops", {"a": 200, "b": 400}, {"a": 9, "b": 1}, ["kind"])
OTHER = slices("ops", {"x": 200, "y": 400}, {"x": 1, "y": 9}, ["other"])


def test_profiles_of_one_name_are_not_taken_for_the_same(pool, tmp_path):
    """The predictions of one profile are in its own weights: read by another they would bias it."""
    assert KIND.mark != OTHER.mark
    first = Risk(profile=KIND, confidence="confidence", method="prediction-powered", name="one")
    with Study.create(tmp_path / "s", pool=pool, model="answer", question=first, budget=150) as study:
        study.run("truth", question="one")
        study.add(Risk(profile=OTHER, confidence="confidence", name="two"))
        study.prepare(question="two")
        estimator = study._taken_in(study.question("two"), None)._now.estimator
        assert len(estimator._witness.rows) == 150
        assert not any(row.prediction for row in estimator._witness.rows)
        assert all(row.prediction for row in study._taken_in(study.question("one"), None)._now.estimator._witness.rows)
        assert study.finding(question="two").strata == ()


def test_two_questions_never_draw_by_the_same_random_numbers(pool, tmp_path):
    """Drawn by equal numbers, the second question would repeat the doubt of the first, draw by draw."""
    one = Risk(method="importance", confidence="confidence", name="one")
    with Study.create(tmp_path / "s", pool=pool, model="answer", question=one, budget=100) as study:
        study.run("truth", question="one")
        study.add(Risk(method="importance", confidence="confidence", name="two"))
        study.set_budget(200)
        study.run("truth", question="two")
        doubt = study.scores("one")["doubt"]
        rows = [record.row for record in study.records]
    ranks = np.argsort(np.argsort(doubt[rows])).astype(float)
    assert abs(np.corrcoef(ranks[:100], ranks[100:])[0, 1]) < 0.3


def test_a_number_fixed_after_labels_were_seen_says_nothing(pool, tmp_path):
    with Study.create(tmp_path / "s", pool=pool, model="answer", question=Risk("error <= 50%"), budget=30) as study:
        study.run("truth")
        study.add(Risk("error <= 90%", fixed=40, name="late"))
        study.set_budget(100)
        finding = study.run("truth", question="late")
    assert finding.answers == 40
    assert finding.verdict is Verdict.NOT_YET_KNOWN
    assert not finding.planned.fair
    assert "other labels were there before" in str(finding)
    assert finding.interval.high > 0.9


def test_an_item_with_an_even_chance_in_an_uneven_draw_is_not_taken_for_an_even_draw():
    """Its chance says nothing of the others': under a profile, kinds with the weight 1 have an even share always."""
    uneven = Witness(100, (0.1, 0.1), 0.95)
    uneven.add(DrawRow(False, 1 / 100, 0.2 / 100))
    assert not uneven.is_quick
    even = Witness(100, (0.1, 0.1), 0.95)
    even.add(DrawRow(False, 1 / 100, 1 / 100))
    assert even.is_quick


def test_the_source_is_not_spoken_of_where_even_draws_were_mixed_with_others(pool, tmp_path):
    with Study.create(tmp_path / "s", pool=pool, model="answer", question=Risk(name="even"), budget=40) as study:
        study.run("truth", question="even")
        assert study.finding(question="even").operation is not None
        study.add(Risk(method="importance", confidence="confidence", name="uneven"))
        study.set_budget(60)
        study.run("truth", question="uneven")
        assert study.finding(question="even").operation is None
        assert study.finding(question="uneven").operation is not None
