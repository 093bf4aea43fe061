"""Intervals that go by counts alone keep their promises, summed over every way a study can go."""

import numpy as np
import pytest

from ringtrue import stats
from ringtrue.testing.coverage import counted
from ringtrue.testing.coverage._case import LEVEL
from ringtrue.testing.coverage.stats import SIDES
from support.sums import LONGEST, RATES, SUMMED, coverage


@pytest.mark.parametrize(("interval", "promise", "population"), SUMMED)
def test_every_interval_of_counts_keeps_its_promise(interval, promise, population):
    for side in SIDES:
        once, watched = coverage(interval, side, population)
        assert (watched if promise == "watched" else once).min() >= LEVEL - 1e-9, side


def test_sums_notice_an_interval_for_one_look_that_is_watched_and_one_that_is_too_narrow():
    once, watched = coverage(stats.clopper_pearson, "both")
    assert once.min() >= LEVEL > 0.9 > watched.min()
    assert coverage(stats.hypergeometric, "upper", LONGEST)[1].min() < 0.9
    assert coverage(stats.wilson, "lower")[0].min() < 0.9


@pytest.mark.parametrize(("interval", "population"), [(stats.clopper_pearson, None), (stats.hypergeometric, 2000)])
def test_simulated_studies_agree_with_the_sums(interval, population):
    case = counted(interval, "fixed", rate=0.03, population=population, sizes=[10, LONGEST])
    found = case.count(range(2000))
    place = RATES.tolist().index(0.03)
    for side in SIDES:
        for label, exact in zip((side, f"{side}, watched"), coverage(interval, side, population), strict=True):
            wanted = exact[[9, LONGEST - 1], place]
            error = np.sqrt(wanted * (1 - wanted) / 2000)
            assert np.all(np.abs(found[label].shares - wanted) <= 4 * error + 1e-12), label
