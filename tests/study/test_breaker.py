"""A broken oracle or model stops early; what was answered before stays."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ringtrue.core import InvalidInput, ResponderStopped
from ringtrue.risk import Risk
from ringtrue.study import Study
from ringtrue.study._asking import BLOCK
from support import make_pool, make_study


class Breaks:
    """Answers `good` times, then raises what it was given."""

    def __init__(self, good, errors):
        self.good, self.errors, self.calls = good, iter(errors), 0

    def __call__(self, row):
        self.calls += 1
        if self.calls > self.good:
            raise next(self.errors)
        return row["truth"]


@pytest.mark.parametrize("workers", [None, 4])
def test_identical_errors_stop_after_three(tmp_path, workers):
    oracle = Breaks(5, [ConnectionError("refused")] * 100)
    executor = ThreadPoolExecutor(workers) if workers else None
    with make_study(tmp_path, claim=None, batch=4 if workers else 1) as study:
        with pytest.raises(
            ResponderStopped, match=r"oracle failed 3 times.*refused.*every answer so far is kept"
        ) as caught:
            study.run(oracle, executor=executor)
        assert "\n" not in str(caught.value)
        assert isinstance(caught.value.__cause__, ConnectionError)
        assert study.status().answered == 5
        assert study.status().leased == 0
        assert oracle.calls <= 5 + (8 if workers else 3)
        study.run("truth")
        assert study.status().answered == 40


@pytest.mark.parametrize("workers", [None, 2])
def test_an_item_that_fails_every_time_is_named(tmp_path, workers):
    def oracle(row):
        if row["id"] == "item-7":
            raise ValueError("refused")
        return row["truth"]

    executor = ThreadPoolExecutor(workers) if workers else None
    with (
        make_study(tmp_path, claim=None) as study,
        pytest.raises(
            ResponderStopped, match=r"3 times the same way in a row, each time at item 'item-7' \(ValueError"
        ),
    ):
        study.run(oracle, executor=executor)


def test_errors_at_several_items_name_none(tmp_path):
    with make_study(tmp_path, claim=None, batch=4) as study, pytest.raises(ResponderStopped) as caught:
        study.run(Breaks(0, [ConnectionError("refused")] * 100), executor=ThreadPoolExecutor(4))
    assert "at item" not in str(caught.value)


def test_errors_that_change_their_words_stop_too(tmp_path):
    oracle = Breaks(2, [ConnectionError(f"at {moment}") for moment in range(100)])
    with make_study(tmp_path, claim=None) as study:
        with pytest.raises(ResponderStopped, match="10 times"):
            study.run(oracle)
        assert oracle.calls == 12


def test_a_passing_fault_is_tried_again(tmp_path):
    faults = iter([False, True, True, False] * 40)

    def oracle(row):
        if next(faults):
            raise TimeoutError("busy")
        return row["truth"]

    with make_study(tmp_path, claim=None, budget=12) as study:
        study.run(oracle)
        assert study.status().answered == 12


def test_a_broken_model_stops_and_keeps_the_answers(tmp_path):
    calls = []

    def model(rows):
        calls.append(len(rows))
        if len(calls) > 4:
            raise RuntimeError("out of memory")
        return [row["truth"] for row in rows]

    pool = make_pool(tmp_path / "pool.csv", 200)
    with Study.create(tmp_path / "s", pool=pool, model=model, question=Risk()) as study:
        with pytest.raises(ResponderStopped, match="model failed 3 times"):
            study.run("truth")
        assert study.status().answered == BLOCK
        # Once to see that it labels, twice to recognise it, a block, the next block that fails, and then the one row
        # that is needed, three times.
        assert calls == [1, 8, 8, BLOCK, BLOCK, 1, 1, 1]


def test_a_model_is_asked_in_blocks_and_for_no_more_than_the_budget(tmp_path):
    calls = []

    def model(rows):
        calls.append(len(rows))
        return [row["truth"] for row in rows]

    pool = make_pool(tmp_path / "pool.csv", 200)
    with Study.create(tmp_path / "s", pool=pool, model=model, question=Risk(), budget=BLOCK + 10) as study:
        study.run("truth")
    assert calls == [1, 8, 8, BLOCK, 10]


def test_a_row_the_model_fails_on_is_told_only_when_it_is_asked_about(tmp_path):
    """Fetched ahead with others it only costs the block; the rows before it are asked about as usual."""

    def model(rows):
        if any(row["id"] == "item-7" for row in rows) and len(rows) != 8:
            raise RuntimeError("cannot read item-7")
        return [row["truth"] for row in rows]

    with Study.create(tmp_path / "s", pool=make_pool(tmp_path / "pool.csv"), model=model, question=Risk()) as study:
        with pytest.raises(ResponderStopped, match="cannot read item-7"):
            study.run("truth")
        order = [record.id for record in study.records]
        assert "item-7" not in order
        assert study.status().answered == len(order) > 0


def test_too_few_replies_are_refused(tmp_path):
    class Forgetful:
        def answer(self, queries):
            return []

    with make_study(tmp_path, claim=None) as study, pytest.raises(InvalidInput, match="0 replies to 1 query:"):
        study.run(Forgetful())
