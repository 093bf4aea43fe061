"""The case study of distorted digits: distortions are right, error rates are kept, and the study runs small."""

import importlib.util

import numpy as np
import pytest

from digits import runs
from digits._data import DIGITS, SIDE, Digits, mnist, mnist_path
from digits.distortion import FRAME, distorted, distorted_each
from digits.rates import ErrorRates
from digits.run import draw, main, results
from digits.runs import Results, run_all
from digits.searches import GRIDS, grid
from digits.tables import digits_table
from kept_searches import Searched

needs_data = pytest.mark.skipif(not mnist_path("test").is_file(), reason="MNIST is not beside the checkout")
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
PLAIN = (0.0, 0.0, 0.0)
EDGE = (FRAME - SIDE) // 2


def _pixels(images):
    return images.reshape(len(images), -1).T


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(0).random((6, SIDE, SIDE), dtype=np.float32)


def test_no_distortion_only_adds_a_margin(images):
    framed = distorted(_pixels(images), PLAIN)
    assert framed.shape == (6, FRAME, FRAME)
    np.testing.assert_allclose(framed[:, EDGE:-EDGE, EDGE:-EDGE], images, atol=1e-6)
    assert framed.sum() == pytest.approx(images.sum(), rel=1e-5)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_quarter_turns_are_exact(images, quarters):
    turned = distorted(_pixels(images), (0, 0, 90 * quarters))
    expected = np.rot90(distorted(_pixels(images), PLAIN), -quarters, axes=(1, 2))
    np.testing.assert_allclose(turned, expected, atol=1e-5)


def test_a_shear_moves_a_pixel_as_far_as_it_lies_from_the_centre():
    image = np.zeros((1, SIDE, SIDE), dtype=np.float32)
    image[0, 3, 14] = 1  # 10.5 rows above the centre: a shear in x of 0.2 moves it by 2.1 columns
    moved = distorted(_pixels(image), (0.2, 0, 0))[0]
    assert np.flatnonzero(moved.sum(axis=1)).tolist() == [3 + EDGE]
    assert np.average(np.arange(FRAME), weights=moved.sum(axis=0)) == pytest.approx(14 + EDGE + 2.1, abs=1e-4)
    upright = distorted(_pixels(image.transpose(0, 2, 1)), (0, 0.2, 0))[0]
    np.testing.assert_allclose(upright, moved.T, atol=1e-6)


def test_each_image_in_its_own_way_is_as_all_in_one(images):
    ways = np.random.default_rng(1).uniform((-0.2, -0.2, 0), (0.2, 0.2, 360), size=(6, 3))
    each = distorted_each(images, ways)
    for place, way in enumerate(ways):
        np.testing.assert_allclose(each[place], distorted(_pixels(images), way)[place], atol=1e-6)


def test_shear_comes_before_rotation():
    """A bar sheared in y and then turned by a quarter is the turned bar sheared in x, with the other sign."""
    bar = np.zeros((1, SIDE, SIDE), dtype=np.float32)
    bar[0, 13:15, 4:24] = 1
    one = distorted(_pixels(bar), (0, 0.2, 90))
    other = distorted(_pixels(np.rot90(bar, -1, axes=(1, 2))), (-0.2, 0, 0))
    np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.fixture
def digits():
    """Four images of each digit: their brightness tells which."""
    labels = np.repeat(np.arange(9), 4)
    return Digits(np.ones((36, SIDE, SIDE), dtype=np.float32) * (labels[:, None, None] + 1) / 10, labels)


class Seeing:
    """Sees the digit by the pixel in the middle, and a 2 as a 7 where the image reaches into the margin."""

    def __init__(self):
        self.asked = 0

    def __call__(self, images):
        self.asked += len(images)
        seen = np.rint(10 * images[:, FRAME // 2, FRAME // 2]).astype(int) - 1
        moved = images[:, :EDGE].any(axis=(1, 2))
        return np.where(moved & (seen == 2), 7, seen)


def test_error_rates_are_of_all_of_each_and_of_one(digits):
    rates = ErrorRates(Seeing(), digits)
    assert rates.overall(PLAIN) == 0
    assert rates.overall((0, 0, 45)) == pytest.approx(1 / 9)
    assert rates.each((0, 0, 45)).tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert rates.one((0, 0, 45), 2) == 1
    assert rates.counts.tolist() == [4] * 9
    lost = rates.lost((0, 0, 45), 2, 3)
    assert [each.seen for each in lost] == [7, 7, 7]
    np.testing.assert_array_equal(lost[0].image, distorted(_pixels(digits.only(2).images), (0, 0, 45))[0])
    assert rates.lost((0, 0, 45), 3, 3) == []


def test_what_was_worked_out_is_not_worked_out_again(digits, tmp_path):
    kept = tmp_path / "deep" / "rates.jsonl"
    seeing = Seeing()
    first = ErrorRates(seeing, digits, kept).each((0.1, -0.2, 45.3))
    assert seeing.asked == 36
    with kept.open("a") as file:
        file.write("[0.1, -0.2, 4")  # a line that a kill cut short
    again = ErrorRates(seeing, digits, kept)
    assert again.each((0.1, -0.2, 45.3)).tolist() == first.tolist()
    assert again.one((0.1, -0.2, 45.3), 2) == first[2]
    assert seeing.asked == 36


def test_grids_have_the_size_they_say_and_no_distortion_twice():
    for size in GRIDS:
        places = grid(size)
        assert places.shape == (size, 3)
        assert places.min(axis=0).tolist() == [-0.2, -0.2, 0]
        assert places.max(axis=0)[:2].tolist() == [0.2, 0.2]
        assert places[:, 2].max() < 360
        assert len(np.unique(places, axis=0)) == size


class Bumps:
    """Error rates with a peak for each digit, that of the 2 the highest; nothing is classified."""

    counts = np.full(9, 10)

    known_as = None

    def one(self, distortion, digit):
        x, y, degrees = distortion
        near = (x - 0.1) ** 2 + (y + 0.2) ** 2 + (degrees / 360 - digit / 10) ** 2
        return (0.1 if digit == 2 else 0.05) * float(np.exp(-4 * near))

    def each(self, distortion):
        return np.array([self.one(distortion, digit) for digit in range(9)])

    def overall(self, distortion):
        return float(self.each(distortion).mean())


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "GRIDS", {8: (2, 2, 2)})
        patch.setitem(GRIDS, 8, (2, 2, 2))
        patch.setattr(runs, "TOGETHER", {"all digits": {"rule": "random"}})  # nine surrogates take seconds
        return run_all(Bumps(), seeds=1, evaluations=20)


def test_all_searches_look_where_the_errors_are(found):
    assert list(found.grids) == [8]
    assert {len(each.tasks) for each in [*found.overall["search"], *found.alone["exp3bo"]]} == {20}
    assert found.overall["search"][0].tasks.tolist() == [-1] * 20
    search, random = (found.overall[name][0] for name in ("search", "random"))
    peak = max(Bumps().overall((0.1, -0.2, degrees)) for degrees in range(0, 360, 3))
    assert random.best[-1] < search.best[-1] <= peak * 1.001
    assert search.best[-1] > 0.98 * peak
    assert found.together["all digits"][0].worst.task == found.worst.worst.task == 2
    assert np.bincount(found.alone["round-robin"][0].tasks, minlength=9).tolist() == [3, 3, 2, 2, 2, 2, 2, 2, 2]


def test_the_study_says_and_draws_what_it_found(found, digits, tmp_path):
    text = results(found, 0.041, 1)
    assert "nan" not in text
    assert "The 2 is misread most often" in text
    assert text.count("\n### ") == 5
    assert all(f"![{name}]" in text for name in ("Figure 5", "Figure 6, left", "Figure 6, right"))
    draw(found, 0.041, ErrorRates(Seeing(), digits), tmp_path)
    sizes = {file.name: file.stat().st_size for file in tmp_path.iterdir()}
    assert set(sizes) == {"overall.svg", "digits.svg", "chosen.svg", "lost.svg"}
    assert max(sizes.values()) < 100_000
    assert (tmp_path / "lost.svg").read_text().count("seen as 7") == 4
    assert all(name in text for name in sizes)
    assert "20 evaluations" in text
    assert "22 evaluations" not in text


def test_spreads_and_votes_are_over_the_seeds():
    def searched(rates, digit):
        return Searched.of(np.zeros((len(rates), 3)), rates, np.full(len(rates), digit))

    alone = {"exp3bo": [searched([0.01, 0.02], 2), searched([0.03, 0.01], 7), searched([0.04, 0.04], 7)]}
    line = digits_table(Results({}, {}, alone, {}), [1, 2]).splitlines()[-1]
    assert line == (
        "| exp3bo | 1 | 2.67% ± 0.88 (4.00%) | 3.00% ± 0.58 (4.00%) | 7 (2), 2 (1) | (0.000, 0.000, 0.0°) |"
    )


def test_a_folder_without_the_data_is_named_with_the_remedy(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--shared", str(tmp_path)])
    assert "has no data/mnist/mnist_train60k.npz: name the folder that holds the data" in capsys.readouterr().err


@needs_data
def test_the_nine_is_left_out():
    test = mnist("test")
    assert test.images.shape == (8991, SIDE, SIDE)
    assert (test.images.min(), test.images.max()) == (0, 1)
    assert [len(test.only(digit).labels) for digit in (0, 8)] == [980, 974]
    assert set(test.labels) == set(range(len(DIGITS)))


@needs_torch
def test_a_network_that_was_kept_sees_the_same(images, tmp_path):
    from digits.network import classify, lenet5, load, save

    network, path = lenet5(), tmp_path / "deep" / "lenet5.npz"
    save(network, path)
    framed = distorted(_pixels(images), PLAIN)
    seen = classify(network, framed)
    assert seen.shape == (len(images),)
    assert set(seen) <= set(range(len(DIGITS)))
    assert classify(load(path), framed).tolist() == seen.tolist()
    assert all(values.equal(load(path).state_dict()[name]) for name, values in network.state_dict().items())
