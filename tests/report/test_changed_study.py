"""Studies of a change, reported: every number recomputed from the records, and the flips shown with their items."""

import json

import pytest

from report.pages import assert_harmless
from ringtrue.changed import Changed
from ringtrue.report import document, render, verify, verify_report, write_report
from ringtrue.report._document import content_digest
from ringtrue.study import Study
from support.shifts import frame, pool

pytestmark = pytest.mark.usefixtures("unlaid")

METHODS = ["paired", "oneshot", "uniform", "masa"]


def study_of(folder, size=90, *, changed=0.1, truth="truth", budget=40, **options):
    items = pool(size, changed=changed)
    options = {"noise": 0, "claim": "change <= 2%", "slices": ["region"], **options}
    question = Changed.of(items, old="old", truth=truth, confidence="sure", **options)
    study = Study.create(folder / "swap", pool=items, model="new", question=question, budget=budget, batch=10)
    study.run()
    return study


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    "options",
    [
        *({"method": method, "error": "1%"} for method in METHODS),
        {"truth": None},
        {"noise": None},
        {"changed": 0, "size": 30},
        {"changed": 0, "size": 30, "claim": None},
        {"claim": "accuracy drop <= 5%"},
        {"budget": 0},
        {"slices": []},
    ],
    ids=str,
)
def test_every_report_agrees_with_its_records(tmp_path, options):
    with study_of(tmp_path, **options) as study:
        sentence = str(study.finding())
        page, twin = write_report(study, tmp_path / "report.html")
    assert sentence in assert_harmless(page.read_text()).text
    result = verify_report(twin)
    assert result.agrees, result


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    with study_of(tmp_path_factory.mktemp("honest")) as study:
        made = json.loads(json.dumps(document(study), allow_nan=False))
    assert verify(made).agrees
    return made


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made["computed"]["finding"]["flips"]["items"][0].update(new="c9"),
        lambda made: made["computed"]["finding"]["flips"].update(right_to_wrong=0),
        lambda made: made["computed"]["finding"]["shift"][0].__setitem__(0, 0.5),
        lambda made: made["computed"]["finding"]["evidence"]["change"].__setitem__(1, 9.0),
        lambda made: made["computed"]["finding"]["error"].update(bound=0.0001),
        lambda made: made["computed"]["finding"]["slices"][0]["change"].update(high=0.01),
        lambda made: made["items"][next(iter(made["items"]))].update(text="nicer"),
        lambda made: made["records"][0].update(value="c2" if made["records"][0]["value"] != "c2" else "c1"),
    ],
    ids=["flip", "count", "matrix", "evidence", "error", "slice", "item", "answer"],
)
def test_whatever_was_changed_is_found(honest, change):
    made = json.loads(json.dumps(honest))
    change(made)
    assert not verify(made).agrees


def test_the_items_kept_are_those_that_flipped(honest):
    table = frame(90, changed=0.1).set_index("id")
    flips = honest["computed"]["finding"]["flips"]["items"]
    assert flips, "a tenth changed: some were seen"
    assert set(honest["items"]) == {flip["id"] for flip in flips}
    assert honest["computed"]["failures"] == [], "what a model was asked is no truth to hold against it"
    digests = {record["id"]: record["digest"] for record in honest["records"]}
    for flip in flips:
        row = table.loc[flip["id"]]
        assert (flip["old"], flip["new"], flip["truth"]) == (row["old"], row["new"], row["truth"])
        assert honest["items"][flip["id"]]["text"] == row["text"]
        assert content_digest(honest["items"][flip["id"]]) == digests[flip["id"]]


def test_the_page_shows_the_flips_with_their_items_and_all_figures(honest):
    page = assert_harmless(render(honest))
    flip = honest["computed"]["finding"]["flips"]["items"][0]
    for words in (flip["id"], flip["kind"], honest["items"][flip["id"]]["text"]):
        assert words in page.cells
    assert sum(tag == "svg" for tag, _ in page.elements) == 5
    assert "90 items of this pool, not about the stream they came from" in page.text


@pytest.mark.usefixtures("undrawn")
def test_without_the_pool_the_flips_are_listed_bare(tmp_path):
    study_of(tmp_path).close()
    with Study.open(tmp_path / "swap") as study:
        made = document(study)
    assert made["items"] == {}
    assert verify(json.loads(json.dumps(made))).agrees
    assert "without content" in render(made)
