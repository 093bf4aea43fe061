"""Work that grows with the labels is bounded, and what is left out for that is said in one line."""

import random

import pytest

from ringtrue.core import Sketch
from ringtrue.judges import Reserve, _bounds, evaluate
from ringtrue.judges.latent import _uncertainty
from ringtrue.judges.latent._fit_test import simulations
from ringtrue.judges.latent._uncertainty import UNKNOWNS, beyond_votes


def panel(judges, labels, items, *, truth=False, seed=0):
    draw = random.Random(seed)
    names, words = [f"j{place}" for place in range(judges)], [f"l{place:02d}" for place in range(labels)]
    sketch = Sketch([*names, "truth"] if truth else names, words)
    for item in range(items):
        right = draw.choice(words)
        votes = {name: right if draw.random() < 0.8 else draw.choice(words) for name in names}
        if truth:
            votes["truth"] = right if item % 5 == 0 else None
        sketch.count(sketch.pattern(votes))
    return sketch


@pytest.mark.parametrize(("judges", "labels"), [(3, 30), (4, 30), (10, 30), (5, 12)])
def test_more_unknowns_than_votes_are_not_evaluated_and_the_rest_is(judges, labels):
    found = evaluate(panel(judges, labels, 30, truth=True), truth="truth")
    assert found.general is None
    assert found.evaluation is None
    (reason,) = (one for one in found.reasons if one.kind == "unknowns")
    unknowns = (labels - 1) * (1 + judges * labels)
    assert f"{unknowns:,} unknowns and gave {30 * judges} votes" in reason.text
    assert len(found.labelled.overall) == judges
    alone = evaluate(panel(judges, labels, 30))
    assert alone.reserve is Reserve.CONDITIONAL


def test_unknowns_that_are_too_many_to_work_out_are_said_to_be(monkeypatch):
    sketch = panel(3, 3, 400)
    assert beyond_votes(sketch) == ""
    monkeypatch.setattr(_uncertainty, "UNKNOWNS", 19)
    assert "3 judges with 3 labels have 20 unknowns on" in beyond_votes(sketch)
    monkeypatch.setattr(_uncertainty, "UNKNOWNS", UNKNOWNS)
    monkeypatch.setattr(_uncertainty, "_STEP", 1000)
    assert "too many to work out" in beyond_votes(sketch)
    assert evaluate(sketch).general is None


def test_a_specification_that_is_too_dear_is_said_not_to_be_looked_at(monkeypatch):
    sketch = panel(3, 3, 400)
    looked = evaluate(sketch, at_least=0.5)
    assert looked.best is not None
    assert "specification" not in [one.kind for one in looked.reasons]
    monkeypatch.setattr(_bounds, "PROGRAM", 20)
    found = evaluate(sketch, at_least=0.5)
    assert found.best is None
    (said,) = (one for one in found.reasons if one.kind == "specification")
    assert "not looked at: 3 labels on" in said.text


def test_a_dear_panel_is_simulated_less_often():
    assert simulations(panel(5, 2, 200)) == 99
    assert simulations(panel(10, 20, 2000)) == 39
