"""Answers that are taken together say what they say one by one."""

import numpy as np
import pytest

from ringtrue.core import Claim, Records
from ringtrue.risk import FailureRate, SimpleRandom
from ringtrue.risk._draw_row import DrawRow, DrawRows
from ringtrue.risk._evidence import Witness
from ringtrue.stats import PoolEvidence, generator
from ringtrue.testing._replayed import asked

SIZE = 400


def rows(rate, seed, answers=SIZE, lost=0.0, picks=()):
    """Even draws of a pool, of which some are unknown and some are picks."""
    rng = generator(seed, "many at once")
    made = []
    for place in range(answers):
        failed = None if rng.random() < lost else bool(rng.random() < rate)
        chance = None if place in picks else 1 / (SIZE - place)
        made.append(DrawRow(failed, chance, chance))
    return made


@pytest.mark.parametrize("limit", [0.001, 0.02, 0.05, 0.5, 0.99])
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.05, 0.5, 1.0])
def test_the_evidence_after_each_draw(rate, limit):
    one, many = (PoolEvidence(limit, population=SIZE) for _ in range(2))
    failed = np.array([row.failed for row in rows(rate, 3)])
    found = np.concatenate([np.stack(many.draw_all(some)) for some in np.split(failed, [7, 200])], axis=1)
    reached = 0
    for place, fails in enumerate(failed):
        one.draw(bool(fails))
        for side, evidence in enumerate(one.evidence()):
            if evidence >= one.test.threshold or found[side, place] >= one.test.threshold:
                assert found[side, place] == pytest.approx(evidence, abs=1e-9)
                reached += 1
    assert reached, "every pool that is labelled in full is decided"
    assert (many.known_failures, many.unknown, many.draws, many.failures) == (
        one.known_failures,
        0,
        one.draws,
        one.failures,
    )
    assert many.segments.failures.tolist() == one.segments.failures.tolist()


def test_draws_go_on_after_a_pick():
    one, many = (PoolEvidence(0.1, population=SIZE) for _ in range(2))
    for evidence in (one, many):
        evidence.draw(False)
        evidence.know(True)
    for _ in range(50):
        one.draw(False)
    below = many.draw_all(np.zeros(50, dtype=bool))[0]
    assert below[-1] == pytest.approx(one.evidence()[0])
    assert many.segments.draws.tolist() == one.segments.draws.tolist() == [1, 50]


@pytest.mark.parametrize("rate", [0.0, 0.03, 0.2])
@pytest.mark.parametrize("lost", [0.0, 0.02])
@pytest.mark.parametrize("picks", [(), (0, 150)])
def test_the_moment_of_the_decision(rate, lost, picks):
    told, limits = rows(rate, 5, lost=lost, picks=picks), (0.05, 0.05)
    one, many = (Witness(SIZE, limits, 0.95) for _ in range(2))
    decided = None
    for place, row in enumerate(told, start=1):
        one.add(row)
        if decided is None and one.may_decide():
            below, above = one.evidence()
            if max(below, above) >= -np.log(0.05):
                decided = place, bool(below >= -np.log(0.05))
    found = many.add_all(DrawRows(told), look=True)
    assert decided == (None if found is None else tuple(found))
    ends = [1, 40, SIZE - 1]
    for side in ("both", "upper"):
        here, there = (witness.bounds(ends, level=0.95, side=side) for witness in (one, many))
        assert here.low == pytest.approx(there.low)
        assert here.high == pytest.approx(there.high)


@pytest.mark.parametrize("portions", [[SIZE], [1] * SIZE, [33, 1, 100, 40]])
def test_portions_do_not_matter(make_records, portions):
    records = make_records(SIZE)
    whole = FailureRate(size=SIZE, claim=Claim.parse("error <= 5% at 95%"))
    whole.update(records)
    parts, place = FailureRate(size=SIZE, claim=Claim.parse("error <= 5% at 95%")), 0
    for portion in [*portions, SIZE]:
        parts.update(records[place : place + portion])
        place += portion
    assert parts.finding() == whole.finding()
    assert whole.finding().decided_at is not None


@pytest.fixture
def make_records():
    def make(answers):
        truth = ["wrong" if row % 50 == 7 else "right" for row in range(SIZE)]
        found = []
        for record, _ in zip(asked(SimpleRandom(), truth, seed=1, scores={}), range(answers), strict=False):
            found.append(record)
        return Records(found).part()

    return make
