"""Parts of a pool by label and difficulty: ties, gaps, labels nobody gave, and levels of the user's own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.masa import Partition
from ringtrue.core import InvalidInput

WAYS = {
    "label": Partition.by_label,
    "confidence": Partition.by_confidence,
    "signed": Partition.by_signed_confidence,
}


@pytest.mark.parametrize("way", WAYS)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from(["a", "b", "c", "d", None]),
            st.sampled_from([0.1, 0.2, 0.5, 0.9, float("nan")]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_parts_cover_the_pool_and_never_mix_labels(way, items):
    truth, old, sure = zip(*items, strict=True)
    known = Baseline.of(old=old, truth=truth, confidence=sure)
    found = WAYS[way](known)
    assert found.sizes.sum() == len(items)
    assert found.sizes.min() >= 1
    assert found.shares.sum() == pytest.approx(1)
    assert np.bincount(found.part).tolist() == found.sizes.tolist()
    assert found.label[found.part].tolist() == known.truth.tolist()
    assert np.unique(found.label).tolist() == list(range(known.labels)), "every label has a part"
    assert (np.diff(found.label) >= 0).all()
    if way in ("confidence", "signed"):
        missing = np.isnan(known.confidence)
        assert not set(found.part[missing]) & set(found.part[~missing]), "a missing confidence is a level of its own"
        together = {}
        for truth_code, right, value, part in zip(
            known.truth, known.truth == known.old, known.confidence, found.part, strict=True
        ):
            if not np.isnan(value):
                key = (truth_code, value, right if way == "signed" else None)
                assert together.setdefault(key, part) == part, "equal confidences stay together"


def test_thirds_of_each_label_from_the_least_sure_to_the_surest():
    sure = np.arange(18) / 20
    known = Baseline.of(old=["a"] * 18, truth=["a"] * 9 + ["b"] * 9, confidence=sure)
    assert Partition.by_confidence(known).part.tolist() == np.repeat(range(6), 3).tolist()
    assert Partition.by_confidence(known, 1).parts == 2
    # All of label b was wrong: the surest mistakes come first.
    assert Partition.by_signed_confidence(known).part.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 5, 5, 5, 4, 4, 4, 3, 3, 3]


def test_without_confidences_signed_levels_tell_right_from_wrong():
    known = Baseline.of(old=["a", "b", "a"], truth=["a", "a", "a"])
    assert Partition.by_confidence(known).parts == 1
    assert Partition.by_signed_confidence(known).part.tolist() == [1, 0, 1]


def test_one_value_for_all_is_one_level():
    known = Baseline.of(old=["a"] * 5, truth=["a"] * 5, confidence=[0.9] * 5)
    assert Partition.by_confidence(known).sizes.tolist() == [5]


def test_bad_levels_are_refused():
    known = Baseline.of(old=["a"] * 4)
    for way in (Partition.by_confidence, Partition.by_signed_confidence):
        with pytest.raises(InvalidInput, match="levels=0 must be at least 1"):
            way(known, 0)


def test_parts_of_kinds_are_signed_thirds_as_far_as_kinds_go():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3_000)
    sure = rng.random(3_000)
    old = np.where(rng.random(3_000) < 0.4 + 0.6 * sure, truth, (truth + 1) % 3)
    known = Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=sure)
    census, kind = Census.take(known)
    found = Partition.of_kinds(census)
    assert found.parts == 9
    assert found.sizes.sum() == 3_000
    assert found.sizes.tolist() == np.bincount(found.part[kind]).tolist()
    assert (found.label[found.part] == census.truth).all()
    # Within a label an earlier part never holds an item that is signed higher than one of a later part.
    signed = np.where(known.old == known.truth, sure, -sure)
    wrong = known.old != known.truth
    for label in range(3):
        of_right = [signed[(found.part[kind] == part) & ~wrong] for part in np.flatnonzero(found.label == label)]
        tops = [values.max() for values in of_right if len(values)]
        assert tops == sorted(tops)
        assert not wrong[found.part[kind] == np.flatnonzero(found.label == label)[-1]].any()


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_parts_of_kinds_are_those_of_the_items_with_levels_for_confidences(seed, levels):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 300))
    truth = rng.integers(0, 3, size)
    old = np.where(rng.random(size) < 0.6, truth, rng.integers(0, 4, size))
    sure = rng.random(size).round(1)
    sure[rng.random(size) < rng.choice([0, 0.3, 1])] = np.nan
    known = Baseline.of(old=old.tolist(), truth=truth.tolist(), confidence=sure)
    census, kind = Census.take(known)
    coarse = np.where(np.isnan(sure), np.nan, 1 + census.level[kind])
    by_items = Partition.by_signed_confidence(replace(known, confidence=coarse), levels)
    by_kinds = Partition.of_kinds(census, levels)
    assert by_kinds.part[kind].tolist() == by_items.part.tolist()
    assert by_kinds.sizes.tolist() == by_items.sizes.tolist()


def test_parts_of_kinds_without_labels_or_confidences():
    unlabelled, _ = Census.take(Baseline.of(old=["a", "b", "b"]))
    assert Partition.of_kinds(unlabelled).sizes.tolist() == [1, 2]
    census, _ = Census.take(Baseline.of(old=["a", "b", "b", None], truth=["a", "a", "b", "b"]))
    found = Partition.of_kinds(census)
    assert found.sizes.tolist() == [1, 1, 1, 1], "right and wrong are apart, an empty answer is wrong"
