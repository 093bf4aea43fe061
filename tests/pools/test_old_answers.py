"""Old answers beside the items or in a file of their own: which column is what, joined by id, refused in one line."""

import json

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.pools import ParquetPool, read_old, read_pool
from ringtrue.pools import _read as reading
from ringtrue.pools._old_answers import ANSWERS, CONFIDENCES, TRUTHS

frames = pytest.importorskip("pandas")

ITEMS = {"id": ["a", "b", "c"], "text": ["one", "two", "three"], "truth": ["yes", "no", "yes"]}
OLD = {"id": ["c", "a", "b"], "answer": ["no", "yes", None], "confidence": [0.6, 0.9, None], "seconds": [3, 1, 2]}
BOTH = {
    "id": ["a", "b"],
    "text": ["one", "two"],
    "predicted": ["yes", "no"],
    "label": ["yes", "yes"],
    "score": [0.9, 1],
}


def write(folder, name, columns):
    frame, path = frames.DataFrame(columns), folder / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows_of(columns)))
    else:
        frame.to_csv(path, index=False)
    return path


def rows_of(columns):
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def cells(pool, column):
    found = pool.take(range(pool.size)).columns[column].tolist()
    return [None if cell != cell else cell for cell in found]


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "frame"])
def test_all_in_one_file(tmp_path, kind):
    source = frames.DataFrame(BOTH) if kind == "frame" else write(tmp_path, f"old.{kind}", BOTH)
    found = read_old(source)
    assert (found.answer, found.truth, found.confidence) == ("predicted", "label", "score")
    assert found.inputs == ("id", "text")
    assert (found.surplus, found.pool.size) == (0, 2)
    if kind != "frame":
        assert found.pool.fingerprint == read_pool(source).fingerprint


@pytest.mark.parametrize("items", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("old", ["csv", "parquet", "jsonl"])
def test_two_files_are_joined_by_id(tmp_path, items, old):
    found = read_old(write(tmp_path, f"old.{old}", OLD), pool=write(tmp_path, f"items.{items}", ITEMS))
    assert (found.answer, found.truth, found.confidence) == ("answer", "truth", "confidence")
    assert found.inputs == ("id", "text"), "what the old model's file says besides is not shown to the new one"
    assert found.pool.columns == ("id", "text", "truth", "answer", "confidence", "seconds")
    assert list(found.pool.take([0, 1, 2]).ids) == ["a", "b", "c"]
    assert cells(found.pool, "answer") == ["yes", None, "no"]
    assert cells(found.pool, "confidence") == [0.9, None, 0.6]
    assert cells(found.pool, "seconds") == [1, 2, 3]
    assert found.pool.name == f"items.{items}"


def test_the_order_of_the_old_file_and_answers_for_other_items_do_not_matter(tmp_path):
    items = write(tmp_path, "items.csv", ITEMS)
    first = read_old(write(tmp_path, "old.csv", OLD), pool=items)
    more = {name: [*values[::-1], extra] for (name, values), extra in zip(OLD.items(), ["z", "no", 1, 9], strict=True)}
    second = read_old(write(tmp_path, "more.csv", more), pool=items)
    assert (first.surplus, second.surplus) == (0, 1)
    assert first.pool.fingerprint == second.pool.fingerprint
    other = {**OLD, "answer": ["no", "yes", "yes"]}
    assert read_old(write(tmp_path, "other.csv", other), pool=items).pool.fingerprint != first.pool.fingerprint


def test_numbers_are_ids_too(tmp_path):
    items = write(tmp_path, "items.parquet", {"key": np.array([7, 8]), "text": ["one", "two"]})
    old = write(tmp_path, "old.parquet", {"key": np.array([8.0, 7.0]), "old": ["no", "yes"]})
    found = read_old(old, id="key", pool=items)
    assert cells(found.pool, "old") == ["yes", "no"]
    assert found.truth is None
    assert found.confidence is None


def test_a_large_file_stays_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SMALL", 1)
    found = read_old(write(tmp_path, "old.parquet", BOTH))
    assert isinstance(found.pool, ParquetPool)
    holed = {**BOTH, "label": ["yes", None]}
    refused(lambda: read_old(write(tmp_path, "holed.parquet", holed)), "row 2", "'label'")
    items = write(tmp_path, "items.parquet", {"id": ["b"], "text": ["two"]})
    assert cells(read_old(tmp_path / "old.parquet", pool=items).pool, "predicted") == ["no"]


def test_columns_that_are_named_come_before_those_that_are_found(tmp_path):
    columns = {"answer": ["gold", "gold"], "pred": ["x", "y"], "conf": [1, 2], "score": [3, 4], "y": ["x", "x"]}
    old = write(tmp_path, "old.csv", columns)
    assert (read_old(old).answer, read_old(old).truth, read_old(old).confidence) == ("answer", "y", "conf")
    found = read_old(old, answer="pred", truth="answer", confidence="score")
    assert (found.answer, found.truth, found.confidence) == ("pred", "answer", "score")
    found = read_old(old, truth="answer")
    assert (found.answer, found.truth) == ("pred", "answer"), "a column is used once"
    found = read_old(old, truth="none", confidence="none")
    assert (found.truth, found.confidence) == (None, None)


@pytest.mark.parametrize("options", [{}, {"truth": "none", "confidence": "none"}, {"answer": "pred", "truth": "gold"}])
def test_every_column_with_a_usual_name_is_hidden_from_the_model(tmp_path, options):
    columns = {name: ["1", "2"] for name in ("id", "text", *ANSWERS, *TRUTHS, *CONFIDENCES, "labels")}
    assert read_old(write(tmp_path, "old.csv", columns), **options).inputs == ("id", "text", "labels")
    alone = write(tmp_path, "alone.csv", {"id": columns["id"], "pred": ["1", "2"]})
    options = {"answer": "pred", **options}
    assert read_old(alone, pool=tmp_path / "old.csv", **options).inputs == ("id", "text", "labels")


def test_a_column_in_both_files_must_say_the_same_where_it_is_needed(tmp_path):
    items = write(tmp_path, "items.csv", {**ITEMS, "seconds": [9, 9, 9]})
    same = read_old(write(tmp_path, "same.csv", {**OLD, "truth": ["yes", "yes", "no"]}), pool=items)
    assert same.truth == "truth"
    assert cells(same.pool, "seconds") == [9, 9, 9], "the items' own is kept"
    other = write(tmp_path, "other.csv", {**OLD, "truth": ["yes", "yes", "maybe"]})
    refused(
        lambda: read_old(other, pool=items), "'truth'", "'b'", "'no' in items.csv", "'maybe' in other.csv", "rename"
    )
    answered = write(tmp_path, "answered.csv", {**ITEMS, "answer": ["yes", "no", "yes"]})
    refused(lambda: read_old(write(tmp_path, "old.csv", OLD), pool=answered), "'answer'", "item 'b'", "rename")


TWICE = {**OLD, "id": ["c", "a", "a"]}
BAD = {
    "duplicate ids of old answers": (TWICE, ITEMS, {}, ["old.csv", "rows 2 and 3", "'a'"]),
    "duplicate ids of items": (OLD, {**ITEMS, "id": ["a", "b", "b"]}, {}, ["items.csv", "rows 2 and 3", "'b'"]),
    "items without an old answer": (
        {name: values[:1] for name, values in OLD.items()}, ITEMS, {},
        ["2 of the 3 items in items.csv have no old answer", "the first is 'a'", "remove the items"],
    ),
    "other items": (
        {**OLD, "id": ["x", "y", "z"]}, ITEMS, {}, ["no id in common", "'x' and 'a'", "written alike"],
    ),
    "no ids among the old answers": ({"answer": ["a", "b"]}, ITEMS, {}, ["old.csv", "no column of ids", "id=…"]),
    "no ids among the items": (OLD, {"text": ["a", "b"]}, {}, ["items.csv", "no column of ids", "id=…"]),
    "id that one file lacks": (OLD, ITEMS, {"id": "text"}, ["old.csv", "'text'"]),
    "no answers": ({"id": ["a"], "said": ["x"]}, None, {}, ["old.csv", "answer, old, predicted", "columns: id, said"]),
    "answers in the other file": (OLD, {**ITEMS, "said": [1, 2, 3]}, {"answer": "said"}, ["old.csv", "'said'"]),
    "answer misspelt": (BOTH, None, {"answer": "predictd"}, ["answer='predictd': old.csv", "did you mean 'predicted'"]),
    "truth misspelt": (BOTH, None, {"truth": "labl"}, ["truth='labl': old.csv", "did you mean 'label'"]),
    "confidence misspelt": (OLD, ITEMS, {"confidence": "sconds"}, ["confidence='sconds'", "did you mean 'seconds'"]),
    "truth in the answers' place": (
        BOTH, None, {"truth": "predicted"}, ["truth='predicted' leaves no column", "answer=…", "of old.csv: id"],
    ),
    "id in the answers' place": (BOTH, None, {"id": "predicted"}, ["id='predicted' leaves no column"]),
    "truth that is the answer": (BOTH, None, {"answer": "label", "truth": "label"}, ["truth='label'", "old answers"]),
    "missing truth": ({**BOTH, "label": ["yes", None]}, None, {}, ["row 2", "'label'", "no true", "truth='none'"]),
    "missing truth of an item": (OLD, {**ITEMS, "truth": ["x", "y", " "]}, {}, ["items.csv: row 3", "'truth'"]),
    "confidence in words": ({**BOTH, "score": [0.5, "high"]}, None, {}, ["row 2", "'high'", "confidence='none'"]),
    "infinite confidence": ({**BOTH, "score": [0.5, float("inf")]}, None, {}, ["row 2", "inf", "not a finite number"]),
    "nothing": ({"id": [], "answer": []}, None, {}, ["no rows"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line(tmp_path, case):
    old, items, options, words = BAD[case]
    old = write(tmp_path, "old.csv", old)
    items = None if items is None else write(tmp_path, "items.csv", items)
    refused(lambda: read_old(old, pool=items, **options), *words)
