"""The user's own measure of a deviation, between what the model said and what the gold standard says."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Item, Oracle, Query, Reply
from ringtrue.oracles import DeviationOracle


def query(said, **values):
    return Query("s:0", "worst", "oracle", Item("point", values), Decimal(1), None, said)


def measured(deviation, *, model=1.0, gold=3.0):
    (reply,) = DeviationOracle(lambda values: gold, deviation).answer([query(model)])
    return reply.value


def test_the_measure_gets_the_models_answer_first_and_the_gold_answer_is_kept():
    assert measured(lambda model, gold: gold - 10 * model) == {"deviation": -7.0, "gold": 3.0}
    told = measured(lambda model, gold: np.abs(np.subtract(model, gold)), model=[1.0, 2.0], gold=np.array([4.0, 2.5]))
    assert told == {"deviation": [3.0, 0.5], "gold": [4.0, 2.5]}


def test_true_and_false_are_numbers():
    assert measured(lambda model, gold: model != gold)["deviation"] == 1.0


def test_costs_raters_and_not_knowing_come_through():
    class Gold:
        one_by_one = False

        def answer(self, queries):
            return [Reply(2.0, Decimal(5), "ann"), Reply(None, None, "eve")]

    oracle = DeviationOracle(Gold(), lambda model, gold: gold - model)
    assert isinstance(oracle, Oracle)
    assert oracle.one_by_one is False
    assert DeviationOracle(len, max).one_by_one is True
    assert oracle.answer([query(0.5), query(1.0)]) == [
        Reply({"deviation": 1.5, "gold": 2.0}, Decimal(5), "ann"),
        Reply(None, None, "eve"),
    ]
    refused(lambda: oracle.answer([query(0.5)]), "2 replies to 1 query")


@pytest.mark.parametrize("value", [float("nan"), [1.0, float("inf")], "far", None, [], [[1.0]]])
def test_a_measure_that_gives_no_number(value):
    refused(lambda: measured(lambda model, gold: value), "deviation=", "item 'point'", "return a number")


def test_what_cannot_be_measured():
    refused(lambda: measured(max, model=None), "no model's answer", "give the study a model")
    refused(lambda: DeviationOracle(len, "absolute"), "deviation='absolute'", "function of two answers")


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value
