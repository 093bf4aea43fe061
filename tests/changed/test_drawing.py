"""Figures of a change: the maps show the numbers and mark what is certain; the paths show what was known when."""

import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from report.shifts import THRESHOLD, interval, shift_finding
from ringtrue.changed._figures import (
    MOST_SLICES,
    draw_error,
    draw_evidence,
    draw_matrices,
    draw_shift,
    draw_slices,
    has_error,
    has_evidence,
    shown_rows_and_columns,
)
from ringtrue.changed._parts import PROOF
from ringtrue.core import figure_text
from ringtrue.report._pictures import svg, svg_of_several

SEVEN = ("anger", "contempt", "disgust", "fear", "happiness", "neutral", "sadness")
WORDS = tuple(f"word-{place}" for place in range(31))


def axes():
    return Figure().subplots()


def ticks(one, side):
    return [tick.get_text() for tick in getattr(one, f"get_{side}ticklabels")()]


def outlined(one):
    """Row and column of each outlined cell."""
    marks = [line for line in one.get_lines() if line.get_gid() == "certain"]
    return {(round(np.mean(line.get_ydata()[:4])), round(np.mean(line.get_xdata()[:4]))) for line in marks}


def numbers(one):
    """The numbers written in the cells of a map, by row and column."""
    written = {}
    for text in one.texts:
        column, row = text.get_position()
        digits = text.get_text().replace("−", "-").replace("≈", "")
        written[row, column] = float(digits)
    return written


def legend(one):
    return [text.get_text() for text in one.get_legend().get_texts()]


def lines(one):
    return {line.get_label(): line for line in one.get_lines()}


@pytest.mark.parametrize("labels", [("no", "yes"), SEVEN])
def test_the_maps_show_the_three_matrices_in_percent(labels):
    finding = shift_finding(labels, [*labels, "(empty)"])
    three = Figure().subplots(1, 3)
    draw_matrices(three, finding)
    for one, name in zip(three, ("old", "new", "shift"), strict=True):
        values = 100 * np.array(finding[name])
        assert ticks(one, "y") == (list(labels) if name == "old" else [])
        assert ticks(one, "x") == [*labels, "(empty)"]
        written = numbers(one)
        assert set(written) == set(np.ndindex(values.shape))
        for place, value in written.items():
            assert value == pytest.approx(values[place], abs=0.051)
    assert three[0].get_ylabel() == "true label"


def test_the_names_of_rows_stand_once_in_each_line_of_maps():
    finding = shift_finding(("up", "down"), ("left", "right"))
    abreast = svg_of_several(lambda figure: draw_matrices(figure.subplots(1, 3), finding), size=(7.2, 2))
    assert [abreast.count(f">{word}<") for word in ("up", "down", "true label", "left")] == [1, 1, 1, 3]

    def below(figure):
        draw_matrices(list(figure.subplot_mosaic([["old", "new"], ["shift", "shift"]]).values()), finding)

    stacked = svg_of_several(below, size=(7.2, 4))
    assert [stacked.count(f">{word}<") for word in ("up", "down", "true label", "left")] == [2, 2, 2, 3]


def test_the_difference_is_centred_at_no_change_and_scaled_by_the_largest():
    finding = shift_finding(SEVEN)
    one = axes()
    draw_shift(one, finding)
    mesh = one.collections[0]
    most = 100 * np.abs(finding["shift"]).max()
    assert mesh.get_clim() == pytest.approx((-most, most))
    assert mesh.get_array().ravel().tolist() == pytest.approx(100 * np.ravel(finding["shift"]))


def test_rows_of_the_first_label_stand_at_the_top():
    one = axes()
    draw_shift(one, shift_finding(SEVEN))
    bottom, top = one.get_ylim()
    assert bottom > top


def test_exactly_the_cells_whose_interval_leaves_out_zero_are_outlined():
    finding = shift_finding(SEVEN)
    for cell in finding["cells"]:
        cell["shift"] = interval(0.0, 0.01)
    finding["cells"][2]["shift"] = interval(0.02, 0.01)
    finding["cells"][5]["shift"] = interval(-0.02, 0.01)
    finding["cells"][7]["shift"] = {**interval(0.01, 0.01), "low": 0.0}
    one = axes()
    draw_shift(one, finding)
    certain = [finding["cells"][place] for place in (2, 5)]
    expected = {(SEVEN.index(cell["label"]), SEVEN.index(cell["answer"])) for cell in certain}
    assert outlined(one) == expected


def test_without_a_change_nothing_is_coloured_or_outlined():
    finding = shift_finding(flips=0)
    one = axes()
    draw_shift(one, finding)
    mesh = one.collections[0]
    low, high = mesh.get_clim()
    assert low == -high < 0
    assert set(numbers(one).values()) == {0.0}
    assert {text.get_text() for text in one.texts} == {"0"}
    assert outlined(one) == set()


def test_what_is_not_zero_never_looks_like_it():
    finding = shift_finding(flips=0)
    finding["shift"] = [[0.02, -0.02], [1e-6, -1e-6]]
    one = axes()
    draw_shift(one, finding)
    assert [text.get_text() for text in one.texts] == ["+2.0", "−2.0", "≈0", "≈0"]


def test_of_many_classes_those_that_changed_most_are_shown_in_their_order():
    finding = shift_finding(WORDS)
    shift = np.zeros((31, 31))
    moved = [30, 3, 17, 9]
    for place in moved:
        shift[place, place], shift[place, 5] = -0.01, 0.01
    finding["shift"] = shift.tolist()
    rows, columns = shown_rows_and_columns(finding)
    assert len(rows) == len(columns) == 12
    assert set(moved) <= set(rows.tolist())
    assert {*moved, 5} <= set(columns.tolist())
    assert sorted(rows) == rows.tolist()
    three = Figure().subplots(1, 3)
    draw_matrices(three, finding)
    assert ticks(three[0], "y") == [WORDS[row] for row in rows]
    assert ticks(three[1], "x") == ticks(three[2], "x") == [WORDS[column] for column in columns]
    assert not three[2].texts, "too small for numbers"
    assert three[0].collections[0].get_array().shape == (12, 12)


def test_an_outline_of_a_cell_that_is_not_shown_is_left_out_and_others_are_in_place():
    finding = shift_finding(WORDS)
    shift = np.zeros((31, 31))
    shift[20:31, 20:31] = 0.001
    finding["shift"] = shift.tolist()
    finding["cells"] = [
        {"label": WORDS[row], "answer": WORDS[column], "old": 0.0, "shift": interval(0.002, 0.001)}
        for row, column in ((15, 15), (25, 30))
    ]
    one = axes()
    draw_shift(one, finding)
    rows, columns = (found.tolist() for found in shown_rows_and_columns(finding))
    assert outlined(one) == {(rows.index(25), columns.index(30))}


def test_without_true_labels_rows_are_what_the_old_model_said():
    one = axes()
    draw_shift(one, shift_finding(labelled=False))
    assert one.get_ylabel() == "old answer"
    assert one.get_xlabel() == "new answer"


def test_one_class_and_unseen_answers_can_be_drawn():
    for labels, answers in ((["yes"], ["yes"]), (["yes"], ["yes", "no"]), (["a", "b"], ["a", "b", "(empty)", "c"])):
        draw_matrices(Figure().subplots(1, 3), shift_finding(labels, answers))


def test_maps_are_no_images_and_names_are_no_formulas():
    finding = shift_finding(("$x^2$", "a\u202eb\n", "<script>"))
    text = svg_of_several(lambda figure: draw_matrices(figure.subplots(1, 3), finding), size=(7.2, 3))
    assert "<image" not in text
    assert "$x^2$" in text
    assert "a?b?" in text
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert len(figure_text("x" * 100, 16)) == 16


def test_the_error_falls_with_the_answers_against_what_was_required():
    finding = shift_finding()
    one = axes()
    draw_error(one, finding)
    drawn = lines(one)
    assert one.get_xscale() == one.get_yscale() == "log"
    assert drawn["paired, as used here"].get_ydata() == pytest.approx(100 * np.array(finding["error"]["used"]))
    assert drawn["uniform sampling"].get_ydata() == pytest.approx(100 * np.array(finding["error"]["uniform"]))
    assert list(drawn["required: 1%"].get_ydata()) == [1, 1]
    assert list(drawn["reached after 500"].get_xdata()) == [500, 500]


def test_uniform_sampling_is_not_compared_with_itself_and_nothing_is_required_of_it():
    finding = shift_finding()
    finding["method"] = "uniform"
    finding["error"].update(required=None, holds_at=None)
    one = axes()
    draw_error(one, finding)
    assert legend(one) == ["uniform, as used here"]


def test_an_error_of_zero_has_no_place_on_a_scale_of_logarithms():
    finding = shift_finding()
    finding["error"]["used"] = [0.1, None, 0.05, 0.01, 0.0]
    one = axes()
    draw_error(one, finding)
    assert lines(one)["paired, as used here"].get_xdata().tolist() == [8, 100, 400]
    assert has_error(finding)
    finding["error"]["used"] = [0.0] * 5
    assert not has_error(finding)
    assert not has_error(shift_finding(answered=0))


def test_the_evidence_is_in_powers_of_ten_with_its_threshold():
    finding = shift_finding()
    one = axes()
    draw_evidence(one, finding)
    drawn = lines(one)
    change = drawn["answers changed beyond the noise: seen after 27"]
    assert change.get_ydata() == pytest.approx(np.array(finding["evidence"]["change"]) / math.log(10))
    assert "accuracy changed: not seen" in drawn
    assert drawn["threshold: 20 to 1"].get_ydata()[0] == pytest.approx(math.log10(20))
    assert has_evidence(finding)
    assert not has_evidence(shift_finding(answered=0))


def test_a_proof_is_said_and_does_not_flatten_the_rest():
    finding = shift_finding()
    finding["evidence"]["change"] = [0.0, 0.5, PROOF, PROOF, PROOF, PROOF]
    one = axes()
    draw_evidence(one, finding)
    assert [text.get_text() for text in one.texts] == ["proof"]
    assert one.get_ylim()[1] < 10 * math.log10(20)
    assert one.texts[0].xy[0] == 27


def test_evidence_against_a_change_leaves_the_figure_at_the_bottom():
    finding = shift_finding(flips=0)
    finding["evidence"]["change"] = [-1.0 * step for step in finding["evidence"]["answers"]]
    one = axes()
    draw_evidence(one, finding)
    assert -4 < one.get_ylim()[0] < -2
    assert one.get_ylim()[1] > THRESHOLD / math.log(10)


def test_without_labels_there_is_one_path():
    one = axes()
    draw_evidence(one, shift_finding(labelled=False))
    assert len(legend(one)) == 2
    assert not any("accuracy" in text for text in legend(one))


def test_slices_are_rows_with_their_intervals_and_the_pool_beside_them():
    finding = shift_finding()
    finding["slices"][1]["accuracy"] = None
    pair = Figure().subplots(1, 2)
    draw_slices(pair, finding)
    assert ticks(pair[0], "y") == ["channel: mail (240)", "channel: phone (240)"]
    spans = [line.get_xdata() for line in pair[0].get_lines() if len(line.get_xdata()) == 2][:2]
    assert spans == [pytest.approx([1, 5]), pytest.approx([1, 5])]
    assert lines(pair[0])["whole pool: 3.1%"].get_xdata()[0] == pytest.approx(3.1)
    assert lines(pair[1])["whole pool: +0.4 points"].get_xdata()[0] == pytest.approx(0.4)
    assert len(pair[1].get_lines()) == 2 + 1, "one slice, and the pool"


def test_many_slices_are_cut_and_one_panel_is_enough_without_labels():
    finding = shift_finding(labelled=False)
    finding["slices"] *= 40
    one = axes()
    draw_slices([one], finding)
    assert len(ticks(one, "y")) == MOST_SLICES


def test_the_same_numbers_give_the_same_bytes():
    finding = shift_finding(SEVEN)
    for draw in (draw_shift, draw_error, draw_evidence):
        assert svg(lambda one, draw=draw: draw(one, finding)) == svg(lambda one, draw=draw: draw(one, finding))
