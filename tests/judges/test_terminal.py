"""What a terminal shows of judges: the table of numbers that hold, what speaks against the others, and no more."""

import re
from itertools import pairwise

import pytest

from ringtrue.core import Context, Sketch, Soft, terminal_lines
from ringtrue.judges import Judges, evaluate, hui_walter, strata_estimates, strata_sections
from ringtrue.study import evidence_of

CELLS = [114, 26, 60, 60, 36, 24, 45, 85]


def trio():
    return Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], CELLS)


def labelled():
    """Two judges, and the truth of a third of the items."""
    return Sketch(
        ["ann", "bob", "truth"],
        ["no", "yes"],
        {(0, 0, 0): 40, (1, 1, 1): 50, (0, 1, 1): 10, (0, 0, -1): 90, (1, 1, -1): 90, (0, 1, -1): 20},
    )


def test_votes_alone_stand_back_and_say_under_which_condition_they_hold():
    found = evaluate(trio())
    lines = terminal_lines(found.sections())
    assert lines[0] == f"  {found.about}"
    assert lines[1 : 1 + len(found.uses)] == [f"  · {use}" for use in found.uses]
    assert f"From votes alone, {found.reserve.value}" in lines
    assert "  ? no label was looked at: judges who share a mistake agree on it as they agree on the truth" in lines
    soft = [line for line in lines if isinstance(line, Soft)]
    assert len(soft) == 2 * (1 + 1 + 3 + 1), "two tables: heads, shares, judges, and the condition"
    assert soft.count("  not 95% intervals: only if the judges share nothing but the truth") == 2
    assert not any("[" in line for line in soft), "nothing looks like a plain interval"
    by = "from votes alone by error-independent trio, ok; which label is which: "
    assert [line for line in lines if line.startswith(by)] == [by + found.choice]
    assert lines[-1].startswith("whatever the truth is, some judge is at most ")


def test_beside_labelled_numbers_those_from_votes_alone_are_left_to_the_page():
    lines = terminal_lines(evaluate(labelled(), truth="truth").sections())
    assert not [line for line in lines if isinstance(line, Soft)]
    row = next(line for line in lines if line.startswith("  ann is right  "))
    assert re.split("  +", row)[1:] == [
        "ann is right", "100.0% [91.1%, 100.0%]", "81.4% [72.1%, 90.7%]", "90.0% [83.8%, 96.2%]"
    ]  # fmt: skip
    assert "With labels: these judges on items like these" in lines
    assert sum(line.startswith("  intervals at 95%: ") for line in lines) == 1
    assert not any(one == other == "" for one, other in pairwise(lines)), "one gap is enough"


def test_two_judges_without_a_solution_have_lines_too():
    lines = terminal_lines(evaluate(Sketch.from_cells(["a", "b"], ["no", "yes"], [5, 1, 1, 5])).sections())
    assert "  ? fewer than three judges: votes alone leave their accuracies open" in lines
    assert lines[-2:] == ["", "whatever the truth is, some judge is at most 91.67% right on some label"]


def test_bought_labels_have_a_table_before_the_first_answer():
    question = Judges(trio(), claim="accuracy >= 80%")
    found = evidence_of(question, [], size=trio().size, claim=question.claim)
    assert (found.estimate, found.answers, found.unanswerable) == (None, 0, 0)
    lines = terminal_lines(Judges.sections(Context(found.to_json())))
    assert [" ".join(line.split()) for line in lines[:3]] == ["", "How often each judge is right", "no yes all items"]
    assert [line.split("  ")[1] for line in lines[3:7]] == [
        "share of items",
        "ann is right",
        "bob is right",
        "cyd is right",
    ]
    assert lines[4].count("[0.0%, 100.0%]") == 3
    assert lines[7].startswith("  intervals at 95%: ")


def test_two_strata_stand_back():
    first, second = (
        Sketch.from_cells(["ann", "bob"], ["no", "yes"], cells) for cells in ([201, 249, 94, 456], [372, 228, 118, 282])
    )
    found = hui_walter(first, second)
    both = strata_estimates(first, second, found)
    lines = terminal_lines(strata_sections(found, dict(zip(("new", "old"), both, strict=True))))
    assert lines[0] == f"  ? {found}"
    assert [line for line in lines if line.startswith("Stratum")] == ["Stratum new", "Stratum old"]
    soft = [line for line in lines if isinstance(line, Soft)]
    assert len(soft) == 2 * 5
    assert soft[-1].endswith("only if the judges share nothing but the truth and are as good in both strata")


@pytest.mark.parametrize("sketch", [trio(), Sketch(["a"], ["no", "yes"], {(0,): 1})])
def test_no_panel_has_a_line_that_is_blank_at_its_end(sketch):
    assert terminal_lines(evaluate(sketch).sections())[-1] != ""
