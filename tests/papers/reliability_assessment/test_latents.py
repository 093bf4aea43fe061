"""Encoders and decoders: exact where they can be, the same each time, and nothing global moved."""

import subprocess
import sys

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import PcaLatent, VaeLatent


def plane(rows=200, features=20, seed=1):
    """Points of a plane in many dimensions."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 2)) @ rng.normal(size=(2, features)) + rng.normal(size=features)


def two_blobs(rows=300, features=30, seed=2):
    """Inputs in [0, 1]: one half of the features is bright, or the other."""
    rng = np.random.default_rng(seed)
    bright = rng.random(rows) < 0.5
    level = np.where(np.arange(features) < features // 2, bright[:, None], ~bright[:, None])
    return np.clip(0.1 + 0.8 * level + rng.normal(scale=0.05, size=(rows, features)), 0, 1)


def test_pca_gives_back_a_plane_exactly_and_keeps_its_distances():
    points = plane()
    latent = PcaLatent.fit(points, axes=2)
    latents = latent.encode(points)
    assert latents.shape == (200, 2)
    assert np.allclose(latent.decode(latents), points, atol=1e-12)
    apart, latents_apart = (np.linalg.norm(np.diff(of, axis=0), axis=1) for of in (points, latents))
    assert np.allclose(latents_apart, apart)


def test_pca_loses_what_lies_outside_its_plane():
    points = plane() + np.random.default_rng(3).normal(scale=0.5, size=(200, 20))
    latent = PcaLatent.fit(points, axes=2)
    assert 0.4 < np.sqrt(np.mean((latent.decode(latent.encode(points)) - points) ** 2)) < 0.5


@pytest.mark.parametrize("axes", [0, 21, 3.5])
def test_pca_has_no_more_axes_than_there_are(axes):
    with pytest.raises(InvalidInput, match=rf"axes={axes} must"):
        PcaLatent.fit(plane(), axes=axes)
    with pytest.raises(InvalidInput, match=r"axes=3 must be a whole number in \[1, 2\]"):
        PcaLatent.fit(plane(rows=3), axes=3)


@pytest.mark.parametrize(
    ("inputs", "line"),
    [
        ([1.0, 2.0], r"shape \(2,\)"),
        (np.full((4, 3), np.nan), "row 0 holds a value that is not finite"),
        ([["a", "b"]], "inputs must be numbers"),
    ],
)
@pytest.mark.parametrize("latent", [PcaLatent, VaeLatent])
def test_inputs_that_are_no_table_are_refused(latent, inputs, line):
    with pytest.raises(InvalidInput, match=line):
        latent.fit(inputs, axes=1)


def test_vae_learns_what_tells_inputs_apart():
    inputs = two_blobs()
    latent = VaeLatent.fit(inputs, axes=2, epochs=120, hidden=16, seed=5)
    latents = latent.encode(inputs)
    again = latent.decode(latents)
    assert latents.shape == (300, 2)
    assert again.min() >= 0
    assert again.max() <= 1
    # Without latents the best image is the mean, which is off by the spread of the data, 0.4.
    assert np.sqrt(np.mean((again - inputs) ** 2)) < 0.15 < 0.3 < inputs.std()
    assert np.array_equal(again[:, 0] > 0.5, inputs[:, 0] > 0.5)


def test_vae_is_a_function_of_inputs_and_seed_and_moves_nothing_global():
    import torch

    inputs = two_blobs(rows=130)
    threads, state = torch.get_num_threads() + 1, torch.get_rng_state()
    torch.set_num_threads(threads)
    numbers = np.random.get_state()[1].copy()  # noqa: NPY002  the state that must stay as it is
    first, second, other = (VaeLatent.fit(inputs, axes=3, epochs=2, hidden=8, seed=seed) for seed in (1, 1, 2))
    assert torch.get_num_threads() == threads
    torch.set_num_threads(threads - 1)
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(np.random.get_state()[1], numbers)  # noqa: NPY002
    for name, (matrix, bias) in first.weights.items():
        assert type(matrix) is type(bias) is np.ndarray
        assert np.array_equal(matrix, second.weights[name][0])
        assert np.array_equal(bias, second.weights[name][1])
        assert not np.array_equal(matrix, other.weights[name][0])


def test_weights_are_kept_without_pickling(tmp_path):
    inputs = two_blobs(rows=130)
    latent = VaeLatent.fit(inputs, axes=3, epochs=1, hidden=8)
    flat = {f"{name} {part}": array for name, layer in latent.weights.items() for part, array in enumerate(layer)}
    np.savez(tmp_path / "vae.npz", **flat)
    with np.load(tmp_path / "vae.npz", allow_pickle=False) as kept:
        again = VaeLatent({name: (kept[f"{name} 0"], kept[f"{name} 1"]) for name in latent.weights})
    assert np.array_equal(again.encode(inputs), latent.encode(inputs))
    assert np.array_equal(again.decode(again.encode(inputs)), latent.decode(latent.encode(inputs)))


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"axes": 0}, "axes=0 must be a whole number of at least 1"),
        ({"epochs": 1.5}, "epochs=1.5 must be a whole number"),
        ({"hidden": -1}, "hidden=-1 must be a whole number"),
    ],
)
def test_vae_settings_are_whole_numbers(settings, line):
    with pytest.raises(InvalidInput, match=line):
        VaeLatent.fit(two_blobs(rows=10), **settings)


def test_vae_takes_inputs_between_0_and_1_only():
    with pytest.raises(InvalidInput, match=r"inputs span \[0, 255\] and must lie in \[0, 1\]: scale them"):
        VaeLatent.fit([[0.0, 255.0], [3.0, 4.0]])


def test_without_torch_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "ringtrue.papers.reliability_assessment._vae_training", raising=False)
    with pytest.raises(InvalidInput, match=r"install ringtrue\[torch\]"):
        VaeLatent.fit(two_blobs(rows=10))


def test_torch_is_loaded_to_train_and_for_nothing_else():
    code = (
        "import sys, numpy as np; from ringtrue.papers.reliability_assessment import VaeLatent;"
        "layer = (np.zeros((2, 2)), np.zeros(2));"
        "VaeLatent(dict.fromkeys(['hidden', 'mean'], layer)).encode([[0.1, 0.2]]); print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
