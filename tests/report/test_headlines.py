"""The first line of every question's page: one sentence of the finding with three numbers at most, under a chip."""

import re

import pytest

from report.every_question import NAMES, case
from report.pages import Page
from ringtrue.report import render

NUMBER = re.compile(r"\d[\d,.]*\d|\d")
"""A run of digits with its separators: `1,500`, `2.06` and `7` are one number each."""

MOST = 3


def numbers(headline, claim):
    """The numbers of a headline. The claim is quoted: its limit and level are the user's words, and not counted."""
    return NUMBER.findall(headline.replace(str(claim), "") if claim is not None else headline)


@pytest.mark.parametrize(
    ("headline", "claim", "expected"),
    [
        ("error <= 5% at 95% rings true: 0 failures in 68 answers", "error <= 5% at 95%", ["0", "68"]),
        ("1,500 of 2.06 and 7.", None, ["1,500", "2.06", "7"]),
        ("error <= 5% at 95%", None, ["5", "95"]),
    ],
)
def test_numbers_are_counted_as_people_do(headline, claim, expected):
    assert numbers(headline, claim) == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_headline_is_one_sentence_with_three_numbers_at_most(name):
    finding = case(name).finding
    headline = finding.headline
    assert len(numbers(headline, finding.claim)) <= MOST, headline
    assert len(headline) <= 120, headline
    assert "\n" not in headline
    assert ". " not in headline, "one sentence"
    if finding.claim is not None:
        assert headline.startswith(f"{finding.claim} ")
        assert finding.verdict.value in headline
    assert case(name).made["computed"]["finding"]["headline"] == headline


def test_what_nobody_could_tell_is_part_of_the_sentence():
    """Without it, a bound of a third after one failure in forty answers reads like a mistake."""
    finding = case("risk, claim open, some not told").finding
    for said in (finding.headline, str(finding)):
        assert f"{finding.unanswerable} that nobody could tell" in said


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_its_chip_its_headline_and_the_sentence_below(undrawn, name):
    made = case(name).made
    text = render(made)
    found = made["computed"]["finding"]
    chips = re.findall(r'<span class="verdict">([^<]+)</span>', text)
    (chip,) = chips
    if found["claim"]:
        assert chip == found["verdict"]
    elif name.startswith("changed"):
        assert chip == {"rings true": "unchanged", "rings false": "changed"}.get(found["verdict"], found["verdict"])
    else:
        assert chip in ("no claim", "overconfident")
    words = Page(text[text.index("<h1>") : text.index("</h1>")]).text
    assert words == found["headline"]
    head = Page(text[text.index("<header") : text.index("</header>")]).text
    assert head.count(found["sentence"]) == 1, "the whole sentence is told once"
