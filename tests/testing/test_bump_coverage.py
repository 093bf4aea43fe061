"""Claims where a bump may be missed, in few studies; the whole table has its own command."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.testing import bump_coverage
from ringtrue.testing.bump_coverage import DIMENSIONS, HEADING, WIDTHS, check, draw, false_claims, section, true_claims


@pytest.mark.parametrize(("width", "seed"), [(0.1, 0), (0.15, 101)])
def test_a_claim_does_not_ring_true_because_every_evaluation_missed_the_bump(width, seed):
    """Both did when the surrogate's own band was all that was asked for."""
    assert false_claims(3, width, repetitions=1, seed=seed) == 0


@pytest.mark.parametrize("width", [None, 0.2])
def test_a_true_claim_still_rings_true(width):
    assert true_claims(2, width, repetitions=1, seed=1) == 1


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_bump_stands_out_of_the_waves(dimension):
    drawn = draw(dimension, 0.1, seed=3)
    assert drawn.largest >= drawn.smooth + 1
    places = np.random.default_rng(0).random((2000, dimension))
    assert np.max(np.abs(drawn.function(places))) < drawn.largest + 0.5


def test_false_claims_beyond_chance_are_told():
    few = dict.fromkeys([(1, float(width)) for width in range(20)], 2)
    assert check(few, 60) == []
    assert len(check({**few, (1, 0.0): 12}, 60)) == 1
    assert len(check(dict.fromkeys(few, 6), 60)) == 1  # each may be chance, all together are not


def test_the_section_has_a_row_for_each_dimension(monkeypatch):
    monkeypatch.setattr(bump_coverage, "false_claims", lambda *_, **__: 60)
    monkeypatch.setattr(bump_coverage, "true_claims", lambda *_, **__: 10)
    text, broken = section(repetitions=60)
    assert text.startswith(HEADING)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(DIMENSIONS)
    assert {line.count("|") for line in rows} == {5 + len(WIDTHS)}
    assert len(broken) == 1 + len(DIMENSIONS) * len(WIDTHS)
