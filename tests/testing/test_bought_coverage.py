"""The coverage of bought labels, short: fixed seeds; the long run is `make coverage`."""

import pytest

from ringtrue.judges.bought import _fixed
from ringtrue.testing import coverage
from ringtrue.testing._sections import append_section
from ringtrue.testing.bought_coverage import HEADING, PANELS, check, section, simulate

TRAPS = PANELS[1]


@pytest.mark.parametrize("looking", ["watched", "fixed"])
def test_intervals_keep_their_promise(looking):
    """40 studies: the Monte Carlo standard error is at most 3.5 points, and three of them are allowed."""
    hits = simulate(TRAPS, 40, looking, repetitions=40)
    assert [str(fall) for fall in check(hits)] == []
    assert max(hits.error(quantity) for quantity in hits.held) < 0.036


def test_the_suite_catches_intervals_that_are_too_narrow(monkeypatch):
    """Intervals of one look at 60% that are said to be at 95%."""
    honest = _fixed.labelled_estimates
    monkeypatch.setattr(
        _fixed, "labelled_estimates", lambda *arguments, level, **options: honest(*arguments, level=0.6, **options)
    )
    caught = check(simulate(TRAPS, 60, "fixed", repetitions=30))
    assert {fall.quantity for fall in caught} == {"prevalence", "accuracy", "error"}
    assert "at one look after 60 labels" in str(caught[0])


def test_the_section_says_what_was_done_and_is_part_of_the_suite():
    text, broken = section(panels=[PANELS[3]], labels=[30], repetitions=2)
    assert text.startswith(HEADING)
    assert text.count("| 3 judges who hardly err | 30 |") == 2
    assert broken == []
    assert append_section("# Coverage\n", text, HEADING).count(HEADING) == 1
    assert HEADING in [part.HEADING for part in coverage.SECTIONS]
