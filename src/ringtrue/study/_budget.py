"""What a study may spend, and what one answer costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from ringtrue.core import Argument, InvalidInput, Json, Question, count


def money(value: object, argument: str) -> Decimal:
    """Return an amount of money, exactly as written: floats go through their shortest text, so 0.1 is a tenth.

    >>> money(0.1, "price") * 3
    Decimal('0.3')
    """
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise InvalidInput(f"{argument}={value!r} is not an amount: give a number such as 0.25") from None
    if not amount.is_finite() or amount < 0:
        raise InvalidInput(f"{argument}={value!r} must be a finite amount of at least 0: give a number such as 0.25")
    return amount


@dataclass(frozen=True, slots=True)
class Budget:
    """The most a study may spend. None means that this side is not limited.

    >>> Budget.of(200)
    Budget(labels=200, money=None)
    """

    labels: int | None = None
    money: Decimal | None = None

    @classmethod
    def of(cls, budget: Budget | int | None) -> Budget:
        """Return a checked budget; a number is a number of labels."""
        budget = budget if isinstance(budget, Budget) else cls(labels=budget)
        labels = budget.labels
        if labels is not None and (not isinstance(labels, int) or isinstance(labels, bool) or labels < 0):
            raise InvalidInput(Argument("budget", labels), " must be a whole number of labels, 0 or more")
        return cls(labels, None if budget.money is None else money(budget.money, "budget money"))

    def check_spent(self, labels: int, amount: Decimal) -> None:
        """Refuse to be less than what is spent: it would say that nothing was bought which was."""
        if self.labels is not None and self.labels < labels:
            spent = count(labels, "label")
            raise InvalidInput(
                Argument("budget", self.labels), f" is less than the {spent} spent: give {labels} or more"
            )
        if self.money is not None and self.money < amount:
            raise InvalidInput(f"budget money={self.money} is less than the {amount} spent: give {amount} or more")

    def affords(self, *, labels: int, spent: Decimal, price: Decimal) -> int | None:
        """Return how many more answers at `price` fit beside what is spent and reserved; None if without limit."""
        limits = []
        if self.labels is not None:
            limits.append(self.labels - labels)
        if self.money is not None and price > 0:
            limits.append(int((self.money - spent) / price))
        elif self.money is not None and spent >= self.money > 0:
            limits.append(0)  # the stated price is nothing, but the oracle charged all the same
        return max(0, min(limits)) if limits else None

    def to_json(self) -> dict[str, Json]:
        """Return the budget as the journal keeps it; money as text, so that no cent is rounded."""
        return {"labels": self.labels, "money": None if self.money is None else str(self.money)}


def prices(price: object, budget: Budget, questions: Sequence[Question]) -> dict[str, Json]:
    """Return the price of one answer by responder; refuses a budget in money where a price is unknown."""
    given = price if isinstance(price, Mapping) else {"oracle": price, "model": price}
    known = {who: None if given.get(who) is None else str(money(given[who], f"price of the {who}")) for who in given}
    for question in questions:
        check_price(known, budget, question)
    return {"oracle": known.get("oracle"), "model": known.get("model")}


def check_price(known: Mapping[str, Any], budget: Budget, question: Question) -> None:
    """Refuse to start when money is limited but the user did not say what an answer costs."""
    if budget.money is not None and known.get(question.responder) is None:
        raise InvalidInput(
            f"budget money={budget.money} needs the price of one answer by the {question.responder}: give price=…"
        )


def price_of(created: Mapping[str, Any], responder: str) -> Decimal:
    """Return what one answer costs; an answer without a stated price costs nothing."""
    return Decimal(created["price"].get(responder) or 0)
