"""Who watches and stops at the first good number: the tests that watching allows, and one that it breaks."""

from __future__ import annotations

import numpy as np

from ringtrue.stats import RateTest, clopper_pearson

STUDIES, LABELS, LIMIT = 2000, 1000, 0.05


def test_stopping_at_the_first_good_number_misleads_at_most_as_often_as_stated() -> None:
    failed = np.random.default_rng(20240607).random((STUDIES, LABELS)) < LIMIT
    k = np.cumsum(failed, axis=1)
    n = np.broadcast_to(np.arange(1, LABELS + 1), k.shape)
    pairs, inverse = np.unique(k * (LABELS + 1) + n, return_inverse=True)
    counts = pairs // (LABELS + 1), pairs % (LABELS + 1)
    test = RateTest(LIMIT, level=0.95)
    watched = (test.evidence(*counts)[0] >= test.threshold)[inverse].reshape(k.shape)
    fixed = (clopper_pearson(*counts, side="upper").high <= LIMIT)[inverse].reshape(k.shape)
    false_watched, false_fixed = watched.any(axis=1).mean(), fixed.any(axis=1).mean()
    print(
        f"\nfalse claims of 'error <= 5%' at a true 5%: RateTest {false_watched:.1%}, Clopper-Pearson {false_fixed:.1%}"
    )
    assert false_watched <= 0.05
    assert 0.19 < false_fixed < 0.28  # 23% within four standard errors of 2,000 studies
