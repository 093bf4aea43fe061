"""The figure of a claim shows the claim: its limit and the bound that decides stand apart, or words say by how much."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from report.every_question import NAMES, Case, case
from ringtrue.core import Claim, draw_deciding
from ringtrue.report._pictures import _STYLE, PHONE, of_claim

SCREEN = 358 / 500
"""Pixels of a phone for each of a figure of five inches: a page has 358 of the 390 that there are."""

APART = 6
"""Pixels between limit and bound at which two thin lines are two."""

CLAIMS = [name for name in NAMES if ", claim" in name]


def drawn(found, height=3.6):
    """The figure of the claim, laid out as on the page."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(PHONE, height), dpi=100, layout="constrained")
        of_claim(found.draw, height)(figure)
        figure.draw_without_rendering()
    return figure


def apart(figure, found):
    """The pixels on a phone between limit and bound, on the axes that show them best; 0 where none shows both."""
    best, place = 0.0, "xy".index(found.along)
    limit, edge = found.scale * found.limit, found.scale * found.edge
    for axes in figure.axes:
        low, high = sorted((axes.get_xlim(), axes.get_ylim())[place])
        lines = (np.asarray((line.get_xdata, line.get_ydata)[place](), dtype=float) for line in axes.lines)
        has_limit = any(len(line) > 1 and np.allclose(line, limit, rtol=1e-12, atol=0) for line in lines)
        if has_limit and low <= min(limit, edge) and max(limit, edge) <= high:
            ends = [axes.transData.transform((value, value))[place] for value in (limit, edge)]
            best = max(best, SCREEN * abs(ends[0] - ends[1]))
    return best


def words(figure):
    return " ".join(text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_visible())


@pytest.mark.parametrize("name", CLAIMS)
def test_the_limit_and_the_bound_that_decides_can_be_told_apart(name):
    found = case(name)
    if found.edge is None:
        pytest.skip("nothing is bounded yet, so that nothing could be told apart")
    figure = drawn(found)
    if np.isclose(found.edge, found.limit, rtol=1e-9, atol=0):
        assert "the very limit" in words(figure)
    elif apart(figure, found) < APART:
        assert found.along == "x", "only a row of judges has no room for a close-up: words say it"
        assert f"{100 * abs(found.edge - found.limit):.2g} points" in words(figure)


@pytest.mark.parametrize("name", ["risk, claim true in a whole pool", "risk, claim true", "blind, claim true"])
def test_a_close_up_shows_no_share_below_none_or_above_all(name):
    _, near = drawn(case(name)).axes
    low, high = near.get_ylim()
    assert 0 <= low < high <= 100


def test_a_close_up_of_a_drop_may_lie_below_none():
    deciding = {"answers": [66, 67, 68], "bounds": [0.002, 0.001, -0.0002], "limit": 0.0001, "decided_at": 68}

    def draw(axes):
        axes.axhline(100 * deciding["limit"])
        axes.set_ylim(-20, 20)
        draw_deciding(axes, {**deciding, "above": True})

    found = Case(SimpleNamespace(claim=Claim("accuracy drop", deciding["limit"])), {}, draw, -0.0002)
    assert apart(drawn(found), found) >= APART


@pytest.mark.parametrize(("bound", "limit"), [(0.0499, 0.05), (0.049999, 0.05), (0.0501, 0.05), (0.3, 0.05)])
def test_a_hair_is_seen_too(bound, limit):
    """Whatever the gap, the close-up or the axes themselves show it."""
    deciding = {"answers": [66, 67, 68], "bounds": [0.0515, 0.0505, bound], "limit": limit, "decided_at": 68}
    deciding["above"] = bound < limit

    def draw(axes):
        axes.axhline(100 * limit)
        axes.set_ylim(0, 100)
        draw_deciding(axes, deciding)

    found = Case(SimpleNamespace(claim=Claim("error", limit)), {}, draw, bound)
    assert apart(drawn(found), found) >= APART
