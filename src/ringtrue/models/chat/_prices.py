"""What a call of a language model costs, by the user's own prices: at most before it, and exactly after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.models.chat._reading import Usage

_MILLION = Decimal(1_000_000)

_BESIDE = 256
"""Tokens that a service may add to a request of its own, such as the frame of a chat."""

_KEYS = ("input", "cached_input", "output", "per_request")


@dataclass(frozen=True, slots=True)
class Price:
    """What one model costs: per million tokens that it reads, reads from its cache and writes, and per request.

    >>> Price(input=Decimal(2), output=Decimal(8)).cost(Usage(prompt=1000, cached=400, completion=10))
    Decimal('0.00208')
    """

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None
    per_request: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> Decimal:
        """Return what a call cost; tokens from the service's cache are a part of those that it read."""
        cached = self.input if self.cached_input is None else self.cached_input
        read = (usage.prompt - usage.cached) * self.input + usage.cached * cached
        return (read + usage.completion * self.output) / _MILLION + self.per_request

    def most(self, body: str, max_tokens: int) -> Decimal:
        """Return the most that a request can cost: each byte of it a token, and the longest answer."""
        tokens = len(body.encode()) + _BESIDE
        dearest = max(self.input, self.cached_input or self.input)
        return (tokens * dearest + max_tokens * self.output) / _MILLION + self.per_request


def read_prices(table: Mapping[str, Any], where: str) -> tuple[dict[str, Price], str]:
    """Return the prices by model in a table as TOML gives it, with numbers as Decimal, and the currency.

    >>> table = {"currency": "EUR", "models": {"tiny": {"input": Decimal("0.1"), "output": 1}}}
    >>> read_prices(table, "prices")[0]["tiny"].output, read_prices(table, "prices")[1]
    (Decimal('1'), 'EUR')
    """
    models, currency = table.get("models"), table.get("currency", "")
    unknown = set(table) - {"models", "currency"}
    if not isinstance(models, dict) or not models or not isinstance(currency, str) or unknown:
        form = '[models.NAME] with input = 0.15 and output = 0.60, per million tokens, and currency = "EUR"'
        raise InvalidInput(f"{where} holds no prices: write {form}")
    return {name: _price(one, f"{where}, model {name!r}") for name, one in models.items()}, currency


def _price(table: Any, where: str) -> Price:
    if not isinstance(table, dict) or not {"input", "output"} <= set(table) <= set(_KEYS):
        raise InvalidInput(f"{where} needs input and output, and may have cached_input and per_request: mend it")
    found = {}
    for name, value in table.items():
        amount = Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
        if amount is None or not amount.is_finite() or amount < 0:
            raise InvalidInput(f"{where}: {name}={value!r} is not a price: write a number such as 0.15")
        found[name] = amount
    return Price(**found)
