"""Money: the most that a call can cost before it, and what it cost after it, to the last digit."""

from decimal import Decimal

import pytest

from ringtrue.core import InvalidInput
from ringtrue.models.chat import Judge, Price, Tariff, read_prices
from ringtrue.models.chat._reading import Usage

PRICE = Price(input=Decimal("0.15"), cached_input=Decimal("0.075"), output=Decimal("0.60"), per_request=Decimal("0.01"))


def test_cached_tokens_are_charged_once_and_at_their_price():
    assert PRICE.cost(Usage(1_000_000, 0, 0)) == Decimal("0.16")
    assert PRICE.cost(Usage(1_000_000, 1_000_000, 0)) == Decimal("0.085")
    tokens = Decimal("0.15") + 30 * Decimal("0.075") + 8 * Decimal("0.60")
    assert PRICE.cost(Usage(31, 30, 8)) == tokens / 10**6 + Decimal("0.01")


def test_the_most_is_never_less_than_the_cost_of_as_many_tokens_as_there_are_bytes():
    body = "ü" * 1000
    most = PRICE.most(body, max_tokens=50)
    assert most > PRICE.cost(Usage(2000, 0, 50))
    dear_cache = Price(input=Decimal(1), cached_input=Decimal(2), output=Decimal(0))
    assert dear_cache.most(body, 1) > dear_cache.cost(Usage(2000, 2000, 0))


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({}, "holds no prices"),
        ({"models": {}}, "holds no prices"),
        ({"models": {"a": {"input": 1}}}, "needs input and output"),
        ({"models": {"a": {"input": 1, "output": 1, "typo": 1}}}, "needs input and output"),
        ({"models": {"a": {"input": -1, "output": 1}}}, "is not a price"),
        ({"models": {"a": {"input": True, "output": 1}}}, "is not a price"),
        ({"models": {"a": {"input": Decimal("NaN"), "output": 1}}}, "is not a price"),
        ({"models": {"a": {"input": "1", "output": 1}}}, "is not a price"),
        ({"models": {"a": {"input": 1, "output": 1}}, "currency": 3}, "holds no prices"),
    ],
)
def test_prices_that_are_none_are_refused(table, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        read_prices(table, "prices file")


def test_a_judge_without_a_price_is_told_before_it_is_asked():
    judge = Judge("small", "http://127.0.0.1:1/v1/chat/completions", "tiny")
    with pytest.raises(InvalidInput, match="name no model 'tiny', which the judge 'small' asks"):
        Tariff([judge], {"other": PRICE})
    assert Tariff([judge], None).cost(judge, "x", None) == 0
    assert Tariff([judge], {"tiny": PRICE}).cost(judge, "x", None) == PRICE.most("x", judge.max_tokens)
