"""What stands on the page: the verdict as a sentence, the numbers of the document, the figure; and it stays small."""

import copy
import json
import re

import pytest

from report.pages import assert_harmless
from ringtrue.core import Reply, percent
from ringtrue.report import document, render, verify
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import CountingOracle, make_pool, make_study
from support.undrawn import without_drawings

LIMIT = 300_000


def finished(folder, **options):
    study = make_study(folder, **options)
    study.run(CountingOracle())
    return study


def page_of(study, **options):
    made = json.loads(json.dumps(document(study, **options)))
    text = render(made)
    assert len(text.encode()) < LIMIT
    return made, text, assert_harmless(text)


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """The document of a study whose claim is false; for reading."""
    with finished(tmp_path_factory.mktemp("failing"), failing=9, claim="error <= 5% at 95%") as study:
        return json.loads(json.dumps(document(study)))


@pytest.fixture(scope="module")
def unchanged(failing):
    """The words of its page."""
    with without_drawings():
        return render(failing)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("options", "verdict", "tone"),
    [
        ({"failing": 0}, "rings true", "rings-true"),
        ({"failing": 38}, "rings false", "rings-false"),
        ({"budget": 3}, "not yet known", "not-yet-known"),
        ({"budget": 0}, "not yet known", "not-yet-known"),
    ],
)
def test_the_verdict_is_a_sentence_and_a_colour(tmp_path, options, verdict, tone):
    with finished(tmp_path, **options) as study:
        sentence = str(study.finding())
        _, text, page = page_of(study)
    assert f"<title>study: {verdict}</title>" in text
    assert sentence in page.text
    assert {"class": tone} in [attributes for tag, attributes in page.elements if tag == "header"]
    assert page.text.index(sentence) < page.text.index("What was asked")


def test_without_a_claim_the_chip_says_so_and_there_is_no_verdict(tmp_path, undrawn):
    with finished(tmp_path, claim=None, budget=9) as study:
        _, text, page = page_of(study)
    assert '<span class="verdict">no claim</span>' in text
    assert "not yet known" not in page.text
    assert "<title>study</title>" in text
    assert {"class": "no-claim"} in [attributes for tag, attributes in page.elements if tag == "header"]


def test_the_numbers_are_those_of_the_document(tmp_path, undrawn):
    with finished(tmp_path, failing=9, claim="error <= 5% at 95%", price="0.25", budget=35) as study:
        made, _, page = page_of(study)
    finding, spending = made["computed"]["finding"], made["computed"]["spending"]
    words = " ".join(page.text.split())
    interval, bound = finding["interval"], finding["bound"]
    for sentence in [
        f"{percent(interval['low'])} to {percent(interval['high'])}",
        f"estimate {percent(interval['estimate'])}",
        f"at least {percent(bound['low'])}",
        f"decided after {finding['decided_at']} items",
        f"in {finding['answers']} answers",
        f"{spending['asked']} asked: {spending['answered']} answered, 0 given up, 0 open",
        f"0: {spending['answered']} answers to {spending['different_items']} different items",
        f"{spending['answered']} of a budget of 35",
        f"{spending['money']}, at 0.25 a label",
        "simple-random, seed 0, 1 at a time",
        f"{finding['failures']} of {finding['failures']} failures shown",
        "pool.csv, 40 items",
        "column predicted",
        *finding["assumptions"],
        *made["hashes"].values(),
        made["study"]["pool"]["fingerprint"],
        made["study"]["model"]["fingerprint"],
        "ringtrue report --verify FILE.json",
    ]:
        assert sentence in words, sentence


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        (("computed", "finding", "interval", "high"), 0.98765, "98.77%"),
        (("computed", "finding", "sentence"), "changed", "changed"),
        (("computed", "spending", "money"), "77.77", "77.77"),
        (("computed", "spending", "asked"), 4242, "4,242 asked"),
        (("computed", "finding", "decided_at"), 4243, "4,243 items"),
        (("study", "seed"), 4244, "seed 4244"),
        (("study", "batch"), 4245, "4,245 at a time"),
        (("hashes", "plan"), "feedc0ffee", "feedc0ffee"),
        (("computed", "failures", 0, "truth"), "cow", "cow"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
@pytest.mark.usefixtures("undrawn")
def test_the_page_takes_its_words_from_the_document_and_nowhere_else(failing, unchanged, path, value, shown):
    assert shown not in unchanged
    place = made = copy.deepcopy(failing)
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert shown in render(made)


def test_the_same_document_gives_the_same_bytes_and_the_figure_shows_the_interval_and_the_claim(failing):
    text = render(failing)
    assert text == render(json.loads(json.dumps(failing)))
    page = assert_harmless(text)
    drawing = text[text.index("<svg") : text.index("</svg>")]
    for words in ["claim: error &lt;= 5% at 95%", "95% interval, valid while you watch", "failure rate (%)", "answers"]:
        assert words in drawing
    assert any(tag == "figure" and "aria-label" in attributes for tag, attributes in page.elements)
    assert "<metadata" not in drawing
    assert len(re.findall("<svg", text)) == 1


def test_an_empty_study(tmp_path):
    with make_study(tmp_path) as study:
        made, text, page = page_of(study)
    assert "<svg" not in text
    assert "nothing to draw" in page.text
    assert "no estimate yet" in page.text
    assert "None, because nothing is answered yet." in page.text
    assert verify(made).agrees


def test_no_failure_is_not_no_risk(tmp_path, undrawn):
    with finished(tmp_path, failing=0) as study:
        made, _, page = page_of(study)
    high = made["computed"]["finding"]["interval"]["high"]
    assert high > 0
    assert f"That does not make the rate zero: it lies below {percent(high)}" in page.text


def test_a_fully_labelled_pool(tmp_path, undrawn):
    with make_study(tmp_path, claim="error <= 10% at 95%") as study:
        study.tell_all((query, query.item.values["truth"]) for query in study.ask(40))
        made, _, page = page_of(study)
    assert "40 asked: 40 answered" in page.text
    assert "10% to 10%" in page.text
    assert verify(made).agrees


def test_items_nobody_could_label(tmp_path, undrawn):
    class Unsure(CountingOracle):
        def answer(self, queries):
            return [Reply(None) if len(self.order) % 3 == 0 else reply for reply in super().answer(queries)]

    with make_study(tmp_path, claim="error <= 5% at 95%", failing=9) as study:
        study.run(Unsure())
        made, _, page = page_of(study)
    given_up = made["computed"]["spending"]["given_up"]
    assert given_up > 0
    assert f"{given_up} given up" in page.text
    assert "nobody could label" in page.text
    assert verify(made).agrees


def test_answers_that_wait_for_an_earlier_one(tmp_path, undrawn):
    with make_study(tmp_path) as study:
        for query in study.ask(6)[2:]:
            study.tell(query, query.item.values["truth"])
        made, _, page = page_of(study)
    assert "6 asked: 4 answered, 0 given up, 2 open" in page.text
    assert "0; the others wait for one that was asked before them and is still open" in page.text
    assert verify(made).agrees


def test_a_claim_that_is_not_the_studys_own(tmp_path, undrawn):
    with finished(tmp_path) as study:
        _, _, own = page_of(study)
        made, _, other = page_of(study, claim="error <= 1% at 99%")
    note = "another than the one the study was made to decide (error <= 20% at 95%)"
    assert note in other.text
    assert note not in own.text
    assert "error <= 1% at 99%" in other.text
    assert verify(made).agrees


def test_the_table_of_failures_tells_nothing_twice(tmp_path, undrawn):
    with finished(tmp_path, failing=9, claim=None) as study:
        _, text, _ = page_of(study)
    head = re.search("<thead>(.*?)</thead>", text).group(1)
    assert re.findall(r"<th[^>]*>(?:<bdi>)?([^<]+)", head) == ["item", "model said", "truth", "feature"]
    assert '<th scope="col" class="number"><bdi>feature</bdi>' in head, "numbers stand to the right"


def test_without_the_pool_the_failures_are_listed_bare(tmp_path, undrawn):
    finished(tmp_path, failing=9, claim=None).close()
    with Study.open(tmp_path / "study") as study:
        _, _, page = page_of(study)
    assert "9 of 9 failures shown" in page.text
    assert "9 items without content" in page.text


def make_wide(path, rows, columns, cell):
    """A pool in which every item fails."""
    wide = {f"column-{place}": cell for place in range(columns)}
    with open(path, "w") as file:
        for place in range(rows):
            file.write(json.dumps({"id": f"i{place}", "predicted": 1, "truth": 0, **wide}) + "\n")
    return path


@pytest.mark.parametrize(
    ("rows", "columns", "cell"),
    [(2_000, 3, "x"), (300, 200, "7"), (120, 8, "&" * 200), (3, 2, "y" * 1_000_000), (150, 200, "<b>wide</b>")],
    ids=["2,000 failures", "200 columns", "escapes", "megabytes", "200 long columns"],
)
@pytest.mark.usefixtures("unlaid")
def test_the_page_stays_small(tmp_path, rows, columns, cell):
    pool = make_wide(tmp_path / "pool.jsonl", rows, columns, cell)
    with Study.create(tmp_path / "s", pool=pool, model="predicted", question=Risk()) as study:
        study.tell_all((query, 0) for query in study.ask(rows))
        made, _, page = page_of(study)
    assert len(made["computed"]["failures"]) == rows
    assert f"{min(rows, 100):,} of {rows:,} failures shown" in page.text


@pytest.mark.slow
def test_a_hundred_thousand_answers(tmp_path):
    pool = make_pool(tmp_path / "pool.csv", size=100_000, failing=10_000)
    with Study.create(
        tmp_path / "s", pool=pool, model="predicted", question=Risk("error <= 10% at 95%"), batch=1
    ) as study:
        study.tell_all((query, query.item.values["truth"]) for query in study.ask(100_000))
        made, _, page = page_of(study)
    assert "100,000 answered" in page.text
    assert "100 of 10,000 failures shown" in page.text
    assert len(made["records"]) == 100_000
