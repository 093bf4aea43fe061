"""The page of a panel: verdict, reasons, figures and numbers, whatever the judges and labels are called."""

import json
import re

import numpy as np
import pytest

from report.pages import assert_harmless
from report.test_browser import CHROMIUM, browse
from report.test_hostile import CORPUS
from ringtrue.core import ABSTAINED, InvalidInput, Sketch, cell
from ringtrue.judges import PanelAlarm, evaluate
from ringtrue.report import render, verify, verify_report, write_panel_report
from ringtrue.report._write import panel_document
from ringtrue.stats import generator


def panel(judges=("ann", "bob", "cyd", "dan"), labels=("no", "yes"), items=1500, labelled=200):
    """Independent judges, with the truth of some items as one more judge."""
    rng = generator(1, "page")
    truth = rng.integers(0, len(labels), items)
    right = rng.random((items, len(judges))) < 0.85
    wrong = (truth[:, None] + rng.integers(1, len(labels), right.shape)) % len(labels)
    known = np.where(np.arange(items) < labelled, truth, ABSTAINED)
    sketch = Sketch([*judges, "truth"], labels)
    for row in np.column_stack([np.where(right, truth[:, None], wrong), known]).tolist():
        sketch.count(tuple(row))
    return sketch


@pytest.fixture(scope="module")
def labelled():
    """The page of a panel with labels, and its parts."""
    text = render(panel_document(panel(), name="votes.csv", truth="truth"))
    return text, assert_harmless(text)


@pytest.fixture(scope="module")
def alone():
    """The votes of a panel without labels, their document, and the parts of its page."""
    sketch = panel(labelled=0).without("truth")
    made = panel_document(sketch, name="votes.csv")
    return sketch, made, assert_harmless(render(made))


def test_verdict_reasons_numbers_and_figures_are_on_the_page(labelled):
    _, page = labelled
    finding = evaluate(panel(), truth="truth")
    for words in (finding.standings.word, str(finding), finding.about, *finding.uses, finding.reserve.value):
        assert words in page.text
    for reason in finding.reasons:
        assert reason.text in page.text
    assert sum(tag == "svg" for tag, _ in page.elements) == 3
    for words in ("With labels", "items like these", "these very items", "What this rests on", "the other root"):
        assert words in page.text
    for judge in ("ann", "bob", "cyd", "dan"):
        assert f"{judge} is right" in page.text


def test_every_number_in_the_tables_is_one_of_the_document(alone):
    _, made, page = alone
    table_cells = [cell for cell in page.cells if re.fullmatch(r"\([\d.]+%, [\d.]+% to [\d.]+%\)", cell)]
    assert len(table_cells) == 2 * (2 + 4 * 3)
    shown = {float(number) for number in re.findall(r"(\d+\.\d)%", " ".join(table_cells))}
    numbers = [
        round(100 * one[end], 6)
        for table in ("in_general", "on_this_test")
        for row in (
            made["computed"]["finding"]["votes_alone"][table]["prevalence"],
            *made["computed"]["finding"]["votes_alone"][table]["accuracy"],
            made["computed"]["finding"]["votes_alone"][table]["overall"],
        )
        for one in row
        for end in ("estimate", "low", "high")
    ]
    for number in shown:
        assert min(abs(number - one) for one in numbers) <= 0.1 + 1e-9


@pytest.mark.usefixtures("unlaid")
def test_the_stream_is_drawn_and_its_alarm_said(alone):
    reference, _, _ = alone
    alarm = PanelAlarm(reference)
    while alarm.alarmed_at is None:
        alarm.update((0, 1, 0, 1))
    made = panel_document(reference, name="votes.csv", stream=alarm.to_json())
    page = assert_harmless(render(made))
    assert str(alarm) in page.text
    assert "log10 of the evidence" in page.text
    assert verify(made).agrees


NAMES = [word for word in CORPUS if word.strip()]
"""A blank name is refused elsewhere."""


@pytest.mark.parametrize("place", range(0, len(NAMES), 2))
@pytest.mark.usefixtures("unlaid")
def test_hostile_names_stay_words(place):
    """Each word names a judge, a label and the votes."""
    one, other = NAMES[place], NAMES[(place + 1) % len(NAMES)]
    sketch = panel(judges=(one, other, "cyd"), labels=(one, other), items=300, labelled=0).without("truth")
    page = assert_harmless(render(panel_document(sketch, name=f"{other}{one}")))
    assert sum(tag == "svg" for tag, _ in page.elements) == 2, "both name them too"
    for word in (one, other):
        assert cell(word) in page.text


@pytest.mark.parametrize(
    "sketch",
    [
        Sketch.from_cells(["a", "b"], ["no", "yes"], [5, 1, 1, 5]),
        Sketch.from_cells(["a", "b", "c"], ["no", "yes"], [10, 3, 9, 20, 8, 25, 4, 21]),
        Sketch.from_cells(["a", "b", "c"], ["no", "yes"], [9, 0, 0, 0, 0, 0, 0, 0]),
        Sketch(["a"], ["no", "yes"], {(0,): 1}),
        panel(labels=("low", "mid", "high"), labelled=0).without("truth"),
    ],
    ids=["two judges", "no solution", "one label", "one vote", "three labels"],
)
@pytest.mark.usefixtures("unlaid")
def test_panels_without_numbers_have_a_page_too(sketch):
    made = panel_document(sketch, name="odd")
    assert_harmless(render(made))
    assert verify(json.loads(json.dumps(made))).agrees


def test_what_is_no_report_is_not_written_over(tmp_path):
    (tmp_path / "votes.json").write_text("[1, 2]")
    with pytest.raises(InvalidInput, match="not a report"):
        write_panel_report(panel(), tmp_path / "votes.html", truth="truth")
    assert (tmp_path / "votes.json").read_text() == "[1, 2]"


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_a_real_browser_shows_the_figures(labelled, tmp_path):
    page = tmp_path / "panel.html"
    page.write_text(labelled[0], encoding="utf-8")
    picture = tmp_path / "page.png"
    shown = browse(tmp_path, page.as_uri(), "--dump-dom", f"--screenshot={picture}")
    assert shown.count("<svg") == 3
    assert "<image" not in shown
    assert picture.stat().st_size > 20_000


def test_numbers_from_votes_alone_are_visibly_something_else(labelled, alone):
    """Only what the user stated lifts the reserve: greyed tables that say that they are not intervals."""
    five = panel(judges=("ann", "bob", "cyd", "dan", "eve"), items=4000, labelled=0).without("truth")
    stated = assert_harmless(render(panel_document(five, name="votes.csv", independent=True)))
    reserve = "Not 95% intervals: only if the judges share nothing but the truth"
    for page, conditional in ((alone[2], 2), (labelled[1], 2), (stated, 0)):
        greyed = [tag for tag, attributes in page.elements if "conditional" in (dict(attributes).get("class") or "")]
        assert len(greyed) == conditional
        assert page.text.count(reserve) == conditional
        assert ("votes alone, only if nothing is shared" in page.text) is bool(conditional)


def test_a_panel_is_told_its_former_format_in_a_line(tmp_path):
    """Numbers of an earlier version are not called false."""
    sketch = Sketch.from_cells(["a", "b"], ["no", "yes"], [5, 1, 1, 5])
    former = {"format": 3, "kind": "panel", "ringtrue": "0.1.0", "votes": sketch.to_json(), "computed": {}}
    (tmp_path / "votes.json").write_text(json.dumps(former))
    with pytest.raises(InvalidInput, match=r"former format: verify it with the ringtrue that wrote it \('0.1.0'\)"):
        verify_report(tmp_path / "votes.json")


TAMPERED = [
    (lambda made: made["question"]["sketch"]["counts"][0].__setitem__(-1, 9), "computed.finding.items"),
    (lambda made: made["question"].update(at_least=0.6), "computed.finding.standings.bar"),
    (lambda made: made["computed"]["finding"].update(verdict="good enough"), "computed.finding.verdict"),
    (lambda made: made["kept"]["stream"].update(alarmed_at=None), "hashes.kept"),
    (lambda made: made["question"].update(name="other.csv"), "hashes.plan"),
]


@pytest.mark.parametrize(("forge", "named"), TAMPERED)
def test_whatever_was_changed_in_a_twin_is_found(forge, named):
    sketch = Sketch.from_cells(["a", "b"], ["no", "yes"], [5, 1, 1, 5])
    stream = PanelAlarm(sketch).to_json() | {"alarmed_at": 3}
    made = json.loads(json.dumps(panel_document(sketch, name="votes.csv", stream=stream)))
    assert verify(made).agrees
    forge(made)
    assert any(one.startswith(named) for one in verify(made).differences)
