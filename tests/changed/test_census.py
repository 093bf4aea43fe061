"""What is known of a pool before anything is asked: levels, kinds, labels nobody gave and answers that are none."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.changed import EMPTY, Baseline, Census, Columns
from ringtrue.changed._baseline import cut, level_of
from ringtrue.core import InvalidInput
from ringtrue.pools import read_pool
from support.shifts import frame, pool


def test_tied_confidences_are_never_parted():
    values, groups = np.array([0.0] * 67 + [0.5] * 20 + [0.9] * 13), np.zeros(100, dtype=int)
    cuts = cut(values, groups, 3)
    levels = level_of(values, groups, cuts)
    for value in (0.0, 0.5, 0.9):
        assert len(set(levels[values == value].tolist())) == 1
    assert cuts == {0: (0.0,)}


def test_all_confidences_tied_leave_one_level():
    values, groups = np.full(50, 0.7), np.zeros(50, dtype=int)
    assert set(level_of(values, groups, cut(values, groups, 3)).tolist()) == {0}


def test_a_missing_confidence_has_a_level_of_its_own():
    values = np.array([0.1, 0.2, 0.3, np.nan, 0.4, 0.5, 0.6])
    groups = np.zeros(7, dtype=int)
    levels = level_of(values, groups, cut(values, groups, 2))
    assert levels[3] not in levels[[0, 1, 2, 4, 5, 6]]
    assert set(level_of(np.full(5, np.nan), np.zeros(5, dtype=int), {0: ()}).tolist()) == {1}


def test_small_groups_are_not_cut_into_crumbs():
    known = Baseline.of(old=["a"] * 30 + ["b"] * 19, truth=["a"] * 49, confidence=np.linspace(0, 1, 49))
    census, _ = Census.take(known)
    assert census.level[census.old == 1].tolist() == [0]  # 19 items: fewer than one level takes
    assert len(census.level[census.old == 0]) == 1  # 30 items: fewer than two levels take


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from(["a", "b", "c", "d", None]), st.sampled_from([0.1, 0.5, 0.9, None])
        ),
        min_size=1,
        max_size=80,
    )
)
def test_the_census_counts_every_item_once(items):
    truth, old, sure = zip(*items, strict=True)
    known = Baseline.of(old=old, truth=truth, confidence=sure)
    census, kind = Census.take(known)
    assert census.size == len(items)
    assert np.array_equal(np.bincount(kind, minlength=census.kinds), census.items)
    assert np.array_equal(census.truth[kind], known.truth)
    assert np.array_equal(census.old[kind], known.old)
    matrix = np.zeros((census.labels, len(census.answers)))
    np.add.at(matrix, (known.truth, known.old), 1 / len(items))
    np.testing.assert_allclose(census.old_matrix(), matrix, atol=1e-12)
    again = Census.from_json(json.loads(json.dumps(census.to_json())))
    assert again.to_json() == census.to_json()
    found = again.find(["?"] * len(items), [known.answers[one] for one in known.truth],
                       [known.answers[one] for one in known.old], known.confidence)  # fmt: skip
    assert np.array_equal(found, kind)
    assert [again.of_words("?", again.words(int(one))) for one in kind] == kind.tolist()


def test_an_answer_that_is_none_has_a_name_and_a_column():
    known = Baseline.of(old=["a", "", None, float("nan")], truth=["a", "a", "b", "b"])
    assert known.answers == ("a", "b", EMPTY)
    assert known.labels == 2
    assert known.old.tolist() == [0, 2, 2, 2]


def test_a_label_the_old_model_never_gave_has_a_row():
    known = Baseline.of(old=["a", "a"], truth=["a", "z"])
    assert Census.take(known)[0].old_matrix().tolist() == [[0.5, 0.0], [0.5, 0.0]]


def test_without_labels_rows_are_what_the_old_model_said():
    census, _ = Census.take(Baseline.of(old=["a", "a", "b"]))
    assert not census.labelled
    np.testing.assert_allclose(census.old_matrix(), [[2 / 3, 0], [0, 1 / 3]])


def test_one_class_is_no_special_case():
    census, _ = Census.take(Baseline.of(old=["a"] * 5, truth=["a"] * 5))
    assert census.old_matrix().tolist() == [[1.0]]


def test_new_answers_add_names_at_the_end():
    known = Baseline.of(old=["a", "b"], truth=["a", "b"])
    names, codes = known.code(["b", "new", None, "new"])
    assert names == ("a", "b", "new", EMPTY)
    assert codes.tolist() == [1, 2, 3, 2]


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        ({"old": []}, "old has no answers"),
        ({"old": ["a"], "truth": ["a", "b"]}, "truth has 2 entries for 1 old answers"),
        ({"old": ["a", "b"], "truth": ["a", None]}, "truth of item 1 is missing"),
        ({"old": ["a"], "confidence": [0.1, 0.2]}, "confidence has 2 entries"),
        ({"old": ["a"], "confidence": ["high"]}, "confidence is not a number"),
        ({"old": ["a"], "confidence": [float("inf")]}, "confidence is infinite"),
    ],
)
def test_what_cannot_be_a_baseline_says_so(given_, line):
    with pytest.raises(InvalidInput, match=line) as raised:
        Baseline.of(**given_)
    assert "\n" not in str(raised.value)


def test_a_pool_is_counted_by_its_columns():
    census = Columns("old", "truth", "sure", ("region",)).census(pool(400))
    table = frame(400)
    assert census.size == 400
    assert {value: int(items.sum()) for value, items in census.slices["region"].items()} == dict(
        table["region"].value_counts()
    )
    np.testing.assert_allclose(np.trace(census.old_matrix()), np.mean(table["old"] == table["truth"]))


@pytest.mark.parametrize(
    ("columns", "change", "line"),
    [
        (Columns("past"), {}, "old='past' is not a column"),
        (Columns("old", "gold"), {}, "truth='gold' is not a column"),
        (Columns("old", None, "surely"), {}, "confidence='surely' is not a column"),
        (Columns("old", None, None, ("area",)), {}, "slices='area' is not a column"),
        (Columns("old", None, "text"), {}, "column 'text': confidence is not a number"),
        (Columns("old", None, None, ("id",)), {}, "slices='id' has 300 values: use a column of at most 50"),
        (Columns("old", "truth"), {"truth": ["c0"] * 299 + [None]}, "item 'item 299' has no label in column 'truth'"),
    ],
)
def test_columns_that_do_not_do_say_which_and_why(columns, change, line):
    items = read_pool(frame(300).assign(**change), id="id")
    with pytest.raises(InvalidInput, match=line) as raised:
        columns.census(items)
    assert "\n" not in str(raised.value)


def test_an_item_that_was_not_counted_is_refused():
    columns = Columns("old", "truth")
    census = columns.census(pool(50, classes=2))
    batch = pool(50, classes=4, seed=9).take(range(50))
    with pytest.raises(InvalidInput, match="of no kind that was counted"):
        columns.kinds(batch, census)
