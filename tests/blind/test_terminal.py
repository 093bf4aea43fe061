"""What a terminal shows of a hunt after its sentence: the evidence, the surest groups, and what the model was asked."""

import numpy as np
import pytest

from ringtrue.blind import Blind, simulate
from ringtrue.core import Context, terminal_lines
from support.blind_findings import blind_finding, field


def shown(finding, **kept):
    return terminal_lines(Blind.sections(Context(finding, kept=kept)))


def test_the_evidence_the_surest_groups_and_the_queries_are_told():
    finding = blind_finding()
    known = field(finding)
    known["model_queries"]["gallery"] = 1_234
    assert shown(finding, field=known) == [
        "overconfident: the evidence sufficed after 17 answers",
        "hour = 0 o'clock: 9 of 12 wrong where 1.5 were expected (excess 3.2 to 10.0, 95% for all groups)",
        "cluster 1: 8 of 13 wrong where 1.5 were expected (excess 1.5 to 9.0, 95% for all groups)",
        "hour = 2 o'clock: 7 of 14 wrong where 1.5 were expected (excess -0.2 to 8.0, 95% for all groups)",
        "12 items kept the answer whatever was tried: " + ", ".join(f"item-{n}" for n in range(10)) + " and 2 more",
        "model queries: 4,000 answers, 11,200 variations, 74,200 for distances (64 for each item hunted in), "
        "1,234 for the gallery",
    ]


def test_the_finding_alone_is_enough():
    finding = blind_finding()
    finding["overconfidence"].update(e_value=4.321, reached_at=None)
    finding["groups"][1]["errors"] = 0
    assert shown(finding) == [
        "overconfidence is not shown: evidence 4.3, 20 are needed",
        "hour = 0 o'clock: 9 of 12 wrong where 1.5 were expected (excess 3.2 to 10.0, 95% for all groups)",
        "hour = 2 o'clock: 7 of 14 wrong where 1.5 were expected (excess -0.2 to 8.0, 95% for all groups)",
    ]


def test_before_the_first_answer_the_pool_is_told():
    finding = blind_finding(answered=0)
    assert shown(finding) == []
    never = {"measured": 0, "unchanged": 1_400, "unchanged_ids": ["a"]}
    asked = {"answers": 1, "variations": 0, "distances": 0, "per_item": 1.0}
    assert shown(finding, field={"one_confidence": 0.9, "distance": never, "model_queries": asked}) == [
        "every answer hunted in has the confidence 90%: it tells none apart",
        "the model never changed its answer, whatever was tried: no distance for any of 1,400 items",
    ]


@pytest.mark.parametrize("floor", [0.0, 0.5])
def test_a_finding_has_an_estimate_once_an_item_was_drawn_at_random(floor):
    rng = np.random.default_rng(1)
    question = Blind(None, floor=floor)
    scores = question.gather({"label": np.ones(50, dtype=np.int64), "confidence": 0.7 + 0.3 * rng.random(50)})
    for budget in (0, 10):
        estimator = question.estimator(size=50, claim=None, scores=scores)
        estimator.update(simulate(question, scores, rng.random(50) < 0.3, budget=budget, untold={0, 1, 2, 3, 4}))
        found = estimator.finding()
        assert found.answers + found.unanswerable == budget
        assert (found.estimate is None) == (not floor or not budget)
        if found.estimate is not None:
            assert found.estimate.low <= found.estimate.estimate <= found.estimate.high
        lines = terminal_lines(found.sections())
        assert [line[:14] for line in lines[:1]] == (["overconfidence"] if found.answers else [])
