"""One uniform sample, put right by the old answers."""

import numpy as np
import pytest

from ringtrue.changed.paired import oneshot_shift, uniform_shift
from simulated_shifts import mean_errors
from support.paired_cases import counts_of, made_up, real


def test_cells_are_weighted_by_what_the_pool_holds():
    known = made_up(3, changed=0.4)
    counts = counts_of(known, np.random.default_rng(0).permutation(known.size)[:500])
    table = np.zeros((3, 3))
    cells = {(t, o) for t, o in zip(known.census.truth, known.census.old, strict=True)}
    for truth, old in cells:
        here = (known.census.truth == truth) & (known.census.old == old)
        answers, items = counts[here].sum(axis=0), known.census.items[here].sum()
        table[truth] += items * answers / answers.sum()
    assert oneshot_shift(known.census, counts) == pytest.approx(table / known.size - known.old_matrix)


def test_cells_without_answers_are_taken_to_be_as_before():
    known = made_up(3, changed=1.0)
    only = np.flatnonzero(known.baseline.truth == 0)
    shift = oneshot_shift(known.census, counts_of(known, only))
    assert shift[0] == pytest.approx(known.shift[0], abs=1e-12)
    assert not shift[1:].any()


def test_no_answers_show_no_shift():
    known = made_up(3)
    none = np.zeros((known.census.kinds, 3))
    assert not oneshot_shift(known.census, none).any()
    assert not uniform_shift(known.census, none).any()


def test_the_mean_of_plain_shares_is_the_shift():
    """Averaged over many samples; four standard errors."""
    known = made_up(3, changed=0.4)
    rng = np.random.default_rng(1)
    found = np.array(
        [uniform_shift(known.census, counts_of(known, rng.permutation(known.size)[:60])) for _ in range(600)]
    )
    assert (np.abs(found.mean(axis=0) - known.shift) < 4 * found.std(axis=0) / np.sqrt(600) + 1e-12).all()


@pytest.mark.parametrize(
    ("dataset", "old", "new", "share", "calls", "most"),
    [("YELP", "Amazon", "Google", 0.01, 1_000, 0.0040), ("SHOP", "Google", "Amazon", 0.03, 1_000, 0.0067)],
)
def test_a_small_update_is_known_from_a_thousand_answers(dataset, old, new, share, calls, most):
    """200 runs: the mean error is known to 4 %."""
    known = real(dataset, old, new, share)
    found = mean_errors(known, "oneshot", [calls], runs=200)[0]
    assert 0.5 * most < found < 1.04 * most
    assert found < 0.8 * mean_errors(known, "masa", [calls], runs=200)[0]
