"""The page about risk with a map, with strata and with other profiles: their numbers, their words, their figures."""

import copy
import json

import pytest

from report.maps import OPERATION, PROFILES, STRATA, map_finding, profile_of, stratum, study_document, with_more
from report.pages import assert_harmless
from report.test_hostile import CORPUS
from ringtrue.core import cell, line
from ringtrue.report import document, render, verify
from ringtrue.report._document import hashes
from ringtrue.report._page import context_of
from ringtrue.risk.cells._sections import places
from support import make_study
from support.undrawn import without_drawings

pytestmark = pytest.mark.usefixtures("undrawn")

HEADINGS = ("The map", "Where the failures are", "Other mixtures of inputs", "In operation")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return study_document(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def words(plain):
    """The words of a page with a map."""
    with without_drawings():
        return words_of(page_of(with_more(plain, map_finding()))[1])


def page_of(made):
    text = render(made)
    return text, assert_harmless(text)


def words_of(page):
    return " ".join(page.text.split())


def test_without_them_nothing_is_said(plain):
    absent = copy.deepcopy(plain)
    for key in ("strata", "operation", "profiles", "method"):
        absent["computed"]["finding"].pop(key, None)
    absent.pop("map", None)
    empty = with_more(absent, None, strata=None, operation=None, profiles=[])
    for made in (absent, empty):
        text, page = page_of(made)
        assert text.count("<svg") == 1
        for heading in HEADINGS:
            assert heading not in page.text
    assert render(absent) == render(empty)


@pytest.mark.parametrize(
    "sentence",
    [
        "The map puts the failure rate at 0.489%, with 84.8% of the inputs unassessed.",
        "What it means: failures where somebody says what is right.",
        "No upper bound is drawn from this map, because:",
        "with 500 instead of 250 cells the estimate moves by more than its interval is wide",
        "The labels at hand contradict this map. It would have the failure rate be at most 0.49%; among 1,000 labelled "
        "points (test set) the model failed on 18. Were the map right, so many would be seen with a chance of at most "
        "3.8e-06.",
        "failing where assessed0.489%an upper bound of 0.492% (97.5%) is refused",
        "failure rate between0.186% to 85%if the unassessed part never fails, and if it always does",
        "inputs not assessed84.8%84.1% to 85.3% (97.5%): nobody says what is right there",
        "inputs in evaluated cells97%",
        "What it says depends on how finely it is cut, which is no property of the model.",
        "x1 from 0 to 1 in 250 cells; x2 from 0 to 1 in 250 cells; 62,500 cells in all",
        "4,293 with labelled points of one class, 58,202 without any, 5 with several classes",
        "points of different classes are as close as 0.0008295 to each other; half of that is 0.0004148, a cell is "
        "0.004 wide, and 326 points have another class within twice the width of a cell",
        "gaussian kernel, bandwidth 0.04",
        "low-discrepancy lattice, 1,000,000 predictions of the model",
        "1.41e-05 of the estimate, by sampling alone",
        "0.298% wrong, each cell counting the same (ACU)",
        "0 0.29%, 1 0.22%",
        "The profile says how inputs will come.",
        "does not recompute it",
    ],
)
def test_what_the_map_says_is_on_the_page(words, sentence):
    assert sentence in words


@pytest.mark.parametrize(
    ("changes", "there", "not_there"),
    [
        ({"refused": []}, "is refused", "No upper bound is drawn"),
        ({"refused": [], "upper": 0.00517}, "at most 0.517% (97.5%), if all it rests on holds", "is refused"),
        ({"contradiction": None}, "not tested against labelled points", "contradict this map"),
        ({"mode": "self-consistency"}, "disagreement, not failure", "failing where assessed"),
        ({"mode": "paper"}, "failure rate as published", "failing where assessed"),
        ({"separation": None}, "How the map was made", "another class within twice"),
        ({"maps": None}, "How the map was made", "Darker is more"),
        ({"resolution_moves": False}, "and no proof of one", "depends on how finely"),
        ({"ranked": []}, "How the map was made", "The cells that carry most of the risk"),
        ({"by_class": {}}, "How the map was made", "by true class"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_is_said_follows_what_was_found(plain, changes, there, not_there):
    _, page = page_of(with_more(plain, map_finding(**changes)))
    assert there in words_of(page)
    assert not_there not in words_of(page)


def test_labels_that_do_not_contradict_prove_nothing(plain):
    found = map_finding()
    found["contradiction"].update(failures=1, p_value=0.9926, contradicts=False)
    _, page = page_of(with_more(plain, found))
    assert "do not contradict this map: 1 failure among 1,000 labelled points (test set)" in words_of(page)
    assert "(p = 0.99). That does not make it right." in words_of(page)


def test_ranked_cells_are_listed_with_their_items(plain):
    found = map_finding()
    found["ranked"][3].update(mass=0.0123, unastuteness=0.456, share=0.0789, centre=[0.1357, 0.2468])
    _, page = page_of(with_more(plain, found))
    row = page.cells.index("0.1357") - 1
    assert page.cells[row : row + 8] == [
        "4", "0.1357", "0.2468", "several classes", "1", "1.23%", "45.6%", "7.89%",
    ]  # fmt: skip
    assert page.cells[row + 8] == "item-3-0, item-3-1, item-3-2"
    assert "item-7-0, item-7-1, item-7-2 and 4 more" in page.cells
    assert sum(one in ("one class", "no label", "several classes") for one in page.cells) == 20


def test_more_axes_than_two(plain):
    found = map_finding([f"axis {place}" for place in range(1, 9)], cells=100)
    text, page = page_of(with_more(plain, found))
    assert "The first two of 8 axes." in page.text
    assert "The first 4 of 8 axes are listed" in page.text
    assert "and 4 more; 10,000,000,000,000,000 cells in all" in words_of(page)
    assert "axis 5" not in text


def failures_on_the_map(made):
    context = context_of(made)
    return places(context.kept["map"], context.gallery, context.items)


def test_failures_are_crosses_where_both_features_are_known(plain):
    made = with_more(plain, map_finding())
    first, second, third = (failure["id"] for failure in made["computed"]["failures"][:3])
    made["items"] = {
        first: {"x1": 0.25, "x2": 0.5}, second: {"x1": "north", "x2": 0.5}, third: {"x1": {"$float": "nan"}, "x2": 0.5},
        "not a failure": {"x1": 0.1, "x2": 0.1},
    }  # fmt: skip
    assert failures_on_the_map(made) == [(0.25, 0.5)]
    _, page = page_of(made)
    assert "crosses mark 1 failure that the oracle found" in words_of(page)
    made["items"] = {}
    _, page = page_of(made)
    assert "crosses mark" not in page.text


def test_strata_are_listed_and_drawn(plain):
    _, page = page_of(with_more(plain, strata=STRATA))
    row = page.cells.index("unsure")
    assert page.cells[row : row + 8] == ["unsure", "1,500", "15%", "100", "30", "30%", "20% to 40%", "2.4×"]
    row = page.cells.index("odd")
    assert page.cells[row : row + 8] == ["odd", "500", "5%", "0", "0", "–", "–", "1×"]
    text, page = page_of(with_more(plain, strata=[stratum("all", 1.0, 0.0)]))
    assert text.count("<svg") == 1, "without failures there is nothing to compare"
    assert "all" in page.cells


def test_many_strata_and_profiles_are_cut_short(plain):
    strata = [stratum("<" * 300, 1 / 200, 0.1) for _ in range(200)]
    profiles = [profile_of("&" * 300, 0.1) for _ in range(60)]
    _, page = page_of(with_more(plain, strata=strata, profiles=profiles))
    assert "24 of 200 parts are drawn, those with most failures." in words_of(page)
    assert "50 of 200 parts are listed" in words_of(page)
    assert "The first 24 of 60 profiles are drawn." in words_of(page)
    assert "50 of 60 profiles are listed" in words_of(page)


def test_profiles_have_an_interval_or_a_reason(plain):
    _, page = page_of(with_more(plain, profiles=PROFILES))
    row = page.cells.index("day")
    assert page.cells[row : row + 6] == ["day", "2.13%", "1.13% to 3.13%", "212.4", "3.14", "1.3%"]
    row = page.cells.index("fog")
    assert page.cells[row : row + 4] == ["fog", "–", "refused", "12.1"]
    assert "No interval for fog: worth 12.1 answers, less than 30" in words_of(page)
    text, page = page_of(with_more(plain, profiles=PROFILES[1:]))
    assert text.count("<svg") == 1, "what is refused is not drawn"
    assert "refused" in page.cells


def test_operation_and_method_are_one_line_each(plain):
    _, page = page_of(with_more(plain, operation=OPERATION, method="stratified draws"))
    said = "In operation, if this pool is a random sample of it, the failure rate is"
    assert f"{said} 3.12% to 17.8% (95%; a mixture of draws)." in words_of(page)
    assert "Method: stratified draws; beta-mixture" in words_of(page)
    _, page = page_of(with_more(plain, operation={**OPERATION, "low": 0.0}))
    assert f"{said} at most 17.8% (95%; a mixture of draws)." in words_of(page)
    same = plain["computed"]["finding"]["interval"]["method"]
    _, page = page_of(with_more(plain, operation=None, method=same))
    assert words_of(page).count(same) == 1


def test_a_map_that_was_changed_or_taken_out_is_found(plain):
    made = with_more(plain, map_finding(cells=10))
    made["hashes"] = hashes(made)
    assert verify(made).agrees
    assert made["hashes"]["map"] in page_of(made)[1].text
    assert made["hashes"]["plan"] == plain["hashes"]["plan"], "the plan is the same with and without a map"
    changed = copy.deepcopy(made)
    changed["map"]["estimate"] /= 10
    taken_out = {**made, "map": None}
    for other in (changed, taken_out):
        (difference,) = verify(other).differences
        assert difference.startswith("hashes.map says")


def test_a_map_needs_no_answers(tmp_path):
    with make_study(tmp_path) as study:
        made = json.loads(json.dumps(document(study)))
    made["map"] = map_finding()
    text, page = page_of(made)
    assert text.count("<svg") == 3
    assert "nothing to draw" in page.text


@pytest.mark.parametrize("start", range(0, len(CORPUS), 4))
def test_words_stay_words(plain, start):
    words = (CORPUS[start : start + 4] * 4)[:4]
    found = map_finding((words[0], words[1]), cells=30, most=3)
    found.update(
        sentence=words[0], meaning=words[1], mode=words[2], kernel=words[3], local=words[0], refused=words[:2],
        assumptions=words[2:], by_class={words[0]: 0.1, words[1]: None}, bandwidth=words[2],
    )  # fmt: skip
    found["contradiction"]["source"] = words[1]
    found["ranked"][0].update(label=words[2], items=words)
    strata = [stratum(word, 0.25, 0.1) for word in words]
    profiles = [profile_of(words[0], 0.1), profile_of(words[1], refusal=words[2])]
    operation = {**OPERATION, "method": words[0]}
    made = with_more(plain, found, strata=strata, profiles=profiles, operation=operation, method=words[3])
    made["hashes"]["map"] = words[1]
    _, page = page_of(made)
    assert cell(words[2]) in page.cells, "the label"
    assert ", ".join(cell(word) for word in words[:3]) + " and 1 more" in page.cells, "the items"
    for word in words:
        assert cell(word) in page.cells, "a stratum"
    assert page.cells.count(cell(words[1])) >= 2, "a feature and a stratum"
    assert line(words[1]) in page.text, "the source of labels"
