"""Which columns are taken for judges: those that can be votes, alike from every kind of table; the rest is named."""

import datetime
import random

import pandas as pd
import polars as pl
import pytest

from ringtrue.core import InvalidInput
from ringtrue.pools import LeftOut, read_votes

ROWS = 30


def panel():
    draw = random.Random(1)
    return {name: [draw.choice(["good", "bad"]) for _ in range(ROWS)] for name in ("ant", "bee", "cat")}


OTHERS = {
    "score": ([k * 0.37 % 1 for k in range(ROWS)], "30 different numbers in 30 rows"),
    "number": (list(range(100, 100 + ROWS)), "30 different numbers in 30 rows"),
    "answer": ([f"answer number {k}" for k in range(ROWS)], "30 different values in 30 rows"),
    "day": (
        [(datetime.date(2026, 1, 1) + datetime.timedelta(days=k)).isoformat() for k in range(ROWS)],
        "30 different values in 30 rows",
    ),
    "turns": ([k % 7 for k in range(ROWS)], "0, 1, 2 and 4 more: not the labels of the others"),
    "topic": (["news", "sport", "art"] * 10, "art, news, sport: not the labels of the others"),
    "holes": ([*range(12), *[None] * 18], "12 different numbers in 12 rows"),
}


def kinds(table, folder):
    pd.DataFrame(table).to_csv(folder / "votes.csv", index=False)
    pl.DataFrame(table).write_parquet(folder / "votes.parquet")
    pl.DataFrame(table).write_ndjson(folder / "votes.jsonl")
    yield table
    yield pd.DataFrame(table)
    yield pl.DataFrame(table)
    yield from (folder / name for name in ("votes.csv", "votes.parquet", "votes.jsonl"))


@pytest.mark.parametrize("other", OTHERS)
def test_a_column_that_cannot_be_votes_is_left_out_and_named(tmp_path, other):
    values, reason = OTHERS[other]
    alone = read_votes(panel())
    for source in kinds({**panel(), other: values}, tmp_path):
        with pytest.warns(LeftOut) as told:
            found = read_votes(source)
        assert found == alone
        (line,) = (str(one.message) for one in told)
        assert told[0].filename == __file__, "it points to the line that read the votes"
        assert line == f"left out: {other} ({reason}); name the judges to choose otherwise"


def test_several_are_named_in_one_line():
    with pytest.warns(LeftOut, match="score .*topic") as told:
        found = read_votes({**panel(), "score": OTHERS["score"][0], "topic": OTHERS["topic"][0]})
    assert len(told) == 1
    assert found == read_votes(panel())


def test_numbers_are_votes_where_judges_share_them():
    """Grades from 1 to 20 on 100 items; a count that shares the label 1 with votes of 0 and 1 is none."""
    draw = random.Random(4)
    grades = {name: [draw.randint(1, 20) / 2 for _ in range(100)] for name in ("ant", "bee", "cat")}
    assert len(read_votes(grades).labels) == 20
    votes = {name: [draw.randint(0, 1) for _ in range(100)] for name in ("ant", "bee")}
    with pytest.warns(LeftOut, match=r"left out: words \("):
        assert read_votes({**votes, "words": [draw.randint(1, 9) for _ in range(100)]}).judges == ("ant", "bee")


@pytest.mark.parametrize(
    "odd",
    [
        ["good"] * ROWS,  # always says the same
        ["bad"] * (ROWS - 1) + ["unsure"],  # alone with a label
        ["good", None, None] * 10,
        [None] * (ROWS - 1) + ["bad"],
    ],
)
def test_a_judge_like_no_other_is_still_a_judge(odd):
    assert read_votes({**panel(), "dog": odd}).judges == ("ant", "bee", "cat", "dog")


def test_whoever_names_a_column_has_it_or_one_line_of_refusal():
    table = {**panel(), "topic": OTHERS["topic"][0], "score": OTHERS["score"][0]}
    assert read_votes(table, judges=["ant", "topic"]).judges == ("ant", "topic")
    with pytest.raises(InvalidInput, match=r"'score' has 30 different numbers in 30 rows .* probably not one of votes"):
        read_votes(table, judges=["ant", "score"])


def test_named_labels_choose_the_columns():
    table = {**panel(), "number": OTHERS["number"][0]}
    with pytest.warns(LeftOut, match="number"):
        assert read_votes(table, labels=["bad", "good"]) == read_votes(panel())


def test_cells_that_are_no_labels_are_left_out(tmp_path):
    table = {**panel(), "tags": [[str(k % 3)] for k in range(ROWS)]}
    pl.DataFrame(table).write_parquet(tmp_path / "votes.parquet")
    pl.DataFrame(table).write_ndjson(tmp_path / "votes.jsonl")
    for source in (table, pl.DataFrame(table), tmp_path / "votes.parquet", tmp_path / "votes.jsonl"):
        with pytest.warns(LeftOut, match=r"tags \(its cells are not labels\)"):
            assert read_votes(source) == read_votes(panel())
