"""The margin by which a model is wrong."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.risk.rare import margin


def test_the_margin_is_at_least_zero_exactly_where_the_model_is_wrong_or_tied():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(500, 4))
    labels = rng.integers(0, 4, 500)
    found = margin(logits, labels)
    assert np.array_equal(found >= 0, logits.argmax(axis=1) != labels)
    assert np.array_equal(margin(logits, 2)[labels == 2], found[labels == 2])
    assert margin([[1.0, 1.0]], 1).tolist() == [0.0]


@pytest.mark.parametrize(
    ("logits", "label", "told"),
    [
        ([1.0, 2.0], 0, "logits of the shape (2,) must have the shape (points, classes), classes >= 2"),
        ([[1.0]], 0, "logits of the shape (1, 1) must have the shape (points, classes), classes >= 2"),
        ([[1.0, 2.0]], 2, "label=2 must be the number of a class, 0 to 1"),
        ([[1.0, 2.0]], "cat", "label='cat' must be the number of a class, 0 to 1"),
        ([[1.0, 2.0]], [0, 1], "label of the shape (2,) must be one number, or one for each of 1 points"),
    ],
)
def test_wrong_input_is_told_in_one_line(logits, label, told):
    with pytest.raises(InvalidInput) as error:
        margin(logits, label)
    assert str(error.value) == told
