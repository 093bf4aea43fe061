"""The case study of nearly independent trios holds at small size what its README says at full size."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from judges_trios.fits import measure_power, sketch_of
from judges_trios.panels import KINDS, TRAINING_PER_LABEL, Data, load, make_panel, make_trio, twonorm
from judges_trios.run import results
from judges_trios.trials import (
    algebra_errors,
    distances,
    majority_errors,
    nested_counts,
    run_trials,
    truth_of,
)
from ringtrue.papers.algebraic_evaluation import supervised

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"

needs_data = pytest.mark.skipif(
    not (SHARED / "data" / "uci_mushroom").is_dir(), reason="adult and mushroom are not beside the checkout"
)


@pytest.fixture(scope="module")
def twonorm_trials():
    return run_trials(twonorm(), "twonorm", trios=24, runs=2, sizes=(500, 2000))


@pytest.fixture(scope="module")
def adult():
    return load("adult", SHARED)


def test_twonorm_is_two_unit_gaussians_with_the_means_of_breiman():
    features, labels = twonorm(items=20_000)
    values = np.hstack(list(features.values()))
    for label, mean in ((0, -2 / np.sqrt(20)), (1, 2 / np.sqrt(20))):
        part = values[labels == label]
        assert np.allclose(part.mean(axis=0), mean, atol=0.04)  # four standard errors of 10,000 items
        assert np.allclose(np.cov(part.T), np.eye(20), atol=0.05)


def test_a_panel_is_a_function_of_its_seed():
    data = twonorm(items=2000)
    one, same, other = (make_trio(data, features_each=6, test_size=300, seed=seed) for seed in (1, 1, 2))
    again = make_trio(data, features_each=6, test_size=300, seed=1, run=1)
    assert np.array_equal(one.votes, same.votes)
    assert np.array_equal(one.truth, same.truth)
    assert not np.array_equal(one.votes, other.votes)
    assert not np.array_equal(one.truth, again.truth)


def test_the_first_items_of_a_panel_are_the_smaller_panel():
    data = twonorm(items=2000)
    large, small = (make_panel(data, features_each=2, test_size=size, seed=3) for size in (800, 200))
    assert np.array_equal(large.votes[:200], small.votes)
    assert np.array_equal(large.truth[:200], small.truth)


def test_every_part_of_a_test_has_the_prevalence_of_what_training_left_over():
    """Taking 300 items per label out for training must not push the rarer label to the end of the test."""
    features, labels = twonorm(items=6000)
    rare = np.flatnonzero(labels == 1)[800:]
    kept = np.setdiff1d(np.arange(6000), rare)
    data = Data({name: columns[kept] for name, columns in features.items()}, labels[kept])
    natural = (800 - TRAINING_PER_LABEL) / (len(kept) - 2 * TRAINING_PER_LABEL)
    truths = np.array(
        [make_panel(data, judges=1, features_each=2, test_size=2000, seed=seed).truth for seed in range(30)]
    )
    error = np.sqrt(natural * (1 - natural) / (30 * 100))
    assert truths[:, :100].mean() == pytest.approx(natural, abs=4 * error)
    assert truths[:, -100:].mean() == pytest.approx(natural, abs=4 * error)


def test_a_balanced_test_has_as_many_items_of_both_labels():
    truth = make_panel(twonorm(items=3000), judges=1, features_each=2, test_size=1000, seed=0, balanced=True).truth
    assert truth.sum() == 500


class Recorder:
    """A judge that notes which rows it was shown, and votes 1."""

    def __init__(self, notes):
        self.notes = notes

    def fit(self, rows, labels):
        self.notes.append({"learned": rows, "labels": labels})
        return self

    def predict(self, rows):
        self.notes[-1]["judged"] = rows
        return np.ones(len(rows))


@pytest.fixture
def notes(monkeypatch):
    """What recorders were shown: every feature of an item is its place, plus 10,000 times the feature's number."""
    notes = []
    monkeypatch.setitem(KINDS, "recorder", lambda _: Recorder(notes))
    return notes


def places(features, items=2000):
    labels = np.array([0, 1] * (items // 2))
    columns = {f"x{place}": np.arange(items)[:, None] + 10_000.0 * place for place in range(features)}
    return Data(columns, labels)


def test_judges_of_a_trio_share_no_feature_and_no_training_item(notes):
    make_panel(places(9), judges=3, features_each=3, test_size=500, seed=0, kinds=["recorder"])
    features = [set((note["learned"][0] // 10_000).tolist()) for note in notes]
    assert sorted(place for group in features for place in group) == list(range(9))
    learned = [set((note["learned"][:, 0] % 10_000).tolist()) for note in notes]
    assert len(set.union(*learned)) == 600
    assert all(len(items) == 200 and note["labels"].sum() == 100 for items, note in zip(learned, notes, strict=True))


def test_no_judge_votes_on_an_item_that_another_learned_from(notes):
    make_panel(places(5), judges=10, features_each=3, test_size=1400, seed=0, kinds=["recorder"])
    learned = {item for note in notes for item in (note["learned"][:, 0] % 10_000).tolist()}
    judged = {item for note in notes for item in (note["judged"][:, 0] % 10_000).tolist()}
    assert len(notes) == 10
    assert len(judged) == 1400
    assert not learned & judged
    with pytest.raises(ValueError, match="more than the 1400 items left"):
        make_panel(places(5), judges=10, features_each=3, test_size=1401, seed=0)


def test_nested_counts_are_those_of_counting_each_test_by_itself():
    random = np.random.default_rng(1)
    votes, truth = random.integers(0, 2, (300, 3)).astype(np.int8), random.integers(0, 2, 300).astype(np.int8)
    tables = nested_counts(votes, truth, (50, 120, 300))
    for size, table in zip((50, 120, 300), tables, strict=True):
        counted = Counter((int(t), *map(int, row)) for t, row in zip(truth[:size], votes[:size], strict=True))
        for (label, *row), times in counted.items():
            assert table[label, row[0] * 4 + row[1] * 2 + row[2]] == times
        assert table.sum() == size
    prevalence, accuracies = truth_of(tables[-1:])
    known = supervised(sketch_of(np.column_stack([votes, truth]), "truth"), "truth")
    assert prevalence[0] == pytest.approx(known.prevalence[0])
    assert np.allclose(accuracies[0], known.accuracies)


def test_independent_judges_survive_and_the_algebra_beats_the_majority_on_accuracies(twonorm_trials):
    assert twonorm_trials.share("ok", 2000) >= 0.9
    assert twonorm_trials.never(2000) <= 0.05
    surviving = twonorm_trials.surviving(2000)
    majority, algebra = majority_errors(surviving), algebra_errors(surviving)
    assert (algebra.mean_accuracy < majority.mean_accuracy).mean() >= 0.85
    assert np.median(algebra.mean_accuracy) < 0.6 * np.median(majority.mean_accuracy)
    assert np.median(algebra.prevalence) < 0.02


def test_more_items_make_the_algebra_better_and_leave_the_majority_as_wrong(twonorm_trials):
    few, many = twonorm_trials.surviving(500), twonorm_trials.surviving(2000)
    assert np.median(algebra_errors(many).mean_accuracy) < 0.75 * np.median(algebra_errors(few).mean_accuracy)
    assert np.median(majority_errors(many).mean_accuracy) > 0.75 * np.median(majority_errors(few).mean_accuracy)


def test_the_papers_last_filter_passes_every_solution(twonorm_trials):
    exact, rounded = distances(twonorm_trials.at(500))
    assert len(exact) >= len(rounded) >= 40
    assert not exact.any()
    assert rounded.max() < 1e-12


def test_the_fit_test_seldom_refuses_independent_judges():
    power = measure_power(twonorm(), 2, panels=3, sizes=(1000,))
    assert power.tests == 9
    assert max(power.rejected.values()) <= 4 / 9  # five of nine at 5% each: 3 times in 100,000 were they independent
    assert power.fitted[0] < 0.04


@needs_data
def test_the_datasets_are_the_ones_of_uci(adult):
    mushroom = load("mushroom", SHARED)
    for data, items, features, ones in ((adult, 48_842, 14, 11_687), (mushroom, 8_124, 22, 3_916)):
        assert len(data.labels) == items
        assert len(data.features) == features
        assert data.labels.sum() == ones
        assert all(np.isfinite(columns).all() and len(columns) == items for columns in data.features.values())
    assert mushroom.features["stalk_root"].shape[1] == 5  # with "?" as a category of its own


@pytest.mark.slow
@needs_data
def test_mushroom_has_far_fewer_valid_trios_than_twonorm(twonorm_trials):
    trials = run_trials(load("mushroom", SHARED), "mushroom", trios=24, runs=2, sizes=(500, 2000))
    assert trials.share("ok", 2000) < twonorm_trials.share("ok", 2000) - 0.25
    assert trials.never(2000) > twonorm_trials.never(2000) + 0.1
    exact, _ = distances(trials.at(2000))
    assert not exact.any()


@pytest.mark.slow
@needs_data
def test_judges_who_saw_the_same_features_look_valid_as_trios_and_do_not_fit_as_five(adult):
    power = measure_power(adult, 14, panels=2, sizes=(1000,), members=(5,))
    assert power.rejected[5, 1000] == 1
    assert power.trios_rejected < 0.1
    assert power.fitted[0] > 0.1


def test_the_whole_study_runs_small_and_says_what_it_found():
    text = results(shared=None, trios=6, runs=2, panels=0, datasets=("twonorm",), sizes=(500, 1000))
    for heading in ("### Beside the paper", "### How trios end", "### Median absolute errors", "### As good as 1%?"):
        assert heading in text
    assert "6 feature partitions per dataset, each trained and tested 2 times" in text
    assert "nan" not in text
