"""What the paper prints: the five rows of its table 1."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """One row of table 1, every number as it is printed; "/" where the paper has none."""

    errors: str
    separation: str
    radius: str
    cells: str
    acu: str
    estimate: str
    variance: str
    upper: str
    seconds: str


PAPER = {
    "running_example": Printed(
        "0.0005/0.0180", "0.004013", "0.004", "250 × 250", "0.002982", "0.004891", "0.000004", "0.004899", "0.04"
    ),
    "ds1": Printed(
        "0.0037/0.0800", "0.004392", "0.004", "250 × 250", "0.008025", "0.008290", "0.000014", "0.008319", "0.03"
    ),
    "ds2": Printed(
        "0.0004/0.0079", "0.002001", "0.002", "500 × 500", "0.004739", "0.005249", "0.000002", "0.005252", "0.04"
    ),
    "MNIST": Printed(
        "0.0051/0.0235", "0.1003", "0.100", "top-170000", "0.106615", "0.036517", "/", "/", "0.43"
    ),
    "CIFAR10": Printed(
        "0.0199/0.0853", "0.1947", "0.125", "top-23000", "0.238138", "0.234419", "/", "/", "6.74"
    ),
}  # fmt: skip
NAMES = {
    "running_example": "The run. exp.", "ds1": "Synth. DS-1", "ds2": "Synth. DS-2", "MNIST": "MNIST",
    "CIFAR10": "CIFAR10",
}  # fmt: skip
"""The rows as the paper calls them."""
