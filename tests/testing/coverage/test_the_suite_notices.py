"""Intervals that promise too much are noticed: each way in which a bound was, or could be, wrong."""

import dataclasses

import numpy as np
import pytest

from ringtrue import stats
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.judges import Standing, evaluate, unlabelled_both
from ringtrue.judges.bought import _fixed
from ringtrue.risk import _draw_row, _failure_rate
from ringtrue.risk.profiles import _price
from ringtrue.stats import Bounds, clopper_pearson, wilson
from ringtrue.testing import _replayed
from ringtrue.testing.coverage import changed, check, counted, judges, judges_labelled, risk
from ringtrue.testing.coverage import stats as statistics

THREE = "three judges (93%, 77%, 92%)"


def rows_of(falls):
    return {fall.row.name for fall in falls}


def test_clopper_pearson_under_peeking():
    caught = check(counted(clopper_pearson, "watched", rate=0.05, sizes=[100], repetitions=2000))
    assert {fall.where.split(", ")[-2] for fall in caught} == {"both", "upper", "lower"}
    assert min(fall.share for fall in caught) < 0.9
    assert "stats, clopper_pearson: holds in" in str(caught[0])
    assert "where at least 93.54% is needed (clopper_pearson, 5% fail, both, 100)" in str(caught[0])


def test_wilson_at_small_rates():
    caught = check(counted(wilson, "fixed", rate=0.01, sizes=[10], repetitions=2000))
    assert min(fall.share for fall in caught if "lower" in fall.where) < 0.92


def test_an_interval_that_is_zero_wide_without_failures():
    def wald(failures, n, *, level, side) -> Bounds:
        rate = np.asarray(failures) / n
        half = 1.96 * np.sqrt(rate * (1 - rate) / n)
        return Bounds(rate - half, rate + half)

    caught = check(counted(wald, "fixed", rate=0.005, sizes=[100], repetitions=2000))
    assert caught[0].share < 0.5


def segments_blind(segments, *, population, level, side) -> Bounds:
    rows, known, left = [], 0, int(segments.unknown[0])
    for s, u, m, k in zip(segments.known_failures, segments.unknown, segments.draws, segments.failures, strict=True):
        rows.append((known, left, int(left - u + m), int(s - known + k)))
        known, left = int(s + k), int(u - m)
    picked = stats.PoolSegments.of(rows)
    return stats.segmented_pool_sequence(picked, population=population, level=level, side=side)


def weights_blind(draws, *, population, level, side, prefixes) -> Bounds:
    even = 1 / (population - np.arange(len(draws.values)))
    blind = dataclasses.replace(draws, probabilities=even, floors=even)
    return stats.weighted_mean_sequence(blind, population=population, level=level, side=side, prefixes=prefixes)


@pytest.mark.parametrize(
    ("interval", "study"), [(segments_blind, statistics._segments), (weights_blind, statistics._weighted)]
)
def test_picked_items_that_are_taken_for_random_draws(interval, study):
    """Picks that are treated as if chance had drawn them make a study see too many failures."""
    assert check(statistics.followed(interval, study, "picked", rate=0.5, sizes=(40, 80)), repetitions=20)


def test_draws_whose_chances_are_forgotten(monkeypatch):
    """Doubtful items are drawn more often; who takes that for even draws sees too many failures."""

    def forgetful(record, *, weight, profile):
        told = _draw_row.draw_row(record, weight=weight, profile=profile)
        return told._replace(probability=told.floor, prediction=None)

    monkeypatch.setattr(_replayed, "draw_row", forgetful)
    monkeypatch.setattr(risk, "failing", lambda rate, guide, rng: guide >= np.quantile(guide, 0.95))
    caught = check(risk.drawn("importance", 0.05, looks=(200,)), repetitions=8)
    assert rows_of(caught) == {"failure rate of the pool"}


@pytest.mark.parametrize("method", ["simple-random", "stratified"])
def test_planned_bounds_that_are_too_narrow(monkeypatch, method):
    """Hypergeometric bounds at 50% that are said to be at 95%, and bets whose bounds are drawn in."""
    honest = stats.Means.bounds

    def narrower(means, *alphas):
        ends = honest(means, *alphas)
        return tuple(0.35 * end + 0.65 * sum(ends) / 2 for end in ends)

    monkeypatch.setattr(stats.Means, "bounds", narrower)
    monkeypatch.setattr(
        _failure_rate, "hypergeometric", lambda *told, level, **rest: stats.hypergeometric(*told, level=0.5, **rest)
    )
    assert rows_of(check(risk.fixed(method, 0.5, answers=60), repetitions=20)) == {"failure rate with --fixed"}


def test_prices_that_forget_what_operation_meets(monkeypatch):
    honest = _price.weighted_mean_sequence
    monkeypatch.setattr(
        _price,
        "weighted_mean_sequence",
        lambda draws, **rest: honest(dataclasses.replace(draws, values=(draws.values > 0) / 3.0), **rest),
    )
    assert check(risk.priced(0.5, looks=(60, 120)), repetitions=8)


def test_unequal_draws_that_are_taken_for_uniform_ones(monkeypatch):
    """Kinds that change are asked more often; who forgets it sees too much change."""

    class Forgetful(ShiftDraws):
        def take(self, kind, answer, **told):
            told["probability"] = told["floor"] = 1 / self.left.sum()
            return super().take(kind, answer, **told)

    class Skewed(changed.World):
        """A pool in which only the least sure answers changed."""

        @classmethod
        def of(cls, *told):
            world = super().of(*told)
            unsure = world.census.level[world.kind] == 0
            old = world.census.old[world.kind]
            became = ["persisted" if one else "unchanged" for one in unsure]
            return cls(world.census, world.kind, np.where(unsure, 1 - old, old), became, world.part)

    monkeypatch.setattr(changed, "ShiftDraws", Forgetful)
    monkeypatch.setattr(changed, "draw_weights", lambda census, counts: 0.01 + 9.0 * (census.level == 0))
    monkeypatch.setattr(changed, "World", Skewed)
    caught = check(changed.asked_again(2, 0.3, items=200, sizes=(60, 120)), repetitions=8)
    assert "share of changed answers" in rows_of(caught)


def drawn_in(told, share):
    """The same intervals, each end moved towards the estimate."""

    def narrower(interval):
        low, high = (interval.estimate + share * (end - interval.estimate) for end in (interval.low, interval.high))
        return dataclasses.replace(interval, low=low, high=high)

    return {
        target: dataclasses.replace(
            estimates,
            prevalence=tuple(map(narrower, estimates.prevalence)),
            accuracy=tuple(tuple(map(narrower, row)) for row in estimates.accuracy),
            overall=tuple(map(narrower, estimates.overall)),
        )
        for target, estimates in told.items()
    }


def test_intervals_from_votes_that_are_a_third_too_narrow(monkeypatch):
    """These hold in 81% of studies, where 93% less three standard errors are needed."""
    monkeypatch.setattr(judges, "unlabelled_both", lambda *told: drawn_in(unlabelled_both(*told), 2 / 3))
    caught = check(judges.alone("strong", 0.9, 3, 500, promised=True), repetitions=40)
    assert {fall.where.split(", ")[-1] for fall in caught} == {"in general", "on this test"}


def test_general_intervals_that_are_sold_for_this_test(monkeypatch):
    """Twice too wide is wrong too: the realised values lie closer than that."""

    def general(*told):
        found = unlabelled_both(*told)["in general"]
        return {"in general": found, "on this test": found}

    monkeypatch.setattr(judges, "unlabelled_both", general)
    caught = check(judges.alone("strong", 0.9, 5, 500, promised=True), repetitions=60)
    assert {fall.where.split(", ")[-1] for fall in caught} == {"on this test"}
    assert all(fall.share > 0.99 for fall in caught)
    assert "where at most" in str(caught[0])


def test_votes_alone_in_the_place_of_labels():
    def trusting(sketch):
        found = evaluate(sketch, truth="truth")
        return dataclasses.replace(found, labelled=found.general, labelled_here=found.here)

    broken = check(judges_labelled.labelled(THREE, 0.1, 200, judge=trusting), repetitions=8)
    assert rows_of(broken) == {"with labels, items like these", "with labels, these very items"}


def test_standings_and_margins_that_go_by_the_votes():
    def trusting(sketch):
        found = evaluate(sketch, truth="truth")
        standings = dataclasses.replace(found.standings, each=(Standing.GOOD,) * 3)
        margin = dataclasses.replace(found.margin, most=0.02)
        return dataclasses.replace(found, standings=standings, margin=margin, together=found.general)

    broken = check(judges_labelled.labelled(THREE, 0.1, 200, judge=trusting), repetitions=8)
    assert rows_of(broken) == {
        "with labels, all numbers at once",
        "no judge is called good enough, or not, wrongly",
        "how far votes alone are off, by the labels",
    }


def test_bought_intervals_that_are_too_narrow(monkeypatch):
    """Intervals of one look at 60% that are said to be at 95%."""
    honest = _fixed.labelled_estimates
    monkeypatch.setattr(
        _fixed, "labelled_estimates", lambda *arguments, level, **options: honest(*arguments, level=0.6, **options)
    )
    caught = check(judges_labelled.buying(judges_labelled.BOUGHT[1], 60, "fixed"), repetitions=20)
    assert {fall.where.split(", ")[-1] for fall in caught} == {"prevalence", "accuracy", "overall"}


def test_an_alarm_that_is_raised_too_soon(monkeypatch):
    monkeypatch.setattr(judges.PanelAlarm, "threshold", 0.1)
    assert check(judges.alarm(1000, known=True, looks=(500,)), repetitions=40)
