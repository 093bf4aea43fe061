"""What is asked about: items, batches of items, queries and the replies to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ringtrue.core._answers import label_of, same_label
from ringtrue.core._canonical import Json, digest, digests
from ringtrue.core._errors import InvalidInput

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
        """Yield the items one by one; cells of a flat column come as Python's own values."""
        columns = self._cells()
        names = list(columns)
        for name, *cells in zip(self.ids, *columns.values(), strict=True):
            yield Item(name, dict(zip(names, cells, strict=True)))

    def digests(self) -> list[str]:
        """Return the hash of every item's content, as `Item.digest` has it."""
        return digests(self._cells()) if self.columns else [digest({})] * len(self)

    def _cells(self) -> dict[str, list[Any]]:
        return {name: column.tolist() if column.ndim == 1 else list(column) for name, column in self.columns.items()}


NOTHING: Mapping[str, Any] = {}
"""What is known or noted where nothing is: one table for all, never written to."""


class Prediction(NamedTuple):
    """What was predicted of a draw by chance; all of it was fixed before the draw.

    Of item j of those not asked about before, of weight w_j and drawn with chance p_j, the value g_j in [0, 1] was
    predicted. The weights are 1, or how often operation meets the item over how often the pool does.
    """

    guess: float
    """g of the item drawn."""
    rest: float
    """The sum of w_j g_j over all of these items, the one drawn included."""
    least: float
    """The lowest w_j (x_j - g_j) / p_j that any of them could have had, whatever its value x_j in [0, 1]."""
    most: float
    """The highest of these."""


class Draw(NamedTuple):
    """What a policy wants to ask: an item, and the probability with which it was chosen.

    `probability` is conditional on everything before, over the items not asked about yet; it is None for
    an argmax pick, which is known afterwards but never weighted. `floor` is the smallest probability any of
    those items had in this draw: it bounds the weight 1/probability before the draw is made. `prediction` is what was
    predicted of it, and `note` what else the policy or the estimator must know of the draw later on.
    """

    row: int | None = None
    point: tuple[float, ...] | None = None
    probability: float | None = None
    floor: float | None = None
    prediction: Prediction | None = None
    note: Mapping[str, Any] = NOTHING


class Query(NamedTuple):
    """One question to one responder. Its id stays the same when it is offered again: pay for an id once.

    `said` and `known` are for programs that compare; see `Record`.
    """

    id: str
    question: str
    responder: Responder
    item: Item
    cost: Decimal
    probability: float | None
    said: Json = None
    known: Mapping[str, Any] = NOTHING


class Reply(NamedTuple):
    """What an oracle says. `value=None` means that it cannot tell; `cost=None` that the stated price applies."""

    value: Json
    cost: Decimal | None = None
    rater: str | None = None


@dataclass(slots=True)
class Record:
    """All that is known of one query: how it was chosen, who was asked, and what came back.

    `said` is what the model said of the item: a label, or the list of its outputs; None where it was not asked. `known`
    is what else was known of the item before it was answered: the model's `probabilities` by class, the `votes` of a
    panel, or what a question knows by itself (see `Knows`), such as the `old` answer. `prediction` and `note` are the
    draw's. `earlier` are the answers that were corrected since, in their order; None where the oracle could not tell.

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
    said: Json
    point: tuple[float, ...] | None = None
    state: Literal["waiting", "leased", "answered", "abandoned"] = "leased"
    value: Json = None
    rater: str | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    prediction: Prediction | None = None
    note: Mapping[str, Any] = field(default_factory=dict)
    earlier: tuple[Json, ...] = ()

    @property
    def label(self) -> Json:
        """The label in the answer, without what else came with it, such as probabilities."""
        return label_of(self.value)

    @property
    def failed(self) -> bool | None:
        """Whether the answer is unlike what the model said; None while there is no answer, or if it was given up."""
        if self.state != "answered":
            return None
        if self.said is None:
            raise InvalidInput(f"item {self.id!r} has no model answer to compare: make the study with model=…")
        return not same_label(self.said, self.value)

    def as_first_told(self) -> Record:
        """Return this record as it was before its answer was corrected."""
        if not self.earlier:
            return self
        first = self.earlier[0]
        return replace(self, value=first, state="abandoned" if first is None else "answered", earlier=())
