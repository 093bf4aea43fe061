"""Planning: known numbers, agreement with simulation, and the ends of the range."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from ringtrue.core import InvalidInput
from ringtrue.stats import RateTest, clopper_pearson, hypergeometric, labels_to_decide, plan_rate
from ringtrue.stats._decision_time import boundaries
from ringtrue.stats._plan import fixed_sizes


def test_the_floor_is_59_fixed_and_70_watched_at_five_percent() -> None:
    plan = plan_rate(0.05, rates=[0.01])
    assert (plan.fewest_fixed, plan.fewest_watched) == (59, 70)
    assert plan.cases[0].mean == pytest.approx(135.6, abs=0.1)
    assert plan_rate(0.001, rates=[]).fewest_fixed == 2995
    assert "at least 70 labels (59 if fixed beforehand and not watched), if nothing fails" in str(plan)
    assert "no number of labels is certain to decide" in str(plan)


@pytest.mark.parametrize("population", [None, 300])
@pytest.mark.parametrize("rate", [0.01, 0.2])
def test_chances_agree_with_simulation(population, rate) -> None:
    """2,000 studies; the mean within four standard errors."""
    rng = np.random.default_rng(8)
    length = population or 1500
    failed = rng.random((2000, length)) < rate
    if population:
        failed = rng.permuted(np.tile(np.arange(population) < round(rate * population), (2000, 1)), axis=1)
    k = np.cumsum(failed, axis=1)
    place = k, np.arange(1, length + 1)
    came = np.zeros((k.max() + 1, length + 1), dtype=bool)
    came[place] = True
    test = RateTest(0.05, population=population)
    kept, broken = np.zeros((2, *came.shape), dtype=bool)
    kept[came], broken[came] = (side >= test.threshold for side in test.evidence(*np.nonzero(came)))
    true = kept[place]
    decided = true | broken[place]
    stop = np.argmax(decided, axis=1)
    times, trues = stop + 1, true[np.arange(2000), stop].sum()
    case = plan_rate(0.05, rates=[rate], population=population).cases[0]
    assert case.mean == pytest.approx(np.mean(times), abs=4 * np.std(times) / 2000**0.5)
    assert case.rings_true == pytest.approx(trues / 2000, abs=4 * 0.5 / 2000**0.5)
    assert case.median == pytest.approx(np.median(times), rel=0.1)


@pytest.mark.parametrize(("limit", "level", "population"), [(0.05, 0.95, None), (0.3, 0.8, 700), (0.01, 0.99, 900)])
def test_boundaries_are_where_the_test_turns(limit, level, population) -> None:
    accept, reject = boundaries(limit, level, population).upto(600)
    test = RateTest(limit, level=level, population=population)
    for n in [*range(1, 100), *range(100, 601, 5), *range(97, 601, 97)]:
        below, above = test.evidence(np.arange(n + 1), n)
        kept = np.flatnonzero(below >= test.threshold)
        broken = np.flatnonzero(above >= test.threshold)
        assert accept[n] == (kept.max() if kept.size else -1)
        assert reject[n] == (broken.min() if broken.size else n + 1)
        assert np.all(np.diff(kept) == 1)
        assert np.all(np.diff(broken) == 1)
        if n % 97 == 0:
            assert boundaries(limit, level, population).at(n) == (accept[n], reject[n])


@pytest.mark.parametrize("population", [None, 400])
def test_a_fixed_size_decides_with_its_power_and_one_less_does_not(population) -> None:
    rates = [0.0, 0.01, 0.1, 0.3]
    _, sizes = fixed_sizes(RateTest(0.05, population=population), rates, 2000)

    def decides(n: int) -> np.ndarray:
        k = np.arange(n + 1)
        options = {} if population is None else {"population": population}
        interval = clopper_pearson if population is None else hypergeometric
        upper = interval(k, n, side="upper", **options).high
        lower = interval(k, n, side="lower", **options).low
        return (upper <= 0.05 + 1e-12) | (lower > 0.05 + 1e-12)

    for rate, size in zip(rates, sizes, strict=True):
        assert size is not None
        for n, enough in ((size, True), (size - 1, False)):
            k = np.arange(n + 1)
            chance = binom.pmf(k, n, rate)
            if population is not None:
                chance = hypergeom.pmf(k, population, round(rate * population), n)
            assert (chance[decides(n)].sum() >= 0.9) == enough, (rate, n)


def test_a_pool_always_decides() -> None:
    plan = plan_rate(0.05, population=120, budget=60)
    for case in plan.cases:
        assert case.decided == pytest.approx(1)
        assert 0 <= case.within_budget <= 1
    assert "at worst all 120 items of the pool, which always decides" in str(plan)
    assert json.loads(json.dumps(plan.to_json()))["cases"][0]["rate"] == 0


def test_remaining_labels() -> None:
    assert labels_to_decide(0, 70, 0.05).fewest == 0
    assert labels_to_decide(0, 70, 0.05).expected == 0
    remaining = labels_to_decide(0, 41, 0.05)
    assert (remaining.fewest_true, remaining.fewest) == (29, remaining.fewest_false)
    assert remaining.expected > 29
    assert labels_to_decide(50, 1000, 0.05).expected is None
    exhausted = labels_to_decide(3, 40, 0.05, population=40)
    assert (exhausted.fewest, exhausted.expected) == (0, 0)
    late = labels_to_decide(2, 39, 0.06, population=40)
    assert late.fewest_true is not None
    assert late.fewest_true <= 1


def test_errors() -> None:
    with pytest.raises(InvalidInput, match=r"rates=\[5\] must lie in \[0, 1\]"):
        plan_rate(0.05, rates=[5])
    with pytest.raises(InvalidInput, match="failures=3 must not exceed n=2"):
        labels_to_decide(3, 2, 0.05)
    with pytest.raises(InvalidInput, match="cap=0"):
        labels_to_decide(0, 2, 0.05, cap=0)
