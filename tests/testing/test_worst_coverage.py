"""The coverage of what is said of the worst deviation, in few repetitions; the whole table has its own make target."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ringtrue.testing import worst_coverage
from ringtrue.testing.worst_coverage import CASES, HEADING, Counts, bounds_section, check, follow, section


def test_the_bound_holds_on_smooth_functions():
    """Two searches with fixed seeds; the table has many, with their chance error."""
    counts = follow(CASES[0], repetitions=2)
    assert counts.wrong == 0
    assert counts.refused < 2


@pytest.mark.parametrize(("wrong", "picked", "broken"), [(5, 5, 0), (20, 0, 1), (20, 20, 2)])
def test_promises_that_are_broken_are_told(wrong, picked, broken):
    counts = Counts(100, 0, wrong, picked, 0.1)
    assert len(check(CASES[0], counts)) == broken
    assert check(replace(CASES[0], needle=True), counts) == []


def test_the_section_has_a_row_for_each_kind_of_function(monkeypatch):
    monkeypatch.setattr(worst_coverage, "follow", lambda case, **_: Counts(10, 1, 10, 0, 0.2))
    text, broken = bounds_section(repetitions=10)
    assert text.startswith(HEADING)
    assert all(case.name in text for case in CASES)
    assert len(broken) == sum(case.promised for case in CASES)
    assert "(not promised)" in text


def test_the_suite_has_the_bounds_and_the_bumps(monkeypatch):
    asked = []
    for name in ("bounds_section", "bumps_section"):
        monkeypatch.setattr(
            worst_coverage, name, lambda name=name, **options: asked.append(options) or (f"## {name}\n", [name])
        )
    assert section(repetitions=10) == ("## bounds_section\n\n## bumps_section\n", ["bounds_section", "bumps_section"])
    assert [one["repetitions"] for one in asked] == [10, 5]
