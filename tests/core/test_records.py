"""Records as columns are the records that were put in, whichever way they are read."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import NOTHING, Prediction, Record, Records, failures, field_of

LABELS = st.one_of(st.sampled_from(["yes", "no", 1, 1.0, True, "1", "true"]), st.floats(allow_nan=False))
CHANCES = st.none() | st.floats(1e-9, 1)


@st.composite
def records(draw):
    made = []
    for number in range(draw(st.integers(0, 12))):
        state = draw(st.sampled_from(["leased", "waiting", "answered", "abandoned"]))
        value = draw(LABELS | st.fixed_dictionaries({"label": LABELS})) if state == "answered" else None
        made.append(
            Record(
                number,
                draw(st.sampled_from(["risk", "audit"])),
                "policy",
                draw(st.sampled_from(["oracle", "model"])),
                draw(st.none() | st.integers(0, 9)),
                str(number),
                "digest",
                draw(CHANCES),
                draw(CHANCES),
                Decimal(draw(st.sampled_from(["0", "0.10", "3"]))),
                draw(LABELS),
                draw(st.none() | st.just((0.5, 1.5))),
                state,
                value,
                draw(st.none() | st.just("ann")),
                draw(st.just(NOTHING) | st.just({"old": "no"})),
                draw(st.none() | st.just(Prediction(0.5, 3.0, -1.0, 2.0))),
                draw(st.just(NOTHING) | st.just({"place": 1})),
                draw(st.just(()) | st.just(("no", None))),
            )
        )
    return made


@given(records())
def test_they_are_what_was_put_in(told):
    kept = Records(told)
    assert list(kept) == kept[:] == list(kept.part()) == told
    assert [kept[-1 - place] for place in range(len(told))] == told[::-1]
    assert kept.part() == told
    assert kept.part()[1:] == told[1:]
    with pytest.raises(IndexError):
        kept[len(told)]
    assert Records.over(kept.part()) is kept
    assert list(Records.over(kept.part()[:2])) == told[:2]


@given(records())
def test_columns_and_back(told):
    columns, arrays = Records(told).columns()
    assert list(Records.of_columns(columns, {name: one.tobytes() for name, one in arrays.items()})) == told


def same(one, other):
    return len(one) == len(other) and all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))


@given(records())
def test_a_field_of_many_is_that_of_each(told):
    kept = Records(told).part()
    lacking = {"row": -1, "probability": math.nan, "floor": math.nan}
    for name in ("question", "responder", "row", "id", "digest", "probability", "floor", "cost", "said", "state"):
        each = [lacking.get(name) if getattr(one, name) is None else getattr(one, name) for one in told]
        assert same(field_of(kept, name), each), name
        assert same(field_of(told, name), each), name
    for name in ("value", "rater", "prediction", "note"):
        assert field_of(kept, name) == field_of(told, name) == [getattr(one, name) for one in told]


@given(records())
def test_failures_are_those_of_each(told):
    each = [one.failed for one in told]
    assert failures(Records(told).part()) == failures(told) == each


@given(records(), st.integers(0, 12), st.sampled_from(["oracle", "model"]))
def test_what_is_closed_ends_before_the_first_that_is_open(told, start, responder):
    start = min(start, len(told))
    wanted, end = [], len(told)
    for place, one in enumerate(told[start:], start):
        if one.responder == responder and one.row is not None:
            if one.state in ("leased", "waiting"):
                end = place
                break
            wanted.append(one)
    found, last = Records(told).closed_of(start, responder)
    assert list(found) == wanted
    assert last == end


@given(records())
def test_rows_by_responder(told):
    found = Records(told).rows_by_responder()
    for responder in ("oracle", "model"):
        rows = {one.row for one in told if one.responder == responder and one.row is not None}
        assert found.get(responder, set()) == rows


def test_a_part_is_seen_as_it_grows_and_has_the_length_it_had():
    kept = Records()
    kept.ask(("risk", "policy", "oracle"), Decimal(0), [(3, None, "a", "x", 0.5, 0.5, "yes", None, None, None)])
    before = kept.part()
    kept.ask(("risk", "policy", "oracle"), Decimal(0), [(4, None, "b", "x", None, None, "yes", None, None, None)])
    assert (len(before), len(kept), len(kept.part())) == (1, 2, 2)
    assert kept[1].probability is None
    assert kept[0].known is NOTHING
