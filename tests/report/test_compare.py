"""What may differ between what stands in a report and what is recomputed, and what may not."""

import pytest

from ringtrue.report._compare import FITTED, TOLERANCE, compare


def differ(stands, again, **options):
    return [one for one in compare("made", stands, again, **options) if one]


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        (0.25, 0.25 * (1 + TOLERANCE / 2)),
        ([1.0, 1e-9], [1.0, 3e-9]),  # a curve that touches zero
        ({"mean": 1.0, "sd": 1e-7}, {"mean": 1.0, "sd": 1.05e-7}),  # a difference of larger numbers
        ("nowhere above 0.4339 (95%)", {"upper": 0.43395, "text": "nowhere above 0.4340 (95%)"}),
        ("at most 12.4%", {"high": 0.1235, "text": "at most 12.3%"}),  # rounded outward or to the nearest
        ("about 1.235e+06", {"size": 1234500.0, "text": "about 1.234e+06"}),
    ],
)
def test_rounding_is_no_difference(stands, again):
    if isinstance(stands, str):
        stands = {**again, "text": stands}
    assert not differ(stands, again)


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        (0.25, 0.25 * (1 + 2 * TOLERANCE)),
        (3, 4),
        (1_000_000_000, 1_000_000_001),
        (3, 3.0),
        (True, 1),
        (None, 0.0),
        ([1.0], [1.0, 1.0]),
        ("rings true", "rings false"),
        ("4 errors in 48 answers", "4 errors in 49 answers"),
        ("nowhere above 0.4339", {"upper": 0.43398, "text": "nowhere above 0.4340"}),
        ("nowhere above 0.4329", {"upper": 0.43395, "text": "nowhere above 0.4340"}),
        ("48 errors", {"rate": 48.5, "text": "49 errors"}),
        ("at most 12%", {"rate": 0.125, "text": "at most 12.5"}),
    ],
)
def test_whatever_else_differs_is_one(stands, again):
    if isinstance(again, dict):
        stands = {**again, "text": stands}
    assert len(differ(stands, again)) == 1


def test_what_is_fitted_has_a_tolerance_of_its_own():
    assert differ(0.25, 0.25 * (1 + FITTED / 2))
    assert not differ(0.25, 0.25 * (1 + FITTED / 2), tolerance=FITTED)
    assert differ(0.25, 0.25 * 1.001, tolerance=FITTED)
