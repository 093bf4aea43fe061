"""What every search keeps to, and what the learning search survives."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.searches import DEFAULT, SEARCHES, Field, History
from ringtrue.core import InvalidInput
from ringtrue.papers.adversarial_distance import hunt
from ringtrue.stats import generator

NONE = History(np.array([], dtype=np.int64), np.array([], dtype=bool))


def pool(n: int, seed: int = 0) -> tuple[Field, np.ndarray]:
    rng = generator(seed, "searches")
    confidence = rng.uniform(0.65, 1, n)
    signals = {"neighbours": rng.normal(size=n), "own": rng.normal(size=n)}
    field = Field(confidence, rng.normal(size=(n, 3)), signals, rng.normal(size=n), seed)
    return field, rng.random(n) < 1 - confidence


@pytest.mark.parametrize("name", SEARCHES)
def test_neither_asked_nor_open_items_are_chosen_and_none_twice(name: str) -> None:
    field, wrong = pool(60)
    asked, waiting = np.arange(0, 30, 3), np.arange(1, 30, 3)
    chosen = SEARCHES[name].on(field).choose(History(asked, wrong[asked], waiting), 25)
    assert len(set(chosen)) == 25
    assert not set(chosen) & {*asked.tolist(), *waiting.tolist()}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_all_items_of_a_small_pool_are_chosen_when_more_are_wanted(name: str, n: int) -> None:
    field, _ = pool(n)
    assert sorted(SEARCHES[name].on(field).choose(NONE, 9)) == list(range(n))
    assert SEARCHES[name].on(field).choose(History(np.arange(n), np.zeros(n, bool)), 3) == []


@pytest.mark.parametrize("name", SEARCHES)
def test_the_choice_is_a_function_of_pool_and_history(name: str) -> None:
    field, wrong = pool(80)
    used = SEARCHES[name].on(field)
    path = hunt(SEARCHES[name], field, wrong, 20)
    for size in (5, 20, 12):  # forwards and back
        used.choose(History(path[:size], wrong[path[:size]]), 3)
    history = History(path[:9], wrong[path[:9]])
    assert used.choose(history, 4) == SEARCHES[name].on(field).choose(history, 4)
    assert used.choose(history, 1) == [path[9]]


@pytest.mark.parametrize("name", SEARCHES)
def test_degenerate_pools_are_searched(name: str) -> None:
    n = 40
    signals = {"neighbours": np.zeros(n)}
    for confidence in (np.ones(n), np.full(n, 0.7), np.zeros(n)):
        for features in (np.zeros((n, 2)), np.empty((n, 0)), np.repeat(np.eye(2), n // 2, axis=0)):
            found = hunt(SEARCHES[name], Field(confidence, features, signals, np.full(n, np.inf), 1), np.ones(n), 12, 3)
            assert len(set(found.tolist())) == 12


@pytest.mark.parametrize("name", SEARCHES)
def test_chances_are_probabilities_of_all_items(name: str) -> None:
    field, wrong = pool(50)
    chances = SEARCHES[name].on(field).chances(History(np.arange(8), wrong[:8]))
    assert chances.shape == (50,)
    assert np.all((chances >= 0) & (chances <= 1))
    if "distance" in name or name in ("bandit", "coverage", "random"):
        assert chances == pytest.approx(1 - field.confidence)


def test_orders() -> None:
    field = Field([0.9, 0.7, 0.8, 0.95], np.zeros((4, 1)), {}, [0.3, np.inf, -0.2, 0.1], seed=0)
    assert SEARCHES["lowest-confidence"].on(field).choose(NONE, 4) == [1, 2, 0, 3]
    assert SEARCHES["highest-confidence"].on(field).choose(NONE, 4) == [3, 0, 2, 1]
    assert SEARCHES["adversarial-distance"].on(field).choose(NONE, 4) == [2, 3, 0, 1]
    other = Field(field.confidence, field.features, {}, None, seed=1)
    starts = {tuple(SEARCHES["random"].on(f).choose(NONE, 4)) for f in (field, other)}
    assert len(starts) == 2


def test_equal_keys_do_not_come_in_the_order_of_the_pool() -> None:
    field = Field(np.full(50, 0.8), np.zeros((50, 1)), {}, None, seed=0)
    assert SEARCHES["lowest-confidence"].on(field).choose(NONE, 50) != list(range(50))


def test_names_and_needs() -> None:
    assert DEFAULT == "learning"
    assert all(search.name == name for name, search in SEARCHES.items())
    assert [name for name, search in SEARCHES.items() if search.needs_distance] == [
        "adversarial-distance",
        "adjusted-distance",
    ]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"confidence": [0.5, 1.2]}, r"confidence\[1\]=1.2 must lie in \[0, 1\]"),
        ({"confidence": [np.nan, 0.5]}, r"confidence\[0\]=nan must be finite"),
        ({"features": np.zeros((3, 1))}, r"features of shape \(3, 1\) must be a table with a row for each of 2 items"),
        ({"features": [[0.0], [np.inf]]}, r"features\[1\] must be finite"),
        ({"signals": {"own": [1.0]}}, r"signals\['own'\] has 1 numbers for 2 items"),
        ({"residual": [0.0, np.nan]}, r"residual\[1\]=nan"),
    ],
)
def test_bad_fields_are_refused(change: dict[str, object], rule: str) -> None:
    good = {"confidence": [0.5, 0.6], "features": np.zeros((2, 1)), "signals": {}, "residual": None, "seed": 0}
    with pytest.raises(InvalidInput, match=rule):
        Field(**{**good, **change})


def test_bad_hunts_are_refused() -> None:
    field, wrong = pool(5)
    search = SEARCHES["random"]
    with pytest.raises(InvalidInput, match=r"budget=6 must lie in \[0, 5\]"):
        hunt(search, field, wrong, 6)
    with pytest.raises(InvalidInput, match="batch=0"):
        hunt(search, field, wrong, 2, 0)
    with pytest.raises(InvalidInput, match="wrong has shape"):
        hunt(search, field, wrong[:3], 2)
    with pytest.raises(InvalidInput, match="needs it, measure distances first"):
        SEARCHES["adversarial-distance"].on(Field([0.5], [[0.0]], {}, None, 0))
    with pytest.raises(InvalidInput, match="wrong has 1 answers for 2 asked"):
        History(np.array([0, 1]), np.array([True]))
