"""What a hunt for confident errors has found: ratio and excess, evidence, spread, utilities, calibration."""

from ringtrue.blind.measures._answers import LEAST_CHANCE, checked_answers, expected_errors
from ringtrue.blind.measures._overconfidence import (
    RatioPath,
    expected_calibration_error,
    overconfidence_path,
    ratio_path,
)
from ringtrue.blind.measures._spread import checked_space, largest_distance, random_spread, spread
from ringtrue.blind.measures._temperature import Temperature, fit_temperature, tempered
from ringtrue.blind.measures._utilities import coverage_utility, error_utility

__all__ = [
    "LEAST_CHANCE",
    "RatioPath",
    "Temperature",
    "checked_answers",
    "checked_space",
    "coverage_utility",
    "error_utility",
    "expected_calibration_error",
    "expected_errors",
    "fit_temperature",
    "largest_distance",
    "overconfidence_path",
    "random_spread",
    "ratio_path",
    "spread",
    "tempered",
]
