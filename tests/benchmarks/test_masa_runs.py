"""Many runs of MASA at once make the choices it makes step by step; designs that do not learn err as they should."""

import numpy as np
import pytest

from ringtrue.changed._baseline import Baseline
from ringtrue.changed.masa import Masa
from ringtrue.papers.masa import apportioned, neyman_weights
from simulated_shifts import MANY, METHODS, Scenario, errors
from simulated_shifts import masa_runs as _masa_runs
from simulated_shifts.masa_runs import masa_runs, taken_draws


def scenario(size=4_000, labels=4, seed=0, accuracy=0.85, extra=False):
    """Two models alike in quality, less sure where wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(size) % labels)  # so that there are parts of one size
    sure = rng.random(size)

    def answers():
        wrong = rng.random(size) > accuracy + 0.3 * (sure - 0.5)
        return np.where(wrong, rng.integers(0, labels + extra, size), truth).tolist()

    known = Baseline.of(old=answers(), truth=truth.tolist(), confidence=sure)
    names, new = known.code(answers())
    return Scenario.of(known, new, names)


@pytest.mark.parametrize("exploration", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_on_the_same_draws_sorting_chooses_what_the_steps_choose(exploration, seed):
    """Exactly: equal shares make ties, and both must break them alike."""
    known = scenario(seed=seed)
    partition = known.by_level
    assert len(set(partition.sizes.tolist())) < partition.parts
    rng = np.random.default_rng(seed)
    runs, total = 5, 400
    order = np.split(np.argsort(partition.part, kind="stable"), np.cumsum(partition.sizes)[:-1])
    drawn = [known.new[rng.choice(rows, (runs, total))] for rows in order]
    taken = taken_draws(drawn, partition.shares, len(known.answers), total, exploration)
    for run in range(runs):
        masa, place, expected = Masa(partition, exploration=exploration), [0] * partition.parts, []
        for _ in range(total):
            part = masa.next()
            masa.tell(part, int(drawn[part][run, place[part]]))
            expected.append(part * total + place[part])
            place[part] += 1
        assert taken[run].tolist() == expected


def test_draws_that_give_out_are_continued(monkeypatch):
    """Beginning with far too few draws of each part is slower and changes nothing."""
    known = scenario()
    plenty = {
        replace: masa_runs(known, known.by_level, [300], 1_000, np.random.default_rng(1), replace=replace)
        for replace in (True, False)
    }
    monkeypatch.setattr(_masa_runs, "_expected_draws", lambda partition, *_: np.full(partition.parts, 2))
    few = masa_runs(known, known.by_level, [300], 1_000, np.random.default_rng(1), replace=False)
    assert (few == plenty[False]).all(), "the order of the items is drawn beforehand, and is the same"
    few = masa_runs(known, known.by_level, [300], 1_000, np.random.default_rng(2))
    one, other = known.error(plenty[True])[:, 0], known.error(few)[:, 0]
    margin = 3 * np.sqrt(one.var() / 1_000 + other.var() / 1_000)  # three standard errors of the difference
    assert abs(one.mean() - other.mean()) < margin
    assert margin < 0.05 * one.mean()


@pytest.mark.parametrize("replace", [True, False])
def test_steps_and_sorting_agree_in_distribution(replace):
    known = scenario(size=600)
    partition = known.by_level
    rng = np.random.default_rng(3)
    order = np.split(np.argsort(partition.part, kind="stable"), np.cumsum(partition.sizes)[:-1])
    steps = []
    for _ in range(200):
        masa = Masa(partition, replace=replace)
        streams = [known.new[rng.choice(rows, 300) if replace else rng.permutation(rows)] for rows in order]
        for _ in range(250):
            part = masa.next()
            masa.tell(part, int(streams[part][masa.asked[part]]))
        steps.append(float(known.error(masa.shift(known.old_matrix))))
    sorted_ = known.error(masa_runs(known, partition, [250], 2_000, rng, replace=replace))[:, 0]
    margin = 3 * np.sqrt(np.var(steps) / 200 + sorted_.var() / 2_000)
    assert abs(np.mean(steps) - sorted_.mean()) < margin
    assert margin < 0.08 * sorted_.mean()


def test_budgets_of_one_run_are_that_run_so_far():
    known = scenario()
    for method in MANY:
        several = METHODS[method](known, [60, 300], np.random.default_rng(4))
        assert several.shape == (2, *known.shift.shape)
        assert several.sum(axis=(1, 2)) == pytest.approx(np.zeros(2), abs=1e-12)
        if method.startswith("masa-without"):
            alone = METHODS[method](known, [300], np.random.default_rng(4))
            assert alone[0] == pytest.approx(several[1], abs=1e-12)


@pytest.mark.parametrize("method", ["uniform", "by-label", "by-label-and-level", "neyman"])
def test_designs_that_do_not_learn_have_their_closed_form(method):
    """Lemma 1: the mean squared error is the sum of share^2 * spread / draws; 4,000 runs, 3 standard errors."""
    known, budgets = scenario(seed=5), [120, 480]
    found = errors(known, method, budgets, 4_000, seed=1) ** 2
    for budget, squared in zip(budgets, found.T, strict=True):
        if method == "uniform":
            expected = (1 - ((known.shift + known.old_matrix) ** 2).sum()) / budget
        else:
            partition = known.by_label if method == "by-label" else known.by_level
            counts = partition.counts(known.new, len(known.answers))
            weights = neyman_weights(partition, counts) if method == "neyman" else partition.shares
            truth = partition.counts(known.new, len(known.answers)) / partition.sizes[:, None]
            spread = 1 - (truth**2).sum(axis=1)
            expected = (partition.shares**2 * spread / apportioned(weights, budget)).sum()
        assert abs(squared.mean() - expected) < 3 * squared.std() / np.sqrt(4_000)
        assert 3 * squared.std() / np.sqrt(4_000) < 0.05 * expected


@pytest.mark.parametrize("weights", [[0.5, 0.3, 0.2], [0.97, 0.02, 0.01], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1, 1, 1]])
def test_apportionment_adds_up_and_nobody_loses_when_there_is_more(weights):
    weights = np.array(weights, dtype=float)
    before = np.zeros(3, dtype=int)
    for total in range(60):
        given = apportioned(weights, total)
        assert given.sum() == total
        assert (given >= before).all()
        assert total < 3 or given.min() >= 1
        before = given
    share = weights / weights.sum() if weights.any() else np.full(3, 1 / 3)
    assert apportioned(weights, 3_000_000) == pytest.approx(share * 3e6, abs=3)


@pytest.mark.parametrize("method", list(MANY))
def test_pools_that_are_odd(method):
    """Fewer calls than parts, a part of one item, one label only, an answer nobody gave before, no confidences."""
    rng = np.random.default_rng(6)
    odd = {
        "few calls": scenario(size=300, labels=9),
        "unseen answer": scenario(size=300, labels=2, extra=True),
    }
    single = Baseline.of(old=["a"] * 20, truth=["a"] * 20)
    names, new = single.code(["a"] * 15 + ["b"] * 5)
    odd["one label, no confidences"] = Scenario.of(single, new, names)
    lonely = Baseline.of(old=["a"] * 9 + ["b"], truth=["a"] * 9 + ["b"], confidence=[0.5] * 10)
    odd["a part of one"] = Scenario.of(lonely, lonely.old, lonely.answers)
    for name, known in odd.items():
        found = METHODS[method](known, [1, 5, 40], rng)
        assert np.isfinite(found).all(), name
        assert (found + known.old_matrix >= -1e-12).all(), name
    # Nothing differs within the parts, so that a few answers of each are the truth.
    if method != "uniform":
        assert odd["a part of one"].error(METHODS[method](odd["a part of one"], [8], rng))[0] < 1e-12


def test_an_exhausted_pool_is_known():
    known = scenario(size=300)
    found = METHODS["masa-without-replacement"](known, [100, 300, 900], np.random.default_rng(7))
    assert known.error(found)[0] > 0.001
    assert known.error(found)[1:] == pytest.approx([0, 0], abs=1e-12)
