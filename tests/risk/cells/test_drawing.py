"""The figures of a map show its numbers, at their places."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure

from report.maps import map_finding
from ringtrue.risk.cells._figures import draw_fragility, draw_product, draw_profile, draw_ranked, draw_resolution


def drawn(draw, finding, *more):
    axes = Figure().subplots()
    draw(axes, json.loads(json.dumps(finding, allow_nan=False)), *more)
    return axes


def words(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("draw", [draw_profile, draw_fragility, draw_product])
def test_maps_name_their_axes(draw):
    axes = drawn(draw, map_finding(("speed $v$", "load")))
    assert axes.get_xlabel() == r"speed \$v\$"
    assert axes.get_ylabel() == "load"


def test_the_shades_do_not_depend_on_how_finely_masses_are_cut():
    whole, halved = map_finding(cells=40), map_finding(cells=40)
    halved["maps"]["profile"] = (np.kron(np.array(whole["maps"]["profile"]), np.ones((2, 2))) / 4).tolist()
    ticks = [
        [tick.get_text() for tick in drawn(draw_profile, finding).figure.axes[1].get_xticklabels()]
        for finding in (whole, halved)
    ]
    assert ticks[0] == ticks[1]


def test_fragility_is_told_in_percent():
    finding = map_finding(cells=10)
    finding["maps"]["fragility"] = [[0.0, 0.55]]
    bar = drawn(draw_fragility, finding).figure.axes[1]
    assert bar.get_xticklabels()[-1].get_text() == "50"
    assert bar.get_xlabel() == "unastuteness (%)"


def test_ranked_cells_and_failures_are_marked_where_they_are():
    finding = map_finding(("a", "b", "c"), cells=50, most=7)
    axes = drawn(draw_product, finding, [(0.1, 0.2), (0.3, 0.4)])
    crosses, rings = axes.lines
    np.testing.assert_allclose(crosses.get_xydata(), [(0.1, 0.2), (0.3, 0.4)])
    np.testing.assert_allclose(rings.get_xydata(), [cell["centre"][:2] for cell in finding["ranked"]])
    ranks = {text.get_text(): text.xy for text in axes.texts}
    assert {rank: list(place) for rank, place in ranks.items()} == {
        f"{place + 1}": finding["ranked"][place]["centre"][:2] for place in range(5)
    }


@pytest.mark.parametrize("ranked", [0, 1, 2])
def test_few_cells_are_no_trouble(ranked):
    assert len(words(drawn(draw_product, map_finding(most=ranked)))) == ranked


def test_ranks_of_one_place_do_not_cover_each_other():
    finding = map_finding(most=5)
    for cell in finding["ranked"]:
        cell["centre"] = [0.5, 0.5]
    offsets = np.array([text.xyann for text in drawn(draw_product, finding).texts])
    apart = np.linalg.norm(offsets[:, None] - offsets[None], axis=2)[np.triu_indices(5, 1)]
    assert apart.min() > 12, "points, more than a letter is high"


def test_the_resolution_is_drawn_from_coarse_to_fine():
    finding = map_finding()
    finding["resolution"] = finding["resolution"][::-1]
    axes = drawn(draw_resolution, finding)
    (line,) = axes.lines
    np.testing.assert_allclose(line.get_xydata(), [(250, 0.489), (500, 0.256), (1000, 0.133)])
    assert words(axes) == ["0.489%", "0.256%", "0.133%"]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["250", "500", "1,000"]
    bars = [segment[:, 1].tolist() for segment in axes.collections[0].get_segments()]
    np.testing.assert_allclose(bars, [[0.95 * e, 1.05 * e] for e in (0.489, 0.256, 0.133)])


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (True, "The map follows the size of its cells, from 0.489% to 0.133%: no bound can rest on it."),
        (False, "Other sizes of cells move it by less than its interval is wide: 0.489%, then 0.49%."),
    ],
)
def test_the_title_says_whether_it_moves(moves, said):
    assert drawn(draw_resolution, map_finding(moves=moves)).get_title(loc="left") == said


def test_intervals_down_to_zero_end_at_the_lower_end():
    finding = map_finding()
    for step in finding["resolution"]:
        step.update(low=0.0, high=0.9)
    axes = drawn(draw_resolution, finding)
    lows = [segment[0, 1] for segment in axes.collections[0].get_segments()]
    assert min(lows) > 0
    np.testing.assert_allclose(lows, axes.get_ylim()[0])


def test_an_estimate_of_zero_has_no_logarithm():
    finding = map_finding()
    finding["resolution"] = [{"cells": [5, 7], "estimate": 0.0, "low": 0.0, "high": 0.0}]
    axes = drawn(draw_resolution, finding)
    assert axes.get_yscale() == "linear"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5 × 7"]


def test_bars_are_the_shares_of_the_cells_by_kind():
    finding = map_finding(most=20)
    axes = drawn(draw_ranked, finding)
    bars = [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches]
    np.testing.assert_allclose(bars, [(row, 100 * finding["ranked"][row]["share"]) for row in range(12)])
    assert words(axes) == ["one class", "no label", "no label", "several classes"] * 3
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert colours[1] == colours[2]
    assert len({colours[0], colours[1], colours[3]}) == 3
    assert axes.get_yticklabels()[0].get_text().startswith("1  at (0.")
