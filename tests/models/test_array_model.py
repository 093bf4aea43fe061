"""A model of one array: full calls of bounded size, the same answers however they are cut, refusals in one line."""

import numpy as np
import pytest

from ringtrue.core import Batch, InvalidInput, Labels
from ringtrue.models import ArrayModel

IMAGES = np.random.default_rng(0).random((10, 3, 3))
BATCH = Batch([str(number) for number in range(10)], {"image": IMAGES})


def judged(images):
    light = np.asarray(images).mean(axis=(1, 2))
    return np.where(light > 0.5, "light", "dark"), np.stack([1 - light, light], axis=1), ["dark", "light"]


def test_calls_are_cut_and_joined():
    sizes = []

    def counting(images):
        sizes.append(len(images))
        return judged(images)

    whole = ArrayModel(judged, "image").answer(BATCH)
    parts = ArrayModel(counting, "image", most=4).answer(BATCH)
    assert sizes == [4, 4, 2]
    assert parts.labels == whole.labels
    assert np.array_equal(parts.probabilities, whole.probabilities)
    assert parts.classes == ["dark", "light"]


def test_labels_alone_and_labels_with_chances_are_answers():
    bare = ArrayModel(lambda images: ["x"] * len(images), "image", most=3).answer(BATCH)
    assert bare.labels == ["x"] * 10
    assert bare.probabilities is None
    told = ArrayModel(lambda images: Labels(["x"] * len(images)), "image").answer(BATCH)
    assert told.labels == ["x"] * 10


def test_what_is_no_model_or_no_answer_is_refused():
    with pytest.raises(InvalidInput, match="cannot be called"):
        ArrayModel("predict", "image")
    with pytest.raises(InvalidInput, match="names no column"):
        ArrayModel(judged, "")
    with pytest.raises(InvalidInput, match="needs the column 'picture'"):
        ArrayModel(judged, "picture").answer(BATCH)
    with pytest.raises(InvalidInput, match="returned 1 answer for 10 items"):
        ArrayModel(lambda images: ["x"], "image").answer(BATCH)
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.zeros((2, 2)), np.zeros((3, 2))]
    with pytest.raises(InvalidInput, match="arrays of 2 shapes"):
        ArrayModel(judged, "image").answer(Batch(["a", "b"], {"image": ragged}))
