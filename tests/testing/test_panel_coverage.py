"""The coverage of panels, short: fixed seeds, 120 studies for each panel.

Monte Carlo standard error 2.0 points for a prevalence and up to 1.5 for accuracies: they are averaged over a panel's
judges, but those of one study hold or fail together. The long run is `make coverage`.
"""

import dataclasses
from types import SimpleNamespace

import pytest

from ringtrue.judges import unlabelled_both
from ringtrue.testing import coverage
from ringtrue.testing._sections import append_section
from ringtrue.testing.panel_coverage import HEADING, PANELS, SIZES, check, main, section, simulate

PANEL = {(panel.name, panel.judges): panel for panel in PANELS}


def drawn_in(told, share):
    """The same intervals, each end moved towards the estimate."""

    def narrower(interval):
        low, high = (interval.estimate + share * (end - interval.estimate) for end in (interval.low, interval.high))
        return dataclasses.replace(interval, low=low, high=high)

    return {
        target: dataclasses.replace(
            estimates,
            prevalence=tuple(map(narrower, estimates.prevalence)),
            accuracy=tuple(tuple(map(narrower, row)) for row in estimates.accuracy),
            overall=tuple(map(narrower, estimates.overall)),
        )
        for target, estimates in told.items()
    }


@pytest.mark.parametrize(("name", "judges", "items"), [("strong", 3, 500), ("strong", 5, 500), ("medium", 3, 2000)])
def test_intervals_keep_their_promise(name, judges, items):
    hits = simulate(PANEL[name, judges], items, repetitions=120)
    assert [str(fall) for fall in check(hits)] == []
    assert max(hits.error(target, "accuracy") for target in ("in general", "on this test")) < 0.015


def test_weak_judges_have_wide_intervals_that_hold():
    """Nothing is promised; yet far less than nominal would be dishonest: 90%, less three standard errors."""
    hits = simulate(PANEL["weak", 3], 2000, repetitions=20)
    for target in ("in general", "on this test"):
        assert hits.coverage(target, "prevalence") > 0.9 - 3 * (0.9 * 0.1 / 20) ** 0.5
        assert hits.coverage(target, "accuracy") > 0.9
        assert hits.width[target, "prevalence"] > 0.3
    assert check(hits) == []


def test_suite_catches_intervals_that_are_a_third_too_narrow():
    """These hold in 81% of studies; with an error of 1.5 points, all above 93% - 3 * 1.5% would pass."""

    def narrow(sketch, evaluation):
        return drawn_in(unlabelled_both(sketch, evaluation), 2 / 3)

    caught = check(simulate(PANEL["strong", 3], 500, estimator=narrow, repetitions=80))
    assert {fall.target for fall in caught} == {"in general", "on this test"}
    assert "3 strong judges, 500 items: holds the" in str(caught[0])
    assert "promised 95% give or take 2%" in str(caught[0])


def test_suite_catches_general_intervals_that_are_sold_for_this_test():
    """Twice too wide is wrong too: the realised values lie closer than that."""

    def general(sketch, evaluation):
        told = unlabelled_both(sketch, evaluation)["in general"]
        return {"in general": told, "on this test": told}

    caught = check(simulate(PANEL["strong", 5], 500, estimator=general, repetitions=60))
    assert {fall.target for fall in caught} == {"on this test"}
    assert all(fall.coverage > 0.99 for fall in caught)


def test_the_section_is_deterministic_and_replaces_an_older_one():
    few = {"panels": [PANEL["strong", 3]], "sizes": [500], "repetitions": 4}
    text, _ = section(**few)
    assert text == section(**few)[0]
    assert "4 studies for each row" in text
    assert "| 3 strong (90%) | 500 | on this test |" in text
    document = append_section("# Coverage\n\nOther things.\n", text, HEADING)
    assert document.startswith("# Coverage\n\nOther things.\n\n" + HEADING)
    assert append_section(document, text, HEADING) == document
    assert SIZES == (500, 2000, 10_000)


def test_the_coverage_suite_writes_every_section_after_its_own_tables(tmp_path, monkeypatch, capsys):
    asked = {}

    def named(heading, repetitions):
        def section(**options):
            asked[heading] = options
            return f"{heading}\n\nWords.\n", []

        return SimpleNamespace(HEADING=heading, REPETITIONS=repetitions, section=section)

    assert len({module.HEADING for module in coverage.SECTIONS}) == len(coverage.SECTIONS)
    monkeypatch.setattr(coverage, "SECTIONS", (named("## One", 250), named("## Two", 60)))
    monkeypatch.setattr(coverage, "table", lambda rows, **options: ("# Coverage\n\nTables.\n", []))
    assert coverage.main(["--out", str(tmp_path / "coverage.md")]) == 0
    written = (tmp_path / "coverage.md").read_text()
    assert written == "# Coverage\n\nTables.\n\n## One\n\nWords.\n\n## Two\n\nWords.\n"
    assert asked == {"## One": {"repetitions": 250}, "## Two": {"repetitions": 60}}
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--repetitions" in capsys.readouterr().out
