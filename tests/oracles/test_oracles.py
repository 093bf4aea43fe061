"""Columns and functions tell the truth alike, and what is no truth is refused in one line."""

from decimal import Decimal

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Item, Oracle, Query, Reply
from ringtrue.oracles import ColumnOracle, FunctionOracle, as_oracle


def asked(*values, column="truth"):
    return [
        Query(f"q{place}", "risk", "oracle", Item(f"i{place}", {column: value}), Decimal(1), None)
        for place, value in enumerate(values)
    ]


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("oracle", [ColumnOracle("truth"), FunctionOracle(lambda values: values["truth"])])
def test_answers_in_order(oracle):
    assert isinstance(oracle, Oracle)
    assert as_oracle(oracle) is oracle
    replies = oracle.answer(asked("cat", np.int64(1), np.bool_(True), 0.5))
    assert [reply.value for reply in replies] == ["cat", 1, True, 0.5]
    assert [type(reply.value) for reply in replies] == [str, int, bool, float]


@pytest.mark.parametrize("value", [None, float("nan"), " "])
def test_a_column_without_truth(value):
    refused(lambda: ColumnOracle("truth").answer(asked("a", value)), "item 'i1'", "'truth'", "fill it in")


def test_an_unknown_column():
    refused(lambda: ColumnOracle("trth").answer(asked("a")), "'trth'", "did you mean 'truth'", "columns: truth")


def test_a_function_that_cannot_tell():
    assert FunctionOracle(lambda values: None).answer(asked("a")) == [Reply(None)]
    refused(lambda: FunctionOracle(lambda values: "").answer(asked("a")), "item 'i0'", "''", "None if it cannot tell")
    refused(lambda: FunctionOracle(lambda values: float("nan")).answer(asked("a")), "nan", "None")


def test_raters_and_costs():
    replies = iter([Reply("a", cost=Decimal(3)), Reply("b", rater="eve"), "c"])
    oracle = FunctionOracle(lambda values: next(replies), rater="ann")
    assert oracle.answer(asked(1, 2, 3)) == [
        Reply("a", Decimal(3), "ann"),
        Reply("b", None, "eve"),
        Reply("c", None, "ann"),
    ]


def test_functions_get_values_of_python():
    seen = []
    FunctionOracle(lambda values: seen.append(values)).answer(asked(np.float64(0.5), np.str_("a")))
    assert [type(values["truth"]) for values in seen] == [float, str]


def test_what_a_function_raises_comes_through():
    def broken(values):
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        FunctionOracle(broken).answer(asked("a"))


def test_as_oracle():
    assert as_oracle("truth").column == "truth"
    assert isinstance(as_oracle(len), FunctionOracle)
    refused(lambda: as_oracle(42), "oracle=int", "give a column's name")
    refused(lambda: as_oracle(ColumnOracle), "is a class", "ColumnOracle()")
    refused(lambda: as_oracle(""), "names no column")
    refused(lambda: FunctionOracle(3), "function=3")
