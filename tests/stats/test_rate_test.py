"""The e-processes: their expectation under every null, by enumeration, is at most one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import binom, hypergeom

from ringtrue.core import InvalidInput
from ringtrue.stats import PoolEvidence, RateTest

LIMITS = [0.001, 0.01, 0.05, 0.3, 0.5, 0.8]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60, 300])
def test_expectation_in_a_stream_is_one_at_the_limit_and_less_within_the_null(limit, n) -> None:
    k = np.arange(n + 1)
    below, above = RateTest(limit).evidence(k, n)

    def expectation(log_evidence, rate) -> float:
        return float(np.exp(binom.logpmf(k, n, rate) + log_evidence).sum())

    assert expectation(below, limit) == pytest.approx(1, rel=1e-9)
    assert expectation(above, limit) == pytest.approx(1, rel=1e-9)
    for share in (0.01, 0.3, 0.9, 0.999):
        assert expectation(above, limit * share) <= 1 + 1e-12
        assert expectation(below, 1 - (1 - limit) * share) <= 1 + 1e-12


@pytest.mark.parametrize("population", [1, 2, 3, 7, 20, 61])
@pytest.mark.parametrize("limit", LIMITS)
def test_expectation_in_a_pool_is_at_most_one_for_every_number_of_failing_items(population, limit) -> None:
    test = RateTest(limit, population=population)
    failing = np.arange(population + 1)[:, None]
    for n in range(population + 1):
        k = np.arange(n + 1)
        log_below, log_above = test.evidence(k, n)
        chance = hypergeom.logpmf(k, population, failing, n)
        log = np.where(failing / population <= limit + 1e-12, log_above, log_below)
        with np.errstate(invalid="ignore"):  # what cannot come may be certain evidence
            expected = np.where(chance > -np.inf, np.exp(chance + log), 0.0).sum(axis=1)
        assert np.all(expected <= 1 + 1e-9), n


@pytest.mark.parametrize("limit", [0.05, 0.2, 0.5])
def test_no_stopping_rule_can_win_in_a_pool(limit) -> None:
    """The best stopping rule, found backwards over all states, gains nothing that an e-process forbids.

    Ville's inequality: from the start, the chance of ever reaching 1/alpha is at most alpha.
    """
    population = 40
    test = RateTest(limit, level=0.8, population=population)
    failing = np.arange(population + 1)[:, None]
    null_is_low = failing / population <= limit + 1e-12
    for n in range(population, -1, -1):
        k = np.arange(n + 1)
        log_below, log_above = test.evidence(k, n)
        hit = np.where(null_is_low, log_above, log_below) >= test.threshold
        if n == population:
            reached = np.where(hit, 1.0, 0.0)
        else:
            fails = np.clip((failing - k) / (population - n), 0, 1)
            reached = np.where(hit, 1.0, fails * reached[:, 1:] + (1 - fails) * reached[:, :-1])
    assert np.all(reached[:, 0] <= 0.2 + 1e-12)


@pytest.mark.parametrize("limit", [0.05, 0.11, 0.4])
@pytest.mark.parametrize("failing", range(13))
def test_expectation_with_items_picked_by_looking_is_at_most_one(limit, failing) -> None:
    """All paths of a pool of 12 in which every failure makes the next two items be picked, not drawn.

    Whether a picked item fails is the adversary's to choose, as long as the pool has such an item left: the pick
    is made to be failing first, which is the worst case for an evaluation that mistook it for a random draw.
    """
    population = 12
    truth_is_low = failing / population <= limit + 1e-12

    def expectation(told: list[tuple[str, bool]], chance: float, depth: int) -> float:
        evidence = PoolEvidence(limit, population=population)
        for how, failed in told:
            getattr(evidence, how)(failed)
        if depth == 0 or not evidence.unknown:
            log = evidence.evidence()[1 if truth_is_low else 0]
            return chance * np.exp(log)
        left = failing - evidence.known_failures
        total = 0.0
        for failed, share in ((True, left / evidence.unknown), (False, 1 - left / evidence.unknown)):
            if share <= 0:
                continue
            more = [*told, ("draw", failed)]
            fails_left, items_left = left - failed, evidence.unknown - 1
            for _ in range(2 if failed else 0):
                if items_left:
                    more.append(("know", fails_left > 0))
                    fails_left -= fails_left > 0
                    items_left -= 1
            total += expectation(more, chance * share, depth - 1)
        return total

    for depth in (1, 3, 6):
        assert expectation([], 1.0, depth) <= 1 + 1e-9


def test_pool_evidence_without_picks_equals_the_rate_test_where_it_can_decide() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        failed = rng.permutation(np.arange(60) < rng.integers(0, 20))
        told = PoolEvidence(0.15, population=60)
        for n, fail in enumerate(failed, start=1):
            told.draw(bool(fail))
            expected = told.test.evidence(failed[:n].sum(), n)
            for ours, theirs in zip(told.evidence(), expected, strict=True):
                assert ours == pytest.approx(float(theirs), abs=1e-9) or (ours == -np.inf and theirs <= 1e-9)


def test_the_quick_no_never_hides_a_decision() -> None:
    rng = np.random.default_rng(7)
    decided = 0
    for _ in range(60):
        failed = rng.permutation(np.arange(120) < rng.integers(0, 40))
        told = PoolEvidence(0.1, population=120, level=0.8)
        for fail in failed:
            (told.draw if rng.random() < 0.8 else told.know)(bool(fail))
            if max(told.evidence()) >= told.test.threshold:
                decided += 1
                assert told.may_decide()
    assert decided > 1000


def test_failures_that_prove_the_rate_too_high_are_no_evidence_that_it_is_low() -> None:
    below, above = RateTest(0.05, population=100).evidence([6, 7, 50], [50, 50, 50])
    assert np.all(below < 0)
    assert np.all(np.isposinf(above))


@pytest.mark.parametrize(("side", "k", "n"), [(0, [0, 2], [70, 200]), (1, [12, 30], [90, 200])])
def test_a_pool_far_larger_than_the_sample_behaves_as_a_stream(side, k, n) -> None:
    """Where there is evidence; on the other side the pool's null is the likeliest one and the evidence lower."""
    stream, pool = (RateTest(0.05, population=size).evidence(k, n)[side] for size in (None, 10**9))
    np.testing.assert_allclose(stream, pool, atol=1e-4)


def test_seventy_answers_without_a_failure_decide_five_percent() -> None:
    test = RateTest(0.05)
    below, _ = test.evidence(np.zeros(71, dtype=int), np.arange(71))
    assert int(np.argmax(below >= test.threshold)) == 70


def test_the_evidence_is_a_probability_of_sequences() -> None:
    """Evidence times the null's probability sums to one over sequences, so the numerator is a distribution."""
    n, limit = 9, 0.2
    k = np.arange(n + 1)
    below, _ = RateTest(limit).evidence(k, n)
    assert np.sum(comb(n, k) * np.exp(below) * limit**k * (1 - limit) ** (n - k)) == pytest.approx(1)


def test_errors() -> None:
    with pytest.raises(InvalidInput, match=r"limit=5 must lie strictly between 0 and 1: write 0.05"):
        RateTest(5)
    used = PoolEvidence(0.5, population=1)
    used.know(True)
    with pytest.raises(InvalidInput, match="used up"):
        used.draw(True)
