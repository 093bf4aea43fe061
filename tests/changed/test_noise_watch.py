"""A model whose answers vary: no false alarm by noise, in order, and no more second questions than needed."""

import numpy as np
import pytest

from ringtrue.changed._decision import NoiseWatch
from ringtrue.changed._reader import Told
from ringtrue.core import Claim, Verdict

SIZE, LARGE = 150, 400


def told(row, old, answer, *, again=False, uniform=True, truth=0):
    return Told(None, row, 0, truth, old, answer, again, uniform)


def watch(*, noise=None, claim=None, tolerance=None, labelled=True):
    claim = None if claim is None else Claim.parse(claim)
    return NoiseWatch(noise=noise, claim=claim, tolerance=tolerance, labelled=labelled)


def lead(made, rows, truth, old, first, second):
    """Tell all rows, in order, with the second answers that are due as soon as they are due."""
    for row in rows:
        made.take(told(row, old[row], first[row], truth=truth[row]))
        for due in made.due:
            made.take(told(due, old[due], second[due], again=True, truth=truth[due]))


def answers(rng, chances, size):
    """Three answers of one model to each item: chances (items, answers)."""
    reached = np.cumsum(chances, axis=1)
    return [(rng.random((size, 1)) > reached).sum(axis=1) for _ in range(3)]


def noisy(study, size=SIZE):
    """An unchanged model: every item has its own noise, the likeliest answer is often right."""
    rng = np.random.default_rng(study)
    chances = rng.dirichlet([6.0, 0.6, 0.3], size)
    return rng, (rng.random(size) > 0.9).astype(int), answers(rng, chances, size)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [None, "its own"])
def test_noise_alone_is_rarely_called_a_change(noise):
    """By no test, watched until the pool is used up, in more than 5% of studies; 150 studies, so 5% + 3 x 1.8%."""
    alarms = {"found": 0, "accuracy": 0, "claim": 0}
    rate = 1 - np.mean([(np.random.default_rng(0).dirichlet([6.0, 0.6, 0.3], 100_000) ** 2).sum(axis=1)])
    for study in range(150):
        rng, truth, (old, first, second) = noisy(study)
        made = watch(noise=None if noise is None else float(rate), tolerance=0.01)
        lead(made, rng.permutation(SIZE), truth, old, first, second)
        alarms["found"] += made.found
        alarms["accuracy"] += made.accuracy.detected_at is not None
        alarms["claim"] += made.claim.verdict is Verdict.RINGS_FALSE
    assert max(alarms.values()) <= 150 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 150))


def test_the_chances_of_a_noisy_model_are_held_though_its_pool_is_used_up():
    """Excess 0 and the noise of the model, in 95% of 60 studies less three standard errors."""
    held = np.zeros(2)
    for study in range(60):
        rng, truth, (old, first, second) = noisy(1000 + study)
        made = watch()
        lead(made, rng.permutation(SIZE), truth, old, first, second)
        noise, excess = made.repeats.noise(), made.repeats.excess()
        chance = 1 - (6 * 7 + 0.6 * 1.6 + 0.3 * 1.3) / (6.9 * 7.9)  # two draws from a Dirichlet differ
        held += [noise.low <= chance <= noise.high, excess.low <= 0 <= excess.high]
        assert noise.high - noise.low > 0.02
    assert (held / 60 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)).all()


def test_a_change_beyond_the_noise_is_found_soon():
    """One answer in ten changed for good, under noise: found in at least 19 of 20 studies."""
    found = []
    for study in range(20):
        rng = np.random.default_rng(1000 + study)
        chances = np.tile([0.96, 0.02, 0.02], (LARGE, 1))
        old, first, second = answers(rng, chances, LARGE)
        moved = rng.random(LARGE) < 0.1
        first, second = np.where(moved, 2 - first, first), np.where(moved, 2 - second, second)
        made = watch(labelled=False)
        lead(made, rng.permutation(LARGE), np.zeros(LARGE, dtype=int), old, first, second)
        found.append(made.found)
    assert sum(found) >= 19


def test_a_model_that_only_became_less_steady_is_noticed_by_its_accuracy():
    """Old answers always right, new ones wrong at random in a third: each goes back half of the time."""
    rng = np.random.default_rng(4)
    old, truth = np.zeros(SIZE, dtype=int), np.zeros(SIZE, dtype=int)
    first, second = (np.where(rng.random(SIZE) < 0.33, rng.integers(1, 3, SIZE), 0) for _ in range(2))
    made = watch()
    lead(made, rng.permutation(SIZE), truth, old, first, second)
    assert made.test.detected_at is None
    assert made.accuracy.detected_at is not None
    assert made.found


def test_an_early_answer_waits_for_an_earlier_item():
    made = watch(tolerance=0.5)
    made.take(told(3, 0, 1))
    made.take(told(5, 0, 0))
    assert (made.repeats.excess().n, made.due) == (0, [3])
    made.take(told(3, 0, 1, again=True))
    assert (made.repeats.excess().n, made.due) == (2, [])
    assert dict(made.second) == {"persisted": 1}


def test_what_was_chosen_by_its_old_answer_tells_nothing_of_chances():
    made = watch()
    for row in range(20):
        made.take(told(row, 0, 1, uniform=False))
        made.take(told(row, 0, 1, again=True))
    assert not made.found
    assert made.repeats.excess().n == 0


def test_no_more_is_asked_again_once_it_is_enough():
    made = watch(labelled=False)
    row = 0
    while not made.enough:
        made.take(told(row, 0, 1))
        made.take(told(row, 0, 1, again=True))
        row += 1
    assert row < 10
    made.take(told(row, 0, 1))
    assert made.due == []
    assert made.second.total() == row


def test_nothing_is_asked_again_where_the_noise_is_stated():
    made = watch(noise=0.1, labelled=False)
    for row in range(3):
        made.take(told(row, 0, 1))
    assert made.due == []
    assert made.found


def test_a_claim_on_the_change_goes_on_after_a_change_was_found():
    made = watch(claim="change <= 20%", labelled=False)
    for row in range(60):
        changed = row % 7 == 0
        made.take(told(row, 0, int(changed)))
        if changed and not made.enough:
            made.take(told(row, 0, 1, again=True))
    assert made.found
    assert made.claim.verdict is Verdict.NOT_YET_KNOWN
    assert not made.enough


def test_a_claim_on_the_accuracy_is_decided_by_flips():
    made = watch(claim="accuracy drop <= 20%")
    for row in range(100):
        made.take(told(row, 0, 0))
    assert made.claim.verdict is Verdict.RINGS_TRUE
    made = watch(claim="accuracy drop <= 20%", noise=0.1)
    for row in range(40):
        made.take(told(row, 0, 1))
    assert made.claim.verdict is Verdict.RINGS_FALSE


@pytest.mark.parametrize(("first", "second"), [(None, None), (1, None)])
def test_what_nobody_answered_counts_both_ways(first, second):
    made = watch()
    made.take(told(0, 0, first))
    if first is not None:
        made.take(told(0, 0, second, again=True))
    interval = made.repeats.excess()
    assert interval.n == 1
    assert (interval.low, interval.high) == (-1.0, 1.0)
