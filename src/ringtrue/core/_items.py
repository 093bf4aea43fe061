"""What is asked about: items, batches of items, queries and the replies to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ringtrue.core._canonical import Json, digest, digests

if TYPE_CHECKING:
    from numpy.typing import NDArray

Responder: TypeAlias = Literal["oracle", "model"]
"""Who answers a query: the oracle (who knows the truth) or the model under test."""


class Item(NamedTuple):
    """One thing that can be asked about: a row of a pool, or a point of a space."""

    id: str
    values: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Hash of the content, the same for equal rows in whatever file they stand."""
        return digest(self.values)


@dataclass(frozen=True, slots=True)
class Batch:
    """Items as columns, in order: what a model answers in one call."""

    ids: Sequence[str]
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Item]:
        """The items one by one; cells of a flat column come as Python's own values."""
        columns = self._cells()
        names = list(columns)
        for name, *cells in zip(self.ids, *columns.values(), strict=True):
            yield Item(name, dict(zip(names, cells, strict=True)))

    def digests(self) -> list[str]:
        """The hash of every item's content, as `Item.digest` has it."""
        return digests(self._cells()) if self.columns else [digest({})] * len(self)

    def _cells(self) -> dict[str, list[Any]]:
        return {name: column.tolist() if column.ndim == 1 else list(column) for name, column in self.columns.items()}


class Draw(NamedTuple):
    """What a policy wants to ask: an item, and the probability with which it was chosen.

    `probability` is conditional on everything before, over the items nobody has asked about yet; it is None for
    an argmax pick, which is known afterwards but never weighted. `floor` is the smallest probability any of
    those items had in this draw: it bounds the weight 1/probability before the draw is made. `note` is what else
    the estimator must know of the draw; it is kept with what the question knows of the item (see `Knows`).
    """

    row: int | None = None
    point: tuple[float, ...] | None = None
    probability: float | None = None
    floor: float | None = None
    note: Mapping[str, Json] | None = None


def with_note(beside: Json, draw: Draw) -> Json:
    """What stands beside an item, and what the policy noted of its draw; a bare label is named for that.

    >>> with_note("cat", Draw(row=3, note={"guess": 0.1}))
    {'label': 'cat', 'guess': 0.1}
    """
    if not draw.note:
        return beside
    return {**(beside if isinstance(beside, dict) else {"label": beside}), **draw.note}


class Query(NamedTuple):
    """One question to one responder. Its id stays the same when it is offered again: pay for an id once."""

    id: str
    question: str
    responder: Responder
    item: Item
    cost: Decimal
    probability: float | None
    predicted: Json = None


class Reply(NamedTuple):
    """What an oracle says. `value=None` means that it cannot tell; `cost=None` that the stated price applies."""

    value: Json
    cost: Decimal | None = None
    rater: str | None = None


@dataclass(slots=True)
class Record:
    """All that is known of one query: how it was chosen, who was asked, and what came back.

    `state` is one of waiting (to be offered again), leased, answered, abandoned.
    """

    number: int
    question: str
    policy: str
    responder: Responder
    row: int | None
    id: str
    digest: str
    probability: float | None
    floor: float | None
    cost: Decimal
    predicted: Json
    point: tuple[float, ...] | None = None
    state: Literal["waiting", "leased", "answered", "abandoned"] = "leased"
    value: Json = None
    rater: str | None = None
