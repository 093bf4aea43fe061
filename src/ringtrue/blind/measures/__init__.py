"""What a hunt for confident errors has found: ratio and excess, evidence, spread, utilities, calibration."""

from ringtrue.blind.measures._confidence import (
    LEAST_CHANCE,
    RatioPath,
    Temperature,
    checked_answers,
    expected_calibration_error,
    expected_errors,
    fit_temperature,
    overconfidence_path,
    ratio_path,
    tempered,
)
from ringtrue.blind.measures._spread import coverage_utility, error_utility, largest_distance, random_spread, spread

__all__ = [
    "LEAST_CHANCE",
    "RatioPath",
    "Temperature",
    "checked_answers",
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
