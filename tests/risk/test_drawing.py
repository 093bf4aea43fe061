"""The figures beside the interval: where in the pool failures are, and what other mixtures of inputs would give."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from report.maps import profile_of, stratum
from ringtrue.risk._figures import draw_profiles, draw_strata, shown_profiles, shown_strata

OWN = {"estimate": 0.02, "low": 0.01, "high": 0.03, "level": 0.95, "method": "by hand", "n": 400}
STRATA = [stratum("sure", 0.8, 0.005), stratum("unsure", 0.15, 0.3), stratum("odd", 0.05, None)]


def drawn(draw, finding):
    axes = Figure().subplots()
    draw(axes, finding)
    return axes


def test_every_stratum_that_is_drawn_has_its_interval():
    axes = drawn(draw_strata, {"strata": STRATA})
    spans = [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 2]
    np.testing.assert_allclose(spans, [[(0, 0), (10.5, 0)], [(20, 1), (40, 1)]])
    dots = [line.get_xydata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(dots, [(0.5, 0), (30, 1)])
    assert not axes.patches, "no bar"
    assert [text.get_text() for text in axes.texts] == [
        "0 of 100 failed, 80% of the pool",
        "30 of 100 failed, 15% of the pool",
    ]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["sure", "unsure"]
    assert max(axes.get_xticks()) <= 40


@pytest.mark.parametrize("strata", [None, [], [stratum("all", 1.0, 0.0)], [stratum("all", 1.0, None)]])
def test_without_failures_there_is_nothing_to_compare(strata):
    assert shown_strata({"strata": strata}) == []
    assert shown_strata({}) == []


def test_of_many_strata_those_with_most_failures_are_drawn_in_their_order():
    strata = [stratum(f"{place}", 1 / 50, 0.1 if place % 2 else 0.0) for place in range(50)]
    shown = shown_strata({"strata": strata})
    assert [one["name"] for one in shown] == [f"{place}" for place in range(1, 49, 2)]
    assert len(drawn(draw_strata, {"strata": strata}).get_yticklabels()) == 24


def test_strata_of_one_doubt_are_told_apart_by_their_weight():
    names = ["doubt 0.08% to 0.38%, weight 0.39", "doubt 0.08% to 0.38%, weight 5.8"]
    axes = drawn(draw_strata, {"strata": [stratum(name, 0.5, 0.1) for name in names]})
    assert [tick.get_text() for tick in axes.get_yticklabels()] == names


def test_profiles_are_intervals_and_words():
    finding = {"interval": OWN, "profiles": [profile_of("day", 0.02), profile_of("fog"), profile_of("night", 0.05)]}
    axes = drawn(draw_profiles, finding)
    spans = [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 2]
    np.testing.assert_allclose(spans, [[(1, 0), (3, 0)], [(4, 2), (6, 2)]])
    assert [(text.get_text(), text.xy[1]) for text in axes.texts] == [("refused", 1)]
    assert axes.get_xlim()[1] == pytest.approx(6.3)


def test_profiles_that_are_all_refused_are_not_drawn():
    assert shown_profiles({"profiles": [profile_of("fog")]}) == []
    assert shown_profiles({}) == []
