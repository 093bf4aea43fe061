"""While no failure was seen a rate may be 0, and while nothing right was seen it may be 1: every interval of a rate.

Random histories: a fresh vector of chances, and of predictions however foolish, before every draw. Whatever can come
may come, so the items that come are those that the bets gain most from.
"""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from ringtrue.blind._rate import Answered, ErrorRate
from ringtrue.changed._baseline import Baseline
from ringtrue.changed._census import Census
from ringtrue.changed.evidence._detection import AccuracyTest, LimitVerdict
from ringtrue.changed.evidence._shift_draws import ShiftDraws
from ringtrue.core import Claim, Prediction, Record, Sketch, Verdict
from ringtrue.judges import BoughtAccuracies
from ringtrue.papers.reliability_assessment import importance_mean_sequence, stratified_jeffreys, stratified_upper
from ringtrue.risk import Risk
from ringtrue.risk.profiles import price
from ringtrue.stats import (
    PoolSegments,
    Predicted,
    WeightedDraws,
    average_chance_sequence,
    clopper_pearson,
    hypergeometric,
    pool_rate_sequence,
    rate_sequence,
    segmented_pool_sequence,
    weighted_mean_sequence,
    wilson,
)
from support.profiles import slices

SIZE = 40
SEEDS = range(4)
WEIGHTS = np.where(np.arange(SIZE) % 4 == 0, 2.5, 0.5)
PROFILE = slices("ops", {"a": 10, "b": 30}, {"a": 5, "b": 3}, ["kind"])


def drawn(rng, steps, fails, *, weights=None, predicting=True):
    """Rows of a pool with the chances that they had, each with (probability, floor, prediction); some are picked."""
    weight = np.ones(SIZE) if weights is None else weights
    left = np.arange(SIZE)
    for step in range(steps):
        if rng.random() < 0.1:
            row = int(rng.choice(left))
            yield row, None, None, None
            left = left[left != row]
            continue
        chance = rng.dirichlet(np.full(len(left), rng.choice([0.5, 3.0]))) + 1e-4
        chance = 0.5 * chance / chance.sum() + 0.5 / len(left) if step > 2 else np.full(len(left), 1 / len(left))
        guess = guesses(rng, len(left)) if predicting else np.zeros(len(left))
        miss = weight[left] * guess / chance, weight[left] * (1 - guess) / chance
        place = int(np.argmin(miss[int(fails)]))
        prediction = Prediction(
            float(guess[place]), float(weight[left] @ guess), -float(miss[0].max()), float(miss[1].max())
        )
        row = int(left[place])
        yield row, float(chance[place]), float(chance.min()), prediction if predicting and step > 2 else None
        left = left[left != row]


def guesses(rng, count):
    """Foolish predictions: some items are said to fail, or all but some, about as often as not."""
    return np.where(rng.random(count) < rng.choice([0.2, 0.5]), 0.4, 0.0) + rng.choice([0.0, 0.6])


def records(rng, fails, *, weights=None, predicting=True, mark=None, steps=16, unanswerable=0.1):
    """A history of risk in which everything seen fails, or nothing does; some items nobody could tell."""
    made = []
    for row, probability, floor, prediction in drawn(rng, steps, fails, weights=weights, predicting=predicting):
        one = Record(
            len(made), "risk", "p", "oracle", row, str(row), "", probability, floor, Decimal(0), "right",
            prediction=prediction, note={"profile": mark},
        )  # fmt: skip
        unknown = rng.random() < unanswerable
        one.state = "abandoned" if unknown else "answered"
        one.value = None if unknown else "wrong" if fails else "right"
        made.append(one)
    return made


def holds_open(low, high, fails):
    return np.all(np.asarray(high) == 1) if fails else np.all(np.asarray(low) == 0)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("kind", ["uneven", "predicted", "profile"])
@pytest.mark.parametrize("limit", ["0.2%", "99.5%"])
def test_a_failure_rate_that_is_watched(kind, fails, limit):
    weights = WEIGHTS if kind == "profile" else None
    profile = PROFILE if kind == "profile" else None
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        claim, scores = Claim.parse(f"error <= {limit} at 60%"), {"weight": WEIGHTS}
        estimator = Risk(profile=profile).estimator(size=SIZE, claim=claim, scores=scores)
        mark = None if profile is None else profile.mark
        for one in records(rng, fails, weights=weights, predicting=kind != "uneven", mark=mark):
            estimator.update([one])
            assert estimator.verdict is not (Verdict.RINGS_TRUE if fails else Verdict.RINGS_FALSE)
        finding = estimator.finding()
        assert holds_open(finding.interval.low, finding.interval.high, fails), seed
        assert holds_open(finding.bound.low, finding.bound.high, fails), seed
        assert holds_open(finding.path.low, finding.path.high, fails), seed
        if finding.operation is not None:
            assert holds_open(finding.operation.low, finding.operation.high, fails), seed


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("kind", ["uneven", "predicted", "profile"])
def test_a_failure_rate_of_a_number_fixed_beforehand(kind, fails):
    weights, profile = (WEIGHTS, PROFILE) if kind == "profile" else (None, None)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        made = records(rng, fails, weights=weights, predicting=kind != "uneven", mark=profile and profile.mark)
        for claim in ("error <= 0.2% at 60%", "error <= 99.5% at 60%"):
            question = Risk(confidence="sure", profile=profile, fixed=16, method="stratified")
            estimator = question.estimator(size=SIZE, claim=Claim.parse(claim), scores={"weight": WEIGHTS})
            estimator.update(made)
            finding = estimator.finding()
            assert holds_open(finding.interval.low, finding.interval.high, fails), seed
            assert holds_open(finding.bound.low, finding.bound.high, fails), seed
            assert finding.verdict is not (Verdict.RINGS_TRUE if fails else Verdict.RINGS_FALSE)


@pytest.mark.parametrize("fails", [False, True])
def test_a_profile_priced_from_labels_drawn_without_regard_to_it(fails):
    """By luck the items that come weigh little: the labels' own mean is far below 1."""
    chance = 1 / np.arange(400, 260, -1)
    weight = np.tile([0.5] * 9 + [2.5], 14)
    told = np.where(np.arange(140) == 30, np.nan, float(fails))
    found = price("ops", told, weight, chance, chance, population=400, most=2.5, level=0.6)
    assert found.interval is not None
    assert holds_open(found.interval.low, found.interval.high, fails)


@pytest.mark.parametrize("fails", [False, True])
def test_the_rate_of_confident_errors(fails):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        rate, left = ErrorRate(SIZE), SIZE
        for _ in range(15):
            guess = np.sort(guesses(rng, left))[:: -1 if fails else 1]
            unknown = rng.random() < 0.1
            predicted = Predicted(
                float(guess[0]), float(guess.sum()), -float(guess.max()) * left, float(1 - guess.min()) * left
            )
            low, high = float(fails and not unknown), float(fails or unknown)
            rate.add(Answered(low, high, rng.random() < 0.9, predicted))
            left -= 1
        assert holds_open(*rate.bounds(0.1, 0.1), fails), seed


@pytest.mark.parametrize("fails", [False, True])
def test_the_errors_and_accuracies_of_judges(fails):
    for seed in SEEDS[:4]:
        rng = np.random.default_rng(seed)
        votes = rng.integers(0, 2, (SIZE, 2))
        votes[:, 1] = np.where(rng.random(SIZE) < 0.2, -1, votes[:, 0])
        truth = 1 - votes[:, 0] if fails else votes[:, 0]
        labels = ("no", "yes")
        sketch = Sketch(("ann", "bob"), labels, [(tuple(row), 1) for row in votes.tolist()])
        claim = Claim.parse("error <= 99% at 60%" if fails else "error <= 0.5% at 60%")
        estimator = BoughtAccuracies(sketch, size=SIZE, claim=claim)
        for number, (row, probability, floor, _) in enumerate(drawn(rng, 15, fails)):
            names = [None if vote < 0 else labels[vote] for vote in votes[row]]
            one = Record(
                number, "judges", "p", "oracle", row, str(row), "", probability, floor, Decimal(0), None,
                known={"votes": dict(zip(sketch.judges, names, strict=True))},
            )  # fmt: skip
            one.state, one.value = ("abandoned", None) if number % 7 == 5 else ("answered", labels[truth[row]])
            estimator.update([one])
            assert estimator.verdict is not (Verdict.RINGS_TRUE if fails else Verdict.RINGS_FALSE)
        finding = estimator.finding()
        for judge in finding.judged:
            assert holds_open(judge.error.low, judge.error.high, fails), seed
        for row in (*finding.estimates.accuracy, finding.estimates.overall):
            for accuracy in row:
                assert holds_open(accuracy.low, accuracy.high, not fails), seed


@pytest.mark.parametrize("changes", [False, True])
def test_the_rate_of_change(changes):
    """Items of one kind are said to change half the time and never come; what comes is as it was predicted."""

    def predict(census, counts):
        chances = np.zeros(counts.shape)
        kinds = np.arange(census.kinds)
        chances[kinds, census.old], chances[kinds, 1 - census.old] = 1 - changes, changes
        chances[0] = 0.5
        return chances

    for seed in SEEDS[:3]:
        rng = np.random.default_rng(seed)
        census, kind = Census.take(Baseline.of(old=rng.choice(["a", "b"], SIZE).tolist()))
        part = np.array(["x", "y"])[rng.permutation(SIZE) % 2]
        counts = {name: np.bincount(kind[part == name], minlength=census.kinds) for name in ("x", "y")}
        draws = ShiftDraws(replace(census, slices={"part": counts}), predict=predict)
        claims = [LimitVerdict.at_most(limit, level=0.6) for limit in (0.001, 0.999)]
        for place, row in enumerate(rng.permutation(np.flatnonzero(kind))):
            answer = None if place == 7 else int(census.old[kind[row]]) ^ changes
            chance = 1 / (SIZE - place)
            told = draws.take(int(kind[row]), answer, probability=chance, floor=chance, slices={"part": str(part[row])})
            for claim in claims:
                claim.take(told.changed)
                assert claim.verdict is not (Verdict.RINGS_TRUE if changes else Verdict.RINGS_FALSE)
        change = draws.change(0.6)
        assert holds_open(change.low, change.high, changes), seed
        for one in draws.slices(0.6):
            assert holds_open(one.change.low, one.change.high, changes), seed


def test_the_accuracy_and_the_cells_while_no_answer_changed():
    """Items of one kind are said to change at random and never come; all that come are as they were."""

    def predict(census, counts):
        chances = np.zeros(counts.shape)
        chances[np.arange(census.kinds), census.old] = 1
        chances[0] = 1 / counts.shape[1]
        return chances

    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        old = rng.choice(["a", "b", "c"], SIZE)
        truth = np.where(rng.random(SIZE) < 0.7, old, rng.choice(["a", "b", "c"], SIZE))
        census, kind = Census.take(Baseline.of(old=old.tolist(), truth=truth.tolist()))
        part = np.array(["x", "y"])[rng.permutation(SIZE) % 2]
        counts = {name: np.bincount(kind[part == name], minlength=census.kinds) for name in ("x", "y")}
        draws = ShiftDraws(replace(census, slices={"part": counts}), predict=predict)
        claim = LimitVerdict.accuracy_drop(0.001, old=draws.old_accuracy, level=0.6)
        test = AccuracyTest(draws.old_accuracy, level=0.6)
        for place, row in enumerate(rng.permutation(np.flatnonzero(kind))):
            answer = None if place == 7 else int(census.old[kind[row]])
            chance, where = 1 / (SIZE - place), {"part": str(part[row])}
            told = draws.take(int(kind[row]), answer, probability=chance, floor=chance, slices=where)
            claim.take(told.right)
            test.take(told.right)
            assert claim.verdict is not Verdict.RINGS_FALSE, (seed, place)
        assert test.detected_at is None
        for moved in (draws.accuracy_difference(0.6), *(one.accuracy for one in draws.slices(0.6))):
            assert moved.low <= 1e-12, seed
            assert moved.high >= -1e-12, seed
        _, low, high = draws.cells(0.6)
        assert np.all(low <= 1e-12), seed
        assert np.all(high >= -1e-12), seed


@pytest.mark.parametrize("fails", [False, True])
def test_every_interval_of_the_statistics(fails):
    value = float(fails)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        k = n * int(fails)
        made = list(drawn(rng, n, fails, predicting=False))
        chance, floor = (np.array(part, dtype=float) for part in list(zip(*made, strict=True))[1:3])
        draws = WeightedDraws.of(np.full(n, value), chance, floor)
        known = int(rng.integers(0, 4))
        strata = [k, 0], [n, 0], [SIZE, 10]
        for found in (
            clopper_pearson(k, n),
            wilson(k, n),
            hypergeometric(k, n, population=SIZE),
            rate_sequence(k, n),
            pool_rate_sequence(k, n, population=SIZE),
            segmented_pool_sequence(PoolSegments.of([(known * fails, SIZE - known, n, k)]), population=SIZE, level=0.6),
            weighted_mean_sequence(draws, population=SIZE, level=0.6),
            importance_mean_sequence(np.full(n, value), rng.uniform(0, 2, n), 2.0, level=0.6),
            average_chance_sequence(np.full(n, fails)),
            stratified_upper(*strata),
            stratified_jeffreys(*strata),
        ):
            assert holds_open(np.ravel(found.low)[-1], np.ravel(found.high)[-1], fails), seed
