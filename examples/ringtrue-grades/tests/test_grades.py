"""The question keeps the rules of a study, its numbers are right, and its intervals hold."""

import numpy as np
import pytest

from ringtrue import InvalidInput, Study
from ringtrue.pools import TablePool
from ringtrue.testing import check_question
from ringtrue_grades import Grades


def pool_of(marks):
    """Make a pool whose answers have these marks."""
    return TablePool({"text": [f"answer {row}" for row in range(len(marks))], "mark": marks}, name="essays")


def asked(folder, marks, claim=None, **options):
    """Let a study run to its end and return what it found."""
    with Study.create(folder / "s", pool=pool_of(marks), question=Grades(claim), **options) as study:
        return study.run("mark")


@pytest.mark.parametrize("claim", [None, "error <= 40% at 95%"])
def test_the_question_keeps_the_rules(claim):
    check_question(lambda: Grades(claim), claim=claim, answers=lambda row: (None, row % 11))


def test_marking_everything_gives_the_average_itself(tmp_path):
    finding = asked(tmp_path, [10, 5, 0, 9])
    assert (finding.interval.low, finding.interval.high) == pytest.approx((0.4, 0.4))
    assert finding.interval.estimate == pytest.approx(0.4)
    assert [one.mark for one in finding.lowest] == [0, 5, 9]


def test_an_answer_without_a_mark_counts_both_ways(tmp_path):
    with Study.create(tmp_path / "s", pool=pool_of([10, 10, 10, 10]), question=Grades()) as study:
        finding = study.run(lambda item: None if item["text"] == "answer 2" else item["mark"])
    assert (finding.interval.low, finding.interval.high) == pytest.approx((0.0, 0.25))
    assert "1 answer without a mark" in " ".join(finding.assumptions)


@pytest.mark.parametrize("value", [11, -1, "good", True, [3]])
def test_what_is_not_a_mark_is_refused_before_it_is_recorded(tmp_path, value):
    with Study.create(tmp_path / "s", pool=pool_of([1, 2]), question=Grades()) as study:
        with pytest.raises(InvalidInput, match="is not a mark: give a number from 0 to 10"):
            study.run(lambda item: value)
        assert study.status().answered == 0


def test_a_claim_about_something_else_is_refused():
    with pytest.raises(InvalidInput, match="this question decides error"):
        Grades("deviation <= 2")


def test_full_marks_are_a_positive_number():
    with pytest.raises(InvalidInput, match="full=0 must be a positive number"):
        Grades(full=0)


def test_verdicts_are_seldom_wrong(tmp_path):
    """The average is just on the wrong side of the limit: at most 5% of studies may say otherwise, at any look."""
    marks = [10] * 70 + [0] * 30  # 30% are lost, and the claim says at most 29%
    wrong = 0
    for seed in range(60):
        (folder := tmp_path / str(seed)).mkdir()
        finding = asked(folder, marks, "error <= 29% at 95%", seed=seed, budget=60, batch=60)
        wrong += finding.verdict.value == "rings true"
    assert wrong <= 8  # where 5% are wrong, more are with a probability of 0.3%


def test_its_sections_tell_a_terminal_the_lowest_marks(tmp_path):
    rng = np.random.default_rng(0)
    finding = asked(tmp_path, rng.integers(5, 10, 30).tolist())
    briefs = [line for section in finding.sections() for line in section.brief]
    assert len(briefs) == 1
    assert briefs[0].startswith("lowest marks: ")
