"""The rate by agreed labels: what it comes down to, what it must not miss, and the errors."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.stats import CheckedDraws, WeightedDraws, _two_phase, two_phase_rate, two_phase_sequence
from ringtrue.stats import weighted_mean_sequence as of_all_checked

NO = np.zeros(0)


def studied(
    rng: np.random.Generator, truth: np.ndarray, *, misses: float, false: float = 0.02, chance: float = 0.1, n: int
) -> CheckedDraws:
    """Even draws from a pool, whose rater errs so often; misses go up from none to twice their share."""
    drawn = rng.permutation(truth)[:n]
    missed = rng.random(n) < misses * np.linspace(0, 2, n)
    first = np.where(drawn, ~missed, rng.random(n) < false)
    return CheckedDraws.of(first, first | (rng.random(n) < chance), drawn, population=len(truth), chance=chance)


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_where_all_is_checked_it_is_the_sequence_of_the_agreed_labels(side) -> None:
    rng = np.random.default_rng(1)
    first, agreed, every = rng.random(60) < 0.3, rng.random(60) < 0.2, np.ones(60, dtype=bool)
    even = 1 / np.arange(200, 140, -1)
    chances, floors = even * np.where(first, 1.0, 1.2), even * 0.5
    draws = CheckedDraws.of(first, every, agreed, population=200, chance=1, probabilities=chances, floors=floors)
    own = 1 - 0.05 * (0.8 if side == "upper" else 1)  # a fifth of the upper error is for failures that were missed
    found = two_phase_sequence(draws, side=side, prefixes=[10, 60])
    plain = of_all_checked(
        WeightedDraws.of(agreed, chances, floors), population=200, level=own, side=side, prefixes=[10, 60]
    )
    np.testing.assert_allclose(found.low, plain.low, atol=1e-7)
    np.testing.assert_allclose(found.high, plain.high, atol=1e-7)


@pytest.mark.parametrize(("chance", "n"), [(0.1, 1000), (0.1, 3000), (0.5, 400)])
def test_without_a_hidden_failure_the_upper_bound_is_as_high_as_few_checks_leave_it(chance, n) -> None:
    none, checked = np.zeros(n, dtype=bool), np.arange(n) % round(1 / chance) == 0
    draws = CheckedDraws.of(none, checked, none, population=10**6, chance=chance)
    assert 4 < two_phase_sequence(draws).high[0] * checked.sum() < 5
    assert 3 < two_phase_sequence(draws, side="upper").high[0] * checked.sum() < 4


def test_failures_that_the_first_label_shows_cost_little_beside_hidden_ones() -> None:
    n = np.arange(1000)
    checked = n % 10 == 0
    shown = CheckedDraws.of(n < 20, checked | (n < 20), n < 20, population=50_000)
    hidden = CheckedDraws.of(n < 0, checked, (n < 20) & checked, population=50_000)
    assert hidden.read(0.0).sum() == 2
    low, high = (two_phase_sequence(one) for one in (shown, hidden))
    assert low.high[0] < high.high[0]
    assert low.low[0] > 10 * high.low[0]
    assert [two_phase_rate(one).estimate for one in (shown, hidden)] == pytest.approx([0.02, 0.02])


def test_a_check_without_an_answer_counts_both_ways() -> None:
    rng = np.random.default_rng(3)
    first = rng.random(300) < 0.1
    checked = first | (rng.random(300) < 0.1)
    agreed = np.where(rng.random(300) < 0.7, first, 1 - first).astype(float)
    open_ones = np.flatnonzero(checked)[::4]
    readings = []
    for value in (0.0, 1.0, np.nan):
        agreed[open_ones] = value
        told = CheckedDraws.of(first, checked, agreed.copy(), population=1000)
        readings.append(two_phase_sequence(told, prefixes=[100, 300]))
    np.testing.assert_allclose(readings[2].low, readings[0].low, atol=1e-7)
    np.testing.assert_allclose(readings[2].high, readings[1].high, atol=1e-7)
    assert np.all(readings[2].width > readings[0].width)


def test_none_is_an_open_check_and_what_was_not_checked_is_not_looked_at() -> None:
    lists = CheckedDraws.of([True, False, False], [True, True, False], [True, None, None], population=9)
    arrays = CheckedDraws.of([1, 0, 0], [1, 1, 0], [1.0, np.nan, 1.0], population=9)
    assert lists.read(0.0).tolist() == arrays.read(0.0).tolist() == [1, 0, 0]
    assert lists.read(1.0).tolist() == arrays.read(1.0).tolist() == [1, 1, 0]


def test_a_prefix_is_what_fewer_records_say() -> None:
    draws = studied(np.random.default_rng(4), np.arange(2000) < 100, misses=0.3, n=400)
    fewer = CheckedDraws.of(draws.first_failed[:150], draws.checked[:150], draws.agreed[:150], population=2000)
    found, alone = two_phase_sequence(draws, prefixes=[0, 150, 400]), two_phase_sequence(fewer)
    assert (found.low[0], found.high[0]) == (0, 1)
    np.testing.assert_allclose([found.low[1], found.high[1]], [alone.low[0], alone.high[0]], atol=1e-7)


def test_a_pool_drawn_in_full_has_a_width_as_long_as_something_was_not_checked() -> None:
    first = np.arange(100) < 5
    every = CheckedDraws.of(first, np.ones(100, dtype=bool), first, population=100, chance=1)
    some = CheckedDraws.of(first, first | (np.arange(100) % 5 == 0), first, population=100, chance=0.2)
    assert str(two_phase_sequence(every)) == "[0.05, 0.05]"
    found = two_phase_sequence(some)
    assert found.low[0] == pytest.approx(0.05)
    assert 0.15 < found.high[0] < 0.4


def test_picks_are_known_and_bet_nothing() -> None:
    first, none = np.arange(50) < 10, np.full(50, np.nan)
    draws = CheckedDraws.of(first, first | (np.arange(50) > 40), first, population=200, probabilities=none, floors=none)
    found = two_phase_sequence(draws)
    assert found.low[0] == pytest.approx(10 / 200)
    assert found.high[0] == pytest.approx(1 - 9 / 200)  # the nine that were checked and passed


@pytest.mark.parametrize(("chance", "alpha"), [(0.1, 0.005), (0.1, 0.2), (0.4, 0.05)])
def test_more_failures_were_missed_than_allowed_for_with_at_most_its_chance(chance, alpha) -> None:
    """The chance that the number of trials ever exceeds what the number found allows, exactly, up to 250 trials."""
    longest = 250
    found, none = np.arange(2 * longest) >= longest, np.zeros(2 * longest, dtype=bool)
    draws = CheckedDraws.of(none, found, found, population=10**4, chance=chance)
    allowed = np.arange(longest + 1) + _two_phase._missed(draws, draws.read(1.0), alpha)[longest:]
    assert np.all(np.diff(allowed) >= 0)
    chances, lost = np.zeros(longest + 1), 0.0
    chances[0] = 1.0
    for trials in range(1, longest + 1):
        chances[1:] = (1 - chance) * chances[1:] + chance * chances[:-1]
        chances[0] *= 1 - chance
        beyond = trials > allowed
        lost += chances[beyond].sum()
        chances[beyond] = 0
    assert alpha / 50 < lost <= alpha


def _misses(draws_of, truth: float, studies: int) -> float:
    """Return the share of studies whose bounds exclude the truth at one of three looks."""
    outside = 0
    for number in range(studies):
        draws = draws_of(np.random.default_rng([8, number]))
        n = len(draws.checked)
        outside += not two_phase_sequence(draws, level=0.8, prefixes=[n // 3, n // 2, n]).covers(truth).all()
    return outside / studies


@pytest.mark.parametrize(("items", "n"), [(100, 100), (1000, 200)])
def test_bounds_hold_where_raters_tire(items, n) -> None:
    """150 studies with a fixed seed, at 80%: the standard error at the level is 3.3 points."""
    truth = np.arange(items) < 0.2 * items
    assert _misses(lambda rng: studied(rng, truth, misses=0.5, n=n), 0.2, 150) <= 0.2


def test_bounds_would_not_hold_if_missed_failures_were_forgotten(monkeypatch) -> None:
    truth = np.arange(60) < 9

    def never_found(rng: np.random.Generator) -> CheckedDraws:
        return studied(rng, truth, misses=1e9, false=0.0, n=60)

    assert _misses(never_found, 0.15, 100) <= 0.2
    monkeypatch.setattr(_two_phase, "_missed", lambda draws, *_: np.zeros(len(draws.checked) + 1))
    assert _misses(never_found, 0.15, 100) > 0.3


def test_the_estimate_adds_up_both_kinds_of_first_labels() -> None:
    place = np.arange(100)
    first, checked = place < 10, place < 30
    agreed = np.where(place < 8, 1.0, np.where(place == 10, 1.0, 0.0))
    found = two_phase_rate(CheckedDraws.of(first, checked, agreed, population=1000), level=0.9)
    assert found.estimate == pytest.approx(0.1 * 8 / 10 + 0.9 * 1 / 20)
    assert (found.n, found.level) == (100, 0.9)
    assert found.low < found.estimate < found.high
    agreed[0] = np.nan  # of nine first failures with an agreed label, seven fail
    found = two_phase_rate(CheckedDraws.of(first, checked, agreed, population=1000))
    assert found.estimate == pytest.approx(0.1 * 7 / 9 + 0.9 * 1 / 20)


def test_the_estimate_weighs_records_by_their_probabilities() -> None:
    """In the draw from ten items the chance was three times an equal share, and in that from nine items half of one."""
    draws = CheckedDraws.of(
        [True, False], [True, False], [True, None], population=10, probabilities=[0.3, 1 / 18], floors=[0.05, 0.05]
    )
    assert two_phase_rate(draws).estimate == pytest.approx((1 / 3) / (1 / 3 + 2))


def test_without_checks_the_estimate_is_that_of_first_labels_and_without_records_a_half() -> None:
    first = np.arange(20) < 4
    open_checks = np.full(20, np.nan)
    assert two_phase_rate(CheckedDraws.of(first, first, open_checks, population=50)).estimate == pytest.approx(0.2)
    nothing = two_phase_rate(CheckedDraws.of(NO, NO, NO, population=50))
    assert (nothing.estimate, nothing.low, nothing.high) == (0.5, 0, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"checked": [False, True]}, r"checked\[0\]=False of a first failure must be True"),
        ({"checked": [True]}, "must have one length"),
        ({"agreed": [2, None]}, "must be true, false or None where checked"),
        ({"chance": 0}, r"chance=0 must lie in \(0, 1\]"),
        ({"chance": 1.5}, "chance=1.5 must lie"),
        ({"population": 1}, "2 records of 1 items"),
        ({"population": 2.5}, "population=2.5 must be a whole number"),
        ({"probabilities": [0.1, 0.1]}, "give both, or neither"),
        ({"probabilities": [0.9, 0.9], "floors": [0.1, 0.1]}, "must make at most 1"),
    ],
)
def test_what_breaks_a_rule_is_refused(given, said) -> None:
    good = {"first_failed": [True, False], "checked": [True, True], "agreed": [True, None], "population": 10}
    with pytest.raises(InvalidInput, match=said):
        CheckedDraws.of(**(good | given))


def test_a_prefix_beyond_the_records_is_refused() -> None:
    draws = CheckedDraws.of([True], [True], [True], population=10)
    with pytest.raises(InvalidInput, match=r"prefixes=\[2\] must lie in \[0, 1\]"):
        two_phase_sequence(draws, prefixes=[2])
