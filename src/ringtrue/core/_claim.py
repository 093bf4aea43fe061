"""Claims that users want to make, the three verdicts on them, and the finding that carries an interval to a reader."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Protocol

from ringtrue.core._canonical import Json
from ringtrue.core._errors import Argument, InvalidInput
from ringtrue.core._text import percent

_FORM = re.compile(
    r"^\s*(?P<quantity>[a-z][a-z_ -]*?)\s*(?P<sign><=|≤|<|>=|≥|>)\s*(?P<limit>[\d.eE+-]+\s*%?)"
    r"(?:\s+(?:at|with)\s+(?P<level>[\d.]+\s*%?))?\s*$"
)
_UPPER = {"<=", "≤", "<"}

_QUANTITIES = {
    "error": "error",
    "errors": "error",
    "failure": "failure",
    "failures": "failure",
    "change": "change",
    "changes": "change",
    "drop": "accuracy drop",
    "accuracy drop": "accuracy drop",
    "deviation": "deviation",
}
"""What a claim may bound, as people write it and as we call it."""


class Verdict(Enum):
    """What the answers so far say of a claim."""

    RINGS_TRUE = "rings true"
    RINGS_FALSE = "rings false"
    NOT_YET_KNOWN = "not yet known"

    @property
    def exit_code(self) -> int:
        """0 rings true, 1 rings false, 3 not yet known; 2 is kept for usage errors."""
        return {"rings true": 0, "rings false": 1, "not yet known": 3}[self.value]


@dataclass(frozen=True, slots=True)
class Claim:
    """A bound that should hold at a level: on a rate, as in `error <= 5% at 95%`, or on a deviation in its own units.

    >>> Claim.parse("error <= 5% at 95%")
    Claim(quantity='error', limit=0.05, level=0.95)
    >>> str(Claim.parse("accuracy >= 0.9"))
    'error <= 10% at 95%'
    >>> str(Claim.parse("deviation <= 2.5"))
    'deviation <= 2.5 at 95%'
    """

    quantity: str
    limit: float
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.quantity == "deviation":
            if not 0 < self.limit < float("inf"):
                raise InvalidInput(f"claim limit={self.limit:g} must be a positive number: write it like 2.5")
        elif not 0 < self.limit < 1:
            raise InvalidInput(f"claim limit={self.limit:g} must lie strictly between 0 and 1: write it as 5% or 0.05")
        if not 0.5 <= self.level < 1:
            raise InvalidInput(f"claim level={self.level:g} must lie in [0.5, 1): write it as 95% or 0.95")

    @classmethod
    def parse(cls, text: str | Claim) -> Claim:
        """Read a claim as people write it. `accuracy >= 95%` is the same claim as `error <= 5%`."""
        if isinstance(text, Claim):
            return text
        form, said = _FORM.match(text), Argument("claim", text)
        if form is None:
            raise InvalidInput(said, ' cannot be read: write it like "error <= 5% at 95%"')
        quantity = form["quantity"].strip()
        limit = parse_share(form["limit"], said)
        upper = form["sign"] in _UPPER
        if quantity in {"accuracy", "success"}:
            quantity, limit, upper = "error", round(1 - limit, 12), not upper
        if quantity not in _QUANTITIES:
            raise InvalidInput(
                said,
                f" speaks of {quantity!r}: use error, failure, change, accuracy drop or deviation with <=, "
                "or accuracy with >=",
            )
        if not upper:
            raise InvalidInput(said, f' bounds the {quantity} from below: turn it round, as in "error <= 5%"')
        return cls(_QUANTITIES[quantity], limit, parse_share(form["level"] or "95%", said))

    def about(self, *quantities: str) -> Claim:
        """Return this claim, if it speaks of one of these quantities; else an error that names them."""
        if self.quantity not in quantities:
            decides = " or ".join(quantities)
            raise InvalidInput(f'claim="{self}" speaks of {self.quantity}: this question decides {decides}')
        return self

    def __str__(self) -> str:
        """Return the claim so that `parse` gives the same claim again: no digit is rounded away."""
        limit = repr(self.limit) if self.quantity == "deviation" else _exact_percent(self.limit)
        return f"{self.quantity} <= {limit} at {_exact_percent(self.level)}"


def _exact_percent(share: float) -> str:
    return f"{(Decimal(repr(share)) * 100).normalize():f}%"


def parse_share(text: str, where: str | Argument) -> float:
    """Read a share as people write it.

    >>> parse_share("5%", "--rate"), parse_share("0.05", "--rate")
    (0.05, 0.05)
    """
    try:
        number = Decimal(text.rstrip("% \t"))
    except InvalidOperation:
        raise InvalidInput(where, f': {text!r} is not a number: write it like "5%" or "0.05"') from None
    return float(number / 100 if text.rstrip().endswith("%") else number)


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a quantity lies, at which level, by which method, from how many answers."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int

    def __str__(self) -> str:
        bounds = f"[{percent(self.low, toward='below')}, {percent(self.high, toward='above')}]"
        return f"{percent(self.estimate)} {bounds} ({percent(self.level)}, {self.method})"

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


class Finding(Protocol):
    """What a question found: a frozen value that reads as a sentence, serialises and draws itself."""

    @property
    def claim(self) -> Claim | None: ...

    @property
    def verdict(self) -> Verdict: ...

    @property
    def estimate(self) -> Interval | None:
        """The interval of what a claim speaks of; None where there is none yet."""
        ...

    @property
    def answers(self) -> int: ...

    @property
    def unanswerable(self) -> int:
        """How many items the oracle could not answer, or the model did not."""
        ...

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true of the world for the finding to hold, one sentence each."""
        ...

    def __str__(self) -> str:
        """Return the finding as a sentence that a colleague can read."""
        ...

    def to_json(self) -> dict[str, Json]: ...

    def draw(self, axes: Any) -> None:
        """Draw on a matplotlib Axes."""
        ...
