"""Every question's page on a phone, in a real browser: nothing reaches beyond the screen, no word is cut off."""

import itertools
import json

import pytest

from judges.test_question import JUDGES, LABELS, make_votes
from report.every_question import case
from report.maps import PROFILES, STRATA, map_finding, profile_of, stratum, with_more
from report.measured import measured
from report.shifts import shift_document, shift_finding
from report.test_browser import CHROMIUM
from report.test_hostile import hostile_study
from report.test_panel_page import panel
from ringtrue.core import Sketch
from ringtrue.judges import Judges
from ringtrue.models import PanelModel
from ringtrue.report import document, render
from ringtrue.report._write import panel_document
from ringtrue.study import Study
from support.blind_findings import full_document
from support.worst_findings import TRAINING, baselines, picture, worst_document, worst_finding

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")

LONG = "W" * 200
"""A name of wide letters without a place to break it."""


def risk_page(folder):
    """Names, ids, labels, cells and raters of 200 letters, strata, profiles and a map."""
    with hostile_study(folder / "risk", LONG) as study:
        made = json.loads(json.dumps(document(study)))
    found = map_finding((LONG, "x2"), cells=40)
    for one in found["ranked"]:
        one["items"] = [LONG] * 5
    strata = [*STRATA, stratum(LONG, 0.2, 0.1)]
    profiles = [*PROFILES, profile_of(LONG, 0.02), profile_of("refused", refusal=LONG)]
    made["study"]["pool"].update(name=LONG, fingerprint=LONG)
    return render(with_more(made, found, strata=strata, profiles=profiles))


def changed_page(_):
    labels = tuple(f"{LONG}{place}" for place in range(12))
    finding = shift_finding(labels, flips=20)
    finding.update(claim="change <= 1% at 95%", limit=0.01, headline=f"changed: {LONG}", sentence=f"all of it: {LONG}")
    path = {"answers": [1, 50, 500], "low": [0.0, 0.005, 0.0101], "high": [1.0, 0.2, 0.05], "decided_at": 500}
    finding["claimed"] = path
    finding["slices"] = [{**finding["slices"][0], "column": LONG, "value": LONG}] * 9
    shown = {f"item-{place}": {LONG: LONG, "b": LONG, "c": 1.0} for place in range(20)}
    return render(shift_document(finding, contents=shown))


def blind_page(_):
    made = full_document()
    finding = made["computed"]["finding"]
    finding.update(critical=LONG, headline=f"hunt: {LONG}")
    for group in finding["groups"]:
        group["name"] = LONG
    for card in made["kept"]["gallery"]["shown"]:
        card.update(id=LONG, model=LONG, truth=LONG)
    for failure in made["computed"]["failures"]:
        failure.update(id=LONG, model=LONG, truth=LONG)
    return render(made)


def worst_page(_):
    tasks = tuple(f"{LONG}{place}" for place in range(3))
    finding = worst_finding(9, tasks, priced="alone")
    finding["headline"] = f"worst: {LONG}"
    finding = json.loads(json.dumps(finding).replace('"x0"', f'"{LONG}x0"').replace('"water"', f'"{LONG}"'))
    return render(worst_document(finding, training=TRAINING, curves=baselines(8), shown=picture(4)))


def judges_page(folder):
    """Bought labels on a panel whose judges and labels have long names."""
    (folder / "judges").mkdir()
    sketch = make_votes(folder / "judges" / "votes.csv")
    names = dict(zip(JUDGES, ("ann", f"{LONG}b", f"{LONG}c"), strict=True))
    votes = (folder / "judges" / "votes.csv").read_text()
    head, rest = votes.split("\n", 1)
    head = ",".join(names.get(one, one) for one in head.strip().split(","))
    words = {"no": f"{LONG}n", "yes": f"{LONG}y"}
    body = "\n".join(",".join(words.get(one, one) for one in line.strip().split(",")) for line in rest.splitlines())
    (folder / "judges" / "votes.csv").write_text(f"{head}\n{body}\n")
    labels, judges = tuple(words[one] for one in LABELS), tuple(names.values())
    renamed = Sketch(judges, labels, dict(sketch.items()))
    question = Judges(renamed, claim="error <= 12% at 95%")
    model = PanelModel(judges, labels=labels)
    pool = folder / "judges" / "votes.csv"
    with Study.create(folder / "judges" / "s", pool=pool, model=model, question=question, budget=20) as study:
        study.run("truth")
        return render(document(study))


def panel_page(_):
    judges = ("ann", *(f"{LONG}{place}" for place in range(3)))
    return render(panel_document(panel(judges=judges, labels=(f"{LONG}n", f"{LONG}y")), name=LONG, truth="truth"))


LONGEST = {
    "risk": risk_page, "changed": changed_page, "blind": blind_page, "worst": worst_page, "judges": judges_page,
    "panel": panel_page,
}  # fmt: skip
WIDTHS = {"phone": 390, "desk": 1200}
REAL = ("risk, claim true", "changed, claim false", "blind, claim false", "worst, claim false", "judges, claim true")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Each question's page: one of a real study, and one of the longest words in every place."""
    folder = tmp_path_factory.mktemp("pages")
    made = {name: render(case(name).made) for name in REAL}
    return made | {f"{name}, long words": make(folder) for name, make in LONGEST.items()}


@pytest.fixture(scope="module")
def layouts(pages, tmp_path_factory):
    """What was measured of each page, by width and name."""
    found = measured(tmp_path_factory.mktemp("browser"), list(pages.values()), *WIDTHS.values())
    return dict(zip(itertools.product(WIDTHS, pages), found, strict=True))


@pytest.mark.parametrize("name", [*REAL, *(f"{name}, long words" for name in LONGEST)])
@pytest.mark.parametrize("screen", WIDTHS)
def test_nothing_reaches_beyond_the_screen_and_no_word_is_cut_off(layouts, screen, name):
    found = layouts[screen, name]
    assert found["width"] == WIDTHS[screen]
    assert found["drawings"] > 0
    assert found["beyond"] == []
    assert found["cut"] == []


def test_what_reaches_beyond_is_found(tmp_path):
    """Pages with a wide word, a wide box and a drawing that cuts its text off; and one that scrolls by itself."""
    box = '<div style="width:500px;height:9px">'
    text = '<svg width="50" height="20"><text x="40" y="10">cut off</text></svg>'
    pages = [
        f"<p>{LONG}</p>",
        f"{box}</div>",
        f"<main>{text}</main>",
        f'<div style="overflow-x:auto">{box}</div></div>',
    ]
    word, wide, cut, fine = measured(tmp_path, pages, 390)
    assert any(one.startswith("words of p") for one in word["beyond"])
    assert any(one.startswith("div") for one in wide["beyond"])
    assert cut["cut"] == ["text.: cut off"]
    assert (fine["beyond"], fine["cut"]) == ([], [])
