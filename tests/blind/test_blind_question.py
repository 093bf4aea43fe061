"""The question: its settings, what it sees from a pool, what it prepares, and what it refuses in one line."""

import json

import numpy as np
import pytest

from ringtrue.blind import Blind, Distance, Inputs
from ringtrue.blind._estimator import is_due
from ringtrue.blind._scope import label_code
from ringtrue.core import Batch, InvalidInput, Labels, Record
from ringtrue.models import ArrayModel
from ringtrue.pools import TablePool
from ringtrue.testing import check_question
from support import scanned

IMAGES = np.random.default_rng(0).integers(0, 255, (60, 6, 6), dtype=np.uint8)


def brightness(images):
    light = np.asarray(images, dtype=float).reshape(len(images), -1).mean(axis=1) / 255
    chance = 1 / (1 + np.exp(-40 * (light - 0.5)))
    return np.where(chance > 0.5, "light", "dark").tolist(), np.stack([1 - chance, chance], axis=1), ["dark", "light"]


def pool(**columns):
    return TablePool({"image": IMAGES, "kind": np.array(["a", "b", ""] * 20), **columns}, name="pictures")


def test_a_question_is_the_same_after_json():
    question = Blind.of(
        pool(), "dark", model=ArrayModel(brightness, "image"), inputs="image", slices="kind", claim="error <= 10%",
        threshold=0.7, floor=0.3, seed=4,
    )  # fmt: skip
    again = Blind.from_config(json.loads(json.dumps(question.config())))
    assert again.config() == question.config()
    assert again.inputs == Inputs(("image",), (0.0,), (255.0,))
    assert again.slices == {"kind": ("(empty)", "a", "b")}
    assert again.distance == Distance("rays", 50)
    assert again.variations


def test_a_stored_model_is_not_asked_around_the_items():
    question = Blind.of(pool(said=np.array(["dark"] * 60)), model="said", inputs="image", score="sure")
    assert not question.variations
    assert question.distance is None
    assert len(question.passes()) == 1


def prepared(question, items, **changed):
    batch = items.take(range(items.size))
    answers = ArrayModel(changed.get("function", brightness), "image").answer(batch)
    return scanned(question, batch, answers)


def test_scores_gather_into_a_scope_with_groups_bins_and_starts():
    question = Blind.of(
        pool(), "dark", model=ArrayModel(brightness, "image"), inputs="image", slices="kind", threshold=0.55
    )
    chunk = prepared(question, pool())
    scores = question.gather(chunk)
    inside = (chunk["label"] == label_code("dark")) & (chunk["confidence"] > 0.55)
    assert inside.sum() > 5
    assert np.array_equal(scores["scope"], np.where(inside, inside.sum(), 0))
    starts = scores["start"][inside]
    assert (chunk["label"][starts] == label_code("light")).all()
    assert set(scores["bin"][~inside]) == {-1}
    assert scores["bin_items"][inside].min() >= 1
    assert scores["slice_items 0"][inside].sum() == sum(count**2 for count in np.bincount(scores["slice 0"][inside]))
    blocks = question.passes()[1].blocks(scores)
    assert np.array_equal(np.concatenate([block.rows for block in blocks]), np.flatnonzero(inside))


def test_the_temperature_softens_and_a_column_replaces_the_confidence():
    sharp = prepared(Blind(None, threshold=0.5), pool())["confidence"]
    soft = prepared(Blind(None, threshold=0.5, temperature=3.0), pool())["confidence"]
    assert (soft <= sharp + 1e-12).all()
    assert np.argsort(soft).tolist() == np.argsort(sharp).tolist()
    given = np.linspace(0.5, 1, 60)
    assert prepared(Blind(None, score="sure"), pool(sure=given))["confidence"].tolist() == given.tolist()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Blind(threshold=1.2), "threshold=1.2 must lie in"),
        (lambda: Blind(floor=-0.1), "floor=-0.1 must lie in"),
        (lambda: Blind(search="clever"), "search='clever' is none of"),
        (lambda: Blind(goal="most"), "goal='most' is none of errors, excess"),
        (lambda: Blind(goal="errors", search="random"), "goal='errors' is for the search 'learning'"),
        (lambda: Blind(edition=3), "edition=3 is not one there is"),
        (lambda: Blind(temperature=0), "temperature=0 must be a positive number"),
        (lambda: Blind(temperature=2.0, score="sure"), "drop one"),
        (lambda: Blind(variations=True), "give inputs="),
        (lambda: Blind(slices={"cluster": ["a"]}), "rename it"),
        (lambda: Blind(search="adversarial-distance"), "give distance='boundary'"),
        (lambda: Distance("attack"), "distance='attack' is none of"),
        (lambda: Distance("rays", 0), "queries=0 must be a whole number"),
        (lambda: Blind(claim="deviation <= 1"), "speaks of deviation"),
        (lambda: Blind.of(pool(), inputs="picture"), "'picture' is not a column"),
        (lambda: Blind.of(pool(), inputs="kind"), "holds no numbers"),
        (lambda: Blind.of(pool(), inputs=["image", "kind"]), "holds no numbers"),
        (lambda: Blind.of(pool(), slices="color"), "'color' is not a column"),
        (lambda: Blind.of(pool(x=np.arange(60)), inputs=["x", "x"]), "names a column twice"),
        (lambda: Blind.of(pool(many=np.arange(60)), slices="many"), "more than 50 values"),
        (lambda: Blind.of(TablePool({"x": np.array([1, np.nan])}, name="two"), inputs="x"), "item '1' has a"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_in_one_line(make, words):
    with pytest.raises(InvalidInput, match=r".+") as refused:
        make()
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def ragged():
    column = np.empty(2, dtype=object)
    column[:] = [np.zeros((3, 3)), np.zeros((4, 3))]
    return TablePool({"image": column}, name="two")


def test_images_of_different_sizes_are_refused_with_the_item():
    with pytest.raises(InvalidInput, match=r"item '1' has an input of shape \(4, 3\), item '0' of \(3, 3\)"):
        Blind.of(ragged(), inputs="image")


@pytest.mark.parametrize(
    ("question", "changed", "words"),
    [
        (Blind("cat"), {}, "critical='cat': the model gives this answer to none of the 60 items"),
        (Blind("dark", threshold=0.9999), {}, "threshold=0.9999: none of"),
        (Blind(score="sure"), {}, "score='sure' is not a column"),
    ],
)
def test_a_hunt_without_items_is_refused_in_one_line(question, changed, words):
    with pytest.raises(InvalidInput, match=r".+") as refused:
        question.gather(prepared(question, pool(), **changed))
    assert words in str(refused.value)


@pytest.mark.parametrize(("cell", "words"), [(1.2, "1.2"), (np.nan, None), (-0.5, "-0.5")])
def test_confidences_outside_the_unit_interval_are_refused(cell, words):
    sure = np.full(60, 0.8)
    sure[7] = cell
    said = "no confidence" if words is None else f"the confidence {words}"
    with pytest.raises(InvalidInput, match=rf"item '7' has {said}"):
        prepared(Blind(score="sure"), pool(sure=sure))


def test_labels_without_probabilities_and_numbers_are_refused():
    batch = Batch(["a"], {})
    with pytest.raises(InvalidInput, match="labels without probabilities"):
        scanned(Blind(), batch, Labels(["cat"]))
    with pytest.raises(InvalidInput, match="needs a classifier"):
        scanned(Blind(), batch)


def test_it_keeps_the_rules_of_questions():
    rng = np.random.default_rng(2)
    scores = Blind(None, threshold=0.5).gather({
        "label": np.ones(60, dtype=np.int64), "confidence": 0.6 + 0.4 * rng.random(60),
        "features": rng.standard_normal((60, 3)),
    })  # fmt: skip
    for search in ("learning", "coverage"):
        check_question(lambda search=search: Blind(None, threshold=0.5, search=search), scores=scores)


def test_a_constant_confidence_is_no_obstacle():
    rng = np.random.default_rng(3)
    scores = Blind(None).gather({
        "label": np.ones(80, dtype=np.int64), "confidence": np.full(80, 0.9), "features": rng.standard_normal((80, 3)),
    })  # fmt: skip
    from ringtrue.blind import simulate

    records = simulate(Blind(None), scores, rng.random(80) < 0.2, budget=30)
    assert len(records) == 30
    assert isinstance(records[0], Record)


def test_looks_grow_with_the_draws():
    assert sum(map(is_due, range(1, 10_001))) < 700
