"""Figures of a hunt: they show the finding's numbers, say what is what without colour, and nothing overlaps."""

import math
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from ringtrue.blind._detail_figures import (
    MOST_GROUPS,
    MOST_POINTS,
    draw_confidence_axis,
    draw_distance,
    draw_groups,
    draw_reliability,
    has_distance,
    nines,
    overconfident_bins,
    shown_bins,
    shown_groups,
)
from ringtrue.blind._figures import draw_rate, draw_ratio, has_path, pool_ratio
from support.blind_findings import blind_finding, field, groups
from worst.test_figures import assert_readable, laid_out


def axes():
    return Figure().subplots()


def lines(one):
    return {line.get_label(): line for line in one.get_lines()}


def band(one):
    heights = one.collections[0].get_paths()[0].vertices[:, 1]
    return float(heights.min()), float(heights.max())


def test_the_ratio_is_drawn_beside_one_and_the_whole_scope():
    finding = blind_finding()
    one = axes()
    draw_ratio(one, finding, {"estimate": 2.5, "low": 1.1, "high": 9.4})
    drawn, ratio = lines(one), np.array(finding["path"]["ratio"])
    shown = drawn["errors found / expected"].get_ydata()
    assert one.get_yscale() == "log"
    assert shown[:-1][ratio > 0].tolist() == ratio[ratio > 0].tolist()
    assert set(shown[:-1][ratio == 0]) == {one.get_ylim()[0]}, "zero stands at the foot"
    assert shown[-1] == shown[-2]
    assert set(drawn["1: as confident as right"].get_ydata()) == {1}
    assert set(drawn["whole scope: 2.5 (1.1 to 9.4)"].get_ydata()) == {2.5}
    assert one.get_ylim()[1] > max(ratio)
    assert not any("whole scope" in name for name in lines(_ratio_alone(finding)))


def _ratio_alone(finding):
    one = axes()
    draw_ratio(one, finding)
    return one


def test_a_ratio_of_thousands_and_none_at_all_can_be_drawn():
    gamed = blind_finding()
    gamed["path"].update(ratio=[10_208.0] * 50, low=[0.4] * 50, high=[None] * 50)
    one = _ratio_alone(gamed)
    assert one.get_ylim()[1] > 10_208
    assert band(one) == pytest.approx((0.4, one.get_ylim()[1])), "what has no upper end reaches the top"
    nothing = blind_finding(wrong_share=0.0)
    nothing["path"].update(ratio=[None] + [0.0] * 49, low=[None] + [0.0] * 49, high=[None] + [3.0] * 49)
    assert _ratio_alone(nothing).get_ylim()[0] > 0


def test_the_whole_scope_has_a_ratio_where_something_was_drawn_at_random():
    finding = blind_finding()
    finding.update(scope=1_000, rate={"estimate": 0.1, "low": 0.05, "high": 0.2})
    assert pool_ratio(finding, {"expected_errors": 50.0}) == pytest.approx({"estimate": 2.0, "low": 1.0, "high": 4.0})
    assert pool_ratio(finding, {}) is None
    assert pool_ratio(finding, {"expected_errors": 0.0}) is None
    finding["rate"]["estimate"] = None
    assert pool_ratio(finding, {"expected_errors": 50.0}) is None
    assert pool_ratio(blind_finding(answered=0), {"expected_errors": 50.0}) is None


def test_the_rate_narrows_and_its_random_answers_are_marked():
    finding = blind_finding()
    finding["decided_at"] = 30
    one = axes()
    draw_rate(one, finding)
    drawn, path = lines(one), finding["path"]
    for wrong, word in ((True, "wrong"), (False, "right")):
        at = [a for a, r, w in zip(path["answer"], path["random"], path["wrong"], strict=True) if r and w is wrong]
        assert list(drawn[f"drawn at random, {word} ({len(at)})"].get_xdata()) == at
    assert set(drawn["estimate: 11%"].get_ydata()) == {11}
    assert set(drawn["claim: error <= 2% at 95%"].get_ydata()) == {2}
    assert set(drawn["decided after 30"].get_xdata()) == {30}
    assert band(one) == pytest.approx((100 * min(path["rate_low"]), 100))
    finding["rate"]["estimate"] = finding["claim"] = finding["limit"] = finding["decided_at"] = None
    bare = axes()
    draw_rate(bare, finding)
    assert not [name for name in lines(bare) if "random" not in name]


def test_only_answers_are_drawn():
    finding = blind_finding(answered=2)
    assert has_path(finding)
    finding["path"].update(ratio=[None, None])
    assert not has_path(finding), "nobody could label them"
    assert not has_path(blind_finding(answered=0))
    for empty in (finding, blind_finding(answered=0)):
        assert [text.get_text() for text in _ratio_alone(empty).texts] == ["nothing is answered yet"]


def test_confidences_near_one_are_spread():
    assert [nines(value) for value in (0.9, 0.99, 0.999)] == pytest.approx([1, 2, 3])
    assert nines(1.0) == nines(1 - 1e-9) == pytest.approx(6)
    one = axes()
    draw_confidence_axis(one, [0.3, 0.9999])
    assert [tick.get_text() for tick in one.get_xticklabels()] == ["90%", "99%", "99.9%", "99.99%", "50%"]
    assert len(one.get_xticks()) == len(set(one.get_xticks()))
    draw_confidence_axis(axes(), [0.8, 0.8])


def test_distances_show_the_curve_and_who_was_asked():
    finding = blind_finding()
    known = field(finding)
    known["asked"]["distance"][0] = None
    known["asked"]["wrong"][1] = None
    one = axes()
    draw_distance(one, known)
    drawn, asked = lines(one), known["asked"]
    marks = {
        (True, False): "asked, wrong", (False, False): "asked, right",
        (True, True): "at random, wrong", (False, True): "at random, right",
    }  # fmt: skip
    for (wrong, random), words in marks.items():
        places = [n for n in range(2, 50) if asked["wrong"][n] == wrong and asked["random"][n] == random]
        shown = drawn[f"{words} ({len(places)})"]
        assert list(shown.get_ydata()) == [asked["distance"][place] for place in places]
        assert list(shown.get_xdata()) == [nines(asked["confidence"][place]) for place in places]
    looks = [(drawn[name].get_marker(), drawn[name].get_markerfacecolor()) for name in drawn if "asked" in name]
    assert len({marker for marker, _ in looks}) == len(looks), "told apart without colour"
    assert list(drawn["expected of such confidence"].get_ydata()) == known["curve"]["distance"]
    assert len(drawn["items of the scope"].get_xdata()) == 500
    assert one.get_yscale() == "log"
    assert one.get_ylabel() == "distance to another answer (linf)"


def test_a_distance_of_nothing_is_drawn_and_many_are_thinned():
    known = field(blind_finding(), points=1_500)
    known["points"]["distance"][0] = 0.0
    one = axes()
    draw_distance(one, known)
    assert one.get_yscale() == "linear"
    assert 0 < len(lines(one)["items of the scope"].get_xdata()) <= MOST_POINTS


def test_without_distances_there_is_nothing_to_draw():
    finding = blind_finding()
    assert has_distance(field(finding))
    assert not has_distance(field(finding, distances=False))
    assert not has_distance({})
    only = {"asked": {"confidence": [0.9, 0.8], "distance": [0.1, None], "wrong": [True, False], "random": [False] * 2}}
    assert has_distance(only)
    one = axes()
    draw_distance(one, only)
    assert list(lines(one)) == ["asked, wrong (1)"]


def test_reliability_begins_where_the_scope_does():
    finding = blind_finding()
    finding["reliability"][2]["asked"] = 0
    bins = shown_bins(finding)
    assert len(bins) == 5
    assert bins[0]["low"] == 0.65
    assert bins[1]["low"] == 0.7
    one = axes()
    draw_reliability(one, bins)
    boxes = [shade.get_paths()[0].get_extents() for shade in one.collections if shade.get_facecolors().size]
    assert [(box.y0, box.y1) for box in boxes] == [
        pytest.approx((100 * each["low"], 100 * each["high"])) for each in bins
    ]
    bars = [group.get_segments()[0][:, 1].tolist() for group in one.collections if hasattr(group, "get_segments")]
    assert bars == [pytest.approx([100 * each["accuracy_low"], 100 * each["accuracy_high"]]) for each in bins]
    assert [text.get_text() for text in one.texts] == [str(each["asked"]) for each in bins]


def test_overconfident_for_sure_is_where_even_the_high_end_is_below():
    finding = blind_finding()
    for one, high in zip(finding["reliability"], (0.66, 0.69, 1.0, 0.9, 0.94, 0.98), strict=True):
        one["accuracy_high"] = high
    assert [one["low"] for one in overconfident_bins(finding)] == [0.7, 0.95, 0.99]


def test_groups_are_bold_where_the_excess_is_certain():
    shown = groups(4)
    one = axes()
    draw_groups(one, shown)
    bars = [line for line in one.get_lines() if len(line.get_xdata()) == 2 and line.get_marker() == "None"][:4]
    assert [list(bar.get_xdata()) for bar in bars] == [[each["low"], each["high"]] for each in shown]
    widths = [bar.get_linewidth() for bar in bars]
    assert widths[0] == widths[1] > widths[2] == widths[3]
    names = [tick.get_text() for tick in one.get_yticklabels()]
    assert names == ["hour: 0 o'clock (12)", "cluster 1 (13)", "hour: 2 o'clock (14)", "cluster 3 (15)"]
    assert len(shown_groups({"groups": groups(60)})) == MOST_GROUPS
    assert shown_groups({}) == []


def test_nothing_overlaps():
    finding = blind_finding()
    known = field(finding)
    many = [{**one, "kind": "WIDE WORDS OF A COLUMN", "name": "$x^2$" + "W" * 40} for one in groups(MOST_GROUPS)]
    pool = pool_ratio(finding, known)
    for draw, height in (
        (lambda one: draw_rate(one, finding), 3.6),
        (lambda one: draw_ratio(one, finding, pool), 3.8),
        (lambda one: draw_distance(one, known), 4.2),
        (lambda one: draw_reliability(one, shown_bins(finding)), 3.8),
        (lambda one: draw_groups(one, many), 1.1 + 0.26 * MOST_GROUPS),
    ):
        assert_readable(laid_out(lambda figure, draw=draw: draw(figure.subplots()), (7.2, height)))


def test_all_eight_ranges_of_confidence_can_be_read():
    edges = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
    bins = [
        {"low": low, "high": high, "asked": 1_234, "accuracy_low": 0.0, "accuracy_high": 1.0, "level": 0.95}
        for low, high in pairwise(edges)
    ]
    assert_readable(laid_out(lambda figure: draw_reliability(figure.subplots(), bins), (7.2, 3.8)))


def test_limits_are_finite_after_one_answer():
    finding = blind_finding(answered=1)
    one = _ratio_alone(finding)
    assert all(map(math.isfinite, (*one.get_ylim(), *one.get_xlim())))
