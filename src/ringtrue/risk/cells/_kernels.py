"""What one point gives to the cells along one axis: kernels at centres or over cells, mirrored or not."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from ringtrue.risk._grid import Floats

Kernel: TypeAlias = Literal["gaussian", "exponential"]
Place: TypeAlias = Literal["centre", "integral"]

# Beyond so many bandwidths a kernel holds less than 1e-17 of its mass.
_REACH = {"gaussian": 8.6, "exponential": 40.0}

METRIC = {"gaussian": "sqeuclidean", "exponential": "cityblock"}
"""The distance, as scipy names it, that the product of a kernel over the axes depends on."""


def log_kernel(distance: Floats, kernel: Kernel, bandwidth: float, axes: int) -> Floats:
    """Log density of a product kernel at a distance in its metric."""
    if kernel == "gaussian":
        return np.asarray(distance / (-2 * bandwidth**2) - axes * np.log(bandwidth * np.sqrt(2 * np.pi)))
    return np.asarray(distance / -bandwidth - axes * np.log(2 * bandwidth))


def cell_masses(values: Floats, edges: Floats, kernel: Kernel, bandwidth: float, at: Place, reflect: bool) -> Floats:
    """The mass that a kernel at each value gives to each cell between `edges`, shape (values, cells).

    With `reflect`, what leaves the box comes back as from a mirror, and from the mirror behind it, until nothing is
    left outside.

    >>> cell_masses(np.array([0.0]), np.array([-9.0, 0.0, 9.0]), "gaussian", 1.0, "integral", False).round(6).tolist()
    [[0.5, 0.5]]
    """
    direct = _masses(values, edges, kernel, bandwidth, at)
    if not reflect:
        return direct
    low, high = edges[0], edges[-1]
    side = high - low
    # An image that was moved by `turn` double sides lies at least 2 |turn| - 1 sides away from the box.
    turns = int(np.ceil((_REACH[kernel] * bandwidth / side + 1) / 2))
    for turn in range(-turns, turns + 1):
        direct += _masses(2 * low - values + 2 * turn * side, edges, kernel, bandwidth, at)
        if turn:
            direct += _masses(values + 2 * turn * side, edges, kernel, bandwidth, at)
    return direct


def _masses(values: Floats, edges: Floats, kernel: Kernel, bandwidth: float, at: Place) -> Floats:
    if at == "centre":
        away = ((edges[:-1] + edges[1:]) / 2 - values[:, None]) / bandwidth
        width = (edges[-1] - edges[0]) / (len(edges) - 1) / bandwidth
        height, log_shape = (np.sqrt(2 * np.pi), away**2 / -2) if kernel == "gaussian" else (2.0, -np.abs(away))
        return np.asarray(np.exp(log_shape) * (width / height))
    away = (edges - values[:, None]) / bandwidth
    # Differences of tails keep their digits far from the point, where differences of distribution functions do not.
    tails = ndtr(-np.abs(away)) if kernel == "gaussian" else np.exp(-np.abs(away)) / 2
    first, last = tails[:, :-1], tails[:, 1:]
    around = (away[:, :-1] < 0) & (away[:, 1:] > 0)
    return np.where(around, 1 - first - last, np.abs(last - first))
