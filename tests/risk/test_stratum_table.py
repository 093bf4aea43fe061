"""Where the failures are: every stratum with an interval that holds, in the order of its doubt."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import Record
from ringtrue.risk import Risk
from ringtrue.risk._draw_row import DrawRows
from ringtrue.risk._strata import StratumTable
from ringtrue.stats import PoolSegments, pool_rate_sequence, segmented_pool_sequence
from ringtrue.testing._replayed import follow

SPANS = {0: (0.0, 0.01), 1: (0.02, 0.02), 2: (0.1, 0.3)}
ITEMS = 50


def record(number, place, failed, question="risk"):
    """`place` is a stratum, or None for a draw of another question."""
    made = Record(number, question, "p", "oracle", number, str(number), "", 0.001, 0.001, Decimal(0), "right")
    if place is not None:
        stratum = {"stratum": f"doubt {SPANS[place][0]:.0%}", "items": ITEMS, "span": list(SPANS[place])}
        made.note = {"profile": None, "place": place, "strata": 3, **stratum}
    made.state = "abandoned" if failed is None else "answered"
    made.value = "wrong" if failed else "right"
    return made


def table(*told):
    """From (stratum, failed, doubt or None) in the order of asking; stratum None for another question's."""
    made = StratumTable("risk", None)
    for number, (place, failed, doubt) in enumerate(told):
        one = record(number, place, failed, "risk" if place is not None else "other")
        made.add([one], DrawRows.of([one], [1.0], None), [doubt])
    return made.rows(150, 0.95)


def ends(row):
    return row.interval.low, row.interval.high


def test_strata_stand_in_the_order_of_their_doubt():
    rows = table((2, True, 0.2), (1, False, 0.02), (0, False, 0.0), (2, True, 0.1))
    assert [row.name for row in rows] == ["doubt 0%", "doubt 2%", "doubt 10%"], "not as text: 10 comes after 2"
    assert [(row.answers, row.failures, row.rate) for row in rows] == [(1, 0, 0), (1, 0, 0), (2, 2, 1)]
    assert [row.share for row in rows] == [1 / 3] * 3
    assert [row.chance for row in rows] == [0.75, 0.75, 1.5]


def test_each_interval_is_that_of_a_pool_at_a_level_for_all_strata():
    told = [(0, False, 0.0)] * 9 + [(0, True, 0.0)] + [(1, True, 0.02)]
    many, one = table(*told)
    each = 1 - 0.05 / 3
    for row, (failures, answers) in ((many, (1, 10)), (one, (1, 1))):
        found = pool_rate_sequence(failures, answers, population=ITEMS, level=each)
        assert ends(row) == pytest.approx((float(found.low), float(found.high)))
        assert row.interval.level == 0.95
    assert one.interval.low < 0.05 < 0.95 < one.interval.high, "a failure in one answer says next to nothing"
    assert one.interval.high == 1


def test_what_nobody_could_tell_counts_both_ways():
    (row,) = table(*[(0, False, 0.0)] * 9, (0, None, 0.0))
    right, failed = (pool_rate_sequence(k, 10, population=ITEMS, level=1 - 0.05 / 3) for k in (0, 1))
    assert ends(row) == pytest.approx((float(right.low), float(failed.high)))
    assert (row.answers, row.failures) == (9, 0)


def test_what_other_questions_asked_for_is_known_in_its_stratum_and_no_draw():
    rows = table((0, False, 0.0), (None, True, 0.005), (0, False, 0.0), (None, True, 0.5))
    (row,) = rows
    segments = PoolSegments.of([(0, 50, 1, 0), (1, 48, 1, 0)])
    found = segmented_pool_sequence(segments, population=ITEMS, level=1 - 0.05 / 3)
    assert ends(row) == pytest.approx((float(found.low[-1]), float(found.high[-1])))
    assert row.interval.low == 1 / 50, "one failing item is known"
    assert (row.answers, row.failures) == (3, 1), "told beside the interval: 0 of 2 failed, so 2% do, would be absurd"
    assert row.chance == 150 / ITEMS, "drawn are the two alone"


def test_no_end_is_shown_that_the_answers_beside_it_do_not_explain():
    """A lower end above 0 has a failure beside it, an upper end below 1 something right, whoever asked for it."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        told = []
        for _ in range(int(rng.integers(1, 12))):
            other, doubt = rng.random() < 0.5, rng.choice([0.005, 0.02, 0.2])
            place = None if other else {0.005: 0, 0.02: 1, 0.2: 2}[doubt]
            told.append((place, rng.choice([True, False, None]), doubt))
        for row in table(*told):
            assert row.failures or row.interval.low == 0, told
            assert row.failures < row.answers or row.interval.high == 1, told


def test_without_the_doubt_in_what_others_asked_for_there_is_no_interval():
    rows = table((0, False, 0.0), (None, True, None))
    assert [row.interval for row in rows] == [None]


def test_a_study_by_doubt_bounds_every_stratum():
    rng = np.random.default_rng(3)
    doubt = rng.beta(0.3, 3, 400)
    errors = rng.random(400) < doubt
    estimator = Risk(confidence="score").estimator(size=400, claim=None, scores={"doubt": doubt})
    records = []
    follow(errors, doubt, method="stratified", seed=1, answers=400, watch=records.append)
    estimator.update(records[:150])
    rows = estimator.finding().strata
    least = [float(row.name.removeprefix("doubt ").split("%")[0]) for row in rows]
    assert least == sorted(least)
    assert all(row.interval is not None and row.interval.low <= row.rate <= row.interval.high for row in rows)
    estimator.update(records[150:])
    for row in estimator.finding().strata:
        assert ends(row) == (row.rate, row.rate), "a stratum that is labelled in full is known"
