"""The same votes give the same sketch, whatever they come in."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.pools import LeftOut, ParquetPool, _votes_cells, _votes_long, _votes_source, read_pool, read_votes

JUDGES = ("ann", "bob", "cyd")
LABELS = ("maybe", "no", "yes")
RNG = np.random.default_rng(8)
ROWS = [[LABELS[k] if k >= 0 else None for k in row] for row in RNG.integers(-1, 3, (200, 3)).tolist()]
GOLD = [LABELS[k] if k >= 0 else None for k in RNG.integers(-1, 3, 200).tolist()]
COLUMNS = {judge: [row[place] for row in ROWS] for place, judge in enumerate(JUDGES)}
ITEMS = [f"i{k:03}" for k in range(200)]
WIDE = {"item": ITEMS, **COLUMNS}
VOTES = [(item, judge, COLUMNS[judge][row]) for row, item in enumerate(ITEMS) for judge in JUDGES]
LONG = dict(zip(("item", "worker", "label"), map(list, zip(*VOTES, strict=True)), strict=True))


def counted(rows=ROWS, labels=LABELS):
    """The patterns, counted the slow way."""
    return Counter(tuple(-1 if vote is None else labels.index(vote) for vote in row) for row in rows)


EXPECTED = Sketch(JUDGES, LABELS, counted())
WITH_GOLD = Sketch((*JUDGES, "truth"), LABELS, counted([[*row, gold] for row, gold in zip(ROWS, GOLD, strict=True)]))


def write(path, table):
    """A table as a file of the kind that its suffix says."""
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if path.suffix == ".parquet":
        pq.write_table(pa.table(table), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with open(path, "w", newline="") as file:
            lines = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            lines.writerow(table)
            lines.writerows(["" if cell is None else cell for cell in row.values()] for row in rows)
    return path


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}
SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet"]


@pytest.mark.parametrize("table", [COLUMNS, WIDE, LONG], ids=["wide", "wide with items", "long"])
@pytest.mark.parametrize("kind", [*SUFFIXES, *FRAMES])
def test_every_source_gives_the_same_sketch(tmp_path, kind, table):
    source = FRAMES[kind](table) if kind in FRAMES else write(tmp_path / f"votes{kind}", table)
    assert read_votes(source) == EXPECTED
    assert read_votes(source, judges=["cyd", "ann"]) == EXPECTED.marginal(["cyd", "ann"])
    turned = read_votes(source, labels=["yes", "no", "maybe", "never"])
    assert turned.labels == ("yes", "no", "maybe", "never")
    assert dict(turned) == {tuple(2 - k if k >= 0 else k for k in pattern): n for pattern, n in EXPECTED.items()}


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["wide", "long"])
@pytest.mark.parametrize("kind", [*SUFFIXES, *FRAMES])
def test_the_truth_may_stand_in_a_table_of_its_own(tmp_path, kind, table):
    gold = {"item": ITEMS[::-1], "gold": GOLD[::-1]}
    both = [
        FRAMES[kind](t) if kind in FRAMES else write(tmp_path / f"{n}{kind}", t) for n, t in (("v", table), ("g", gold))
    ]
    assert read_votes(both[0], truth=both[1]) == WITH_GOLD
    assert read_votes(both[0], truth=dict(zip(ITEMS, GOLD, strict=True))) == WITH_GOLD
    few = dict(zip(ITEMS[:5], ["yes"] * 5, strict=True))
    some = read_votes(both[0], truth=few)
    assert some.given("truth", "yes") == Sketch(JUDGES, LABELS, counted(ROWS[:5]))
    assert some.without("truth") == EXPECTED


@pytest.mark.parametrize("kind", [*SUFFIXES, *FRAMES])
def test_the_truth_may_be_a_column(tmp_path, kind):
    wide = {"truth": GOLD, **WIDE}
    long = {**LONG, "truth": [gold for gold in GOLD for _ in JUDGES]}
    for name, table in (("wide", wide), ("long", long)):
        source = FRAMES[kind](table) if kind in FRAMES else write(tmp_path / f"{name}{kind}", table)
        assert read_votes(source, truth="truth") == WITH_GOLD


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["wide", "long"])
@pytest.mark.parametrize("kind", [*SUFFIXES, "dataframe"])
def test_a_pool_that_was_read_is_not_read_again(tmp_path, kind, table):
    path = tmp_path / f"votes{kind}"
    pool = read_pool(pd.DataFrame(table) if kind == "dataframe" else write(path, table))
    path.unlink(missing_ok=True)
    assert read_votes(pool) == EXPECTED
    assert read_votes(pool, judges=["cyd", "ann"]) == EXPECTED.marginal(["cyd", "ann"])


@pytest.mark.parametrize("table", [WIDE, LONG], ids=["wide", "long"])
def test_a_pool_larger_than_memory_is_asked_for_groups(tmp_path, table):
    pool = ParquetPool(write(tmp_path / "votes.parquet", table))
    assert read_votes(pool, truth=dict(zip(ITEMS, GOLD, strict=True))) == WITH_GOLD


def test_the_ids_of_a_pool_name_the_items(tmp_path):
    pool = read_pool(write(tmp_path / "votes.csv", {"key": ITEMS, **COLUMNS}), id="key")
    assert read_votes(pool, truth=dict(zip(ITEMS, GOLD, strict=True))) == WITH_GOLD
    with pytest.raises(InvalidInput, match=r"votes\.csv: row \d+: judge 'cyd' voted 'maybe', which is none of"):
        read_votes(pool, labels=["no", "yes"], judges=["cyd"])


def test_arrays_that_numpy_saved(tmp_path):
    votes = {judge: np.array([vote or "" for vote in cells]) for judge, cells in COLUMNS.items()}
    np.savez(tmp_path / "votes.npz", item=np.array(ITEMS), **votes)
    assert read_votes(tmp_path / "votes.npz") == EXPECTED
    np.savez(tmp_path / "truth.npz", item=np.array(ITEMS), gold=np.array([label or "" for label in GOLD]))
    assert read_votes(tmp_path / "votes.npz", truth=tmp_path / "truth.npz") == WITH_GOLD
    np.savez(tmp_path / "votes.npz", item=np.array(ITEMS), image=np.zeros((200, 2, 2)), **votes)
    with pytest.warns(LeftOut, match=r"image \(its cells are not labels\)"):
        assert read_votes(tmp_path / "votes.npz") == EXPECTED


def test_an_array_has_a_column_per_judge():
    array = np.array(ROWS, dtype=object)
    assert read_votes(array, judges=JUDGES) == EXPECTED
    assert read_votes(np.asfortranarray(array), judges=JUDGES) == EXPECTED
    assert read_votes(array[:, [2, 0, 1]], judges=["truth", "ann", "bob"], truth="truth").judges == (
        "ann",
        "bob",
        "truth",
    )
    masked = np.ma.array([[0, 1], [1, 0], [1, 1]], mask=[[0, 0], [0, 1], [0, 0]])
    assert dict(read_votes(masked, judges=["a", "b"])) == {(0, 1): 1, (1, -1): 1, (1, 1): 1}


KINDS = {
    "bool": (lambda v: v.astype(bool), ("false", "true")),
    "uint8": (lambda v: v.astype(np.uint8), ("0", "1")),
    "int8": (lambda v: v.astype(np.int8), ("0", "1")),
    "uint64": (lambda v: v.astype(np.uint64), ("0", "1")),
    "int64 from 1": (lambda v: v + 1, ("1", "2")),
    "int8 of both signs": (lambda v: (2 * v - 1).astype(np.int8), ("-1", "1")),
    "int8 at its ends": (lambda v: np.where(v, 127, -128).astype(np.int8), ("-128", "127")),
    "uint8 at its ends": (lambda v: (255 * v).astype(np.uint8), ("0", "255")),
    "far apart": (lambda v: 10**12 * v, ("0", "1000000000000")),
    "beyond 63 bits": (lambda v: np.uint64(2**64 - 2) + v.astype(np.uint64), (str(2**64 - 2), str(2**64 - 1))),
    "float": (lambda v: v.astype(float), ("0", "1")),
    "float32": (lambda v: v.astype(np.float32), ("0", "1")),
    "halves": (lambda v: v + 0.5, ("0.5", "1.5")),
    "no whole steps": (lambda v: np.where(v, 0.3, 0.1), ("0.1", "0.3")),
    "infinite": (lambda v: np.where(v, np.inf, 0.0), ("0", "inf")),
    "text": (lambda v: np.where(v, "yes", "no"), ("no", "yes")),
    "objects": (lambda v: np.array(["1" if vote else 0 for vote in v], dtype=object), ("0", "1")),
    "list": (lambda v: v.tolist(), ("0", "1")),
    "pandas series": (lambda v: pd.Series(v), ("0", "1")),
    "polars series": (lambda v: pl.Series(v), ("0", "1")),
}


@pytest.mark.parametrize("judges", [1, 3, 5, 6, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_type(kind, judges):
    make, labels = KINDS[kind]
    votes = np.random.default_rng(judges).integers(0, 2, (300, judges))
    sketch = read_votes({f"j{k}": make(votes[:, k]) for k in range(judges)})
    assert sketch.labels == labels
    assert dict(sketch) == Counter(map(tuple, votes.tolist()))
    assert all(type(place) is int for pattern in sketch for place in pattern)
    assert all(type(times) is int for _, times in sketch.items())


def test_missing_cells_of_every_type_are_abstentions():
    votes = {
        "float": np.array([0.0, 1.0, np.nan]),
        "list": [0, "1", None],
        "text": ["0", "1", "  "],
        "pandas": pd.array([0, 1, None], dtype="Int64"),
        "objects": np.array([0, 1.0, pd.NA], dtype=object),
        "category": pd.Series(["0", "1", None], dtype="category"),
        "polars": pl.Series([0, 1, None]),
    }
    assert dict(read_votes(votes)) == {(0,) * 7: 1, (1,) * 7: 1, (-1,) * 7: 1}


def test_ones_of_all_kinds_are_one_label():
    assert read_votes({"a": [1, 1.0, "1", np.int8(1), 0]}).labels == ("0", "1")


def test_true_is_not_one_if_both_are_named():
    assert dict(read_votes({"a": [1, True, 0, 1.0]}, labels=["0", "1", "true"])) == {(1,): 2, (2,): 1, (0,): 1}


def test_labels_stand_by_size_and_then_by_the_alphabet():
    assert read_votes({"a": ["b", "10", "9", "a", "-1", "2.5"]}).labels == ("-1", "2.5", "9", "10", "a", "b")


def test_a_judge_may_give_one_vote_or_always_the_same():
    sketch = read_votes({"once": [None, "yes", None], "always": ["no", "no", "no"]})
    assert dict(sketch) == {(-1, 0): 2, (1, 0): 1}


def test_items_on_which_nobody_voted_are_counted():
    assert read_votes({"a": [1, None, 0], "b": [0, None, 0]})[-1, -1] == 1
    long = {"item": [1, 2, 2], "rater": ["a", "a", "b"], "label": ["x", None, None]}
    assert dict(read_votes(long, labels=["x", "y"], judges=["a"])) == {(0,): 1, (-1,): 1}
    other = {"item": [1, 2, 3], "rater": ["a", "a", "b"], "label": ["x", "y", "y"]}
    assert dict(read_votes(other, judges=["a"])) == {(0,): 1, (1,): 1, (-1,): 1}


@pytest.mark.parametrize(
    "names", [("task", "worker", "label"), ("Item", "Rater", "Label"), ("ID", "annotator", "vote")]
)
def test_a_row_per_vote_is_noticed_by_its_columns(names):
    assert read_votes(dict(zip(names, LONG.values(), strict=True))) == EXPECTED


def test_a_row_per_vote_may_have_other_columns_if_its_own_are_named():
    table = {"which": LONG["item"], "who": LONG["worker"], "what": LONG["label"], "when": list(range(600))}
    assert read_votes(table, item="which", rater="who", label="what") == EXPECTED
    assert read_votes({**LONG, "when": list(range(600))}, rater="worker") == EXPECTED


def test_columns_that_are_picked_are_judges_whatever_their_names():
    table = {"item": [1, 2], "worker": ["yes", "no"], "label": ["no", "no"]}
    assert dict(read_votes(table, judges=["worker", "label"])) == {(1, 0): 1, (0, 0): 1}


def test_raters_stand_by_number_and_then_by_name():
    table = {"item": [1, 1, 1, 1], "rater": ["10", "9", "b", "a"], "label": [0, 1, 0, 1]}
    assert read_votes(table).judges == ("9", "10", "a", "b")


def test_rows_count_as_they_are_if_judges_were_picked():
    table = {"item": [1, 1], "a": [0, 1], "b": [1, 1]}
    assert dict(read_votes(table, judges=["a", "b"])) == {(0, 1): 1, (1, 1): 1}


def panels():
    """Judges with one to four labels or abstentions each, of which all votes are drawn."""

    @st.composite
    def panel(draw):
        labels, judges, rows = draw(st.integers(2, 4)), draw(st.integers(1, 12)), draw(st.integers(1, 40))
        votes = draw(
            st.lists(
                st.lists(st.integers(-1, labels - 1), min_size=judges, max_size=judges), min_size=rows, max_size=rows
            )
        )
        return labels, votes

    return panel()


def as_places(rows, labels):
    return np.where(np.array(rows) < 0, labels, np.array(rows)).T.astype(np.uint8)


@given(panels(), st.sampled_from([1, 3, 7, 64]), st.sampled_from([1, 16, 1 << 16]))
def test_patterns_are_counted_alike_in_every_way(panel, chunk, dense):
    labels, rows = panel
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_votes_cells, "CHUNK", chunk)
        patch.setattr(_votes_cells, "DENSE", dense)
        found = list(_votes_cells.count_patterns(as_places(rows, labels), labels))
    assert dict(found) == Counter(map(tuple, rows))
    assert len(found) == len(dict(found))


@pytest.mark.parametrize(("judges", "labels"), [(17, 2), (40, 2), (63, 2), (64, 2), (70, 3), (130, 4), (3, 300)])
def test_more_patterns_than_can_be_listed(tmp_path, monkeypatch, judges, labels):
    monkeypatch.setattr(_votes_cells, "CHUNK", 100)
    rng = np.random.default_rng(judges)
    rows = rng.integers(-1, labels, (400, judges))
    rows[200:300] = rows[:100]
    table = {f"j{k}": np.where(rows[:, k] < 0, np.nan, rows[:, k]) for k in range(judges)}
    names = range(labels)
    sketch = read_votes(table, labels=names)
    assert dict(sketch) == Counter(map(tuple, rows.tolist()))
    pq.write_table(pa.table(table), tmp_path / "votes.parquet")
    assert read_votes(tmp_path / "votes.parquet", labels=names) == sketch


def test_seventeen_judges_of_two_labels_in_many_chunks(monkeypatch):
    monkeypatch.setattr(_votes_cells, "CHUNK", 50)
    rows = np.random.default_rng(2).integers(0, 2, (3000, 17)) & np.random.default_rng(3).integers(0, 2, (3000, 17))
    sketch = read_votes(rows.astype(np.uint8), judges=[f"j{k}" for k in range(17)])
    assert dict(sketch) == Counter(map(tuple, rows.tolist()))


@pytest.mark.parametrize("kind", ["uint8", "int64", "float", "bool"])
def test_what_comes_late_in_a_long_column_is_seen(kind):
    """A label or an abstention that stands in the last of many rows alone."""
    rows = 2 * _votes_cells.CHUNK + 13
    first, second = np.zeros(rows, dtype=kind), np.ones(rows, dtype=kind)
    first[-1] = 1
    if kind == "bool":
        assert dict(read_votes({"a": first, "b": second})) == {(0, 1): rows - 1, (1, 1): 1}
        return
    first[-2], last = 5, np.arange(rows) == rows - 2
    assert dict(read_votes({"a": first, "b": second})) == {(0, 1): rows - 2, (2, 1): 1, (1, 1): 1}
    gaps = np.where(last, np.nan, second)
    assert dict(read_votes({"a": first, "b": gaps})) == {(0, 1): rows - 2, (2, -1): 1, (1, 1): 1}


def test_a_long_file_is_read_in_shares_and_laid_out_in_blocks(tmp_path, monkeypatch):
    path = write(tmp_path / "votes.parquet", LONG)
    gold = dict(zip(ITEMS, GOLD, strict=True))
    monkeypatch.setattr(_votes_source, "AT_ONCE", 50)
    monkeypatch.setattr(_votes_long, "BLOCK", 20)
    assert read_votes(path) == EXPECTED
    assert read_votes(path, truth=gold) == WITH_GOLD
    shuffled = np.random.default_rng(1).permutation(600)
    write(path, {name: [cells[k] for k in shuffled] for name, cells in LONG.items()})
    assert read_votes(path, truth=gold) == WITH_GOLD


def test_parquet_columns_of_many_types(tmp_path):
    table = pa.table(
        {
            "int": pa.array([0, 1, None], pa.int8()),
            "float": pa.array([0.0, 1.0, float("nan")]),
            "text": pa.array(["0", " 1", " "]),
            "decimal": pa.array([0, 1, None], pa.decimal128(5, 2)),
            "dictionary": pa.array(["0", "1", None]).dictionary_encode(),
            "a AS b": pa.array([0, 1, None], pa.decimal128(5, 2)),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    assert dict(read_votes(tmp_path / "a.parquet")) == {(0,) * 6: 1, (1,) * 6: 1, (-1,) * 6: 1}


def test_parquet_columns_that_differ_in_case_alone(tmp_path):
    pq.write_table(pa.table({"gpt": [0, 1], "GPT": [1, 1]}), tmp_path / "a.parquet")
    assert dict(read_votes(tmp_path / "a.parquet")) == {(0, 1): 1, (1, 1): 1}


@pytest.mark.parametrize("name", ["gold", "gold_item", "item", "n", "g", "c0", "r"])
def test_judges_may_have_any_name(tmp_path, name):
    pq.write_table(pa.table({"id": ["a", "b"], name: [0, 1], "bob": [1, 1]}), tmp_path / "a.parquet")
    found = read_votes(tmp_path / "a.parquet", judges=[name, "bob"], item="id", truth={"b": 0})
    assert dict(found) == {(0, 1, -1): 1, (1, 1, 0): 1}


@pytest.mark.parametrize("ids", [[7, 8], [7.0, 8.0], ["7", "8"]])
@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_items_of_the_truth_are_found_whatever_their_type(tmp_path, kind, ids):
    if kind == ".csv":  # in which the ids of a pool are text if they are not whole numbers
        ids = [int(item) for item in ids]
    path = write(tmp_path / f"a{kind}", {"id": ids, "a": [0, 1], "b": [1, 1]})
    for truth in ({8: 0}, {"8": 0}, {8.0: 0}, {"id": [8], "label": ["0"]}):
        assert dict(read_votes(path, truth=truth)) == {(0, 1, -1): 1, (1, 1, 0): 1}


CROWD = Path(__file__).resolve().parents[3] / "shared" / "data" / "crowd"


@pytest.mark.parametrize(
    ("name", "items", "workers", "votes", "labels"),
    [("bluebird", 108, 39, 4212, 2), ("dog", 807, 109, 8070, 4), ("rte", 800, 164, 8000, 2)],
)
def test_real_crowds(tmp_path, name, items, workers, votes, labels):
    if not CROWD.exists():
        pytest.skip("the data of real crowds is not on this machine")
    sketch = read_votes(CROWD / name / "label.csv", truth=CROWD / name / "truth.csv")
    assert (sketch.size, len(sketch.judges), len(sketch.labels)) == (items, workers + 1, labels)
    assert items * (workers + 1) - sketch.abstentions == votes + items
    table, truth = pd.read_csv(CROWD / name / "label.csv"), pd.read_csv(CROWD / name / "truth.csv")
    wide = table.pivot(index="item", columns="worker", values="label").reset_index()
    wide.columns = [str(column) for column in wide.columns]
    assert read_votes(wide, truth=truth) == sketch
    table.to_parquet(tmp_path / "label.parquet")
    assert read_votes(tmp_path / "label.parquet", truth=truth) == sketch
    right = (table.merge(truth, on="item").query("worker == 0 and label == truth")).shape[0]
    assert sum(n for pattern, n in sketch.items() if pattern[0] == pattern[-1]) == right
