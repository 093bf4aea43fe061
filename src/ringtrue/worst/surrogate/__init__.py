"""What is believed of a function from few of its values: Gaussian processes that share a kernel. Pure."""

from ringtrue.worst.surrogate._fit import fit_shape, varies
from ringtrue.worst.surrogate._kernels import KERNELS
from ringtrue.worst.surrogate._likely import log_likelihood
from ringtrue.worst.surrogate._posterior import Posterior, Prediction, PredictionGradient
from ringtrue.worst.surrogate._process import Process
from ringtrue.worst.surrogate._shape import Shape

__all__ = [
    "KERNELS",
    "Posterior",
    "Prediction",
    "PredictionGradient",
    "Process",
    "Shape",
    "fit_shape",
    "log_likelihood",
    "varies",
]
