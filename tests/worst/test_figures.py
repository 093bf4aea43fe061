"""Figures of a search: they show the finding's numbers, say what is what without colour, and nothing overlaps."""

import json
import math
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from ringtrue.report._pictures import _STYLE, svg, svg_of_several
from ringtrue.worst._figures import (
    MOST_BASELINES,
    MOST_TASKS,
    PHASES,
    plot_calibration,
    plot_path,
    plot_tasks,
    shown_tasks,
)
from ringtrue.worst._space_figures import (
    MOST_LINES,
    MOST_PARAMETERS,
    MOST_POINTS,
    MOST_SLICES,
    Scale,
    plot_parallel,
    plot_picture,
    plot_slices,
    scales,
    shown_slices,
    upright,
    worst_answers,
)
from support.worst_findings import TRAINING, baselines, picture, worst_finding

PHASES_OF_ALLOY = tuple(f"PHASE_WITH_A_LONG_NAME_{place}" for place in range(16))


def axes():
    return Figure().subplots()


def lines(one):
    return {line.get_label(): line for line in one.get_lines()}


def laid_out(draw, size):
    """A figure as a page has it, with everything in its place."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.draw_without_rendering()
    return figure


def assert_readable(figure):
    """No two texts lie on each other, and none leaves the figure."""
    texts = [text for one in figure.axes for text in _texts(one) if text.get_text() and text.get_visible()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    right, top = figure.bbox.width, figure.bbox.height
    for name, box in boxes:
        assert box.x0 >= -1, name
        assert box.y0 >= -1, name
        assert box.x1 <= right + 1, name
        assert box.y1 <= top + 1, name
    for (name, box), (other, another) in combinations(boxes, 2):
        width = min(box.x1, another.x1) - max(box.x0, another.x0)
        height = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert min(width, height) <= 1, f"{name!r} lies on {other!r}"


def _texts(one):
    ticks = []
    if one.axison:  # what lies outside the limits is not drawn
        for axis in (one.xaxis, one.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    legend = one.get_legend()
    return [*ticks, *one.texts, one.xaxis.label, one.yaxis.label, *(legend.get_texts() if legend else [])]


def test_the_path_shows_the_best_so_far_and_every_evaluation_by_its_phase():
    finding = worst_finding()
    one = axes()
    plot_path(one, finding)
    drawn, path = lines(one), finding["path"]
    best = drawn[f"worst so far, joint: {path['best'][-1]:.3g}"]
    assert best.get_ydata().tolist() == path["best"]
    assert best.get_drawstyle() == "steps-post"
    marks = {}
    for phase, (words, _, _) in PHASES.items():
        places = [place for place, name in enumerate(path["phase"]) if name == phase]
        mark = drawn[f"{words} ({len(places)})"]
        assert list(mark.get_ydata()) == [path["deviation"][place] for place in places]
        assert list(mark.get_xdata()) == [place + 1 for place in places]
        marks[phase] = mark.get_marker(), mark.get_markerfacecolor()
    assert len(set(marks.values())) == len(PHASES), "told apart without colour"
    assert list(drawn["claim: 1.5"].get_ydata()) == [1.5, 1.5]
    assert one.get_ylim()[0] == 0
    far = axes()
    plot_path(far, {**finding, "limit": 80.0})
    assert len(lines(far)["claim: 80, above this figure"].get_xdata()) == 0
    assert far.get_ylim()[1] < 3, "a claim far above does not press the curve flat"


def test_other_searches_stand_beside_it_each_with_dashes_of_its_own():
    finding, others = worst_finding(claim=False), baselines(8, answered=60)
    one = axes()
    plot_path(one, finding, others)
    drawn = lines(one)
    curves = [drawn[f"{name}: {other['best'][-1]:.3g}"] for name, other in list(others.items())[:MOST_BASELINES]]
    for curve, other in zip(curves, others.values(), strict=False):
        assert curve.get_ydata().tolist() == other["best"]
    assert len({str(curve._dash_pattern) for curve in curves}) == MOST_BASELINES
    assert one.get_xlim()[1] > 60, "all of a longer search is seen"
    assert not any("more" in label or "claim" in label for label in drawn)


def test_deviations_below_zero_and_no_deviation_at_all():
    finding = worst_finding(answered=3, claim=False)
    finding["path"].update(deviation=[-3.0, -2.0, -2.5], best=[-3.0, -2.0, -2.0])
    one = axes()
    plot_path(one, finding)
    assert one.get_ylim()[0] <= -3
    empty = axes()
    plot_path(empty, worst_finding(answered=0))
    assert [text.get_text() for text in empty.texts] == ["nothing is answered yet"]
    assert empty.get_xlabel() == one.get_xlabel()


def test_tasks_show_their_worst_and_how_often_they_were_asked():
    finding = worst_finding(tasks=("a", "b", "c"), answered=5, priced="alone")
    finding["by_task"][1].update(worst=None, evaluations=0)
    left, right = Figure().subplots(1, 2)
    plot_tasks([left, right], finding)
    worst = [one["worst"] for one in finding["by_task"]]
    assert [bar.get_width() for bar in left.patches] == [worst[0], 0, worst[2]]
    assert [bar.get_width() for bar in right.patches] == [one["evaluations"] for one in finding["by_task"]]
    assert [text.get_text() for text in left.texts] == [f"{worst[0]:.3g}", "not asked", f"{worst[2]:.3g}"]
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["a", "b", "c"]
    assert right.get_xlabel() == "evaluations"
    plot_tasks(pair := Figure().subplots(1, 2), {**finding, "priced": "together"})
    assert pair[1].get_xlabel() == "evaluations in which it was worst"
    dark = [bar.get_facecolor() for bar in left.patches].index(matplotlib.colors.to_rgba("C0"))
    assert finding["tasks"][dark] == finding["worst"]["task"]


def test_one_task_is_no_figure_and_of_many_the_worst_are_drawn():
    assert shown_tasks(worst_finding()) == []
    assert shown_tasks(worst_finding(tasks=("a", "b"), answered=0)) == []
    many = worst_finding(tasks=tuple(f"task {place}" for place in range(60)), answered=120)
    shown = shown_tasks(many)
    assert len(shown) == MOST_TASKS
    left_out = [one["worst"] for one in many["by_task"] if one not in shown]
    assert min(one["worst"] for one in shown) >= max(left_out)
    assert shown == [one for one in many["by_task"] if one in shown], "in their order"


@pytest.mark.parametrize(
    ("scale", "value", "place"),
    [
        (Scale("x", -1, 3), 0, 0.25),
        (Scale("x", -1, 3), 3, 1.0),
        (Scale("x", -1, 3), 1e9, 1.04),
        (Scale("x", -1, 3), -1e9, -0.04),
        (Scale("x", 1e-4, 1, log=True), 1e-3, 0.25),
        (Scale("x", 1e-4, 1, log=True), 0.0, math.nan),
        (Scale("x", 0, 1), None, math.nan),
        (Scale("x", options=("a", "b", "c")), "c", 1.0),
        (Scale("x", options=("a", "b", "c")), "another", math.nan),
        (Scale("x", options=(1, 2.5)), 2.5, 1.0),
    ],
)
def test_where_a_value_stands_on_its_axis(scale, value, place):
    assert scale.place(value) == pytest.approx(place, nan_ok=True)


def test_of_many_options_the_first_and_the_last_are_named():
    assert Scale("x", options=tuple("abcdefgh")).ticks() == ([0, 1], ["a", "h"])
    assert Scale("x", options=("a", "b", "long name")).ticks(5) == ([0, 0.5, 1], ["a", "b", "long…"])
    assert Scale("x", -2.0, 1e6).ticks() == ([0, 1], ["−2", "1e+06"])


def test_parallel_coordinates_show_the_worst_inputs_the_worst_of_all_bold():
    finding = worst_finding(7)
    one = axes()
    plot_parallel(one, finding, TRAINING)
    drawn, order = lines(one), worst_answers(finding)
    deviation = finding["path"]["deviation"]
    assert len(order) == MOST_LINES
    assert [deviation[place] for place in order] == sorted(deviation, reverse=True)[:MOST_LINES]
    bold = drawn[f"worst: {deviation[order[0]]:.3g}"]
    expected = [scale.place(finding["worst"]["point"][scale.name]) for scale in scales(finding)]
    assert list(bold.get_ydata()) == expected
    widths = [line.get_linewidth() for line in one.get_lines()]
    assert max(widths) == bold.get_linewidth()
    assert len(widths) == MOST_LINES + 1
    trained = drawn["worst of the training set: 0.41"].get_ydata()
    assert trained[:2] == pytest.approx([0.65, math.log10(2000) / 4])
    assert np.isnan(trained[2:]).all(), "what the training set does not say is not drawn"
    assert [tick.get_text() for tick in one.get_xticklabels()] == list(finding["inputs"])


def test_the_region_is_shaded_on_each_axis():
    finding = worst_finding(4)
    one = axes()
    plot_parallel(one, finding)
    heights = [
        (box.y0, box.y1) for shade in one.collections for box in [shade.get_paths()[0].get_extents()] if box.height < 1
    ]
    assert heights[:3] == [pytest.approx((0.6, 0.8)), pytest.approx((0.6, 0.8)), pytest.approx((4 / 7, 6 / 7))]
    assert heights[3] == pytest.approx((0, 0.03)), "the option"
    finding["region"] = None
    bare = axes()
    plot_parallel(bare, finding)
    assert len(bare.collections) == 4
    assert not any("training" in label for label in lines(bare))


def test_slices_show_mean_band_and_points_at_the_axis_of_their_parameter():
    finding = worst_finding(4)
    places = list(Figure().subplots(2, 3).flat)
    plot_slices(places, finding)
    for one, shown, scale in zip(places, finding["slices"], scales(finding), strict=False):
        assert one.get_xlabel() == shown["parameter"]
        seen = next(line for line in one.get_lines() if line.get_marker() == "o")
        assert list(seen.get_ydata()) == shown["seen"]
        assert list(seen.get_xdata()) == [scale.place(value) for value in shown["seen_at"]]
        dotted = next(line for line in one.get_lines() if line.get_linestyle() == ":")
        assert dotted.get_xdata()[0] == scale.place(finding["worst"]["point"][scale.name])
    band = places[1].collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (min(finding["slices"][1]["low"]), max(finding["slices"][1]["high"]))
    assert [one.axison for one in places] == [True] * 4 + [False] * 2
    assert len({one.get_ylim() for one in places[:4]}) == 1, "one scale for all"
    assert len(places[3].get_lines()[0].get_xdata()) == 3, "an option each, and no line between them"


def with_wide_names(finding):
    """The same with names that have no room beside each other."""
    text = json.dumps(finding)
    for name in finding["inputs"]:
        text = text.replace(f'"{name}"', f'"WIDE WORDS OF {name}"')
    return json.loads(text)


@pytest.mark.parametrize("parameters", [2, 8, 20])
def test_names_and_numbers_do_not_overlap(parameters):
    finding = with_wide_names(worst_finding(parameters))
    size = (7.2, 3.4 if upright(finding) else 4.8)
    assert_readable(laid_out(lambda figure: plot_parallel(figure.subplots(), finding, TRAINING), size))


@pytest.mark.parametrize("parameters", [2, 20])
def test_slices_do_not_overlap(parameters):
    finding = with_wide_names(worst_finding(parameters))
    rows, columns = -(-parameters // 4), min(parameters, 4)

    def draw(figure):
        plot_slices(list(figure.subplots(rows, columns, squeeze=False).flat), finding)

    assert_readable(laid_out(draw, (7.2, 0.4 + (2.2 if rows == 1 else 1.55) * rows)))


def test_sixteen_tasks_and_six_other_searches_do_not_overlap():
    finding = worst_finding(tasks=PHASES_OF_ALLOY, priced="alone")
    assert_readable(laid_out(lambda figure: plot_tasks(figure.subplots(1, 2), finding), (7.2, 1.0 + 0.24 * 16)))
    assert_readable(laid_out(lambda figure: plot_path(figure.subplots(), finding, baselines(6)), (7.2, 4.0)))


def test_more_parameters_than_can_be_read_are_left_out():
    finding = worst_finding(40)
    one = axes()
    plot_parallel(one, finding)
    assert len(one.get_xticks()) == MOST_PARAMETERS
    assert len(shown_slices(finding)) == MOST_SLICES


def test_words_are_no_formulas_and_long_ones_are_cut():
    finding = worst_finding(2, tasks=("$x^2$", "y" * 99))
    finding["space"]["parameters"][0]["name"] = name = "<b>$\\frac{1}{2}$\u202e" + "z" * 99
    finding["inputs"][name] = finding["inputs"].pop("x0")
    finding["worst"]["point"][name] = 0.0
    finding["rule"] = "$rule$"

    def draw(figure):
        one, *pair, last = figure.subplots(1, 4)
        plot_parallel(one, finding)
        plot_tasks(pair, finding)
        plot_path(last, finding, {"$name$ " + "w" * 99: baselines(1)["random"]})

    text = svg_of_several(draw, size=(7, 2))
    for word in ("$x^2$", "$rule$", "&lt;b&gt;$\\frac{1}{2}$?", "$name$ "):
        assert word in text
    for letter in "yzw":
        assert letter * 40 not in text


def test_residuals_within_and_beyond_the_lines_are_told_apart():
    one = axes()
    plot_calibration(one, [0.3, -2.5, 1.95, 6.0])
    drawn = lines(one)
    within, beyond = drawn["within the lines (2)"], drawn["beyond the lines (2)"]
    assert (list(within.get_xdata()), list(within.get_ydata())) == ([1, 3], [0.3, 1.95])
    assert (list(beyond.get_xdata()), list(beyond.get_ydata())) == ([2, 4], [-2.5, 6.0])
    assert within.get_marker() != beyond.get_marker()
    assert one.get_ylim()[1] > 6
    plot_calibration(axes(), [0.0])


@pytest.mark.parametrize("colours", [False, True])
def test_a_picture_is_drawn_as_it_is(colours):
    rows = np.zeros((3, 4, 3) if colours else (3, 4))
    rows[0, 1:3] = 1.0
    rows[2, 3] = [1.0, 0.0, 0.0] if colours else 0.5
    one = axes()
    plot_picture(one, {"rows": rows.tolist(), "title": "a $digit$"})
    shown = np.full((3, 4, 3), np.nan)
    for bars in one.collections:
        for path, colour in zip(bars.get_paths(), bars.get_facecolors(), strict=True):
            box = path.get_extents()
            shown[round(box.y0) : round(box.y1), round(box.x0) : round(box.x1)] = colour[:3]
    expected = rows if colours else rows[:, :, None].repeat(3, axis=2)
    assert shown == pytest.approx(expected, abs=0.5 / 31 + 1e-12)
    assert one.get_ylim() == (3, 0), "the first row is at the top"
    assert one.get_title() == r"a \$digit\$"


def test_a_large_picture_is_averaged_and_is_no_image():
    rows = np.tile([[0.0, 1.0], [1.0, 0.0]], (50, 40))
    one = axes()
    plot_picture(one, {"rows": rows.tolist(), "title": ""})
    assert one.get_xlim()[1] <= MOST_POINTS
    assert one.get_ylim()[0] <= MOST_POINTS
    greys = {round(float(colour[0]), 3) for bars in one.collections for colour in bars.get_facecolors()}
    assert greys == {round(16 / 31, 3)}, "stripes of two points become an even grey"
    assert "<image" not in svg(lambda other: plot_picture(other, picture(8)), size=(2, 2))
