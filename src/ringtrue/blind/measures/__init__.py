"""What a hunt for confident errors has found: ratio and excess, evidence, spread, utilities, calibration."""

from ringtrue.blind.measures._answers import LEAST_CHANCE, checked_answers, expected_errors
from ringtrue.blind.measures._calibration import Bin, expected_calibration_error, reliability
from ringtrue.blind.measures._overconfidence import overconfidence_path
from ringtrue.blind.measures._ratio import Ratio, RatioPath, discovery_ratio, ratio_path
from ringtrue.blind.measures._spread import checked_space, largest_distance, random_spread, spread
from ringtrue.blind.measures._temperature import Temperature, fit_temperature, tempered
from ringtrue.blind.measures._utilities import coverage_utility, error_utility

__all__ = [
    "LEAST_CHANCE",
    "Bin",
    "Ratio",
    "RatioPath",
    "Temperature",
    "checked_answers",
    "checked_space",
    "coverage_utility",
    "discovery_ratio",
    "error_utility",
    "expected_calibration_error",
    "expected_errors",
    "fit_temperature",
    "largest_distance",
    "overconfidence_path",
    "random_spread",
    "ratio_path",
    "reliability",
    "spread",
    "tempered",
]
