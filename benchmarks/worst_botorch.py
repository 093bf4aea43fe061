"""BoTorch's searches: the logarithm of the expected improvement over the whole cube, and within a trust region.

Both begin with as many scrambled Sobol points as ours, two for each coordinate, which is also what BoTorch's tutorial
of trust regions does. They are given the size of the deviation, as every peer is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

Floats = NDArray[np.float64]
Objective = Callable[[Floats], float]
"""From a point (d,) of the unit cube to what is maximised, at the price of one evaluation."""

RESTARTS, RAW = 10, 512
"""From how many points the acquisition is climbed, and among how many these are chosen: as in BoTorch's tutorials."""


def initial_points(dimension: int, count: int, seed: int) -> Floats:
    """Return the first scrambled Sobol points."""
    return np.asarray(qmc.Sobol(dimension, seed=seed).random(1 << (count - 1).bit_length())[:count])


def improvement_search(objective: Objective, dimension: int, evaluations: int, seed: int) -> None:
    """Evaluate where qLogEI is largest, by a Gaussian process with BoTorch's own defaults that is fitted each time."""
    import torch
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf

    _prepare(seed)
    cube = torch.tensor([[0.0] * dimension, [1.0] * dimension], dtype=torch.float64)
    points = initial_points(dimension, min(2 * dimension, evaluations), seed)
    values = np.array([objective(point) for point in points])
    while len(values) < evaluations:
        inputs, outputs = torch.tensor(points), torch.tensor(values)[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process = SingleTaskGP(inputs, outputs, outcome_transform=Standardize(m=1))
            _fit(process)
            worth = qLogExpectedImprovement(process, best_f=outputs.max())
            found, _ = optimize_acqf(worth, bounds=cube, q=1, num_restarts=RESTARTS, raw_samples=RAW)
        point = np.clip(found[0].numpy(), 0.0, 1.0)
        points, values = np.vstack([points, point]), np.append(values, objective(point))


@dataclass
class Region:
    """How long the sides of a trust region are, and when they change, with the constants of BoTorch's tutorial."""

    dimension: int
    length: float = 0.8
    successes: int = 0
    failures: int = 0

    LONGEST = 1.6
    SHORTEST = 0.5**7
    ENOUGH = 10
    """Successes in a row after which the region is doubled."""

    def told(self, *, better: bool) -> None:
        """Count a success or a failure; double or halve the sides after some in a row."""
        self.successes, self.failures = (self.successes + 1, 0) if better else (0, self.failures + 1)
        if self.successes == self.ENOUGH:
            self.length, self.successes = min(2 * self.length, self.LONGEST), 0
        elif self.failures == max(4, self.dimension):
            self.length, self.failures = self.length / 2, 0


def region_search(objective: Objective, dimension: int, evaluations: int, seed: int) -> None:
    """Search by TuRBO with one region and Thompson sampling within it; begin anew where the region has collapsed."""
    _prepare(seed)
    done = 0
    while done < evaluations:
        count = min(2 * dimension, evaluations - done)
        points = initial_points(dimension, count, seed + done)
        values = np.array([objective(point) for point in points])
        done, region = done + count, Region(dimension)
        while done < evaluations and region.length >= Region.SHORTEST:
            point = _sampled(points, values, region, seed + done)
            value = objective(point)
            region.told(better=value > values.max() + 1e-3 * abs(values.max()))
            points, values, done = np.vstack([points, point]), np.append(values, value), done + 1


def _sampled(points: Floats, values: Floats, region: Region, seed: int) -> Floats:
    """Return where one draw from the process is largest, among points of the region around the best one."""
    import torch
    from botorch.generation import MaxPosteriorSampling
    from botorch.models import SingleTaskGP
    from gpytorch.constraints import Interval
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood

    dimension = points.shape[1]
    spread = max(float(values.std(ddof=1)), 1e-300)
    inputs, outputs = torch.tensor(points), torch.tensor((values - values.mean()) / spread)[:, None]
    kernel: Any = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=dimension, lengthscale_constraint=Interval(0.005, 4.0)))
    likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The tutorial standardises by itself.
        process = SingleTaskGP(inputs, outputs, covar_module=kernel, likelihood=likelihood, outcome_transform=None)
        _fit(process)
        weights = process.covar_module.base_kernel.lengthscale.squeeze(0).detach().numpy()
        weights = weights / math.exp(float(np.log(weights / weights.mean()).mean())) / weights.mean()
        centre = points[int(np.argmax(values))]
        low, high = (np.clip(centre + side * weights * region.length / 2, 0, 1) for side in (-1, 1))
        count = min(5000, max(2000, 200 * dimension))
        # Of more than 20 coordinates TuRBO moves but some at a time; there are no more here.
        candidates = torch.tensor(low + (high - low) * initial_points(dimension, count, seed))
        with torch.no_grad():
            best = MaxPosteriorSampling(model=process, replacement=False)(candidates, num_samples=1)
    return np.asarray(best[0].numpy())


def _fit(process: Any) -> None:
    """Fit the shape of a process; where BoTorch gives up on that, it searches on by the shape it begins with."""
    from botorch.exceptions import ModelFittingError
    from botorch.fit import fit_gpytorch_mll
    from gpytorch.mlls import ExactMarginalLogLikelihood

    with suppress(ModelFittingError):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(process.likelihood, process))


def _prepare(seed: int) -> None:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
