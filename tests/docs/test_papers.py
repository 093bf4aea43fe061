"""`docs/papers.md` keeps its word: every name is where it says, every test is there, and no method is left out."""

import importlib
import re

import pytest

import ringtrue.papers
from docs.test_docs import ROOT, names_in

TEXT = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
HEADS = ["section", "name there", "name here", "test that holds its published number"]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def sections():
    """By module of a paper the rows of its table, each a list of cells."""
    found = {}
    for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        (module,) = set(re.findall(r"`(ringtrue\.papers\.\w+)`", part))
        lines = [line for line in part.splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        assert rows[0] == HEADS, module
        found[module] = rows[2:]
    return found


TABLES = sections()
ROWS = [(module, *row) for module, rows in TABLES.items() for row in rows]


def test_every_paper_has_a_table():
    assert sorted(TABLES) == [f"ringtrue.papers.{name}" for name in ringtrue.papers.__all__]
    assert all(len(rows) >= 10 for rows in TABLES.values())


@pytest.mark.parametrize(("module", "section", "there", "here", "test"), ROWS, ids=lambda cell: cell[:40])
def test_the_names_can_be_imported_and_the_test_is_there(module, section, there, here, test):
    assert section
    assert there
    names = re.findall(r"`(\w+)`", here)
    assert names
    assert re.sub(r"`\w+`(, )?", "", here) == "", "nothing but names"
    paper = importlib.import_module(module)
    for name in names:
        assert name in paper.__all__, f"{module} does not show {name}"
        assert getattr(paper, name) is not None
    named = TEST.findall(test)
    assert named or test == "no number published", "name a test, or say that there is no number"
    for file, function in named:
        assert (ROOT / file).exists(), file
        assert function in names_in(ROOT / file), f"{file} has no {function}"


@pytest.mark.parametrize("module", TABLES)
def test_every_method_of_a_module_is_in_its_table(module):
    """Functions and classes that are used like functions; types of results and of arguments need no row."""
    listed = {name for row in TABLES[module] for name in re.findall(r"`(\w+)`", row[2])}
    paper = importlib.import_module(module)
    functions = {name for name in paper.__all__ if name.islower() and callable(getattr(paper, name))}
    assert functions - listed <= HELPERS[module.rpartition(".")[2]]


HELPERS = {
    "adversarial_distance": {"measure"},
    "algebraic_evaluation": set(),
    "algorithmic_assurance": {"log_expected_improvement", "maximise", "simulate", "two_tailed_upper_bound"},
    "masa": set(),
    "reliability_assessment": {"importance_log_evidence"},
}
"""Functions that serve the methods beside them."""


def test_a_paper_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = ringtrue.papers.nothing_of_the_kind
