"""What follows an alarm: whatever happened to the judges, an explanation is had or its lack is said."""

import random

import pytest

from ringtrue.core import Sketch
from ringtrue.judges import PanelAlarm, what_moved
from ringtrue.judges.stream import _what_moved

JUDGES = ("ant", "bee", "cat", "dog")
RATES = (0.9, 0.85, 0.8, 0.75)
SHARES = (0.5, 0.3, 0.2)


def ballots(seed, labels, judges=4):
    draw = random.Random(seed)
    while True:
        truth = draw.choices(labels, SHARES[: len(labels)])[0]
        wrong = [label for label in labels if label != truth]
        yield {
            judge: truth if draw.random() < rate else draw.choice(wrong)
            for judge, rate in zip(JUDGES[:judges], RATES, strict=False)
        }


CHANGES = {
    "a copy": lambda votes, labels: {**votes, "cat": votes["ant"]},
    "a constant": lambda votes, labels: {**votes, "cat": labels[0]},
    "a label gone": lambda votes, labels: None if labels[-1] in votes.values() else votes,
    "a judge silent": lambda votes, labels: {**votes, "cat": None},
    "one judge left": lambda votes, labels: {"ant": votes["ant"]},
    "all alike": lambda votes, labels: dict.fromkeys(votes, votes["ant"]),
}


def alarmed(seed, change, labels, judges=4):
    reference = Sketch(JUDGES[:judges], labels)
    stream = ballots(seed, labels, judges)
    for _ in range(1000):
        reference.count(reference.pattern(next(stream)))
    alarm = PanelAlarm(reference)
    for votes in stream:
        later = CHANGES[change](votes, labels)
        if later is not None and alarm.update(later):
            return alarm
    raise AssertionError


@pytest.mark.parametrize("judges", [3, 4])
@pytest.mark.parametrize("labels", [("a", "b"), ("a", "b", "c")])
@pytest.mark.parametrize("change", CHANGES)
def test_every_alarm_is_explained(change, labels, judges):
    for seed in range(2):
        alarm = alarmed(seed, change, labels, judges)
        found = alarm.explain()
        assert str(found)
        assert found.failure == ""


@pytest.mark.parametrize("labels", [("a", "b"), ("a", "b", "c")])
def test_two_judges_who_now_vote_alike_are_named_and_given_no_accuracy(labels):
    for seed in range(8):
        found = alarmed(seed, "a copy", labels).explain()
        assert found.alike == (("ant", "cat"),)
        assert str(found).startswith("ant and cat now vote alike")
        assert found.parts == ()
        assert found.to_json()["alike"] == [["ant", "cat"]]


@pytest.mark.parametrize("change", ["a constant", "a judge silent", "one judge left"])
def test_nobody_is_called_a_copy_who_is_none(change):
    for seed in range(3):
        assert alarmed(seed, change, ("a", "b", "c")).explain().alike == ()


def test_judges_who_were_always_alike_are_not_news():
    labels = ("a", "b", "c")
    before, since = Sketch(JUDGES, labels), Sketch(JUDGES, labels)
    stream = ballots(3, labels)
    for number in range(1200):
        votes = next(stream)
        (before if number < 1000 else since).count(before.pattern({**votes, "cat": votes["ant"]}))
    assert what_moved(before, since).alike == ()


def test_what_cannot_be_worked_out_is_said_and_what_was_seen_is_kept(monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(_what_moved, "fit_latent", broken)
    found = alarmed(0, "a judge silent", ("a", "b", "c")).explain()
    assert found.failure == "ZeroDivisionError: division by zero"
    assert "could not be worked out (ZeroDivisionError: division by zero)" in str(found)
    assert "cat abstains 0% -> 100%" in str(found)
    assert found.to_json()["failure"] == found.failure
