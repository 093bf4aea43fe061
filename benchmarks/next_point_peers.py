"""How others choose the next point of a search: BoTorch with its usual settings, and a step as GPyOpt takes it."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import norm

Floats = NDArray[np.float64]
Step = Callable[[Floats, Floats, int], Floats]
"""From points (n, d) of the unit cube, their values (n,) and a seed to the point (d,) to evaluate next."""


def botorch_step(points: Floats, values: Floats, seed: int) -> Floats:
    """A single-task process fitted anew, and the logarithm of the expected improvement from ten starts."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    inputs, outputs = torch.tensor(points), torch.tensor(values)[:, None]
    cube = torch.stack([torch.zeros(points.shape[1]), torch.ones(points.shape[1])]).to(inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SingleTaskGP(inputs, outputs, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        worth = LogExpectedImprovement(model, best_f=outputs.max())
        found, _ = optimize_acqf(worth, bounds=cube, q=1, num_restarts=10, raw_samples=512)
    return np.asarray(found[0].numpy(), dtype=float)


def gpyopt_style_step(points: Floats, values: Floats, seed: int) -> Floats:
    """Everything fitted anew from five starts; the improvement climbed by finite differences from five of 1,000 points.

    GPyOpt itself is no longer kept and does not install beside a present numpy: this is what it does by default, on
    scikit-learn's process.
    """
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    width, rng = points.shape[1], np.random.default_rng(seed)
    kernel = ConstantKernel() * RBF(np.full(width, 0.5), (1e-2, 1e2)) + WhiteKernel(1e-4, (1e-8, 1e1))
    process = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=4, random_state=seed)
    best = float(values.max())

    def loss(some: Floats) -> Any:
        mean, sd = process.predict(np.atleast_2d(some), return_std=True)
        z = (mean - best) / np.maximum(sd, 1e-12)
        return -(sd * (z * norm.cdf(z) + norm.pdf(z)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        process.fit(points, values)
        anchors = rng.random((1_000, width))
        tops = anchors[np.argsort(loss(anchors))[:5]]
        ends = [minimize(lambda x: loss(x)[0], top, method="L-BFGS-B", bounds=[(0, 1)] * width) for top in tops]
    return np.asarray(min(ends, key=lambda end: float(end.fun)).x, dtype=float)


PEERS: Mapping[str, Step] = {"BoTorch": botorch_step, "GPyOpt-style": gpyopt_style_step}


def missing(peer: str) -> str | None:
    """The package that a peer needs and that is not installed."""
    package = {"BoTorch": "botorch", "GPyOpt-style": "sklearn"}[peer]
    return package if importlib.util.find_spec(package) is None else None
