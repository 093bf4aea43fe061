"""What sways a decision: exact for additive scores, undisturbed by pairs, steady on real digits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from ringtrue.blind._sway import _hadamard, superpixels, sway
from ringtrue.core import InvalidInput

SQUARES = superpixels(np.zeros((12, 12)), count=16)


@pytest.mark.parametrize("order", [4, 8, 12, 20, 24, 32, 44, 48, 60])
def test_the_plan_is_orthogonal(order) -> None:
    plan = _hadamard(order)
    assert set(np.unique(plan)) == {-1, 1}
    assert np.array_equal(plan.T @ plan, order * np.eye(order, dtype=int))


def test_an_additive_score_is_taken_apart_exactly() -> None:
    rng = np.random.default_rng(3)
    image, weight = rng.random((12, 12, 3)), rng.normal(size=(12, 12, 3))
    found = sway(lambda batch: np.einsum("mijk,ijk->m", batch, weight), image, SQUARES, queries=64, rng=rng)
    lost = (weight * (image - image.mean(axis=(0, 1)))).sum(axis=2)
    np.testing.assert_allclose(found, np.bincount(SQUARES.ravel(), lost.ravel()))


def test_what_two_patches_do_together_cancels() -> None:
    image = np.zeros((12, 12))
    image[0, 0] = image[11, 11] = 1

    def together(batch):
        centred = batch - (image + image.mean()) / 2
        return centred[:, 0, 0] * centred[:, 11, 11]

    assert np.abs(sway(together, image, SQUARES, rng=np.random.default_rng(0))).max() < 1e-12


def test_labels_alone_show_the_patch_that_decides() -> None:
    image = np.random.default_rng(0).random((12, 12))
    image[4, 4] = 5
    found = sway(lambda batch: batch[:, 4, 4] > 2, image, SQUARES, rng=np.random.default_rng(1))
    assert np.argmax(found) == SQUARES[4, 4]
    assert found[SQUARES[4, 4]] == pytest.approx(1)
    assert np.abs(np.delete(found, SQUARES[4, 4])).max() < 1e-12


def test_no_more_queries_than_allowed_in_one_call_of_the_image_s_kind() -> None:
    seen = []

    def score(batch):
        seen.append(batch)
        return batch.mean(axis=(1, 2))

    sway(score, np.eye(12, dtype=np.float32), SQUARES, queries=100, rng=np.random.default_rng(0))
    assert [batch.shape for batch in seen] == [(96, 12, 12)]
    assert seen[0].dtype == np.float32


def test_weights_hardly_depend_on_the_seed_on_real_digits() -> None:
    """A hundred queries, a small network on digits at three times their size, 25 patches; ten digits, two seeds."""
    digits = load_digits()
    small, large = digits.images / 16, np.kron(digits.images / 16, np.ones((3, 3)))
    network = MLPClassifier((32,), solver="lbfgs", alpha=1.0, max_iter=100, random_state=0, tol=0.05)
    network.fit(small[:800].reshape(800, -1), digits.target[:800])

    def logit(batch, label):
        rows = batch.reshape(-1, 8, 3, 8, 3).mean(axis=(2, 4)).reshape(len(batch), -1)
        chance = np.clip(network.predict_proba(rows)[:, label], 1e-12, 1 - 1e-12)
        return np.log(chance / (1 - chance))

    labels = network.predict(small[800:810].reshape(10, -1))
    correlations = []
    for image, label in zip(large[800:810], labels, strict=True):
        segments = superpixels(image)
        first, second = (
            sway(lambda batch, own=label: logit(batch, own), image, segments, rng=np.random.default_rng(seed))
            for seed in (0, 1)
        )
        correlations.append(np.corrcoef(first, second)[0, 1])
    assert np.mean(correlations) >= 0.98


def test_bad_input_is_one_clear_line() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="queries=30 must be at least 40 for 16 patches"):
        sway(lambda batch: batch[:, 0, 0], np.eye(12), SQUARES, queries=30, rng=rng)
    with pytest.raises(InvalidInput, match=r"segments of shape \(12, 12\)"):
        sway(lambda batch: batch[:, 0, 0], np.eye(5), SQUARES, rng=rng)
    with pytest.raises(InvalidInput, match=r"score of shape \(96, 12\)"):
        sway(lambda batch: batch[:, 0], np.eye(12), SQUARES, rng=rng)
    with pytest.raises(InvalidInput, match="finite number"):
        sway(lambda batch: np.full(len(batch), np.nan), np.eye(12), SQUARES, rng=rng)
