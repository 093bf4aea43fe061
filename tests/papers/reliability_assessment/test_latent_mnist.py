"""Handwritten digits: the cells that the paper judges hold next to nothing of operation."""

from pathlib import Path

import numpy as np
import pytest

from ringtrue.papers.reliability_assessment import Draws, PcaLatent, VaeLatent, assess_latent
from ringtrue.risk.cells._points import Separation

MNIST = Path(__file__).resolve().parents[4] / "shared" / "data" / "mnist" / "mnist_test10k.npz"

pytestmark = pytest.mark.skipif(not MNIST.exists(), reason="the MNIST test set is not at ../shared/data/mnist")

JUDGED, CELLS = 600, 60


@pytest.fixture(scope="module")
def digits():
    with np.load(MNIST, allow_pickle=False) as kept:
        return kept["X"][:2600].reshape(-1, 784) / 255, kept["y"][:2600]


@pytest.fixture(scope="module")
def model(digits):
    from sklearn.linear_model import LogisticRegression

    inputs, labels = digits
    return LogisticRegression(max_iter=200, tol=0.05).fit(inputs[JUDGED:], labels[JUDGED:])


@pytest.fixture(scope="module", params=["pca", "vae"])
def latent(request, digits):
    inputs = digits[0][JUDGED:]
    return PcaLatent.fit(inputs, axes=8) if request.param == "pca" else VaeLatent.fit(inputs, epochs=25, hidden=128)


def assess(digits, model, latent, **changes):
    settings = {"domain": (0, 1), "bandwidth": 0.3, "k": CELLS, "radius": 0.3, "local": Draws(100)}
    inputs, labels = (part[:JUDGED] for part in digits)
    return assess_latent(inputs, labels, model.predict, latent, **settings | changes)


def test_the_covered_share_is_tiny_and_told(digits, model, latent):
    finding = assess(digits, model, latent)
    assert finding.ranked.grid.size == 100**8
    assert 0 < finding.covered <= finding.found < 1e-6
    assert finding.unassessed > 1 - 1e-6
    assert finding.low < 1e-6
    assert finding.high > 1 - 1e-6
    assert finding.estimate > 1 - 1e-6
    assert f"which hold {finding.covered:.2g} of operation; over all of operation [0%, 100%]" in str(finding)


def test_decoded_digits_are_not_data(digits, model, latent):
    again = assess(digits, model, latent, k=5).reconstruction
    blank = np.sqrt(np.mean((digits[0] - digits[0].mean(axis=0)) ** 2))
    assert 0.1 < again.rms < 0.95 * blank  # better than the mean of all digits, and far from exact
    assert again.relabelled > 0.05
    assert again.within_radius < 0.05


def test_the_paper_lets_the_model_judge_itself(digits, model, latent):
    paper = assess(digits, model, latent, mode="paper", k=900, local=Draws(1), rest="average")
    assert paper.census["empty"] > 100
    assert paper.estimate == pytest.approx(paper.judged.average)
    assert "self-consistency, not correctness" in str(paper)
    assert paper.covered < 1e-6


def test_the_radius_comes_from_pixels(digits, model, latent):
    inputs, labels = (part[:200] for part in digits)
    settings = {"domain": (0, 1), "bandwidth": 0.3, "k": 5, "local": Draws(10)}
    finding = assess_latent(inputs, labels, model.predict, latent, **settings)
    assert finding.radius == Separation.of(inputs, labels).half
    assert 0.3 < finding.radius < 0.5
