"""Beliefs about a function from few of its values: Gaussian processes that share a kernel. Pure."""

from ringtrue.worst.surrogate._fit import fit_common, fit_shape, log_likelihood, varies
from ringtrue.worst.surrogate._kernels import KERNELS, Shape
from ringtrue.worst.surrogate._posterior import Posterior, Prediction, PredictionGradient
from ringtrue.worst.surrogate._process import GaussianProcess

__all__ = [
    "KERNELS",
    "GaussianProcess",
    "Posterior",
    "Prediction",
    "PredictionGradient",
    "Shape",
    "fit_common",
    "fit_shape",
    "log_likelihood",
    "varies",
]
