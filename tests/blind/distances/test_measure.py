"""The one door to all methods: what it refuses, and what every method keeps."""

import numpy as np
import pytest

from ringtrue.blind.distances import METHODS, Asker, Box, Decisions, measure
from ringtrue.blind.distances._starts import nearest_of_another_label
from ringtrue.core import InvalidInput

RNG = np.random.default_rng(0)
INPUTS = RNG.uniform(0.2, 0.8, size=(6, 5, 4)).astype(np.float32)
OTHERS = RNG.uniform(0, 1, size=(40, 5, 4)).astype(np.float32)


def predict(points):
    """Three labels."""
    return np.digitize(points.mean(axis=(1, 2)), [0.45, 0.52])


def never(points):
    return np.zeros(len(points), dtype=int)


def measured(method="hopskipjump", model=predict, **changes):
    given = {"inputs": INPUTS, "labels": model(INPUTS), "others": (OTHERS, model(OTHERS)), "queries": 60} | changes
    return measure(method, model, rng=np.random.default_rng(0), **given)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_changed_inputs_within_its_bound(method):
    asked = []

    def counting(points):
        asked.append(len(points))
        return predict(points)

    found = measured(method, model=counting)
    asked_here = sum(asked) - len(INPUTS) - len(OTHERS)
    assert found.changed.all()
    assert found.nearest.dtype == np.float32
    assert np.all(predict(found.nearest) != predict(INPUTS))
    assert found.nearest.min() >= 0
    assert found.nearest.max() <= 1
    assert found.queries.sum() == asked_here
    assert found.queries.max() <= 60 + 7
    assert found.queries.shape == (6,)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same_bits_again(method):
    np.testing.assert_array_equal(measured(method).nearest, measured(method).nearest)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_on_a_model_that_never_changes_its_answer(method):
    found = measured(method, model=never)
    assert not found.changed.any()
    np.testing.assert_array_equal(found.nearest, INPUTS)
    assert np.isnan(found.measured("linf", Box(0, 1))).all()
    assert found.queries.max() <= 60 + 7


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_no_items(method):
    empty = np.zeros((0, 5, 4), dtype=np.float32)
    found = measured(method, inputs=empty, labels=np.zeros(0, dtype=int))
    assert found.nearest.shape == (0, 5, 4)
    assert found.measured("l2", Box(0, 1)).shape == (0,)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_works_in_any_box(method):
    """Rows whose features have widths a million times apart: distances are those of the unit cube."""
    width = np.array([1e-3, 1e3, 1.0])
    rows = RNG.uniform(0.1, 0.9, size=(5, 3))
    others = RNG.uniform(0, 1, size=(30, 3))

    def above(points):
        return (points @ (1 / width) > 1.5).astype(int)

    box = Box(np.zeros(3), width)
    found = measure(
        method, above, rows * width, above(rows * width), box=box, rng=np.random.default_rng(0),
        others=(others * width, above(others * width)), queries=120,
    )  # fmt: skip
    truth = np.abs(rows.sum(axis=1) - 1.5) / np.sqrt(3)
    assert found.changed.all()
    assert np.all(found.measured("l2", box) > 0.99 * truth)
    assert np.median(found.measured("l2", box) / truth) < 2


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_items_of_one_number(method):
    rows, others = np.array([[0.2], [0.9]]), np.array([[0.1], [0.8]])

    def above(points):
        return (points[:, 0] > 0.5).astype(int)

    found = measure(
        method, above, rows, above(rows), rng=np.random.default_rng(0), others=(others, above(others)), queries=60
    )
    np.testing.assert_allclose(found.measured("linf", Box(0, 1)), [0.3, 0.4], rtol=0.3)


def test_the_box_is_guessed():
    bytes_ = (INPUTS * 255).astype(np.uint8)

    def of_bytes(points):
        return predict(points / 255)

    found = measure("rays", of_bytes, bytes_, of_bytes(bytes_), rng=np.random.default_rng(0))
    assert found.changed.all()
    assert found.measured("linf", Box(0, 255)).max() < 0.5


def test_the_guessed_box_holds_the_others_too():
    found = measured(inputs=INPUTS + 1, labels=predict(INPUTS + 1), others=(OTHERS - 9, predict(OTHERS - 9)))
    assert found.changed.all()
    with pytest.raises(InvalidInput, match=r"others\[0\] lies outside the box"):
        measured(others=(OTHERS - 9, predict(OTHERS - 9)), box=Box(0, 1))


def test_starts_are_the_nearest_of_another_label():
    inputs = np.array([[0.0, 0.0], [1.0, 1.0], [0.4, 0.5]], dtype=np.float32)
    others = np.array([[0.1, 0.0], [0.3, 0.3], [0.9, 0.9], [0.5, 0.5]], dtype=np.float32)
    labels, other_labels = np.array([0, 1, 2]), np.array([0, 1, 1, 0])
    asker, box = Asker(predict), Box(0, 1)
    first = nearest_of_another_label(Decisions(asker, inputs, labels, box), others, other_labels)
    np.testing.assert_array_equal(first[:, 0], others[[1, 3, 3]])
    three = nearest_of_another_label(Decisions(asker, inputs, labels, box), others, other_labels, 3)
    np.testing.assert_array_equal(three[0], [others[1], others[2], inputs[0]])
    np.testing.assert_array_equal(three[2], others[[3, 1, 0]])
    # In a box of which the second side counts for nothing, 0.3 is nearer to 0.38 than 0.5 is.
    flat = np.array([[0.38, 0.5]], dtype=np.float32)
    np.testing.assert_array_equal(
        nearest_of_another_label(Decisions(asker, flat, labels[2:], box), others, other_labels)[0, 0], others[3]
    )
    wide = nearest_of_another_label(Decisions(asker, flat, labels[2:], Box([0, 0], [1, 100])), others, other_labels)
    np.testing.assert_array_equal(wide[0, 0], others[1])
    none = nearest_of_another_label(Decisions(asker, inputs[:1], labels[:1], box), others[:1], other_labels[:1])
    np.testing.assert_array_equal(none[:, 0], inputs[:1])


def holed():
    inputs = INPUTS.copy()
    inputs[[2, 4], 1, 1] = np.nan
    return inputs


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"method": "deepfool"}, f"method='deepfool' must be one of {', '.join(METHODS)}"),
        ({"inputs": holed()}, "inputs[2] holds NaN or infinite numbers: leave it out or fill it in (2 of 6)"),
        ({"box": Box(0, 0.5)}, None),
        ({"inputs": [np.zeros((2, 2)), np.zeros((3, 2))]}, "inputs must be numbers in arrays of one shape"),
        ({"inputs": np.array([[0], [None]])}, "inputs must be numbers in arrays of one shape"),
        ({"inputs": np.zeros(6)}, "inputs must be numbers in arrays of one shape"),
        ({"labels": [0, 1]}, "labels of shape (2,) for 6 inputs: give one label code for each"),
        ({"labels": ["a"] * 6}, "labels of <U1 for inputs must be integer codes: number the labels"),
        ({"others": (OTHERS, [0])}, "labels of shape (1,) for 40 others: give one label code for each"),
        ({"others": (OTHERS[:, :3], np.zeros(40, dtype=int))}, "others have the shape (3, 4), inputs (5, 4)"),
        ({"box": Box(np.zeros(3), np.ones(3))}, "box of shape (3,) does not fit inputs of shape (5, 4)"),
        ({"queries": 0}, "queries=0 must be at least 1: a distance needs the model's answers"),
    ],
)  # fmt: skip
def test_refusals(changes, line):
    with pytest.raises(InvalidInput) as error:
        measured(**changes)
    outside = int((INPUTS > 0.5).any(axis=(1, 2)).sum())
    wanted = line or f"inputs[0] lies outside the box: give the box it comes from ({outside} of 6)"
    assert str(error.value).startswith(wanted)
    assert "\n" not in str(error.value)
