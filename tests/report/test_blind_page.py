"""The page about confident errors: its numbers, its gallery, every empty state, and pictures that are its own."""

import json

import numpy as np
import pytest
from PIL import Image

from report.pages import assert_harmless
from report.test_browser import CHROMIUM, browse
from report.test_hostile import CORPUS
from ringtrue.blind._error_sections import error_rows
from ringtrue.blind._scope import errors_in_scope
from ringtrue.core import cell, line
from ringtrue.report import render
from ringtrue.report._page import context_of
from ringtrue.report._pictures import png_data_uri
from support.blind_findings import blind_document, blind_finding, field, full_document, gallery, groups

LIMIT = 400_000


def page_of(made, *, pictures=False):
    text = render(json.loads(json.dumps(made, allow_nan=False)))
    assert len(text.encode()) < LIMIT
    return text, assert_harmless(text, pictures=pictures)


def words_of(made, **options):
    return " ".join(page_of(made, **options)[1].text.split())


@pytest.mark.usefixtures("undrawn")
def test_the_numbers_are_those_of_the_finding():
    words = words_of(full_document(), pictures=True)
    for sentence in [
        "what was found, in words", "not yet known", "confident errors, 95% interval4.8% to 41.1%",
        "estimate 11%, of 1,400 items that the model answers cat with a confidence above 65%",
        "errors found16in 50 answers, where the confidence admits 6.34: excess +9.7",
        "found / admitted, 95% interval1.26 to 3.73ratio 2.52; with one more of each 2.31",
        "evidence of overconfidence188 to 120 to 1 was reached after 17 answers",
        "between 67 and 576 are wrong (95%); 16 were found", "the 10 answers to items drawn at random, 2 of them wrong",
        "Of 12 items the answer never changed, within the queries allowed: item-0, ", "item-9 and 2 more.",
        "temperature 1.62, fitted on 1,000 items of another set", "from 8.1% to 1.23%",
        "learning, and 20% of the answers at random", "1,400 of 4,000 items: those that the model answers cat",
        "61.5 errors in the scope, by the confidences themselves; 1.09 to 9.35 times as many are there (95%)",
        "4,000 for its answers, 11,200 for variations of the items, 74,200 for distances: 63.9 an item",
        "0.107 away from the nearest that was asked about; from as many random ones it would be 0.046",
        "hour: 0 o'clock2001291.5+7.5+3.2 to +10.0", "cluster 3–1561.5+4.5−1.9 to +7.0",
        "65% to 70%35042", "the oracle is right", "50 of a budget of 50",
    ]:  # fmt: skip
        assert sentence in words, sentence


@pytest.mark.usefixtures("undrawn")
def test_it_says_what_the_ratio_hides_what_the_interval_means_and_what_is_not_shown():
    words = words_of(full_document(), pictures=True)
    for sentence in [
        "It can be gamed: who asks only about the most confident items divides by almost nothing",
        "of the others it says nothing", "in at least 95% of studies like this one it never leaves out the true share",
        "those that the search picked count as known and no more", "would reach 20 to 1 in at most one of 20 studies",
        "12 of the 16 errors found are shown so", "16 of 16 errors listed, the most confident first.",
        "Not shown are the errors among items that nobody was asked about: 51 to 560 more (95%)",
        "and those outside the scope, where the model is less sure or answers something else",
        "The intervals hold for all groups at once", "not of those asked about",
        "need the model: the check below does not recompute them",
    ]:  # fmt: skip
        assert sentence in words, sentence


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        (("rate", "low"), 0.01234, "1.23% to"),
        (("rate", "method"), "by guessing", "by guessing"),
        (("ratio", "shrunk"), 7.654, "7.65"),
        (("ratio", "high"), 10_208.3, "10,208"),
        (("ratio", "method"), "like dice", "like dice"),
        (("overconfidence", "reached_at"), None, "20 to 1 would be needed"),
        (("overconfidence", "e_value"), 4.321, "4.32 to 1"),
        (("overconfidence", "e_value"), 1e300, "over a million to 1"),
        (("threshold",), 0.875, "87.5%"),
        (("critical",), "cow", "answers cow with"),
        (("random_errors",), 77, "77 of them wrong"),
        (("floor",), 0.375, "37.5%"),
        (("groups", 0, "name"), "dawn", "hour: dawn"),
        (("groups", 1, "low"), -12.34, "−12.3 to"),
        (("groups", 1, "low"), -0.028, "−0.028 to"),
        (("reliability", 1, "accuracy_high"), 0.432, "43.2%"),
        (("reliability", 1, "accuracy_high"), 0.5, "In 1 range the model is overconfident for sure"),
        (("path", "confidence", 1), 0.9877, "98.77%"),
        (("assumptions",), ["the sun"], "the sun"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
@pytest.mark.usefixtures("undrawn")
def test_the_page_takes_its_words_from_the_document(path, value, shown):
    finding = blind_finding()
    assert shown not in words_of(blind_document(finding))
    place = finding
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert shown in words_of(blind_document(finding))


def test_errors_are_those_of_the_hunt_the_most_confident_first():
    finding = blind_finding()
    made = blind_document(finding)
    made["computed"]["failures"].append({"number": 99, "id": "other", "row": 1, "model": "cat", "truth": "dog"})
    rows, path = error_rows(context_of(made)), finding["path"]
    assert len(rows) == finding["errors"] == sum(path["wrong"])
    assert [row["confidence"] for row in rows] == sorted((row["confidence"] for row in rows), reverse=True)
    for row in rows:
        place = path["answer"].index(row["answer"])
        assert (row["confidence"], row["random"]) == (path["confidence"][place], path["random"][place])
        assert row["id"] == f"item-{path['row'][place]}"
    assert "other" not in {row["id"] for row in rows}, "an error of another question is outside the scope"


@pytest.mark.parametrize(
    ("rate", "errors", "expected"),
    [((0.02, 0.04), 0, (1, 2)), ((0.021, 0.041), 0, (1, 3)), ((0.0, 0.1), 4, (4, 5)), ((0.0, 0.02), 4, (4, 4))],
)
def test_the_number_of_errors_in_the_scope_is_rounded_outward(rate, errors, expected):
    finding = {"rate": dict(zip(("low", "high"), rate, strict=True)), "random": 9, "scope": 50, "errors": errors}
    assert errors_in_scope(finding) == dict(zip(("low", "high"), expected, strict=True))
    assert errors_in_scope({**finding, "random": 0}) is None


@pytest.mark.usefixtures("undrawn")
def test_each_error_is_shown_with_its_pictures():
    made = full_document()
    text, page = page_of(made, pictures=True)
    shown = [attributes for tag, attributes in page.elements if tag == "img"]
    cards = made["kept"]["gallery"]["shown"]
    assert [one["src"] for one in shown] == [card[name] for card in cards for name in ("image", "changed", "sway")]
    assert shown[0]["alt"] == "The item item-14, which the model calls cat and is dog"
    assert shown[1]["alt"] == "The nearest input found that the model answers otherwise: dog"
    assert text.count("<article") == 12
    assert "said cat, is dogconfidence 97.45%distance 0.0417 (linf)item-14" in page.text
    assert "Orange parts speak for the model's answer" in page.text


@pytest.mark.usefixtures("undrawn")
def test_rows_are_shown_beside_the_values_that_change_the_answer():
    text, page = page_of(full_document("values"))
    assert "<img" not in text
    assert "img-src" not in text
    words = " ".join(page.text.split())
    assert "income 32501 35100.5".replace(" ", "") in words.replace(" ", ""), "what changes stands first"
    assert "age41same" in words
    assert "and 10 more values" in words
    assert "x8" not in words


@pytest.mark.usefixtures("undrawn")
def test_more_errors_than_there_is_room_for():
    finding = blind_finding(answered=400)
    made = blind_document(finding, kept={"gallery": gallery(finding, most=40)})
    finding["groups"] = groups(60)
    words = words_of(made, pictures=True)
    assert f"24 of the {finding['errors']} errors found are shown so" in words
    assert f"100 of {finding['errors']} errors listed, the most confident first. The JSON twin has them all." in words
    assert "The first 24 of 60 groups are drawn." in words
    assert "50 of 60 groups are listed" in words


@pytest.mark.usefixtures("undrawn")
def test_nothing_answered_yet():
    text, page = page_of(blind_document(blind_finding(answered=0)))
    words = " ".join(page.text.split())
    assert "<svg" not in text
    for sentence in ("Nothing is answered yet, so there is nothing to draw.", "not yet known", "none yet", "0in 0 ans"):
        assert sentence in words, sentence
    for word in ("The errors found", "evidence", "in common", "gamed", "believed"):
        assert word not in words, word


@pytest.mark.usefixtures("undrawn")
def test_nobody_could_label_anything():
    finding = blind_finding(answered=0)
    lost = blind_finding(answered=3)["path"]
    for name in ("errors", "expected", "ratio", "low", "high", "log_e", "wrong"):
        lost[name] = [None] * 3
    finding.update(path=lost, unanswerable=3, scope=1_400, rate={**blind_finding()["rate"], "estimate": None})
    text, page = page_of(blind_document(finding))
    assert "<svg" not in text
    assert "Nothing is answered yet, so there is nothing to draw." in page.text


@pytest.mark.usefixtures("undrawn")
def test_answers_without_anything_else():
    finding = blind_finding(claim=False, critical=None)
    finding.update(groups=[], reliability=[], random=0, random_errors=0)
    finding["rate"].update(estimate=None, low=0.01, high=0.98)
    text, page = page_of(blind_document(finding))
    words = " ".join(page.text.split())
    assert text.count("<svg") == 2, "the paths alone"
    for sentence in [
        "Nothing was drawn at random yet, so nothing is known about the share of such errors",
        "No pictures or values were kept to be shown here.", "No groups were made",
        "No distances were measured.",
        "Nothing was answered from which this could be told.", "where the model is less sure.",
    ]:  # fmt: skip
        assert sentence in words, sentence
    for word in ("whole scope", "temperature", "away from the nearest", "more (95%)", "need the model"):
        assert word not in words, word
    assert 'class="no-claim"' in text


@pytest.mark.usefixtures("undrawn")
def test_a_model_that_never_changes_its_answer_is_told_with_its_items():
    finding = blind_finding()
    known = {**field(finding, distances=False), "distance": {**field(finding)["distance"], "unchanged": 1_400}}
    words = words_of(blind_document(finding, kept={"field": known}))
    assert "There is no distance to draw. Of 1,400 items the answer never changed" in words
    assert "item-9 and 1,390 more" in words


@pytest.mark.usefixtures("undrawn")
def test_a_temperature_that_was_given_and_utilities_are_told():
    made = full_document("values")
    made["question"]["temperature"] = 1.75
    made["kept"]["field"].update(temperature=None)
    made["kept"]["field"]["spread"].update(error_utility=16.0, coverage_utility=431.25)
    words = words_of(made)
    assert "The confidences were scaled by the temperature 1.75, fitted on other items." in words
    assert "16 by errors found (Lakkaraju); 431.2 by the confidence that lies near" in words


@pytest.mark.usefixtures("undrawn")
def test_no_error_found_does_not_mean_there_is_none():
    finding = blind_finding()
    finding["path"]["wrong"] = [False] * 50
    finding.update(errors=0, excess=-6.3)
    words = words_of(blind_document(finding, kept={"gallery": {"errors": 0, "shown": []}}))
    assert (
        "None in 50 answers. That does not mean there are none: up to 576 of 1,400 items may be wrong (95%)." in words
    )


@pytest.mark.usefixtures("undrawn")
def test_every_figure_has_words_for_those_who_do_not_see_it():
    text, page = page_of(full_document(), pictures=True)
    labels = [attributes["aria-label"] for tag, attributes in page.elements if tag == "figure"]
    assert len(labels) == text.count("<svg") == text.count("<figcaption>") == 5
    assert len(set(labels)) == 5


def test_the_figures_are_those_of_the_finding():
    text, _ = page_of(full_document(), pictures=True)
    assert "<image" not in text
    for drawing, words in zip(
        text.split("<svg")[1:],
        (
            ("drawn at random, wrong (2)", "claim: error &lt;= 2% at 95%", "estimate: 11%"),
            ("discovery ratio", "1: as confident as right", "whole scope: 2.5 (1.1 to 9.4)"),
            ("hour: 0 o'clock (12)", "95% for all groups at once"),
            ("expected of such confidence", "asked, wrong (14)", "at random, wrong (2)", "99.99%"),
            ("how often it is right (95% interval)", "65% to 70%"),
        ),
        strict=True,
    ):
        for word in words:
            assert word in drawing, word


@pytest.mark.parametrize("start", range(0, len(CORPUS), 6))
@pytest.mark.usefixtures("undrawn")
def test_words_stay_words(start):
    words = (CORPUS[start : start + 6] * 6)[:6]
    finding = blind_finding()
    finding["sentence"], finding["search"], finding["critical"] = words[:3]
    finding["rate"]["method"] = finding["ratio"]["method"] = words[3]
    finding["groups"][0].update(kind=words[4], name=words[5])
    finding["assumptions"] = words
    shown = gallery(finding)
    shown["shown"][0].update(id=words[0], model=words[1], truth=words[2], norm=words[3], changed_label=words[4])
    shown["shown"][1].update(image=words[0], changed=words[1], sway="data:image/svg+xml;base64,AAAA")
    shown["shown"][2].update(values={words[2]: words[3], "a": 1.5}, changed_values={words[2]: words[4]})
    known = field(finding)
    known["distance"].update(method=words[0], norm=words[1], unchanged_ids=[words[2]])
    made = blind_document(finding, kept={"field": known, "gallery": shown}, labels=(words[0], f"not {words[1]}"))
    page = assert_harmless(render(made), pictures=True)
    assert sum(tag == "img" for tag, _ in page.elements) == 3 * 11, "an address that is no picture is not shown"
    for word in (words[0], f"not {words[1]}", words[2], f"{words[4]}: {words[5]}"):
        assert cell(word) in page.cells, word[:50]
    assert line(words[3]) in page.cells, "a value, which has more room"
    assert cell(words[1]) in page.text


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.usefixtures("undrawn")
def test_a_real_browser_shows_the_pictures_under_the_pages_own_policy(tmp_path):
    made = full_document()
    magenta = png_data_uri(np.full((2, 2, 3), (255, 0, 255), dtype=np.uint8), 8)
    made["kept"]["gallery"]["shown"] = [{**made["kept"]["gallery"]["shown"][0], "image": magenta}]
    page, picture = tmp_path / "blind.html", tmp_path / "page.png"
    page.write_text(render(made), encoding="utf-8")
    browse(tmp_path, page.as_uri(), f"--screenshot={picture}")
    pixels = np.asarray(Image.open(picture).convert("RGB")).reshape(-1, 3)
    assert (pixels == (255, 0, 255)).all(axis=1).sum() > 1_000
