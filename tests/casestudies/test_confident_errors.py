"""The case study of confident errors: tasks are what they say, measurements are kept, and the study runs small."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from confident_errors import measured, tasks
from confident_errors._data import Images, load, missing
from confident_errors.entries import ADVDIST, ENTRIES, SHIPPED
from confident_errors.hunts import Hunts, hunts, pools_of
from confident_errors.measured import distances
from confident_errors.run import main, results
from confident_errors.scores import scores
from confident_errors.tables import Tried, beside_table, geometric_mean, spread_text
from confident_errors.tasks import CAT, DOG, PETS, SHIRT, TASKS, split
from confident_errors.trained import Judged

needs_data = pytest.mark.skipif(bool(missing()), reason="the images are not beside the checkout")
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
BY_NAME = {task.name: task for task in TASKS}


def test_three_ways_on_three_data_sets():
    assert {(task.data, task.way) for task in TASKS} == {
        (data, way) for data in ("MNIST", "Fashion-MNIST", "CIFAR-10") for way in ("bias", "shift", "overfitting")
    }


def test_bias_takes_out_what_it_says():
    brightness = np.tile(np.linspace(0.1, 0.9, 100), 2)
    images = Images(np.ones((200, 2, 2), dtype=np.float32) * brightness[:, None, None], np.repeat([CAT, DOG], 100))
    kept = BY_NAME["C_bias"].kept(images)
    cats, dogs = kept[:100], kept[100:]
    assert np.flatnonzero(~cats).tolist() == list(range(12))
    assert np.flatnonzero(~dogs).tolist() == list(range(88, 100))
    shirts = replace(images, classes=np.repeat([SHIRT, 0], 100))
    assert np.flatnonzero(~BY_NAME["F_bias"].kept(shirts)).tolist() == list(range(75, 100))


def test_shifts_change_the_test_images_alone():
    colours = np.random.default_rng(0).random((3, 4, 4, 3), dtype=np.float32)
    grey = BY_NAME["C_shift"].shifted(colours)
    assert grey.shape == colours.shape
    assert np.ptp(grey, axis=-1).max() == 0
    image = np.zeros((1, 5, 5), dtype=np.float32)
    image[0, 2, 1] = 1
    assert np.argwhere(BY_NAME["M_shift"].shifted(image)[0]).tolist() == [[2, 3]]
    washed = BY_NAME["F_shift"].shifted(image)
    assert (washed.min(), washed.max()) == pytest.approx((0.2, 1.0))


@pytest.mark.parametrize("data", ["MNIST", "CIFAR-10"])
def test_parts_share_no_image(monkeypatch, data):
    """Every image has a number of its own, which stands in its first pixel."""
    count = 30_000 if data == "MNIST" else 4000
    numbered = Images(np.arange(count, dtype=np.float32).reshape(-1, 1, 1), np.arange(count) % 10)
    monkeypatch.setattr(tasks, "load", lambda name, shared: numbered)
    task = replace(TASKS[0], data=data, train=500, validation=200, critical=PETS, other=(4, 7))
    parts = split(task, seed=0)
    each = [set(part.images.ravel().tolist()) for part in (parts.train, parts.validation, parts.test)]
    assert len(each[0] | each[1] | each[2]) == sum(map(len, each))
    assert (len(each[0]), len(each[1])) == (500, 200)
    assert data != "MNIST" or max(each[2]) < 10_000
    np.testing.assert_array_equal(parts.test.classes == 1, np.isin(parts.test.images.ravel() % 10, PETS))


@pytest.fixture
def judged():
    """A model that calls bright images critical, on random images; the brightest third is wrong."""
    images = np.random.default_rng(0).random((600, 4, 4), dtype=np.float32)

    def margins(some):
        return 40 * (some.mean(axis=(1, 2), dtype=np.float64) - 0.48)

    said = margins(images)
    confidence = 1 / (1 + np.exp(-np.abs(said)))
    scope = np.flatnonzero((said > 0) & (confidence > 0.65))
    return Judged(
        task=TASKS[0], seed=0, images=images, codes=(said > 0).astype(np.int64), confidence=confidence,
        wrong=said > np.quantile(said, 0.67), scope=scope, margins=margins, temperature=1.0, accuracy_validation=0.9,
    )  # fmt: skip


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(measured, "BLOCK", 50)


def test_distances_are_kept_block_by_block(judged, tmp_path, monkeypatch, small_blocks):
    found = distances("rays", judged, 120, tmp_path)
    assert found.distance.shape == found.queries.shape == (120,)
    assert found.changed.all()
    assert len(list(tmp_path.rglob("*.npz"))) == 3
    (tmp_path / "rays" / f"{judged.task.name}-0-1.npz").unlink()
    asked = []
    again = measured.measure
    monkeypatch.setattr(
        measured, "measure", lambda *given, **more: asked.append(len(given[2])) or again(*given, **more)
    )
    np.testing.assert_array_equal(distances("rays", judged, 120, tmp_path).distance, found.distance)
    assert asked == [50]


def test_a_new_scope_is_measured_anew(judged, tmp_path, small_blocks):
    before = distances("rays", judged, 50, tmp_path)
    other = replace(judged, scope=judged.scope[::-1].copy())
    after = distances("rays", other, 50, tmp_path)
    assert not np.array_equal(before.distance, after.distance)
    np.testing.assert_array_equal(distances("rays", other, 50, tmp_path).distance, after.distance)


@pytest.fixture
def known(judged, tmp_path, monkeypatch):
    """Scores whose attack is short: RayS stands in for the Boundary Attack."""
    real = distances
    monkeypatch.setattr(
        "confident_errors.scores.distances", lambda method, of, items: real("rays", of, items, tmp_path)
    )
    found = scores(judged, 120)
    return replace(found, boundary=replace(found.rays, queries=np.full(120, 12_000)))


def test_every_search_asks_each_item_once_and_is_counted(judged, known):
    pools = pools_of(len(known), 2, seed=0)
    assert [len(set(rows.tolist())) for rows in pools] == [75, 75]
    found = {entry.name: hunts(entry, known, pools) for entry in ENTRIES}
    for each in found.values():
        assert each.wrong.shape == each.doubt.shape == (2, 50)
        assert each.spreads.shape == (2, 2)
        assert np.all(each.spreads[:, 1] <= each.spreads[:, 0])
    assert found["random"].queries == 0
    assert found[ADVDIST.name].queries == 12_000
    assert found[SHIPPED.name].queries == 8 + known.rays.queries.mean()
    lowest = np.sort(1 - known.confidence[pools[0]])[::-1][:50]
    np.testing.assert_array_equal(found["lowest confidence"].doubt[0], lowest)
    text = results([Tried(judged, known, found)], 2)
    assert all(entry.name in text for entry in ENTRIES)


def test_a_fifth_at_random_asks_no_item_twice(known):
    """Every confidence is one of a kind, so that an item asked twice would show."""
    entry = next(entry for entry in ENTRIES if entry.floor)
    found = hunts(entry, known, pools_of(len(known), 1, seed=1))
    assert len(np.unique(found.doubt[0])) == 50
    plain = hunts(replace(entry, floor=False), known, pools_of(len(known), 1, seed=1))
    np.testing.assert_array_equal(found.doubt[0, :4], plain.doubt[0, :4])
    assert not np.array_equal(found.doubt, plain.doubt)


def _hunts(entry, wrong, doubt, queries=1.0):
    """Two pools whose first questions are wrong so many times."""
    answers = np.zeros((2, 50), dtype=bool)
    answers[:, :wrong] = True
    return Hunts(entry, answers, np.full((2, 50), doubt), np.ones((2, 2)), queries)


def test_ratios_and_excess_by_hand():
    found = _hunts(SHIPPED, wrong=10, doubt=0.1)
    assert found.errors(20).tolist() == [10, 10]
    assert found.expected(20) == pytest.approx([2, 2])
    assert found.excess(50) == pytest.approx([5, 5])
    assert found.ratios(20) == pytest.approx([5, 5])
    assert found.pooled_ratio(50) == pytest.approx(2)


def test_quotients_do_not_divide_by_nothing(judged):
    """AdvDist finds 5 errors fewer than it should: its excess counts as a half, and ours is ten times that."""
    pair = {SHIPPED.name: _hunts(SHIPPED, 10, 0.1), ADVDIST.name: _hunts(ADVDIST, 0, 0.1, queries=500.0)}
    last = beside_table([Tried(judged, None, pair)]).splitlines()[-1]
    cells = [cell.strip() for cell in last.split("|")[2:-1] if cell.strip()]
    assert cells == ["16.00", "50.00", "10.00", "20.00"]
    assert geometric_mean(np.array([1.0, 4.0])) == pytest.approx(2)


def test_numbers_stand_to_the_right():
    assert spread_text(np.array([-1.0, -3.0])) == "−2.0 ± 1.0"


@needs_torch
@pytest.mark.parametrize("shape", [(28, 28), (32, 32, 3)])
def test_a_network_learns_keeps_and_repeats_itself(tmp_path, shape):
    from confident_errors import network

    rng = np.random.default_rng(0)
    classes = np.arange(200) % 2
    images = (rng.random((200, *shape)) * 0.3 + 0.5 * classes.reshape(-1, *[1] * len(shape))).astype(np.float32)
    trained = network.train(images, classes, 0, epochs=3)
    said = network.logits(trained, images)
    assert np.mean(said.argmax(axis=1) == classes) > 0.95
    network.save(trained, tmp_path / "kept.npz")
    np.testing.assert_array_equal(network.logits(network.load(tmp_path / "kept.npz", shape), images), said)
    np.testing.assert_array_equal(network.logits(network.train(images, classes, 0, epochs=3), images), said)


@needs_data
def test_images_of_all_classes_are_read():
    images = load("Fashion-MNIST")
    assert images.images.shape == (20_000, 28, 28)
    assert 0 <= images.images.min() < images.images.max() <= 1
    assert np.bincount(images.classes).tolist() == [2000] * 10


def test_missing_data_is_said_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--shared", str(tmp_path)])
    assert "has no data/mnist/mnist_test10k.npz" in capsys.readouterr().err
