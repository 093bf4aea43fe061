"""Pools that are small, lopsided or strange: the right behaviour, or one clear line."""

import numpy as np
import pandas as pd
import pytest

from ringtrue.changed import Changed
from ringtrue.core import Verdict
from ringtrue.pools import read_pool
from ringtrue.study import Study
from support.shifts import frame

METHODS = ["paired", "oneshot", "uniform", "masa"]


def found(folder, table, *, budget=None, new="new", truth="truth", confidence="sure", batch=7, **options):
    """Ask about a table and return the finding, having checked what must hold whatever the table."""
    items = read_pool(table, id="id")
    options = {"error": "0.1%", **options}
    question = Changed.of(items, old="old", truth=truth, confidence=confidence, noise=0, **options)
    with Study.create(folder / "s", pool=items, model=new, question=question, budget=budget, batch=batch) as study:
        told = study.run()
        assert len(study.records) <= (budget or len(table))
    assert np.isfinite(told.shift).all()
    np.testing.assert_allclose(told.shift.sum(), 0, atol=1e-9)
    moved = (table["new"].fillna("(empty)") != table["old"].fillna("(empty)")).mean()
    assert told.change.low - 1e-9 <= moved <= told.change.high + 1e-9
    return told


@pytest.mark.parametrize("method", METHODS)
def test_fewer_calls_than_strata(tmp_path, method):
    table = frame(400, classes=6, changed=0.2)
    told = found(tmp_path, table, budget=5, method=method, error="1%")
    assert told.answers == 5
    assert told.error.bound > 0.01


@pytest.mark.parametrize("method", METHODS)
def test_a_stratum_of_one_item(tmp_path, method):
    table = frame(100, classes=2, changed=0.1)
    table.loc[0, ["truth", "old"]] = "rare"
    told = found(tmp_path, table, budget=60, method=method)
    assert "rare" in told.labels


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[0.5], [0.0, 1.0], [np.nan], [np.nan, 0.3]], ids=str)
def test_tied_and_missing_confidences(tmp_path, method, values):
    table = frame(120, changed=0.1).assign(sure=(values * 120)[:120])
    assert found(tmp_path, table, budget=60, method=method).answers == 60


@pytest.mark.parametrize("method", METHODS)
def test_answers_that_nobody_gave_before(tmp_path, method):
    table = frame(200, classes=2, changed=0)
    table.loc[:79, "new"] = "zebra"
    told = found(tmp_path, table, budget=100, method=method, claim="change <= 1%", error="0.1%")
    assert told.answer_names[-1] == "zebra"
    assert told.old[:, -1].sum() == 0
    assert told.shift[:, -1].sum() == pytest.approx(0.4, abs=0.15)
    assert any(cell.answer == "zebra" for cell in told.cells) or method == "masa"


@pytest.mark.parametrize("method", METHODS)
def test_one_class(tmp_path, method):
    table = pd.DataFrame(
        {"id": [f"i{n}" for n in range(60)], "truth": "only", "old": "only", "sure": 0.5, "new": "only"}
    )
    told = found(tmp_path, table, budget=30, method=method)
    assert told.shift.tolist() == [[0.0]]
    assert told.change.high > 0


@pytest.mark.parametrize("method", METHODS)
def test_a_pool_of_one_item_and_one_that_is_used_up(tmp_path, method):
    for size in (1, 2, 30):
        (tmp_path / str(size)).mkdir()
        told = found(tmp_path / str(size), frame(size, changed=0), budget=1000, method=method, error="1%")
        assert told.answers == size
        assert told.verdict is Verdict.RINGS_TRUE
        assert (told.change.low, told.change.high) == (0.0, 0.0)
        assert told.error.bound == 0 or method == "masa"
        assert not told.shift.any()


def test_old_answers_that_are_empty_are_answers(tmp_path):
    table = frame(150, classes=2, changed=0)
    table.loc[:49, "old"] = None
    told = found(tmp_path, table, budget=150)
    assert told.answer_names == ("c0", "c1", "(empty)")
    assert told.old[:, 2].sum() == pytest.approx(50 / 150)
    assert told.shift[:, 2].sum() == pytest.approx(-50 / 150)


def test_labels_that_the_old_model_never_gave(tmp_path):
    table = frame(150, classes=2, changed=0.1)
    table.loc[:29, "truth"] = "unheard"
    told = found(tmp_path, table, budget=75)
    assert "unheard" in told.labels
    assert told.shift.shape == (3, 3)


@pytest.mark.parametrize("method", METHODS)
def test_without_labels_or_confidences(tmp_path, method):
    told = found(tmp_path, frame(150, changed=0.2), budget=70, truth=None, confidence=None, method=method)
    assert told.accuracy is None
    assert told.flips.total == told.flips.unlabelled > 0


def test_before_the_first_answer_everything_is_open(tmp_path):
    items = read_pool(frame(50), id="id")
    question = Changed.of(items, old="old", truth="truth", error="1%")
    with Study.create(tmp_path / "s", pool=items, model="new", question=question, budget=0) as study:
        told = study.run()
    assert told.verdict is Verdict.NOT_YET_KNOWN
    assert (told.change.low, told.change.high) == (0.0, 1.0)
    assert "0 of 0 answers differ" in str(told)
