"""How likely values are under a given shape."""

from __future__ import annotations

import numpy as np

from ringtrue.worst.surrogate._kernels import Floats, checked_kernel
from ringtrue.worst.surrogate._likelihood import Likelihood
from ringtrue.worst.surrogate._process import checked_values
from ringtrue.worst.surrogate._shape import Shape


def log_likelihood(inputs: Floats, outputs: Floats, shape: Shape, kernel: str = "squared-exponential") -> float:
    """The restricted log likelihood of values (n, C) that vary, in units of each output's standard deviation."""
    inputs, outputs = checked_values(inputs, outputs)
    likelihood = Likelihood(checked_kernel(kernel), inputs, (outputs - outputs.mean(axis=0)) / np.std(outputs, axis=0))
    return likelihood(np.log(np.append(shape.lengthscales, shape.noise)))[0]
