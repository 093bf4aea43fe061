"""The coverage suite, short: fixed seeds, sizes up to 100.

2,000 studies for each entry of the intervals that depend on counts alone (Monte Carlo standard error 0.5 points), 100
where studies are followed answer by answer (2.2 points). The long run is `make coverage`.
"""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest

from ringtrue import stats
from ringtrue.stats import Bounds, clopper_pearson, wilson
from ringtrue.testing._coverage_simulation import counts
from ringtrue.testing.coverage import RATES, ROWS, SHORT_SIZES, Row, check, main, table

ROW = {row.name: row for row in ROWS}
FEW_RATES = (0.0, 0.01, 0.05, 0.5)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_interval_keeps_its_promise(row: Row) -> None:
    # Studies that are followed answer by answer take long: their one-sided intervals are the same code, tried less.
    rates = RATES if row.simulate is counts else FEW_RATES if row.side == "both" else FEW_RATES[::3]
    assert [str(fall) for fall in check(row, rates=rates, sizes=SHORT_SIZES, repetitions=2000)] == []


def test_every_interval_of_the_package_is_in_the_table() -> None:
    public = [getattr(stats, name) for name in stats.__all__]
    intervals = {
        entry for entry in public if inspect.isfunction(entry) and entry.__annotations__.get("return") == "Bounds"
    }
    assert intervals == {row.interval for row in ROWS}
    for interval in intervals:
        assert {row.side for row in ROWS if row.interval is interval} == {"both", "upper", "lower"}


def test_suite_catches_clopper_pearson_under_peeking() -> None:
    row = dataclasses.replace(ROW["rate_sequence"], interval=clopper_pearson)
    caught = check(row, rates=[0.05], sizes=[100], repetitions=2000)
    assert [fall.watched for fall in caught] == [True]
    assert caught[0].coverage < 0.9
    assert "holds a rate of 5% at every look up to 100 answers in" in str(caught[0])


def test_suite_catches_wilson_at_small_rates() -> None:
    row = dataclasses.replace(ROW["clopper_pearson, lower"], interval=wilson)
    assert check(row, rates=[0.01], sizes=[10], repetitions=2000)[0].coverage < 0.92


def test_suite_catches_an_interval_that_is_zero_wide_without_failures() -> None:
    def wald(failures, n, *, level, side) -> Bounds:
        rate = np.asarray(failures) / n
        half = 1.96 * np.sqrt(rate * (1 - rate) / n)
        return Bounds(rate - half, rate + half)

    caught = check(
        dataclasses.replace(ROW["clopper_pearson"], interval=wald), rates=[0.005], sizes=[100], repetitions=2000
    )
    assert caught[0].coverage < 0.5


@pytest.mark.parametrize("name", ["segmented_pool_sequence, 200 items", "weighted_mean_sequence, 200 items"])
def test_suite_catches_picked_items_that_are_taken_for_random_draws(name) -> None:
    """Picks that are treated as if chance had drawn them make a study see too many failures."""

    def segments_blind(segments, *, population, level, side) -> Bounds:
        return stats.segmented_pool_sequence(_picks_as_draws(segments), population=population, level=level, side=side)

    def weights_blind(draws, *, population, level, side, prefixes) -> Bounds:
        even = 1 / draws.unknown
        blind = dataclasses.replace(draws, probabilities=even, floors=even)
        return stats.weighted_mean_sequence(blind, population=population, level=level, side=side, prefixes=prefixes)

    blind = segments_blind if name.startswith("segmented") else weights_blind
    row = dataclasses.replace(ROW[name], interval=blind)
    assert check(row, rates=[0.5], sizes=[50, 100], repetitions=1000)


def _picks_as_draws(segments: stats.PoolSegments) -> stats.PoolSegments:
    rows, known, left = [], 0, int(segments.unknown[0])
    for s, u, m, k in zip(segments.known_failures, segments.unknown, segments.draws, segments.failures, strict=True):
        rows.append((known, left, int(left - u + m), int(s - known + k)))
        known, left = int(s + k), int(u - m)
    return stats.PoolSegments.of(rows)


def test_the_table_is_deterministic_and_says_what_it_is(tmp_path, capsys) -> None:
    rows = [ROW["rate_sequence, upper"], ROW["clopper_pearson"]]
    text, broken = table(rows, sizes=[1, 20], repetitions=200)
    assert (text, broken) == table(rows, sizes=[1, 20], repetitions=200)
    assert broken == []
    assert "200 studies for each entry (Monte Carlo standard error 1.54 points)" in text
    assert "| clopper_pearson † | 5% |" in text
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--short" in capsys.readouterr().out
