"""Sections: a question from elsewhere has a page without a line in the report, and findings show themselves."""

import json
import re
import subprocess
import sys

import pytest

from report.every_question import NAMES, case
from report.pages import FORBIDDEN, Page, assert_harmless
from report.test_hostile import CORPUS
from report.test_panel_page import panel
from ringtrue.core import (
    NO_SCORES,
    Chip,
    Claim,
    Column,
    Context,
    Estimator,
    Figure,
    Interval,
    Policy,
    Question,
    Quoted,
    Section,
    Table,
    Verdict,
    plain_sections,
    text_of,
)
from ringtrue.core._readable import markdown
from ringtrue.judges import evaluate
from ringtrue.report import document, render, verify, write_report
from ringtrue.report._page import rendered, sections_of
from ringtrue.stats import even_draws
from ringtrue.study import Study
from support import make_pool

QUESTIONS = ("blind", "changed", "judges", "risk", "worst")


class Share:
    """A finding of somebody else's: no more than the protocol demands."""

    def __init__(self, claim, yes, answers):
        self.claim, self.yes, self.answers = claim, yes, answers

    verdict = Verdict.NOT_YET_KNOWN
    assumptions = ("The oracle is right.",)

    def __str__(self):
        return f"{self.yes} of {self.answers} are cats"

    def to_json(self):
        interval = Interval(0.5, 0.4, 0.6, 0.95, "by hand", self.answers)
        return {"interval": interval.to_json(), "answers": self.answers}

    def draw(self, axes):
        raise NotImplementedError


class Counting(Estimator):
    verdict = Verdict.NOT_YET_KNOWN

    def __init__(self, claim):
        self.claim, self.seen = claim, []

    def update(self, records):
        self.seen += [record.label for record in records if record.state == "answered"]

    def finding(self):
        return Share(self.claim, self.seen.count("cat"), len(self.seen))


class Evenly(Policy):
    name = "evenly"

    def propose(self, view, n):
        return even_draws(view, n, "cats")


class Cats(Question):
    """How many items are cats? A question that this package does not know."""

    kind = "cats"
    policy = Evenly()

    def __init__(self, claim=None, *, name="cats"):
        self.claim, self.name = None if claim is None else Claim.parse(claim), name

    def estimator(self, *, size, claim, scores=NO_SCORES):
        return Counting(claim)


class TellingCats(Cats):
    """The same with sections of its own."""

    kind = "telling cats"

    @classmethod
    def sections(cls, context):
        figure = Figure(lambda axes: axes.plot([0, 1]), (5.0, 2.0), "A line that goes up", "Cats over time.")
        table = Table([(Quoted("<b>Tom</b>"), "9")], [Column("cat"), Column("lives", number=True)], "All of them.")
        return [
            Section("Cats", ["They are <many>."], figure=figure, table=table),
            Section("More", ["End."], detail=True),
        ]


def study_of(folder, question):
    study = Study.create(folder / "s", pool=make_pool(folder / "pool.csv"), question=question, budget=12)
    study.run("truth")
    return study


def test_a_question_from_elsewhere_has_a_page_for_nothing(tmp_path):
    with study_of(tmp_path, Cats("error <= 5% at 95%")) as study:
        made = json.loads(json.dumps(document(study)))
        page, twin = write_report(study, tmp_path / "cats.html")
    shown = assert_harmless(page.read_text("utf-8"))
    words = " ".join(shown.text.split())
    for said in (
        "of 12 are cats",
        "40% to 60%",
        "estimate 50%",
        "error <= 5% at 95%",
        "Method: by hand.",
        "not yet known",
    ):
        assert said in words, said
    assert "The oracle is right." in words
    assert "12 asked: 12 answered" in words
    assert verify(json.loads(twin.read_text("utf-8"))).agrees
    assert render(made) == render(json.loads(json.dumps(made)))
    made["computed"]["finding"]["sentence"] = "all are cats"
    assert "computed.finding.sentence" in verify(made).differences[0]


def test_a_question_from_elsewhere_tells_in_its_own_sections(tmp_path):
    with study_of(tmp_path, TellingCats()) as study:
        text = render(json.loads(json.dumps(document(study))))
    page = assert_harmless(text)
    assert "They are <many>." in page.text
    assert "<b>Tom</b>" in page.cells
    assert "A line that goes up" in [found["aria-label"] for tag, found in page.elements if tag == "figure"]
    order = [
        page.text.index(words) for words in ("Cats over time", "All of them", "What was asked", "More", "How to check")
    ]
    assert order == sorted(order)
    assert page.text.count("no claim") == 1


@pytest.mark.parametrize("word", CORPUS, ids=range(len(CORPUS)))
def test_whatever_stands_in_a_section_stays_words(word):
    table = Table([(word, Quoted(word))], [Column(word), Column(Quoted(word))], word)
    tiles, facts = Table([(word, word, word)], shape="tiles"), Table([(word, word)], shape="facts")
    sections = [Section(word, [word], [word], table=table), Section(table=tiles), Section(table=facts)]
    made, chip = {"ringtrue": "0.1", "written": word}, Chip(word, "rings-true")
    text = rendered(made, sections, chip, about=word, name=word, headline=word, sentence=f"{word}!")
    assert_harmless(text)


def test_a_report_loads_no_question():
    code = (
        "import sys, ringtrue.report\n"
        f"print([name for name in sys.modules if name.startswith({tuple(f'ringtrue.{one}' for one in QUESTIONS)!r})])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_a_finding_without_numbers_is_told_as():
    assert plain_sections(Context({"sentence": "nothing", "claim": None})) == []
    assert plain_sections(Context({"claim": None, "estimate": 0.25})) == []


def test_every_page_says_what_it_rests_on_and_how_to_check_it(tmp_path):
    with study_of(tmp_path, Cats()) as study:
        titles = [section.title for section in sections_of(document(study)) if section.title]
    assert titles == ["What was asked and what it cost", "What this rests on", "How to check and repeat this"]


@pytest.mark.parametrize("name", [name for name in NAMES if "claim open" in name or "no answer" in name])
def test_findings_show_themselves_in_a_notebook(undrawn, name):
    finding, made = case(name).finding, case(name).made
    html, words = finding._repr_html_(), finding._repr_markdown_()
    shown = Page(html)
    assert str(finding) in shown.text
    assert not {tag for tag, _ in shown.elements} & {"html", "head", "style", *FORBIDDEN}
    assert words.startswith("**")
    on_the_page = Page(render(made)).text
    for section in finding.sections():
        assert section.title in on_the_page
        if not section.detail:
            assert section.title in shown.text
            assert section.title in words


def test_a_panel_shows_itself_too(undrawn):
    finding = evaluate(panel(), truth="truth")
    html, words = Page(finding._repr_html_()).text, finding._repr_markdown_()
    for said in (str(finding), *finding.uses, "ann is right", "From votes alone"):
        assert said in html
    assert "What they may be used for" in words


def test_a_notebook_draws_what_the_page_draws():
    finding, made = case("risk, claim open").finding, case("risk, claim open").made
    drawing = re.search("<svg.*?</svg>", render(made), re.DOTALL).group()
    assert drawing in finding._repr_html_()


@pytest.mark.parametrize("word", ["a|b", "*bold*", "<b>x</b>", "[link](x)", "`code`", "two\nlines"])
def test_words_stay_words_in_markdown(word):
    text = markdown(word, [Section(word, [word], [word], table=Table([(word,)], [Column(word)], word))])
    assert not re.search(r"(?<!\\)<b>|(?<!\\)\[link|(?<!\\)`", text)
    row = text.split("| --- |\n")[1].split("\n")[0]
    assert len(re.findall(r"(?<!\\)\|", row)) == 2, "one cell"


def test_parts_of_a_text_are_one_text():
    assert text_of(("a ", Quoted("b"), " c")) == "a b c"


def test_a_number_without_an_interval_is_not_shown_as_an_estimate():
    interval = Interval(0.5, 0.4, 0.6, 0.95, "by hand", 9).to_json()
    shown = {}
    for name, estimate in (("bare", 0.123456), ("bounded", interval)):
        sections = plain_sections(Context({"estimate": estimate, "answers": 9}))
        shown[name] = [row for section in sections if section.table is not None for row in section.table.rows]
    assert [row[0] for row in shown["bare"]] == ["answers"]
    assert [row[0] for row in shown["bounded"]] == ["95% interval", "answers"]
