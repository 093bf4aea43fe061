"""The contract of a question: a policy and an estimator to write, and defaults for all else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

from ringtrue.core._answers import Labels, Vectors, label_of, said_and_known
from ringtrue.core._canonical import Json, label_text, plain
from ringtrue.core._claim import Claim, Finding, Verdict
from ringtrue.core._errors import Argument, InvalidInput
from ringtrue.core._items import NOTHING, Batch, Draw, Record, Responder
from ringtrue.core._protocols import Model, Pool, Space
from ringtrue.core._sections import Chip, Context, Section, claim_chip, plain_sections

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scores: TypeAlias = "Mapping[str, Mapping[int, Any] | NDArray[Any]]"
"""What passes over the pool found, by name: a value per row, or at least for every row that was asked about."""

NO_SCORES: Scores = MappingProxyType({})

Ask: TypeAlias = Callable[[Batch], Labels | Vectors]
"""Asks the model about any items, also made-up ones."""


class View(NamedTuple):
    """What a policy may look at: the seed, how far it has come, what was asked and what was answered.

    `asked` holds the pool rows that any question of the study has asked this responder about. `records` are
    the study's records in the order of asking. `scores` are what the question's passes found, one value per row. `ask`
    asks the model about made-up items; it is None where that costs, or where there is no model.
    """

    seed: int
    step: int
    size: int
    asked: AbstractSet[int]
    records: Sequence[Record]
    space: Space | None = None
    scores: Mapping[str, NDArray[Any]] = MappingProxyType({})
    ask: Ask | None = None


class Policy(ABC):
    """Decides what to ask next. Pure: a function of the view alone, so that any process repeats it."""

    name: str
    foresees: bool = False
    """Whether proposals do not depend on the answers: asked for more, it begins with the same. The study then reads the
    pool and asks the model in blocks, ahead of the queries."""
    asks_again: bool = False
    """Whether it wants some rows answered a second time, to learn how much answers vary by themselves."""

    @abstractmethod
    def propose(self, view: View, n: int) -> list[Draw]:
        """Return at most `n` draws, each of a row not in `view.asked`; fewer when there is nothing left to ask."""


class Estimator(ABC):
    """Turns records into a finding, a few at a time. Pure."""

    @abstractmethod
    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking, each answered or abandoned."""

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """The verdict so far; cheap, so that it can be asked after every answer."""

    @property
    def done(self) -> bool:
        """Whether nothing more need be asked: by default, a verdict is known."""
        return self.verdict is not Verdict.NOT_YET_KNOWN

    @abstractmethod
    def finding(self) -> Finding:
        """Return what the records so far show."""


class Block(NamedTuple):
    """Rows that are looked at together, and the rows of other items that are needed for it."""

    rows: NDArray[np.int64]
    beside: NDArray[np.int64]


class Measured(NamedTuple):
    """Items, and what earlier passes found of each."""

    batch: Batch
    scores: Mapping[str, NDArray[Any]]


class Material(NamedTuple):
    """Of what a question makes what a report shows beside its finding: the study as it stands, and its model.

    `finding` is the finding as JSON, `kept` what the study has kept so far, `most` how many items to show at most.
    """

    finding: Mapping[str, Any]
    records: Sequence[Record]
    scores: Mapping[str, NDArray[Any]]
    kept: Mapping[str, Any]
    pool: Pool | None
    model: Model | None
    seed: int
    most: int


@dataclass(frozen=True, slots=True)
class Pass:
    """One scan of the pool before the first query, kept part by part in the journal.

    `run` is called once per part, in any order and any process, with the items, the items beside them, what asks the
    model, and a generator keyed by seed and part; it returns named arrays, one value or one row of values per item.
    Without `blocks` the parts are the whole pool, `rows` items at a time; with it, they are the blocks that it makes of
    the scores so far, and rows that no block has are NaN. `join` makes of all parts what is scored: scores again.
    """

    run: Callable[[Measured, Measured, Ask, np.random.Generator], Mapping[str, NDArray[Any]]]
    doing: str = "reading the pool"
    rows: int = 10_000
    """Large enough to batch a model's work, small enough to lose little when a process dies."""
    blocks: Callable[[Mapping[str, NDArray[Any]]], Sequence[Block]] | None = None
    join: Callable[[Mapping[str, NDArray[Any]]], Mapping[str, NDArray[Any]]] | None = None
    around: bool = False
    """Whether the model is asked about made-up items, which stored answers cannot tell."""
    missing: Mapping[str, float] | None = None
    """What rows have, by score, that could not be scored; None if all must be."""


class Question(ABC):
    """What a user asks of a study. Write `policy` and `estimator`; override what does not fit.

    A class with a `kind` is made again from a journal by its arguments: each is kept under its own name, or the one in
    `keys`, as an attribute of this name gives it, and read by what `reads` names for it.
    """

    kind: ClassVar[str] = ""
    """By which a journal knows it; a class of yours must have one."""
    keys: ClassVar[Mapping[str, str]] = {}
    """Under which name an argument is kept, where that is another one; "" if it is not kept."""
    reads: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    """What makes an argument of what was kept, where that is not the same."""
    kinds: ClassVar[dict[str, type[Question]]] = {}
    """All questions that were imported, by kind."""

    name: str
    claim: Claim | None = None
    responder: Responder = "oracle"
    """Who is paid for answers."""
    space: Space | None = None
    """Where the items come from; None for the pool."""
    needs_model: Literal["no", "labels", "any"] = "no"
    """Whether there must be a model, and whether only one that gives labels will do."""
    asks: ClassVar[bool] = True
    """Whether it asks anything: one that is told from what was counted before needs no pool, and costs nothing."""
    after: Sequence[str] = ()
    """The earlier questions about the same space that this one goes on from."""
    asks_remote: bool = False
    """Whether its policy may ask a model on another machine about items before it chooses one."""
    told_by_model: Sequence[str] = ()
    """Columns that say what the model thinks, which an oracle is not shown."""
    counts_failures: bool = False
    """Whether its claim is about the share of the pool's items that the model fails on."""
    unit: ClassVar[str] = "label"
    """What one answer is called."""
    kept_beside: ClassVar[Sequence[str]] = ()
    """Under which names a study keeps what a report shows beside the finding, and cannot compute from the records."""
    fitted: ClassVar[frozenset[str]] = frozenset()
    """The parts of a finding's JSON that a fit says, which ends a little elsewhere on another processor."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if cls.__dict__.get("kind"):
            Question.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """What decides what to ask next."""

    @abstractmethod
    def estimator(self, *, size: int, claim: Claim | None, scores: Scores = NO_SCORES) -> Estimator:
        """Return what turns records into a finding, for a pool of this size and what the passes found of it."""

    def passes(self) -> Sequence[Pass]:
        """Return the scans of the pool that are needed before the first query."""
        return ()

    def check_budget(self, scores: Mapping[str, NDArray[Any]], labels: int | None) -> None:  # noqa: B027 - most can
        """Refuse a budget that this question cannot use up; called after each pass."""

    def known(self, batch: Batch, model: Model | None) -> Sequence[tuple[Json, Mapping[str, Json]]]:
        """Return what is kept beside each item: what the model says of it, and what else is known of it."""
        if model is None:
            return [(None, NOTHING)] * len(batch)
        return [said_and_known(answer) for answer in model.answer(batch).values()]

    @property
    def keeps_model_answers(self) -> bool:
        """Whether what is kept beside an item is what the model says of it: `known` is the default."""
        return type(self).known is Question.known

    def check_model(self, said: Json) -> None:  # noqa: B027 - most labels will do
        """Refuse what the model says of an item, before its answer is paid for."""

    def check_answer(self, value: Json, record: Record, labels: Sequence[str] | None) -> None:
        """Refuse an answer that means nothing, before it is recorded: by default, what is not one of the labels."""
        check_label(value, record, labels)

    def set_point(self, value: Json, record: Record) -> tuple[float, ...] | None:  # noqa: ARG002 - a pool has none
        """Return the point at which an answer says that it was obtained, in place of the one asked about.

        The model is then asked there, and what it says is kept in the answer as `said`.
        """
        return None

    def uses(self, record: Record) -> bool:
        """Return whether this question is told a record.

        About a pool these are all of its responder, about a space its own and those it goes on from.
        """
        if self.space is None:
            return record.responder == self.responder and record.row is not None
        return record.question in (self.name, *self.after)

    @classmethod
    def sections(cls, context: Context) -> Sequence[Section]:
        """Return what a reader is shown of a finding, in a page as in a notebook."""
        return plain_sections(context)

    @classmethod
    def chip(cls, finding: Mapping[str, Any]) -> Chip:
        """Return the verdict of a finding in a word or two: by default, that on the claim."""
        return claim_chip(finding)

    @classmethod
    def gallery(cls, computed: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the items that a report shows, the worst first: by default, the failures in the order of asking."""
        return list(computed["failures"])

    def shown(self, material: Material) -> Iterable[tuple[str, Any]]:  # noqa: ARG002 - most show the finding alone
        """Yield what a report shows beside the finding, under names of `kept_beside`; `keep_shown` keeps it.

        It is JSON, except that an array in it is a picture.
        """
        return ()

    def rivals(self, others: Iterable[Question]) -> Sequence[Question]:  # noqa: ARG002 - most have none
        """Return those of the study's other questions whose curves a report shows beside that of this one."""
        return ()

    @classmethod
    def curve(cls, finding: Mapping[str, Any]) -> dict[str, Json] | None:  # noqa: ARG003
        """Return the curve of a finding, to be shown beside that of a rival; None if it has none."""
        return None

    def config(self) -> dict[str, Json]:
        """Return all that distinguishes this question from another of its kind: `from_config` makes it again."""
        if not self.kind:
            own = type(self).__name__
            raise InvalidInput(f"question {own} has no kind: give the class one, as in kind = {own.lower()!r}")
        made: dict[str, Json] = {"kind": self.kind, "policy": self.policy.name}
        for name in signature(type(self)).parameters:
            key, value = self.keys.get(name, name), _kept(self.argument(name))
            if key and (key == "claim" or value not in (None, [], {})):  # an argument of a later version may be missing
                made[key] = value
        return made

    def argument(self, name: str) -> Any:
        """Return an argument by which this question was made."""
        return getattr(self, name)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], **given: Any) -> Self:
        """Make the question that wrote this configuration; `given` are arguments that it could not keep."""
        for name in signature(cls).parameters:
            key = cls.keys.get(name, name)
            if key in config:
                value, read = config[key], cls.reads.get(name)
                given[name] = value if read is None or value is None else read(value)
        return cls(**given)


def check_label(value: Json, record: Record, labels: Sequence[str] | None) -> None:
    """Refuse an oracle's answer that is not a label, or not one of those that the study knows, if it knows any."""
    if record.responder == "model" or (isinstance(value, list) and not isinstance(record.said, str)):
        return
    if isinstance(label_of(value), list | dict):
        raise InvalidInput(
            f"answer={value!r} for item {record.id!r} is not a label: give one text, number or truth value"
        )
    text = label_text(value if type(value) is str else label_of(value))
    if labels is not None and text not in labels:
        raise InvalidInput(
            f"answer={text!r} for item {record.id!r} is not a known label ({', '.join(labels)}): mend it, or make the "
            "study with ",
            Argument("labels"),
            " that include it",
        )


def _kept(value: Any) -> Json:
    """Return an argument of a question as JSON: what has `to_json` says how it is kept."""
    if isinstance(value, Claim):
        return str(value)
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if isinstance(value, Mapping):
        return {str(key): _kept(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_kept(one) for one in value]
    return plain(value)
