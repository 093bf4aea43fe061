"""What may differ between what stands in a report and what is recomputed, and what may not."""

import pytest

from ringtrue.report._compare import FITTED, TOLERANCE, compare
from ringtrue.worst import Worst

SPACE = {"parameters": [{"name": "level", "low": -1.0, "high": 1.0}, {"name": "dose", "low": 1e-9, "high": 1.0}]}


def differ(stands, again, **options):
    return [one for one in compare("made", stands, again, **options) if one]


def searched(limit=None, **parts):
    """What a search found, with these parts."""
    return {"finding": {"space": SPACE, "limit": limit, **parts}}


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        (0.25, 0.25 * (1 + TOLERANCE / 2)),
        ([1.0, 1e-9], [1.0, 3e-9]),  # a curve that touches zero
        ({"drop": 0.0, "high": 0.3}, {"drop": 1e-16, "high": 0.3}),  # a difference of larger numbers
        ("at most 12.4%", {"high": 0.1235, "text": "at most 12.3%"}),  # rounded to the nearest
        ("at most 12.5%", {"high": 0.124 + 5e-10 + 1e-17, "text": "at most 12.4%"}),  # rounded outward
        ("about 1.235e+06", {"size": 1234500.0, "text": "about 1.234e+06"}),
        ("about 10", {"size": 9.9995, "text": "about 9.999"}),
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
        ("1,234 errors", {"rate": 1234.5, "text": "1,235 errors"}),
        ("at most 12%", {"rate": 0.125, "text": "at most 12.5"}),
        # What is given, and what comes out even, lies on a step of the last digit: that is no rounding.
        ("at 96%", {"level": 0.95, "text": "at 95%"}),
        ("error <= 1%", {"limit": 0.02, "text": "error <= 2%"}),
        ("error <= 0%", {"limit": 0.01, "text": "error <= 1%"}),
        ("error <= 0.1%", {"limit": 0.002, "text": "error <= 0.2%"}),
        ("up to 29.4%", {"high": 0.295, "text": "up to 29.5%"}),
        ("up to 29.6%", {"high": 0.295, "text": "up to 29.5%"}),
        ("at 94%", {"other": 0.945, "text": "at 95%"}),
    ],
)
def test_whatever_else_differs_is_one(stands, again):
    if isinstance(again, dict):
        stands = {**again, "text": stands}
    assert len(differ(stands, again)) == 1


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        ({"bound": {"upper": 0.25}}, {"bound": {"upper": 0.25 * (1 + FITTED / 2)}}),
        ({"slices": [{"mean": [1.0, 1e-6]}]}, {"slices": [{"mean": [1.0, 5e-5]}]}),
        ({"peaks": [{"predicted": 1.0, "sd": 1e-7}]}, {"peaks": [{"predicted": 1.0, "sd": 1.5e-7}]}),
        ({"peaks": [{"point": {"level": 1e-9}}]}, {"peaks": [{"point": {"level": 3e-8}}]}),  # in the middle of a range
        (
            {"bound": {"upper": 0.43395}, "sentence": "nowhere above 0.4339 (95%)"},
            {"bound": {"upper": 0.43396}, "sentence": "nowhere above 0.434 (95%)"},
        ),
    ],
)
def test_what_is_fitted_has_a_tolerance_of_its_own(stands, again):
    assert not differ(searched(**stands), searched(**again), fitted=Worst.fitted)
    assert differ(searched(**stands), searched(**again))


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        ({"bound": {"upper": 0.25}}, {"bound": {"upper": 0.25 * 1.001}}),
        ({"worst": {"deviation": 0.25}}, {"worst": {"deviation": 0.25 * (1 + FITTED / 2)}}),  # measured
        # Units differ: a deviation in the millions, or of a millionth, says nothing of how exact others are.
        ({"bound": {"upper": 3e6, "level": 0.99}}, {"bound": {"upper": 3e6, "level": 0.95}}),
        ({"region": {"threshold": 3e6, "volume": 0.2}}, {"region": {"threshold": 3e6, "volume": 0.1}}),
        ({"worst": {"deviation": 4e-7, "level": 0.95}}, {"worst": {"deviation": 5e-7, "level": 0.95}}),
        ({"worst": {"gold": [3e6, 0.2]}}, {"worst": {"gold": [3e6, 0.1]}}),
        ({"worst": {"point": {"heat": 900.0, "dose": 0.02}}}, {"worst": {"point": {"heat": 900.0, "dose": 0.01}}}),
        ({"bound": {"upper": 5e-15}}, {"bound": {"upper": 4e-15}}),
        ({"bound": {"level": 0.95}, "claim": "at 96%"}, {"bound": {"level": 0.95}, "claim": "at 95%"}),
        (
            {"worst": {"deviation": 1.2939}, "headline": "largest deviation 1.293"},
            {"worst": {"deviation": 1.2939}, "headline": "largest deviation 1.294"},
        ),
    ],
)
def test_no_more_than_what_is_fitted_has_it(stands, again):
    assert len(differ(searched(**stands), searched(**again), fitted=Worst.fitted)) == 1


def test_no_number_goes_over_the_limit_of_the_claim():
    """A reader would see that a claim holds which does not, though the number is nearly the same."""
    above, below, further = ({"bound": {"upper": upper}} for upper in (3.00001, 2.99999, 3.00003))
    assert differ(searched(3.0, **below), searched(3.0, **above), fitted=Worst.fitted)
    assert not differ(searched(3.0, **further), searched(3.0, **above), fitted=Worst.fitted)
    assert not differ(searched(3.0, bound={"upper": 3.0}), searched(3.0, bound={"upper": 3.0 + 1e-15}))
