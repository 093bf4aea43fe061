"""The learning search of the first edition: its model against formulas and simulation, and what it must never do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from ringtrue.blind.searches import FIRST, Field, History
from ringtrue.blind.searches import SEARCHES as NOW
from ringtrue.blind.searches import _learning as learning
from ringtrue.blind.searches._error_model import SIGNAL_WEIGHTS, ErrorModel
from ringtrue.papers.adversarial_distance import hunt
from ringtrue.stats import generator

SEARCHES = {**NOW, "learning": FIRST}
NONE = History(np.array([], dtype=np.int64), np.array([], dtype=bool))


def pool(seed: int, n: int, *, help_: float, blunder: float = 0.0) -> tuple[Field, np.ndarray]:
    """Errors at the odds of the doubt, moved by `help_` per unit of one signal and by a blunder in a tenth of space."""
    rng = generator(seed, "learning")
    confidence = rng.uniform(0.65, 0.995, n)
    features = rng.normal(size=(n, 2))
    signals = {"neighbours": rng.normal(size=n).clip(-3.5, 3.5), "nearness": rng.normal(size=n).clip(-3.5, 3.5)}
    pocket = features[:, 0] > np.quantile(features[:, 0], 0.9)
    odds = logit(1 - confidence) + help_ * signals["neighbours"] + blunder * pocket
    return Field(confidence, features, signals, None, seed), rng.random(n) < expit(odds)


def excess(name: str, field: Field, wrong: np.ndarray, budget: int = 30) -> float:
    asked = hunt(SEARCHES[name], field, wrong, budget)
    return float(np.sum(wrong[asked] - (1 - field.confidence[asked])))


def test_prior_chance_by_hand() -> None:
    # Odds 1 to 4, a neighbour signal of 1 at weight 0.4; variance 0.5 + 0.2 x 1^2 + 5.
    field = Field([0.8], [[0.0]], {"neighbours": [1.0], "unheard of": [0.0]}, None, 0)
    expected = expit((np.log(0.25) + SIGNAL_WEIGHTS["neighbours"]) / np.sqrt(1 + np.pi * 5.7 / 8))
    assert SEARCHES["learning"].on(field).chances(NONE) == pytest.approx([expected])


def test_posterior_agrees_with_the_gaussian_process_written_out() -> None:
    """Function space instead of weight space: maximise over the log odds themselves."""
    field, wrong = pool(1, 30, help_=0)
    model, asked = ErrorModel(field), np.arange(0, 24, 2)
    covariance = model.linear @ model.linear.T + model.likeness(np.arange(30), np.arange(30))
    inner, truth, offset = covariance[np.ix_(asked, asked)], wrong[asked], model.offset[asked]

    def depth(dual: np.ndarray) -> float:
        odds = offset + inner @ dual
        return float(np.sum(np.logaddexp(0, odds) - truth * odds) + dual @ inner @ dual / 2)

    dual = minimize(depth, np.zeros(len(asked)), method="BFGS", options={"gtol": 1e-7}).x
    chance = expit(offset + inner @ dual)
    across = covariance[:, asked]
    variance = np.diag(covariance) - np.sum(
        across * np.linalg.solve(inner + np.diag(1 / (chance * (1 - chance))), across.T).T, axis=1
    )
    expected = expit((model.offset + across @ dual) / np.sqrt(1 + np.pi * variance / 8))
    assert model.posterior(asked, truth.astype(float), asked).chances() == pytest.approx(expected, abs=1e-4)


def test_blocks_and_bounds_choose_what_looking_at_all_would(monkeypatch: pytest.MonkeyPatch) -> None:
    field, wrong = pool(2, 400, help_=0.5)
    whole = hunt(SEARCHES["learning"], field, wrong, 15)
    monkeypatch.setattr(learning, "_AT_ONCE", 7)
    assert np.array_equal(hunt(SEARCHES["learning"], field, wrong, 15), whole)


def test_a_batch_has_no_copies_while_there_are_others() -> None:
    field, _ = pool(3, 40, help_=0)
    twice = Field(
        np.repeat(field.confidence, 5), np.repeat(field.features, 5, axis=0),
        {name: np.repeat(z, 5) for name, z in field.signals.items()}, None, 3,
    )  # fmt: skip
    chooser = SEARCHES["learning"].on(twice)
    assert len({item // 5 for item in chooser.choose(NONE, 10)}) == 10
    first = chooser.choose(NONE, 1)
    assert chooser.choose(History(NONE.asked, NONE.wrong, np.array(first)), 1)[0] // 5 != first[0] // 5


def test_learns_where_the_errors_are() -> None:
    """Means over 8 pools of 400; the standard error of each is about 1."""
    runs = [pool(seed, 400, help_=0, blunder=4) for seed in range(8)]
    found, by_chance = (np.mean([excess(name, *run) for run in runs]) for name in ("learning", "random"))
    assert found > 6
    assert found > 3 * by_chance


def test_a_misleading_signal_costs_little() -> None:
    """A signal that points away from the errors: no worse than random by more than two standard errors (0.7)."""
    runs = [pool(seed, 300, help_=-1.0) for seed in range(8)]
    found, by_chance = (np.mean([excess(name, *run) for run in runs]) for name in ("learning", "random"))
    assert found > by_chance - 1.4


def test_without_excess_errors_no_excess_is_found() -> None:
    """A calibrated pool: the mean excess is zero within three standard errors, sqrt(30 x 0.17 x 0.83 / 8) = 0.73."""
    assert abs(np.mean([excess("learning", *pool(seed, 300, help_=0)) for seed in range(8)])) < 2.2


def test_many_answers_and_many_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the exact answers the model bends at the errors and the newest; beyond the candidates it is screened."""
    monkeypatch.setattr(learning, "MOST_EXACT", 20)
    monkeypatch.setattr(learning, "MOST_CANDIDATES", 100)
    field, wrong = pool(4, 150, help_=0.5, blunder=3)
    order = hunt(SEARCHES["learning"], field, wrong, 150, 5)
    assert sorted(order.tolist()) == list(range(150))
    assert wrong[order[:40]].mean() > 1.5 * wrong.mean()


def test_the_spanning_items_are_errors_first_and_then_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MOST_EXACT", 3)
    wrong = np.array([False, True, False, False, True])
    assert learning.spanning(np.array([9, 8, 7, 6, 5]), wrong).tolist() == [5, 8, 6]


def test_the_standardised_search_asks_more_confident_items() -> None:
    field, wrong = pool(5, 500, help_=1)
    asked = {name: hunt(SEARCHES[name], field, wrong, 40) for name in ("learning", "standardised")}
    assert field.confidence[asked["standardised"]].mean() > field.confidence[asked["learning"]].mean() + 0.02
