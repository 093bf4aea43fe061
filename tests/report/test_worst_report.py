"""The page about the worst deviation: its numbers, its tables, every empty state, and figures that are no images."""

import json

import pytest

from report.pages import assert_harmless
from report.test_hostile import CORPUS
from ringtrue.core import cell
from ringtrue.report import render
from ringtrue.report._page import context_of
from ringtrue.worst._detail_sections import worst_rows
from support.worst_findings import TRAINING, baselines, picture, worst_document, worst_finding

LIMIT = 400_000
TASKS = ("QPHASE", "AL6MN", "LIQUID")


def page_of(finding, **options):
    text = render(json.loads(json.dumps(worst_document(finding, **options), allow_nan=False)))
    assert len(text.encode()) < LIMIT
    assert "<image" not in text
    return text, assert_harmless(text)


def words_of(finding, **options):
    return " ".join(page_of(finding, **options)[1].text.split())


@pytest.mark.usefixtures("undrawn")
def test_the_numbers_are_those_of_the_finding():
    finding = worst_finding(7, TASKS, priced="alone")
    finding["worst"].update(task="AL6MN", deviation=1.69567, answer=29, low=1.6861, high=1.7061)
    words = words_of(finding, training=TRAINING, curves=baselines(8))
    for sentence in [
        "what was found, in words", "rings false", "worst deviation found (absolute)1.696",
        "of AL6MN, in evaluation 29; 1.686 to 1.706 without the noise",
        "3.21%", "of the space, where 1.29 or more is expected; 4 of 5 evaluations there confirmed it",
        "largest deviation anywhere, 95% boundrefused", "claimed: at most 1.5",
        "No bound on the largest deviation: too few",
        "At most 26% of the space deviates by more than 1.5 (95%; exact, from 10 evaluations at uniformly random",
        "40of 100 planned, the first 10 to spread",
        "the first 6 of 8", "The model said 0.25, the gold standard 1.75.",
        "The worst of the training set deviates by 0.41, among 1,000 rows.",
        "4 deviated so much, so that 28% to 99.5% of the region do (95%).",
        "space, 7 parameters", "rising, seed 0, 1 at a time", "40 of a budget of 100",
        "10 of 40 evaluations listed", "An evaluation is about one task, chosen by rising.",
        "Nothing speaks against it: as foreseen. Of 20 residuals at random points that it had not seen, 19 lie within",
        "their root mean square is 1.1 standard deviations", "Bound: by hand, looked at after 33 evaluations.",
        "A Gaussian process with a squared-exponential kernel; points were chosen by improvement.",
        "Its lengthscales, as shares of the ranges: x0 0.4, rate1 0.4",
    ]:  # fmt: skip
        assert sentence in words, sentence
    assert "pool" not in words


@pytest.mark.usefixtures("undrawn")
def test_rows_of_the_training_set_outside_the_space_are_counted():
    words = words_of(worst_finding(7, TASKS), training={**TRAINING, "outside": 12})
    told = "by 0.41, among 1,000 rows, of which 12 outside the space, which the search does not go by."
    assert told in words


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        (("worst", "deviation"), 4.3217, "4.322"),
        (("worst", "point", "x0"), 0.98761, "0.9876"),
        (("worst", "model"), [4.2421, 4.2421, 4.2421], "said 4.242, the gold standard 1.75"),
        (("region", "volume"), 0.0777, "7.77%"),
        (("region", "extent", "x0"), [0.1212, 0.3434], "0.1212 to 0.3434"),
        (("region", "extent", "solvent3"), ["oil", "pigeon"], "oil, pigeon"),
        (("region", "confirmed"), 17, "17 of 5 evaluations"),
        (("limit",), 7.125, "at most 7.125"),
        (("bound", "upper"), 2.7182, "at most 2.718"),
        (("bound", "refused"), "because of the moon", "because of the moon"),
        (("bound", "method"), "by guessing", "by guessing"),
        (("above", "high"), 0.0123, "1.23% of the space"),
        (("above", "low"), 0.0017, "at least 0.17%"),
        (("peaks", 1, "nearest"), 0.13579, "0.1358"),
        (("peaks", 1, "point", "layers2"), 4242, "4242"),
        (("by_task", 2, "evaluations"), 4243, "4,243"),
        (("by_task", 2, "task"), "cow", "cow"),
        (("path", "deviation", 5), 99.876, "99.88"),
        (("surrogate", "calibration", "inside"), 13, "13 lie within"),
        (("surrogate", "calibration", "reason"), "like dice", "like dice"),
        (("surrogate", "calibration", "calibrated"), False, "No, and nothing is claimed from it"),
        (("assumptions",), ["the sun"], "the sun"),
        (("answers",), 4244, "4,244of 100 planned"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
@pytest.mark.usefixtures("undrawn")
def test_the_page_takes_its_words_from_the_document(path, value, shown):
    finding = worst_finding(4, TASKS)
    assert shown not in words_of(finding)
    place = finding
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert shown in words_of(finding)


def test_the_worst_evaluations_say_what_was_said_of_their_task():
    finding = worst_finding(2, TASKS)
    made = worst_document(finding)
    for entry in made["records"]:
        entry["said"] = [entry["number"] + 0.25, -1.0, -2.0]
        entry["value"] = [-3.0, entry["number"] + 0.5, -4.0]
    rows = worst_rows(context_of(made))
    assert len(rows) == 10
    assert [row["deviation"] for row in rows] == sorted(finding["path"]["deviation"], reverse=True)[:10]
    for row in rows:
        number, task = row["answer"] - 1, TASKS.index(row["task"])
        assert row["model"] == [number + 0.25, -1.0, -2.0][task]
        assert row["gold"] == [-3.0, number + 0.5, -4.0][task]
        assert row["point"] == {name: values[number] for name, values in finding["inputs"].items()}


def test_records_of_other_searches_are_not_taken_for_its_own():
    finding = worst_finding(2)
    made = worst_document(finding)
    others = [{**entry, "question": "random", "value": "not mine"} for entry in made["records"]]
    open_ones = [{**entry, "state": "leased", "value": None} for entry in made["records"]]
    made["records"] = [entry for three in zip(others, made["records"], open_ones, strict=True) for entry in three]
    assert {row["gold"] for row in worst_rows(context_of(made))} == {1.75}


@pytest.mark.usefixtures("undrawn")
def test_nothing_answered_yet():
    text, page = page_of(worst_finding(answered=0), curves=baselines(1))
    words = " ".join(page.text.split())
    assert "<svg" not in text
    for sentence in ("Nothing is answered yet, so there is nothing to draw.", "none yet", "0of 100 planned", "None,"):
        assert sentence in words, sentence
    for word in ("Where it is worst", "Peaks", "surrogate", "By task"):
        assert word not in words, word


@pytest.mark.usefixtures("undrawn")
def test_only_the_first_design():
    text, page = page_of(worst_finding(7, answered=8))
    assert text.count("<svg") == 2, "the path and the inputs"
    for word in ("region", "Peaks", "95%", "surrogate", "training", "other searches", "By task"):
        assert word not in page.text, word
    assert "8 of 8 evaluations listed" in page.text
    assert "largest deviation anywherenot yet knownclaimed: at most 1.5" in page.text


@pytest.mark.usefixtures("undrawn")
def test_one_task_without_model_claim_training_or_other_searches():
    finding = worst_finding(2, claim=False)
    finding["worst"].update(
        model=None, gold=None, low=finding["worst"]["deviation"], high=finding["worst"]["deviation"]
    )
    finding["above"] = None
    text, page = page_of(finding, model=False)
    assert text.count("<svg") == 4, "no tasks"
    words = " ".join(page.text.split())
    for word in ("The model said", "By task", "claimed", "without the noise", "uniformly random", "training", "Bound"):
        assert word not in words, word
    assert "gold standard" not in page.cells
    assert 'class="no-claim"' in text


@pytest.mark.usefixtures("undrawn")
def test_the_robust_worst_case_and_many_parameters():
    finding = worst_finding(60)
    finding["robust"] = {**finding["peaks"][0], "spread": {"x0": 0.05}, "predicted": 1.2345}
    words = words_of(finding)
    assert "With inputs that vary by x0 0.05 (standard deviations), the surrogate expects the mean deviation" in words
    assert "deviation to be largest, 1.234" in words
    assert "The first 24 of 60 parameters are drawn." in words
    assert "50 of 60 parameters are listed" in words
    assert "The first 8 of 60 parameters are listed" in words


@pytest.mark.usefixtures("undrawn")
def test_every_figure_has_words_for_those_who_do_not_see_it():
    finding = worst_finding(4, TASKS)
    text, page = page_of(finding, training=TRAINING, shown=picture(4), curves=baselines())
    labels = [attributes["aria-label"] for tag, attributes in page.elements if tag == "figure"]
    assert len(labels) == text.count("<svg") == text.count("<figcaption>") == 6
    assert len(set(labels)) == 6


def test_the_figures_are_those_of_the_finding():
    finding = worst_finding(3, TASKS, priced="alone")
    text, _ = page_of(finding, training=TRAINING, shown=picture(6), curves=baselines())
    drawings = text.split("<svg")[1:]
    for drawing, words in zip(
        drawings,
        (
            ("worst so far, rising", "round-robin: ", "random check (", "claim: 1.5"),
            ("sheared by 0.2, rotated by 8°",),
            ("worst of the training set: 0.41", "layers2"),
            ("layers2", "rate1"),
            ("QPHASE", "worst deviation found", "evaluations"),
            ("within the lines (", "standard deviations"),
        ),
        strict=True,
    ):
        for word in words:
            assert word in drawing, word


@pytest.mark.parametrize("start", range(0, len(CORPUS), 4))
@pytest.mark.usefixtures("undrawn")
def test_words_stay_words(start):
    words = (CORPUS[start : start + 4] * 4)[:4]
    text = json.dumps(worst_finding(4, tuple(f"task {place} {word}" for place, word in enumerate(words))))
    for name, word in zip(("x0", "rate1", "oil", "water"), words, strict=True):
        text = text.replace(f'"{name}"', json.dumps(f"{name} {word}"))
    finding = json.loads(text)
    finding["sentence"], finding["rule"], finding["deviation"], finding["kernel"] = words
    finding["bound"].update(refused=words[0], method=words[1])
    finding["acquisition"], finding["surrogate"]["calibration"]["reason"], finding["space"]["name"] = words[:3]
    finding["assumptions"] = words
    finding["worst"]["gold"] = finding["path"]["phase"][0] = words[3]
    training = {**TRAINING, "point": {f"x0 {words[0]}": words[1]}}
    curves = {words[2]: baselines(1)["random"]}
    made = worst_document(finding, training=training, shown={"rows": [[0.0]], "title": words[0]}, curves=curves)
    page = assert_harmless(render(made))
    for shown in (f"x0 {words[0]}", f"rate1 {words[1]}", f"oil {words[2]}", words[1], f"task 3 {words[3]}"):
        assert cell(shown) in page.cells, shown[:50]
    assert cell(words[3]) in page.text
