"""Profiles from batches: what becomes a slice, what a score, the same however the rows are cut, and the errors."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput
from ringtrue.risk.profiles import _profile_of, profile_of
from support.profiles import slices, subclasses


def frame(rows, shift, seed):
    rng = np.random.default_rng(seed)
    region = rng.choice(["eu", "us"], rows, p=[0.8 - shift / 4, 0.2 + shift / 4]).astype(object)
    return {
        "region": region, "night": rng.random(rows) < 0.3 + shift / 4, "tier": rng.integers(0, 3, rows),
        "age": rng.integers(18, 90, rows), "x": rng.normal(size=rows) + shift, "y": rng.normal(size=rows),
    }  # fmt: skip


def cut(columns, size, names=None):
    rows = len(next(iter(columns.values())))
    kept = columns if names is None else {name: columns[name] for name in names}
    return [
        Batch([str(row) for row in range(start, min(start + size, rows))],
              {name: cells[start : start + size] for name, cells in kept.items()})
        for start in range(0, rows, size)
    ]  # fmt: skip


POOL, OPERATION = frame(3_000, 0.0, 1), frame(2_000, 0.6, 2)


def test_kinds_become_slices():
    profile = profile_of("p", cut(POOL, 500), cut(OPERATION, 300), ["region", "night", "tier"])
    assert profile.kind == "slices"
    counts = [{}, {}]
    for found, side in zip(counts, (POOL, OPERATION), strict=True):
        for key in zip(side["region"], side["night"].tolist(), side["tier"].tolist(), strict=True):
            found[key] = found.get(key, 0) + 1
    assert profile == slices("p", *counts, ["region", "night", "tier"])


def test_numbers_become_subclasses():
    names = ["age", "x", "y"]  # ages are whole, but of more than twenty values
    profile = profile_of("p", cut(POOL, 500), cut(OPERATION, 300), names)
    assert profile.kind == "subclasses"
    features = [np.stack([side[name] for name in names], axis=1) for side in (POOL, OPERATION)]
    assert profile == subclasses("p", *features, names)


def test_both_are_crossed():
    profile = profile_of("p", cut(POOL, 500), cut(OPERATION, 300), ["x", "region"])
    assert profile.kind == "slices and subclasses"
    assert profile.columns == ("region",)
    assert profile.score.features == ("x",)
    (whole,) = cut(POOL, 3_000)
    weights, group = profile.weights(whole), profile.score.group_of(POOL["x"][:, None])
    there = profile.score.group_of(OPERATION["x"][:, None])
    assert weights.mean() == pytest.approx(1 - profile.unassessed)
    for region in ("eu", "us"):
        kind = (POOL["region"] == region) & (group == 7)
        share = np.mean((OPERATION["region"] == region) & (there == 7))
        assert weights[kind] == pytest.approx(share / kind.mean())


@pytest.mark.parametrize("columns", [["region", "night"], ["x", "y"], ["region", "x"]])
def test_the_same_however_the_rows_are_cut(columns, monkeypatch):
    """Also where the score is fitted on a sample; another seed takes another one."""
    monkeypatch.setattr(_profile_of, "SAMPLE", 700)
    found = [profile_of("p", cut(POOL, size), cut(OPERATION, size), columns) for size in (37, 512, 3_000)]
    assert found[0] == found[1] == found[2]
    assert sum(one.pool for one in found[0].classes) == 3_000
    assert sum(one.operation for one in found[0].classes) == 2_000
    other = profile_of("p", cut(POOL, 512), cut(OPERATION, 512), columns, seed=1)
    assert (other == found[0]) == (found[0].score is None)


def test_whole_numbers_are_the_same_kinds_in_whatever_type_they_come():
    operation = {**OPERATION, "tier": OPERATION["tier"].astype(float)}
    profile = profile_of("p", cut(POOL, 999), cut(operation, 999), ["tier"])
    assert [one.values for one in profile.classes] == [("0",), ("1",), ("2",)]


def test_operation_that_never_leaves_the_pool_weighs_one():
    profile = profile_of("p", cut(POOL, 1_000), cut(POOL, 1_000), ["region", "x"])
    (whole,) = cut(POOL, 3_000)
    assert profile.weights(whole) == pytest.approx(np.ones(3_000))


def changed(column, row, cell):
    cells = OPERATION[column].astype(object)
    cells[row] = cell
    return {**OPERATION, column: cells}


@pytest.mark.parametrize(
    ("pool", "operation", "columns", "line"),
    [
        (cut(POOL, 500), cut(OPERATION, 500, ["x"]), ["region"],
         "operation: column 'region' is missing: name one of x"),
        (cut(POOL, 500), [], ["region"], "operation has no rows"),
        ([], cut(OPERATION, 500), ["x"], "pool has no rows"),
        (cut(POOL, 500), cut({**OPERATION, "x": np.full(2_000, np.nan)}, 500), ["x"],
         "operation: column 'x' of item '0', nan, is missing"),
        (cut(POOL, 500), cut(changed("region", 700, None), 500), ["region"],
         "operation: column 'region' of item '700', None, is missing"),
        (cut(POOL, 500), cut(changed("x", 5, np.inf), 500), ["x"], "column 'x' of item '5', inf, must be finite"),
        (cut({"one": np.ones(9)}, 9), cut({"one": np.ones(4)}, 4), ["one"], "feature 'one' is 1 everywhere"),
        (cut({"id": np.array([f"a{n}" for n in range(10_001)])}, 5_000), cut({"id": np.array(["a0"])}, 1), ["id"],
         "more than 10,000 kinds"),
        (iter(cut(POOL, 500)), cut(OPERATION, 500), ["x"], "pool can be read once only"),
        (cut(POOL, 500), cut(OPERATION, 500), [], "at least one name"),
        (cut(POOL, 500), cut(OPERATION, 500), "x", "must be a list"),
    ],
)  # fmt: skip
def test_batches_that_make_no_profile(pool, operation, columns, line):
    with pytest.raises(InvalidInput, match=line) as error:
        profile_of("p", pool, operation, columns)
    assert "\n" not in str(error.value)


def test_without_columns_all_inputs_that_both_sides_have_make_kinds():
    pool, operation = cut(POOL, 500), cut(OPERATION, 300)
    hidden = [name for name in POOL if name not in ("region", "night")]
    assert profile_of("p", pool, operation, hidden=hidden) == profile_of("p", pool, operation, ["region", "night"])
    with pytest.raises(
        InvalidInput, match="profile='p' shares no input column with the pool: name some with columns=…"
    ):
        profile_of("p", pool, operation, hidden=list(POOL))
