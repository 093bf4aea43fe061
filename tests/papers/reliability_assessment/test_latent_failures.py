"""Failures that draws do not meet: splitting over latents and inputs at once, against exact probabilities."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import Draws, PcaLatent, Splitting, assess_latent

FEATURES = 8
RADIUS = 0.1


def flat(rows=200, seed=1):
    """Two clouds far apart in a plane of eight dimensions; the last two features are 0."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) % 2
    inputs = np.zeros((rows, FEATURES))
    inputs[:, 0] = 4 * labels + rng.uniform(-1, 1, rows)
    inputs[:, 1] = rng.uniform(-1, 1, rows)
    return inputs, labels


def score_beyond(limit):
    """Wrong where both of the last features exceed the limit; and wherever another label is right."""

    def score(inputs, labels):
        near = inputs[:, -2:].min(axis=1) - limit
        return np.where(labels == (inputs[:, 0] > 2), near, -near)

    return score


def predict_beyond(limit):
    def predict(inputs):
        right = (inputs[:, 0] > 2).astype(int)
        return np.where(score_beyond(limit)(inputs, right) >= 0, 1 - right, right)

    return predict


def assess(local, limit, **changes):
    inputs, labels = flat()
    latent = PcaLatent.fit(inputs, axes=2)
    settings = {
        "domain": (-9, 9),
        "bandwidth": 0.3,
        "k": 3,
        "cells": 12,
        "radius": RADIUS,
        "profile_draws": 0,
        "seed": 1,
    }
    return assess_latent(inputs, labels, predict_beyond(limit), latent, local=local, **settings | changes)


def test_splitting_finds_what_draws_miss():
    limit = 0.0994
    exact = ((RADIUS - limit) / (2 * RADIUS)) ** 2  # 9e-6
    rare = assess(Splitting(score_beyond(limit), particles=200, runs=6, steps=10), limit)
    plain = assess(Draws(2000), limit)
    assert rare.local == "splitting"
    assert np.all(plain.judged.share == 0)
    assert np.all(plain.judged.high > 100 * exact)
    # Six runs of 200 particles: a standard deviation of about 0.15 in the logarithm, a little more with few moves.
    assert np.all(np.abs(np.log(rare.judged.share / exact)) < 0.7)
    assert np.all((rare.judged.low <= exact) & (exact <= rare.judged.high))
    assert np.all(rare.judged.high < 10 * exact)


def test_splitting_and_draws_agree_where_failures_are_common():
    limit = 0.02
    exact = 0.4**2
    rare = assess(Splitting(score_beyond(limit), particles=500, runs=4), limit, k=8)
    assert set(rare.judged.truth) == {0, 1}
    assert np.all((rare.judged.low <= exact) & (exact <= rare.judged.high))
    assert rare.judged.average == pytest.approx(exact, abs=0.02)  # 16,000 draws: a standard deviation of 0.003
    assert assess(Draws(2000), limit).judged.average == pytest.approx(exact, abs=0.02)


def test_nothing_found_is_an_upper_limit():
    rare = assess(Splitting(score_beyond(1.0), particles=50, runs=2, steps=2), 1.0)
    assert np.all(rare.judged.share == 0)
    assert np.all(rare.judged.high > 0.01)


def test_the_paper_splits_around_one_decoded_corner():
    limit = 0.05
    rare = assess(Splitting(score_beyond(limit), particles=500, runs=4), limit, mode="paper")
    asked = (rare.judged.high - rare.judged.low) < 1  # the others are 1 by rule
    assert asked.any()
    assert np.allclose(rare.judged.share[asked], 1 / 16, atol=0.02)


def test_calls_are_counted():
    counted = []

    def score(inputs, labels):
        counted.append(len(inputs))
        return score_beyond(0.05)(inputs, labels)

    finding = assess(Splitting(score, particles=100, runs=2), 0.05)
    assert finding.calls == sum(counted) + 3 + 2 * 200  # three cells' middles, and the labelled inputs twice


@pytest.mark.parametrize(
    ("score", "line"),
    [
        (lambda inputs, labels: -score_beyond(0.05)(inputs, labels), "score disagrees with the model at 3 of 3 inputs"),
        (lambda inputs, labels: np.zeros((len(inputs), 2)), r"score gave the shape \(3, 2\)"),
        (lambda inputs, labels: np.full(len(inputs), np.nan), "or NaN"),
    ],
)
def test_a_score_that_is_none_is_refused(score, line):
    with pytest.raises(InvalidInput, match=line):
        assess(Splitting(score), 0.05)
