"""What is said of confident errors holds at every look, hunting or not; a section that is broken says so."""

import pytest

from ringtrue.testing import blind_coverage
from ringtrue.testing.blind_coverage import CASES, Case, Counts, check, follow

REPETITIONS = 8
"""A miss in 5 % of hunts gives more than three of eight in one run of 2,700; the suite itself has 200."""


@pytest.mark.parametrize("case", CASES[:1] + CASES[2:3] + CASES[6:], ids=lambda case: case.name)
def test_what_is_said_of_confident_errors_holds(case):
    counts = follow(case, repetitions=REPETITIONS)
    assert counts.rate <= 3
    assert counts.ratio <= 3
    if case.is_calibrated:
        assert counts.alarms <= 3
    elif not case.untold:
        assert counts.alarms >= 4


def test_a_broken_promise_is_told():
    calibrated, pocket = Case("even", "random"), Case("pocket", "learning", pocket=0.1)
    assert check(calibrated, Counts(200, 9, 9, 9, 0.3)) == []
    assert check(calibrated, Counts(200, 30, 0, 25, 0.3)) == [
        "even: the rate's interval missed in 30 of 200",
        "even: the alarm was false in 25 of 200",
    ]
    assert check(pocket, Counts(200, 0, 0, 200, 0.3)) == []


def test_the_section_has_a_row_for_each_case(monkeypatch):
    monkeypatch.setattr(blind_coverage, "follow", lambda case, **_: Counts(4, 0, 0, 0, 0.25))
    text, broken = blind_coverage.section(repetitions=4)
    assert broken == []
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + len(CASES)
    assert "Every promise is kept." in text
