"""What a service sends is a vote only if it is whole and of the agreed form; probabilities are those of the choices."""

import json
import math

import pytest

from ringtrue.models.chat._chances import chances_of
from ringtrue.models.chat._reading import Usage, read_usage, read_vote

OPTIONS = {"A": "yes", "B": "no", "C": "cannot tell"}


def said(content, ended="stop", **message):
    return {"choices": [{"finish_reason": ended, "message": {"role": "assistant", "content": content, **message}}]}


def test_a_letter_is_a_vote():
    vote = read_vote(said('{"vote": "B"}'), OPTIONS)
    assert (vote.label, vote.why, vote.chances) == ("no", "", None)
    assert read_vote(said('{"reason": "plain", "vote": "C"}'), OPTIONS).reason == "plain"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (said('{"vote": "A"}', ended="length"), "cut off"),
        (said('{"vote": "A"', ended="length"), "cut off"),
        (said('{"vote": "A"}', ended="content_filter"), "filter"),
        (said(None), "refused"),
        (said(None, refusal="I would rather not."), "refused: I would rather not."),
        (said('{"vote": "A"}', refusal="no"), "refused"),
        (said("A"), "not JSON"),
        (said('The answer is {"vote": "A"}'), "not JSON"),
        (said('{"vote": "yes"}'), "without one of the choices"),
        (said('{"vote": "D"}'), "without one of the choices"),
        (said('{"vote": ["A"]}'), "without one of the choices"),
        (said('["A"]'), "without one of the choices"),
        (said("[" * 5000), "not JSON"),
        ({}, "without a message"),
        ({"choices": []}, "without a message"),
        ([], "without a message"),
        ({"choices": [{"message": "A"}]}, "without a message"),
    ],
)
def test_nothing_is_guessed(answer, why):
    vote = read_vote(answer, OPTIONS)
    assert vote.label is None
    assert why in vote.why


def test_tokens_from_the_cache_are_a_part_of_those_that_were_read():
    usage = {"prompt_tokens": 31, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 30}}
    assert read_usage({"usage": usage}) == Usage(31, 30, 8)
    assert read_usage({"usage": {**usage, "prompt_tokens_details": {"cached_tokens": 99}}}) == Usage(31, 31, 8)
    assert read_usage({"usage": {"prompt_tokens": 31, "completion_tokens": 8}}) == Usage(31, 0, 8)
    for wrong in ({}, {"usage": None}, {"usage": {"prompt_tokens": -1, "completion_tokens": 8}}, {"usage": {"x": 1}}):
        assert read_usage(wrong) is None


def tokens(*parts):
    """Tokens as a service lists them: a text, or a text with its alternatives and their probabilities."""
    told = [part if isinstance(part, tuple) else (part, {part: 1.0}) for part in parts]
    return {
        "content": [
            {"token": text, "top_logprobs": [{"token": other, "logprob": math.log(p)} for other, p in others.items()]}
            for text, others in told
        ]
    }


def test_probabilities_are_renormalised_over_what_could_be_chosen():
    """Services tell them as they were before the schema ruled out what it forbids."""
    listed = tokens('{"', "vote", '":', ' "', ("B", {"x": 0.7, "B": 0.15, "A": 0.05, "yes": 0.1}), '"}')
    found = chances_of('{"vote": "B"}', "B", listed, OPTIONS)
    assert found == pytest.approx({"A": 0.25, "B": 0.75, "C": 0.0})


def test_what_was_chosen_counts_although_the_service_does_not_list_it():
    listed = tokens('{"vote": "', ("B", {"x": 0.9, "A": 0.02}), '"}')
    listed["content"][1]["logprob"] = math.log(0.06)
    assert chances_of('{"vote": "B"}', "B", listed, "ABC") == pytest.approx({"A": 0.25, "B": 0.75, "C": 0.0})


def test_a_letter_within_a_longer_token_is_found():
    listed = tokens('{"vote":', (' "B"}', {' "B"}': 0.3, ' "A"}': 0.1, "B": 0.5, ' "no"}': 0.1}))
    assert chances_of('{"vote": "B"}', "B", listed, "AB") == pytest.approx({"A": 0.25, "B": 0.75})


def test_a_fence_that_the_service_took_away_is_passed_over():
    listed = tokens("```json\n", '{"vote": "', ("A", {"A": 0.6, "B": 0.4}), '"}', "\n```")
    assert chances_of('{"vote": "A"}', "A", listed, "AB") == pytest.approx({"A": 0.6, "B": 0.4})


def test_a_letter_in_the_reason_is_not_taken_for_the_vote():
    content = json.dumps({"reason": 'the "A" is wrong', "vote": "A"})
    before = content[: content.rindex('"A"') + 1]
    listed = tokens(before, ("A", {"A": 0.9, "B": 0.1}), '"}')
    assert chances_of(content, "A", listed, "AB") == pytest.approx({"A": 0.9, "B": 0.1})


@pytest.mark.parametrize("listed", [None, {}, {"content": None}, {"content": ["A"]}, tokens("something else")])
def test_where_the_service_tells_no_alternatives_there_are_no_probabilities(listed):
    assert chances_of('{"vote": "A"}', "A", listed, "AB") is None


def test_a_letter_that_is_not_among_the_alternatives_has_none():
    assert chances_of('{"vote": "A"}', "A", tokens('{"vote": "', "A", '"}'), "AB") == {"A": 1.0, "B": 0.0}
