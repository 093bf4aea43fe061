"""The page about a change with its figures drawn: small, harmless, the same every time, and so in a real browser."""

import json

import matplotlib
import pytest
from matplotlib.figure import Figure

from report.pages import assert_harmless
from report.shifts import shift_document, shift_finding
from report.test_browser import CHROMIUM, browse
from report.test_hostile import CORPUS
from ringtrue.changed._sections import changed_sections
from ringtrue.core import Context, cell
from ringtrue.report import render
from ringtrue.report._pictures import _STYLE

LIMIT = 400_000
"""More than other pages have, whose figure is one: three maps, two paths and the slices."""


def page_of(finding, **options):
    text = render(json.loads(json.dumps(shift_document(finding, **options), allow_nan=False)))
    assert len(text.encode()) < LIMIT
    assert "<image" not in text
    return text, assert_harmless(text)


@pytest.mark.parametrize("labels", [("no", "yes"), tuple("abcdefg")], ids=["abreast", "below"])
def test_the_figures_are_those_of_the_finding(labels):
    finding = shift_finding(labels)
    text, _ = page_of(finding)
    if len(labels) == 2:
        assert render(shift_document(finding)) == text, "the same document gives the same bytes"
    drawings = text.split("<svg")[1:]
    for drawing, words in zip(
        drawings,
        (
            ("before: share of items", "now: share of items", "difference (points)", "true label"),
            ("required: 1%", "uniform sampling", "paired, as used here", "reached after 500"),
            ("threshold: 20 to 1", "seen after 27", "accuracy changed: not seen"),
            ("channel: mail (240)", "answers that changed (%)", "difference in accuracy (points)"),
        ),
        strict=True,
    ):
        for word in words:
            assert word in drawing
        assert "<metadata" not in drawing


ONE = ("one label of all",)
LONG = tuple(f"WIDE WORDS {place} AND MORE" for place in range(12))


@pytest.mark.parametrize(
    ("labels", "answers"),
    [(ONE, ("yes", "no")), (ONE, LONG[:3]), (ONE, LONG[:8]), (ONE, LONG), (("no", "yes"), None), (LONG, None)],
    ids=["1x2", "1x3", "1x8", "1x12", "2x2", "12x12"],
)
def test_no_map_is_cut_off_nor_pressed_flat(labels, answers):
    sections = changed_sections(Context(shift_finding(labels, answers)))
    (maps,) = [one.figure for one in sections if one.figure is not None and "heat maps" in one.figure.aloud]
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=maps.size, layout="constrained")
        maps.draw(figure)
        figure.draw_without_rendering()
    left, bottom, right, top = figure.get_tightbbox().extents
    width, height = figure.get_size_inches()
    assert left >= 0
    assert bottom >= 0
    assert right <= width
    assert top <= height
    for axes in figure.axes:
        # 0.2 inches a row hold a number of 7 points, which is a tenth of an inch high.
        assert axes.get_window_extent().height / figure.dpi >= 0.2 * max(2, len(labels))


@pytest.mark.usefixtures("unlaid")
def test_where_there_is_nothing_to_draw_nothing_is_drawn():
    finding = shift_finding(("yes",), flips=0, labelled=False)
    finding["slices"] = []
    finding["error"].update(used=[0.0] * 5, uniform=[0.0] * 5)
    text, _ = page_of(finding)
    assert text.count("<svg") == 1, "the evidence alone"


@pytest.mark.parametrize("start", range(0, len(CORPUS), 12))
@pytest.mark.usefixtures("unlaid")
def test_words_in_figures_stay_words(start):
    words = CORPUS[start : start + 12]
    finding = shift_finding(tuple(words), flips=1)
    finding["slices"] = [{**finding["slices"][0], "column": word, "value": word} for word in words]
    page = assert_harmless(render(shift_document(finding)))
    assert sum(tag == "svg" for tag, _ in page.elements) == 4


@pytest.mark.usefixtures("unlaid")
def test_a_large_finding_stays_a_small_page():
    labels = tuple(f"{'&' * 200}{place}" for place in range(40))
    finding = shift_finding(labels, flips=5_000)
    finding["slices"] = [{**finding["slices"][0], "value": "<" * 300} for _ in range(500)]
    steps = list(range(400))
    finding["evidence"] = {"answers": steps, "change": [0.1 * s for s in steps], "accuracy": [0.01 * s for s in steps]}
    finding["error"].update(answers=steps[1:], used=[0.1] * 399, uniform=[0.2] * 399)
    shown = {f"item-{place}": {f"column {n}": '"' * 100 for n in range(20)} for place in range(100)}
    _, page = page_of(finding, contents=shown)
    assert "100 of 5,000 flips shown" in page.text
    assert "50 of 500 slices are listed" in page.text


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_a_real_browser_shows_the_figures_and_runs_nothing(tmp_path):
    word = "</text><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    finding = shift_finding((word[:14], word), flips=3)
    finding["slices"][0]["value"] = word
    page = tmp_path / "changed.html"
    page.write_text(render(shift_document(finding, contents={"item-0": {"text": word}})), encoding="utf-8")
    picture = tmp_path / "page.png"
    shown = browse(tmp_path, page.as_uri(), "--dump-dom", f"--screenshot={picture}")
    parsed = assert_harmless(shown)
    assert "<title>update: rings false</title>" in shown
    assert shown.count("<svg") == 4
    assert cell(word) in parsed.cells
    assert picture.stat().st_size > 20_000
