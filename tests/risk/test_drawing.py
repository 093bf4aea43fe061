"""The figures beside the interval: where in the pool failures are, and what other mixtures of inputs would give."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from report.maps import profile_of, stratum
from ringtrue.risk._drawing import draw_profiles, draw_strata, shown_profiles, shown_strata

OWN = {"estimate": 0.02, "low": 0.01, "high": 0.03, "level": 0.95, "method": "by hand", "n": 400}
STRATA = [stratum("sure", 0.8, 0.005), stratum("unsure", 0.15, 0.3), stratum("odd", 0.05, None)]


def drawn(draw, finding):
    axes = Figure().subplots()
    draw(axes, finding)
    return axes


def test_bars_compare_the_pool_with_its_failures():
    axes = drawn(draw_strata, {"strata": STRATA})
    pool, failures = ([bar.get_width() for bar in bars] for bars in axes.containers)
    np.testing.assert_allclose(pool, [80, 15, 5])
    total = 0.8 * 0.005 + 0.15 * 0.3
    np.testing.assert_allclose(failures, [100 * 0.8 * 0.005 / total, 100 * 0.15 * 0.3 / total, 0])
    assert [text.get_text() for text in axes.texts] == ["0.5% fail", "30% fail", "not asked"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["sure", "unsure", "odd"]


@pytest.mark.parametrize("strata", [None, [], [stratum("all", 1.0, 0.0)], [stratum("all", 1.0, None)]])
def test_without_failures_there_is_nothing_to_compare(strata):
    assert shown_strata({"strata": strata}) == []
    assert shown_strata({}) == []


def test_shares_are_of_all_strata_though_not_all_are_drawn():
    finding = {"strata": [stratum(f"{place}", 1 / 50, 0.1) for place in range(50)]}
    assert len(shown_strata(finding)) == 24
    failures = drawn(draw_strata, finding).containers[1]
    np.testing.assert_allclose([bar.get_width() for bar in failures], [2] * 24)


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
