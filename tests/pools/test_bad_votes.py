"""Votes that cannot be counted are refused in one line that names the place and the remedy."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.core import InvalidInput
from ringtrue.pools import _votes_long, _votes_source, read_votes

LONG = b"item,worker,label\n"

FILES = {
    # name: (file name, bytes, options, words that must be in the message)
    "empty": ("a.csv", b"", {}, ["empty", "at least one row"]),
    "header only": ("a.csv", b"a,b\n", {}, ["no rows", "at least one item"]),
    "empty jsonl": ("a.jsonl", b"\n", {}, ["no rows"]),
    "latin-1": ("a.csv", "a,b\nnö,1\n".encode("latin-1"), {}, ["row 1", "UTF-8"]),
    "latin-1 jsonl": ("a.jsonl", '{"a":"ö"}\n'.encode("latin-1"), {}, ["line 1", "UTF-8"]),
    "unknown suffix": ("a.xls", b"x", {}, ["'.xls'", ".parquet"]),
    "no parquet": ("a.parquet", b"I am no Parquet file", {}, ["Parquet", "write the file again"]),
    "columns of one name": ("a.csv", b"x,x\n1,2\n", {}, ["columns 1 and 2", "'x'", "rename"]),
    "absent judge": ("a.csv", b"ann,bob\n1,0\n", {"judges": ["ann", "bop"]}, ["'bop'", "did you mean 'bob'"]),
    "absent truth": ("a.csv", b"ann,gold\n1,0\n", {"truth": "glod"}, ["'glod'", "did you mean 'gold'"]),
    "absent item": ("a.csv", b"ann,bob\n1,0\n", {"item": "key"}, ["'key'", "columns: ann, bob"]),
    "absent rater": ("a.csv", LONG + b"1,w,0\n", {"rater": "who"}, ["'who'"]),
    "no votes of a judge": ("a.csv", b"ann,bob\n1,\n0,\n", {}, ["'bob'", "no vote at all", "leave it out"]),
    "no votes of the truth": ("a.csv", b"ann,bob\n1,\n0,\n", {"truth": "bob"}, ["'bob'", "no vote at all"]),
    "no judges": ("a.csv", b"id\n1\n", {}, ["no column of votes", "judges="]),
    "only the truth": ("a.csv", b"id,gold\n1,0\n", {"truth": "gold"}, ["no column of votes"]),
    "one label": ("a.csv", b"ann,bob\nno,no\n", {}, ["only one label, 'no'", "labels="]),
    "unknown label": (
        "a.csv", b"ann,bob\nno,yes\nyes,\nyes,si\n", {"labels": ["no", "yes"]},
        ["row 3", "judge 'bob'", "'si'", "no, yes", "name it in labels="],
    ),
    "labels written differently": ("a.csv", b"ann,bob\nno,yes\nNo,yes\n", {}, ["'No' and 'no'", "alike", "labels="]),
    "one and one point nought": ("a.csv", b"ann,bob\n1,x\n0,1.0\n", {}, ["'1' and '1.0'"]),
    "item twice": ("a.csv", b"id,ann\n7,0\n8,1\n7,1\n", {}, ["rows 1 and 3", "'7'", "item="]),
    "chosen item twice": ("a.csv", b"k,ann\n7,0\n7,1\n", {"item": "k", "judges": ["ann"]}, ["rows 1 and 2", "'k'"]),
    "item without a name": ("a.csv", b"id,ann\n7,0\n,1\n", {}, ["row 2", "'id'", "item="]),
    "rater twice": (
        "a.csv", LONG + b"7,w,0\n8,w,1\n7,v,1\n7,w,0\n", {},
        ["rows 1 and 4", "rater 'w'", "item '7'", "keep one"],
    ),
    "rater twice, once without a label": ("a.csv", LONG + b"7,w,0\n8,w,1\n7,w,\n", {}, ["rows 1 and 3", "rater 'w'"]),
    "rater who is not asked for twice": (
        "a.csv", LONG + b"7,w,0\n8,v,1\n7,w,1\n", {"judges": ["v"]}, ["rows 1 and 3", "rater 'w'"],
    ),
    "vote without item": ("a.csv", LONG + b"7,w,0\n,w,1\n", {}, ["row 2", "'item' is missing"]),
    "vote without rater": ("a.csv", LONG + b"7,w,0\n8, ,1\n", {}, ["row 2", "'worker' is missing"]),
    "rater without votes": ("a.csv", LONG + b"7,w,0\n8,w,1\n8,v,\n", {}, ["judge 'v'", "no vote at all"]),
    "absent rater's name": ("a.csv", LONG + b"7,ann,0\n8,ann,1\n", {"judges": ["an"]}, ["'an'", "did you mean 'ann'"]),
    "unknown label in a row": (
        "a.csv", LONG + b"7,w,0\n8,w,1\n8,v,5\n", {"labels": [0, 1]}, ["row 3", "judge 'v'", "'5'", "0, 1"],
    ),
    "one label in rows": ("a.csv", LONG + b"7,w,0\n8,w,0\n", {}, ["only one label, '0'"]),
    "a row per vote and more": (
        "a.csv", b"item,worker,label,when\n7,w,0,1\n7,v,1,2\n", {},
        ["rows 1 and 2", "rater='worker' and label='label'", "each row is one vote"],
    ),
    "half of a row per vote": ("a.csv", b"x,y,z\n7,w,0\n", {"rater": "y"}, ["column for the item", "item="]),
    "one column for two": ("a.csv", b"x,y\n7,w\n", {"item": "x", "rater": "y", "label": "y"}, ["different columns"]),
    "truth of an item without votes": (
        "a.csv", LONG + b"7,w,0\n8,w,1\n", {"truth": {"8": 0, "9": 1}}, ["item '9'", "no votes", "remove it"],
    ),
    "truth of a row that is not there": (
        "a.csv", b"id,ann\n7,0\n8,1\n", {"truth": {"9": 1}}, ["item '9'", "no votes"],
    ),
    "unknown truth": ("a.csv", LONG + b"7,w,0\n8,w,1\n", {"truth": {7: 4}, "labels": [0, 1]}, ["item '7'", "'4'"]),
    "two truths in rows": (
        "a.csv", b"item,worker,label,gold\n7,w,0,1\n8,w,1,1\n7,v,1,0\n", {"truth": "gold"},
        ["item '7'", "'0'", "'1'", "give each item one"],
    ),
    "truth without items": ("a.csv", b"ann,bob\n1,0\n", {"truth": {"7": 1}}, ["no column of items", "item="]),
    "truth that is empty": ("a.csv", b"id,ann\n1,0\n", {"truth": {}}, ["truth={}", "leave truth= out"]),
    "truth that is no table": ("a.csv", b"id,ann\n1,0\n", {"truth": 5}, ["truth=5", "mapping"]),
    "truth that is an array": ("a.csv", b"id,ann\n1,0\n", {"truth": np.zeros(1)}, ["array", "mapping from items"]),
    "truth twice": (
        "a.csv", b"id,ann\n1,0\n", {"truth": {"item": [1, 1], "truth": [0, 1]}}, ["rows 1 and 2", "'1'"],
    ),
    "truth without a column of labels": (
        "a.csv", b"id,ann\n1,0\n", {"truth": {"item": [1], "verdict": [0]}},
        ["verdict", "'truth' or 'gold' or 'label'"],
    ),
    "truth without a file": ("a.csv", b"id,ann\n1,0\n", {"truth": "none.csv"}, ["none.csv", "no such file"]),
    "a judge named as the truth": ("a.csv", b"id,truth\n1,0\n", {"truth": {1: 0}}, ["'truth'", "judges="]),
    "a rater named as the truth": (
        "a.csv", LONG + b"7,truth,0\n8,w,1\n", {"truth": {7: 0}}, ["rater", "'truth'", "rename"],
    ),
}  # fmt: skip


def refused(source, *, words, **options):
    with pytest.raises(InvalidInput) as caught:
        read_votes(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("case", FILES)
def test_bad_files(tmp_path, case):
    name, content, options, words = FILES[case]
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, words=words, **options)


TABLES = [name for name, (file, *_) in FILES.items() if file == "a.csv" and FILES[name][1].count(b"\n") > 1]
NOT_AS_PARQUET = {"latin-1", "columns of one name", "rater twice, once without a label"}


@pytest.mark.parametrize("case", [name for name in TABLES if name not in NOT_AS_PARQUET])
def test_bad_parquet_is_refused_in_the_same_words(tmp_path, case):
    _, content, options, words = FILES[case]
    (tmp_path / "a.csv").write_bytes(content)
    frame = pl.read_csv(tmp_path / "a.csv")
    frame.write_parquet(tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", words=words, **options)


MANY = {"ann": [0, 1] * 150, "score": list(range(300))}

VALUES = {
    "many values": (
        MANY, {"judges": ["ann", "score"]}, ["'score'", "300 different numbers", "probably not", "judges=", "labels="],
    ),
    "many values and labels": (
        MANY, {"labels": [0, 1], "judges": ["ann", "score"]}, ["row 3", "'score'", "'2'"],
    ),
    "many comments": ({"a": [f"text {k}" for k in range(51)]}, {}, ["51 different values in 51 rows", "probably not"]),
    "few rows and many values": (
        {"a": [0, 1] * 15, "b": [k / 7 for k in range(30)]}, {"judges": ["a", "b"]},
        ["'b'", "30 different numbers in 30 rows", "probably not"],
    ),
    "few rows and many values in rows": (
        {"item": list(range(30)), "rater": ["w"] * 30, "label": list(range(30))}, {},
        ["'label'", "30 different numbers in 30 rows"],
    ),
    "two groups of columns": (
        {"a": ["x", "y"], "b": ["y", "x"], "c": ["f", "m"], "d": ["m", "f"]}, {},
        ["a, b share labels", "so do c, d", "judges="],
    ),
    "many values in rows": (
        {"item": list(range(60)), "rater": ["w"] * 60, "label": list(range(60))}, {},
        ["'label'", "60 different numbers"],
    ),
    "many true labels": (
        {"item": [1, 2], "rater": ["w"] * 2, "label": [0, 1]}, {"truth": {k: f"{k}x" for k in range(99)}},
        ["more than 50 labels", "99 of them"],
    ),
    "unequal columns": ({"a": [1, 0], "b": [1]}, {}, ["'b' has 1 row and", "'a' has 2", "None"]),
    "no columns": ({}, {}, ["no rows"]),
    "no rows": ({"a": []}, {}, ["no rows"]),
    "text for votes": ({"a": "101"}, {}, ["'a'", "list or an array"]),
    "a number for votes": ({"a": 1}, {}, ["'a' is 1", "list or an array"]),
    "a table for votes": ({"a": np.zeros((2, 2))}, {}, ["'a'", "(2, 2)", "one dimension"]),
    "lists for labels": ({"a": ["x", ["y"]]}, {}, ["judge 'a'", "row 2", "['y']", "not a label"]),
    "a name that is not text": ({3: [1, 0]}, {}, ["3 is not text", "str(name)"]),
    "truth values and numbers": ({"a": [True, False], "b": [1, 0]}, {}, ["'0' and 'false'", "alike"]),
    "array without names": (np.zeros((3, 2)), {}, ["2 columns", "no names", "name each"]),
    "array with too few names": (np.zeros((3, 2)), {"judges": ["a"]}, ["2 columns", "1 name:"]),
    "array of one dimension": (np.zeros(3), {"judges": ["a"]}, ["(3,)", "a row per item"]),
    "array without rows": (np.zeros((0, 2)), {"judges": ["a", "b"]}, ["no rows"]),
    "a judge twice": ({"a": [1, 0]}, {"judges": ["a", "a"]}, ["'a' twice"]),
    "no judges": ({"a": [1, 0]}, {"judges": []}, ["judges=[]", "at least one"]),
    "one text for judges": ({"a": [1, 0]}, {"judges": "a"}, ["judges='a'", "['a']"]),
    "a judge that is not text": ({"a": [1, 0]}, {"judges": [0]}, ["judges=", "not text"]),
    "one text for labels": ({"a": [1, 0]}, {"labels": "01"}, ["labels='01'", "list"]),
    "one label named": ({"a": [1, 0]}, {"labels": [1]}, ["['1']", "at least two"]),
    "a label twice": ({"a": [1, 0]}, {"labels": [1, "1"]}, ["'1' twice"]),
    "a missing label": ({"a": [1, 0]}, {"labels": [1, None]}, ["None is missing"]),
    "a number": (42, {}, ["source=42", ".csv", "pandas", "mapping"]),
    "a list": ([[1, 0]], {}, ["source=[[1, 0]]", "array"]),
    "nothing": (None, {}, ["source=None"]),
    "a lazy frame": (pl.LazyFrame({"a": [1]}), {}, ["lazy", ".collect()"]),
}  # fmt: skip


@pytest.mark.parametrize("case", VALUES)
def test_bad_values(case):
    source, options, words = VALUES[case]
    refused(source, words=words, **options)


def test_many_values_in_parquet(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(MANY), path)
    for look in (1, 10_000):  # noticed in all the rows, and in the first ones before the others are grouped
        monkeypatch.setattr(_votes_source, "LOOK", look)
        refused(path, words=["300", "'score'", "probably not", "judges="], judges=["ann", "score"])
        refused(path, words=["row 3", "'score'", "'2'"], labels=[0, 1], judges=["ann", "score"])


def test_a_rater_twice_in_a_file_that_is_read_in_shares(tmp_path, monkeypatch):
    monkeypatch.setattr(_votes_source, "AT_ONCE", 7)
    path = tmp_path / "a.parquet"
    items = [*range(50), 20]
    pq.write_table(pa.table({"item": items, "rater": ["w"] * 51, "label": [k % 2 for k in range(51)]}), path)
    refused(path, words=["rows 21 and 51", "rater 'w'", "item '20'"])
    items[50], items[30] = 51, None
    pq.write_table(pa.table({"item": items, "rater": ["w"] * 51, "label": [k % 2 for k in range(51)]}), path)
    refused(path, words=["row 31", "'item' is missing"])


def test_items_that_a_float_cannot_hold():
    table = {"item": np.array([1.0, 2.0**60]), "rater": ["w", "w"], "label": [0, 1]}
    refused(table, words=["row 2", "2**53"])


def test_more_raters_than_memory_should_hold(monkeypatch):
    monkeypatch.setattr(_votes_long, "HELD", 100)
    table = {"item": list(range(20)), "rater": list(range(20)), "label": [0, 1] * 10}
    refused(table, words=["20 patterns of 20 raters", "judges="])


def test_parquet_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [0, 1]}), path)
    first = _votes_source.OnDisk.first

    def changes(*args):
        found = first(*args)
        pq.write_table(pa.table({"a": [0, 1, 1]}), path)
        return found

    monkeypatch.setattr(_votes_source.OnDisk, "first", changes)
    refused(path, words=["a.parquet", "changed", "read it again"])


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "n/a", "NULL"])
def test_a_word_for_nothing_is_no_label_unless_it_is_named(word):
    votes = {"ann": ["yes", "no", "yes"], "bob": ["yes", word, "no"]}
    with pytest.raises(InvalidInput, match="reads like a missing vote"):
        read_votes(votes)
    assert read_votes(votes, labels=["no", "yes", word]).abstentions == 0
