"""Where a study stands: what was asked and answered, what it cost, what is left."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ringtrue.core import Json, count
from ringtrue.study._evidence import held_back
from ringtrue.study._ledger import Ledger


class Out(NamedTuple):
    """A query that somebody holds."""

    item: str
    holder: str
    until: float
    """When it is offered again, in seconds since 1970, unless its holder prolongs it."""
    number: int


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
            ledger.spent_labels, len(ledger.leases), len(ledger.waiting), asked - open_now - ledger.spent_labels,
            held_back(ledger), len(ledger.opinions), ledger.spent_money, ledger.reserved_money,
            ledger.budget.labels, ledger.budget.money, _unit(ledger),
        )  # fmt: skip

    @property
    def labels_left(self) -> int | None:
        """Labels that can still be asked for; None without a limit."""
        used = self.answered + self.leased + self.waiting
        return None if self.budget_labels is None else max(0, self.budget_labels - used)

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
        if self.spent_money or self.budget_money is not None:
            limit = "" if self.budget_money is None else f" of {self.budget_money}"
            parts.append(f"{self.spent_money}{limit} spent, {self.reserved_money} reserved")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Json]:
        return {
            "answered": self.answered, "leased": self.leased, "waiting": self.waiting, "abandoned": self.abandoned,
            "held": self.held, "opinions": self.opinions, "spent_money": str(self.spent_money),
            "reserved_money": str(self.reserved_money), "budget_labels": self.budget_labels,
            "budget_money": None if self.budget_money is None else str(self.budget_money),
            "labels_left": self.labels_left,
        }  # fmt: skip


def _unit(ledger: Ledger) -> str:
    responders = {responder for _, responder in ledger.asking.values()}
    return "calls" if responders == {"model"} else "answers" if "model" in responders else "labels"
