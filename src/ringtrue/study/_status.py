"""Where a study stands, in numbers: what was asked, answered, spent and reserved."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal

from ringtrue.core import Json, count, plain
from ringtrue.study._ledger import Ledger


@dataclass(frozen=True, slots=True)
class Status:
    """A moment of a study, in numbers."""

    answered: int
    leased: int
    waiting: int
    abandoned: int
    held: int
    opinions: int
    spent_money: Decimal
    reserved_money: Decimal
    budget_labels: int | None
    budget_money: Decimal | None
    unit: str = "labels"
    """What the budget counts: labels by the oracle or calls of the model."""

    @classmethod
    def of(cls, ledger: Ledger) -> Status:
        asked, open_now = len(ledger.records), len(ledger.leases) + len(ledger.waiting)
        return cls(
            ledger.spent_labels,
            len(ledger.leases),
            len(ledger.waiting),
            asked - open_now - ledger.spent_labels,
            held_back(ledger),
            ledger.second.count,
            ledger.spent_money,
            ledger.reserved_money,
            ledger.budget.labels,
            ledger.budget.money,
            _unit(ledger),
        )

    @property
    def labels_left(self) -> int | None:
        """Labels that can still be asked for; None without a limit."""
        used = self.answered + self.leased + self.waiting
        return None if self.budget_labels is None else max(0, self.budget_labels - used)

    @property
    def paid(self) -> str:
        """What was spent, and of how much; nothing where nothing costs."""
        if not self.spent_money and self.budget_money is None:
            return ""
        limit = "" if self.budget_money is None else f" of {self.budget_money}"
        return f"{_amount(self.spent_money)}{limit} spent"

    def __str__(self) -> str:
        parts = [f"{count(self.answered, 'answer')} recorded"]
        if self.leased or self.waiting:
            parts.append(f"{self.leased} out, {self.waiting} waiting to be offered again")
        if self.abandoned:
            parts.append(f"{self.abandoned} given up")
        if self.held:
            parts.append(f"{self.held} held until an earlier query is answered")
        if self.budget_labels is not None:
            parts.append(f"{self.labels_left} of {self.budget_labels} {self.unit} left")
        if self.paid:
            parts.append(f"{self.paid}, {_amount(self.reserved_money)} reserved")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Json]:
        told = {name: plain(value) for name, value in asdict(self).items() if name != "unit"}
        return {**told, "labels_left": self.labels_left}


def _amount(money: Decimal) -> str:
    """Return an amount with all its digits, and nothing as 0 where it would have many.

    >>> _amount(Decimal("0.192886925")), _amount(Decimal("0E-7")), _amount(Decimal("0.00"))
    ('0.192886925', '0', '0.00')
    """
    text = f"{money:f}"
    return text if money or len(text) <= len("0.0000") else "0"


def _unit(ledger: Ledger) -> str:
    responders = {responder for _, responder in ledger.asking.values()}
    return "calls" if responders == {"model"} else "answers" if "model" in responders else "labels"


def held_back(ledger: Ledger) -> int:
    """Return how many answers wait for one that was asked before them and is still open."""
    first = min([*ledger.leases, *ledger.waiting], default=len(ledger.records))
    held = 0
    open_before: set[str] = set()
    for record in ledger.records[first:]:
        if record.row is None:
            continue
        if record.state in ("leased", "waiting"):
            open_before.add(record.responder)
        elif record.state == "answered" and record.responder in open_before:
            held += 1
    return held
