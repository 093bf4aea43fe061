"""Every question passes the generic checks, and the checks fail questions that break a rule."""

import numpy as np
import pytest

from ringtrue.core import Draw, Sketch
from ringtrue.judges import Judges
from ringtrue.judges.bought._draws import PatternIndex
from ringtrue.risk import MapCells, Risk
from ringtrue.risk.cells import Grid
from ringtrue.testing import check_question
from support import ModelAudit, ScoredDraws
from support.profiles import slices

QUESTIONS = {
    "risk": Risk,
    "risk with a claim": lambda: Risk("error <= 1% at 99%"),
    "risk by strata": lambda: Risk("error <= 10%", confidence="score"),
    "risk by importance": lambda: Risk(method="importance", confidence="score"),
    "prediction-powered risk": lambda: Risk(method="prediction-powered", confidence="score"),
    "labels shared out beforehand": lambda: Risk("error <= 20%", confidence="score", fixed=40),
    "model calls in order": ModelAudit,
    "unequal probabilities": ScoredDraws,
    "argmax": lambda: ScoredDraws(argmax=True),
    "judges": lambda: Judges(Sketch(["model"], ["right", "wrong"], {(0,): 60})),
}
"""A new question is one row here."""


@pytest.mark.parametrize("make", QUESTIONS.values(), ids=QUESTIONS)
def test_questions_keep_the_rules(make):
    check_question(make)


def test_a_risk_under_a_profile_and_a_map_keep_the_rules():
    rng = np.random.default_rng(8)
    weight = np.where(np.arange(60) < 20, 2.0, 0.5)
    profile = slices("ops", {"a": 20, "b": 40}, {"a": 2, "b": 1}, ["kind"])
    scores = {"doubt": rng.random(60), "weight": weight, "weight ops": weight, "cell": rng.integers(0, 9, 60)}
    check_question(lambda: Risk("error <= 20%", profile=profile), scores=scores)
    check_question(lambda: Risk("error <= 20%", confidence="score", profile=profile), scores=scores)
    check_question(lambda: Risk("error <= 20%", method="simple-random", priced=[profile]), scores=scores)
    cells = MapCells(("x",), Grid.over(0, 1, 9))
    check_question(lambda: Risk(method="map", confidence="score", cells=cells), claim=None, scores=scores)


PANEL = np.random.default_rng(3).choice([0, 0, 1, -1], (60, 3))


@pytest.mark.parametrize("claim", ["error <= 20% at 95%", "error <= 60% at 80%", None])
def test_a_panel_keeps_the_rules_with_its_own_patterns_and_votes(claim):
    labels = ["no", "yes"]
    sketch = Sketch(["ann", "bob", "cyd"], labels, [(tuple(votes), 1) for votes in PANEL.tolist()])

    def answers(row):
        votes = {name: None if vote < 0 else labels[vote] for name, vote in zip(sketch.judges, PANEL[row], strict=True)}
        return {"votes": votes}, labels[row % 7 == 0]

    index = PatternIndex(sketch)
    places = np.array([index.place(str(row), None, answers(row)[0]["votes"]) for row in range(60)])
    check_question(
        lambda: Judges(sketch, claim="accuracy >= 70%"), claim=claim, answers=answers, scores={"pattern": places}
    )


def broken(propose):
    class Broken(ModelAudit):
        @property
        def policy(self):
            policy = super().policy
            inner = policy.propose
            policy.propose = lambda view, n: propose(inner, view, n)
            return policy

    return Broken


def remembers(inner, view, n, calls=iter(range(10**6))):  # noqa: B008 - shared on purpose: this is the fault
    """Goes from the front at first and from the back later, whatever it sees."""
    return inner(view, n) if next(calls) < 70 else inner(view, view.size)[-n:]


RULES = {
    "about none twice": lambda inner, view, n: [Draw(row=0) for _ in inner(view, n)],
    "something while it can": lambda inner, view, n: [],
    "at most what it is asked for": lambda inner, view, n: inner(view, n + 1) + inner(view, 1),
    "same when it sees the same": remembers,
    "<= 1: note the smallest": lambda inner, view, n: [
        draw._replace(probability=2.0, floor=0.01) for draw in inner(view, n)
    ],
    "floor=None": lambda inner, view, n: [draw._replace(probability=0.5) for draw in inner(view, n)],
    "floor <= probability": lambda inner, view, n: [
        draw._replace(probability=0.001, floor=0.01) for draw in inner(view, n)
    ],
    "must make at most 1": lambda inner, view, n: [
        draw._replace(probability=0.9, floor=0.9) for draw in inner(view, n)
    ],
}


def noting(floor):
    """Draws by score whose floor is made of their own probability and of the number of items left."""

    class Noting(ScoredDraws):
        @property
        def policy(self):
            policy = super().policy
            inner = policy.propose

            def propose(view, n):
                left = range(view.size - len(view.asked), 0, -1)
                return [
                    draw._replace(floor=floor(draw.probability, items))
                    for draw, items in zip(inner(view, n), left, strict=False)
                ]

            policy.propose = propose
            return policy

    return Noting


def test_a_policy_that_notes_its_own_probability_as_the_floor_breaks_a_rule():
    with pytest.raises(AssertionError, match="must make at most 1"):
        check_question(noting(lambda probability, left: probability))


def test_a_floor_that_is_possible_and_yet_made_for_the_item_drawn_breaks_a_rule():
    """Each draw alone could be true. With another seed another item comes, and then the floors differ."""
    with pytest.raises(AssertionError, match="does not depend on which item is drawn"):
        check_question(
            noting(lambda probability, left: min(probability, (1 - probability) / (left - 1)) if left > 1 else 1.0)
        )


@pytest.mark.parametrize("rule", RULES)
def test_the_checks_find_what_is_broken(rule):
    with pytest.raises(AssertionError, match=rule):
        check_question(broken(RULES[rule]))
