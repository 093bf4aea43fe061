"""What a panel's finding shows without reserve, short: fixed seeds, 40 panels for each trap.

Monte Carlo standard error 3.4 points for the standings, about 1 for the intervals, which are averaged over a panel. The
long run is `make coverage`.
"""

import dataclasses

import pytest

from ringtrue.judges import Standing, evaluate
from ringtrue.testing.shared_mistakes_coverage import PANELS, check, section, simulate

THREE = PANELS["three judges (93%, 77%, 92%)"]


@pytest.mark.parametrize(("share", "labels"), [(0.0, 50), (0.1, 200), (0.3, 50)])
def test_what_is_shown_without_reserve_keeps_its_promise(share, labels):
    hits = simulate(THREE, share, labels, repetitions=40)
    assert check(hits) == []
    if share:
        assert hits.alone.mean() > 0.5  # what is shown with a reserve needs it


def test_the_suite_notices_votes_alone_in_the_place_of_labels():
    def trusting(sketch):
        found = evaluate(sketch, truth="truth")
        return dataclasses.replace(found, labelled=found.general, labelled_here=found.here)

    broken = check(simulate(THREE, 0.1, 200, judge=trusting, repetitions=10))
    assert [fall.partition(":")[0] for fall in broken] == ["intervals, items like these", "intervals, these very items"]


def test_the_suite_notices_standings_and_margins_that_go_by_the_votes():
    def trusting(sketch):
        found = evaluate(sketch, truth="truth")
        standings = dataclasses.replace(found.standings, each=(Standing.GOOD,) * 3)
        margin = dataclasses.replace(found.margin, most=0.02)
        return dataclasses.replace(found, standings=standings, margin=margin)

    broken = check(simulate(THREE, 0.1, 200, judge=trusting, repetitions=10))
    assert [fall.partition(":")[0] for fall in broken] == ["standings, all at once", "margin of the votes, all at once"]


def test_the_section_is_deterministic():
    text, _ = section(shares=[0.1], repetitions=2)
    assert text == section(shares=[0.1], repetitions=2)[0]
    assert "| three judges (93%, 77%, 92%) | 10% | 200 |" in text
