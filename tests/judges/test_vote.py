"""The question that has judges vote: every item once, the first ones twice, in one random order."""

import pytest

from ringtrue.core import Claim, InvalidInput, Record, View
from ringtrue.judges import InTurn, Vote

JUDGES = {"ann": {"model": "a"}, "bob": {"model": "b"}}
RUBRIC = {"question": "Is it?", "cannot_tell": "cannot tell"}


def view(step, size=30, seed=0):
    return View(seed, step, size, frozenset(), [])


def walk(policy, n, **settings):
    """Ask `n` at a time until nothing is left."""
    steps = []
    while draws := policy.propose(view(len(steps), **settings), n):
        assert len({draw.row for draw in draws}) == len(draws)
        steps += [(draw.row, draw.note.get("repeat", 0)) for draw in draws]
    return steps


@pytest.mark.parametrize("n", [1, 3, 8, 64])
def test_every_item_is_asked_once_and_the_first_ten_twice_however_many_at_a_time(n):
    steps = walk(InTurn(None, 10), n)
    assert sorted(row for row, repeat in steps if not repeat) == list(range(30))
    assert [row for row, repeat in steps if repeat] == [row for row, _ in steps[:10]]
    assert steps == walk(InTurn(None, 10), 1)
    assert [row for row, repeat in steps if not repeat] != list(range(30))


def test_a_sample_is_the_beginning_of_the_same_order():
    all_items, few = walk(InTurn(None, 0), 5), walk(InTurn(12, 0), 5)
    assert few == all_items[:12]
    assert walk(InTurn(12, 0), 5, seed=1) != few


def test_a_pool_smaller_than_the_repeats():
    assert len(walk(InTurn(None, 10), 4, size=3)) == 6


def record(number, row, votes, repeat=0):
    made = Record(number, "votes", "in-turn", "oracle", row, str(row), "", None, None, 0, None)
    made.state, made.value = ("abandoned", None) if votes is None else ("answered", {"votes": votes})
    made.note = {"repeat": 1} if repeat else {}
    return made


def test_votes_are_counted_and_contradictions_told():
    estimator = Vote(JUDGES, RUBRIC).estimator(size=4, claim=None)
    said = [{"ann": "yes", "bob": "no"}, {"ann": "yes", "bob": None}, None, {"ann": "no", "bob": "cannot tell"}]
    records = [record(n, n, votes) for n, votes in enumerate(said)]
    again = [record(4, 0, {"ann": "no", "bob": "no"}, 1), record(5, 1, {"ann": "yes", "bob": "yes"}, 1)]
    estimator.update([*records, *again])
    finding = estimator.finding()
    ann, bob = finding.judges
    assert (ann.votes, ann.no_vote, ann.asked_twice, ann.contradicted) == ({"no": 1, "yes": 2}, 1, 2, 1)
    assert (bob.votes, bob.no_vote, bob.asked_twice, bob.contradicted) == ({"cannot tell": 1, "no": 1}, 2, 1, 0)
    assert (finding.answers, finding.unanswerable, finding.calls) == (3, 1, 5)
    assert str(finding) == (
        "2 judges voted on 3 of 4 items; on 1 item none did; 1 vote missing besides; asked twice about 2 items, "
        "contradictions: ann 1, bob 0"
    )


def test_answers_that_are_not_the_votes_of_these_judges_are_refused():
    question = Vote(JUDGES, RUBRIC)
    question.check_answer({"votes": {"ann": "yes", "bob": None}}, record(0, 0, None), None)
    for wrong in ("yes", {"votes": {"ann": "yes"}}, {"votes": "yes"}, {"votes": {"ann": 1, "bob": 1, "cyd": 1}}):
        with pytest.raises(InvalidInput, match="must be the votes of ann, bob"):
            question.check_answer(wrong, record(0, 0, None), None)


def test_it_is_made_again_from_its_configuration_and_decides_no_claim():
    question = Vote(JUDGES, RUBRIC, items=7, again=2)
    assert Vote.from_config(question.config()).config() == question.config()
    claim = Claim.parse("error <= 5%")
    with pytest.raises(InvalidInput, match="is not decided by votes"):
        question.estimator(size=3, claim=claim)
    for wrong in ({"judges": {}, "rubric": RUBRIC}, {"judges": JUDGES, "rubric": RUBRIC, "items": 0}):
        with pytest.raises(InvalidInput):
            Vote(**wrong)
