"""From scores to what a search sees: signals that grow with suspicion, distances with an image's looks or without."""

import numpy as np
import pytest

from ringtrue.blind import Blind, simulate
from ringtrue.blind._policy import field_of, residual_of
from ringtrue.blind.signals import TRAITS


def scores(n=300, seed=0, **changed):
    rng = np.random.default_rng(seed)
    bright = rng.random(n)
    made = {
        "label": np.ones(n, dtype=np.int64), "confidence": 0.7 + 0.29 * rng.random(n),
        "features": rng.standard_normal((n, 4)), **dict.fromkeys(TRAITS, rng.random(n)), "brightness": bright,
    }  # fmt: skip
    gathered = dict(Blind(None).gather(made))
    gathered["steadiness"] = rng.standard_normal(n)
    gathered["distance"] = np.exp(2 * bright + 0.1 * rng.standard_normal(n))
    return {**gathered, **changed}


def test_looks_are_taken_out_of_the_distance_where_that_is_asked_for():
    made = scores()
    plain, adjusted = (field_of(made, 0, adjusted=flag).residual for flag in (False, True))
    assert np.corrcoef(plain, made["brightness"])[0, 1] > 0.9
    assert abs(np.corrcoef(adjusted, made["brightness"])[0, 1]) < 0.1
    hunts = [
        Blind(None, search=name, perturb_name="x:y", floor=0.0)
        for name in ("adversarial-distance", "adjusted-distance")
    ]
    rows = [[record.row for record in simulate(hunt, made, np.zeros(300), budget=5)] for hunt in hunts]
    assert rows[0] != rows[1]
    assert made["brightness"][rows[0]].max() < 0.2


def test_signals_grow_with_suspicion():
    made = scores()
    signals = field_of(made, 0).signals
    assert set(signals) == {"neighbours", "nearness", "variations", "distance"}
    assert np.corrcoef(signals["variations"], made["steadiness"])[0, 1] < -0.9
    assert np.corrcoef(signals["distance"], made["distance"])[0, 1] < -0.5


@pytest.mark.parametrize("distance", [None, np.nan])
def test_without_a_distance_there_is_no_such_signal(distance):
    made = scores()
    if distance is None:
        del made["distance"]
    else:
        made["distance"] = np.full(300, distance)
    assert residual_of(made) is None
    assert "distance" not in field_of(made, 0).signals


def test_an_answer_that_never_changed_is_farther_than_all_others():
    made = scores()
    made["distance"][:5] = np.nan
    made["distance"][5] = 0.0
    residual = field_of(made, 0).residual
    assert residual[:5].min() > residual[5:].max()
    assert np.isfinite(residual).all()
