"""The page about a change: its numbers, the flips with what the items look like, and every empty state."""

import json
import re

import pytest

from report.pages import assert_harmless
from report.shifts import ITEMS, interval, share, shift_document, shift_finding
from report.test_hostile import CORPUS
from ringtrue.changed import Changed
from ringtrue.core import SHOWN, Item, cell
from ringtrue.report import render
from ringtrue.report._document import contents

LIMIT = 300_000


pytestmark = pytest.mark.usefixtures("undrawn")


def page_of(finding, **options):
    made = json.loads(json.dumps(shift_document(finding, **options), allow_nan=False))
    text = render(made)
    assert len(text.encode()) < LIMIT
    return text, assert_harmless(text)


def words_of(finding, **options):
    return " ".join(page_of(finding, **options)[1].text.split())


def figures_of(page):
    return [attributes["aria-label"] for tag, attributes in page.elements if tag == "figure"]


def test_the_numbers_are_those_of_the_finding():
    words = words_of(shift_finding())
    for sentence in [
        "what was found, in words", "rings false",
        "2.1% to 4.1%", "estimate 3.1%",
        "−0.2 to +1.0", "86.9% before, about 87.3% now",
        "at most 0.93%", "required 1%, reached after 500 answers",
        "550", "for 5.50; 60 flips found in 500 answers",
        "Answers changed beyond the noise: known since answer 27.",
        "Whether the accuracy changed is not decided.",
        "20 right to wrong, 20 wrong to right, 20 to another wrong answer",
        "50 changed answers asked for once more, of which 3 came again, 1 went back and 0 gave a third.",
        "Two answers to one question differ with a chance of 0% to 2.5% (95%).",
        "Beyond that, 0% to 4.5% of the answers changed (95%).",
        "550 of a budget of 2,000", "5.50, at 0.01 a call", "paired, seed 0, 16 at a time",
        "50: 550 answers to 500 different items",
        "at most one study of 20, however often one looks",
        "Intervals at 95%; by hand.",
    ]:  # fmt: skip
        assert sentence in words, sentence


def test_it_says_of_whom_it_speaks_before_any_figure():
    text, page = page_of(shift_finding())
    sentence = f"every interval here is about the {ITEMS:,} items of this pool, not about the stream they came from"
    assert sentence in page.text
    assert text.index("Of whom this speaks") < text.index("<svg")


def test_every_figure_has_words_for_those_who_do_not_see_it():
    text, page = page_of(shift_finding())
    assert len(figures_of(page)) == text.count("<svg") == text.count("<figcaption>") == 4
    assert all(figures_of(page))


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        (("change", "high"), 0.98765, "98.77%"),
        (("accuracy", "difference", "low"), -0.4321, "−43.3"),
        (("accuracy", "old"), 0.12321, "12.3% before"),
        (("error", "bound"), 0.04321, "4.33%"),
        (("error", "holds_at"), 4242, "4,242 answers"),
        (("error", "required"), 0.0777, "7.77%"),
        (("calls",), 4243, "4,243"),
        (("flips", "wrong_to_right"), 4244, "4,244 wrong to right"),
        (("detection", "change", "at"), 4245, "since answer 4,245"),
        (("detection", "accuracy", "at"), 4246, "accuracy changed is known since answer 4,246"),
        (("noise", "asked_twice"), 4247, "4,247 changed answers"),
        (("noise", "beyond", "high"), 0.0321, "3.21% of the answers changed"),
        (("slices", 0, "value"), "pigeon", "pigeon"),
        (("slices", 1, "items"), 4248, "4,248"),
        (("cells", 0, "answer"), "positive", "positive"),
        (("population",), 4249, "the 4,249 items"),
        (("flips", "items", 0, "new"), "cow", "cow"),
        (("assumptions",), ["the moon"], "the moon"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_the_page_takes_its_words_from_the_document(path, value, shown):
    finding = shift_finding()
    assert path == ("cells", 0, "answer") or shown not in words_of(finding)
    place = finding
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert shown in words_of(finding)


def test_the_cells_that_changed_most_are_listed_and_the_certain_ones_bold():
    finding = shift_finding()
    finding["cells"][0]["shift"] = interval(-0.05, 0.01)
    finding["cells"][1]["shift"] = interval(0.05, 0.07)
    text, page = page_of(finding)
    assert "<b>−5.00</b>" in text
    assert "<b>+5.00</b>" not in text
    assert "+5.00" in page.cells
    assert "−6.00 to −4.00" in page.cells


def test_of_many_classes_it_says_which_are_drawn():
    labels = tuple(f"word-{place}" for place in range(31))
    words = words_of(shift_finding(labels, [*labels, "(empty)"]))
    assert "12 of 31 rows, 12 of 32 columns" in words
    assert "12 of 50 cells are listed" in words
    assert "Only those that changed most" not in words_of(shift_finding())


def test_nothing_answered_yet():
    text, page = page_of(shift_finding(answered=0, flips=0))
    words = " ".join(page.text.split())
    assert "<svg" not in text
    for sentence in ("nothing to draw", "no estimate yet", "not yet known", "None, because nothing is answered yet."):
        assert sentence in words
    assert f"{ITEMS:,} items of this pool" in words
    assert "estimate 50%" not in words


def test_only_calls_that_came_to_nothing():
    finding = shift_finding(answered=0, flips=0)
    finding["unanswerable"] = 3
    finding["evidence"].update(answers=[1, 2, 3], change=[0.0] * 3, accuracy=[0.0] * 3)
    text, _ = page_of(finding)
    assert "<svg" not in text
    assert "nothing is answered yet" in text


def test_no_change_seen_is_not_no_change():
    finding = shift_finding(flips=0)
    finding["change"] = share(0.0, 0.0071)
    words = words_of(finding)
    assert "No change beyond the noise is shown by 500 answers" in words
    assert "of the answers may have changed beyond the noise." in words
    finding["noise"]["beyond"] = None
    words = words_of(finding)
    assert "up to 0.71% of the answers may have changed." in words
    assert "None in 500 answers." in words
    assert "What changed most" not in words


def test_a_whole_pool_without_a_change():
    finding = shift_finding(flips=0)
    finding["change"] = share(0.0, 0.0)
    finding["error"].update(bound=0.0, used=[0.02, 0.01, 0.005, 0.001, 0.0])
    words = words_of(finding)
    assert "Nothing changed: every item was asked, and every answer is the old one." in words
    assert "may have changed" not in words
    assert "not decided" not in words
    assert "at most 0%" in words


def test_without_true_labels_nothing_is_said_about_right_and_wrong():
    _, page = page_of(shift_finding(labelled=False))
    words = " ".join(page.text.split())
    assert "There are no true labels: what follows says what changed, not whether it became better." in words
    for word in ("accuracy", "right to wrong", "true label<", "truth"):
        assert word not in words
    assert "for each old answer" in words
    assert "60 answers changed" in words
    assert "60 of 60 flips shown" in words


def test_one_class_has_no_matrix():
    finding = shift_finding(("yes",), flips=0)
    text, page = page_of(finding)
    assert "There is only one label and one answer, so there is no matrix to draw." in page.text
    assert "Three heat maps" not in text


def test_without_slices_there_is_no_word_of_them():
    finding = shift_finding()
    finding["slices"] = []
    assert "slice" not in words_of(finding)


def test_a_slice_nobody_was_asked_about():
    finding = shift_finding()
    finding["slices"][0].update(answers=0, change=share(0.5, 0.5), accuracy=None)
    _, page = page_of(finding)
    assert "0% to 100%" in page.cells
    assert page.cells.count("–") >= 3


def test_no_noise_measured():
    finding = shift_finding()
    finding["noise"] = {
        "assumed": 0.002,
        "asked_twice": 0,
        "floor": None,
        "persisted": 0,
        "reverted": 0,
        "beyond": None,
    }
    assert "not measured; as was stated, 0.2% of the answers vary by themselves." in words_of(finding)
    finding["noise"]["assumed"] = None
    assert "not measured yet, because no answer was asked for twice." in words_of(finding)


def test_flips_are_shown_from_right_to_wrong_first_and_at_most_a_hundred():
    finding = shift_finding(flips=150)
    _, page = page_of(finding)
    table = " ".join(page.cells)
    shown = re.findall("right to wrong|wrong to right|another wrong answer", table)
    assert shown == ["right to wrong"] * 50 + ["wrong to right"] * 50
    assert f"{SHOWN} of 150 flips shown" in page.text
    order = Changed.gallery({"finding": finding, "failures": []})
    assert [flip["number"] for flip in order[:50]] == sorted(flip["number"] for flip in order[:50])
    assert len(order) == 150


def test_flips_come_with_what_the_items_look_like():
    finding = shift_finding(flips=3)
    shown = {
        f"item-{place}": {"id": f"item-{place}", "label": "negative", "text": "so " * 40, "stars": place}
        for place in range(2)
    }
    text, page = page_of(finding, contents=shown)
    heads = re.findall(r'<th scope="col"[^>]*>(?:<bdi>)?([^<]+)', text[text.index("Answers that flipped") :])
    assert heads == [
        "item", "what happened", "truth", "old answer", "new answer", "old confidence", "text", "stars",
    ], "what repeats the id or the truth is not told again"  # fmt: skip
    assert cell("so " * 40) in page.cells
    assert "1 item without content" in page.text


def test_without_confidences_there_is_no_column_of_them():
    finding = shift_finding(flips=3)
    for flip in finding["flips"]["items"]:
        flip["confidence"] = None
    assert "old confidence" not in words_of(finding)
    finding["flips"]["items"][1]["confidence"] = 0.25
    _, page = page_of(finding)
    assert "0.25" in page.cells


def test_the_contents_kept_are_those_of_the_flips_shown():
    finding = shift_finding(flips=150)

    class Pool:
        def take(self, rows):
            ids = [f"item-{row}" for row in rows]
            return [Item(name, {"x": row}) for name, row in zip(ids, rows, strict=True)]

    class FakeStudy:
        class things:  # noqa: N801
            pool = Pool()

    order = Changed.gallery({"finding": finding, "failures": []})
    kept = contents(FakeStudy(), order)
    assert list(kept) == [flip["id"] for flip in order[:SHOWN]]


@pytest.mark.parametrize("word", CORPUS, ids=range(len(CORPUS)))
def test_words_stay_words(word):
    finding = shift_finding((word, f"other {word}"), [word, f"other {word}", f"new {word}"], flips=3)
    finding["sentence"] = finding["cells"][0]["shift"]["method"] = word
    finding["assumptions"] = [word]
    for one in finding["slices"]:
        one.update(column=word, value=f"{word} value")
    for flip in finding["flips"]["items"]:
        flip["id"] = f"{word}#{flip['number']}"
    shown = {f"{word}#0": {word: word, "more": f"more {word}"}}
    page = assert_harmless(render(shift_document(finding, contents=shown)))
    assert cell(f"{word}#0") in page.cells
    assert cell(f"new {word}") in page.cells
    assert cell(f"more {word}") in page.cells
