"""The nouns as protocols: what a model, pool, oracle, policy, estimator, question and journal must offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from ringtrue.core._answers import Labels, Vectors
from ringtrue.core._canonical import Json
from ringtrue.core._claim import Claim, Finding, Verdict
from ringtrue.core._items import Batch, Draw, Item, Query, Record, Reply, Responder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class Model(Protocol):
    """Answers a batch of inputs. Nothing else is known about it."""

    @property
    def name(self) -> str: ...

    def answer(self, batch: Batch) -> Labels | Vectors: ...


@runtime_checkable
class Oracle(Protocol):
    """Knows the truth and is expensive. Replies in the order of the queries.

    A query that is offered again after a crash keeps its id: an oracle that charges should charge an id once.
    """

    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]: ...


@runtime_checkable
class Pool(Protocol):
    """The finite, unlabelled items there are, in a fixed order. Rows are counted from 0."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def fingerprint(self) -> str:
        """Hash of the whole content: another hash is another pool."""
        ...

    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order."""
        ...

    def chunks(self, size: int) -> Iterator[Batch]:
        """Yield the whole pool in order, `size` rows at a time, in bounded memory."""
        ...


@runtime_checkable
class Space(Protocol):
    """A set of inputs from which items are made."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def item(self, point: tuple[float, ...]) -> Item:
        """Return the item at a point; equal points give equal ids."""
        ...


@runtime_checkable
class Probed(Protocol):
    """A space that can show a few of its items, the same every time, by which a model is known again."""

    def probes(self, n: int) -> Sequence[Item]: ...


class View(NamedTuple):
    """What a policy may look at: the seed, how far it has come, what was asked and what was answered.

    `asked` holds the pool rows that any question of the study has asked this responder about. `records` are
    the study's records in the order of asking. `scores` are what the question prepared, one value per row.
    """

    seed: int
    step: int
    size: int
    asked: AbstractSet[int]
    records: Sequence[Record]
    space: Space | None = None
    scores: Mapping[str, NDArray[Any]] = MappingProxyType({})


class Policy(Protocol):
    """Decides what to ask next. Pure: a function of the view alone, so that any process repeats it.

    A policy whose proposals do not depend on the answers may say so with `foresees = True`: asked for more, it begins
    with the same. The study then reads the pool and asks the model in blocks, ahead of the queries. One that wants
    some rows answered a second time, to learn how much answers vary by themselves, says so with `asks_again = True`.
    """

    @property
    def name(self) -> str: ...

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return at most `n` draws, each of a row not in `view.asked`; fewer when there is nothing left to ask."""
        ...


class Estimator(Protocol):
    """Turns records into a finding, a few at a time. Pure."""

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking, each answered or abandoned."""
        ...

    @property
    def verdict(self) -> Verdict:
        """The verdict so far; cheap, so that it can be asked after every answer."""
        ...

    def finding(self) -> Finding: ...


class Question(Protocol):
    """What a user asks of a study: a name, a policy and an estimator.

    A question about a pool is told the records of every question in the study that the same responder answered;
    a question about a space is told its own, and those of the questions that it names in `after`, if it has that.
    """

    @property
    def name(self) -> str: ...

    @property
    def responder(self) -> Responder: ...

    @property
    def items(self) -> Literal["pool", "space"]: ...

    @property
    def needs_model(self) -> Literal["no", "labels", "any"]:
        """Whether there must be a model, and whether only one that gives labels will do."""
        ...

    @property
    def claim(self) -> Claim | None: ...

    @property
    def policy(self) -> Policy: ...

    def config(self) -> dict[str, Json]:
        """Return all that distinguishes this question from another of its kind."""
        ...

    def estimator(self, *, size: int, claim: Claim | None) -> Estimator: ...


@runtime_checkable
class Prepares(Protocol):
    """A question that needs scores over the whole pool before it can ask.

    The study calls `prepare` once per chunk of the pool, in any order and any process, and keeps what it returns:
    named arrays with one value, or one row of values, per item. `answers` are the model's, None without a model. A
    question that needs nothing, as it was asked, says so with `prepares = False`, and one whose items are large says
    how many make a `chunk`.
    """

    def prepare(
        self, batch: Batch, answers: Labels | Vectors | None, rng: np.random.Generator
    ) -> Mapping[str, NDArray[Any]]: ...


@runtime_checkable
class Probes(Protocol):
    """A question that prepares its scores from how the model answers around the items, too.

    `probes` are made-up items, any number of them. The model is asked about the chunk and its probes in one call, and
    `prepare` is given the answers to both, those of the chunk first.
    """

    def probes(self, batch: Batch, rng: np.random.Generator) -> Batch | None: ...


class Block(NamedTuple):
    """Rows that are measured together, and the rows of other items that are needed for it."""

    rows: NDArray[np.int64]
    beside: NDArray[np.int64]


@runtime_checkable
class Measures(Protocol):
    """A question that asks the model many times about some of the items, once what it prepared is there for all.

    `gather` is what the prepared scores of the whole pool say together: scores again, which replace them. `blocks`
    names the rows to measure. `measure` is called once per block, in any order and any process, with the items, the
    items beside them and the scores of both; `answer` asks the model. What it returns is kept, one number per item,
    and joins the scores; rows that no block has are NaN there.
    """

    def gather(self, scores: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]: ...

    def blocks(self, scores: Mapping[str, NDArray[Any]]) -> Sequence[Block]: ...

    def check_budget(self, scores: Mapping[str, NDArray[Any]], labels: int | None) -> None:
        """Refuse a budget that this question cannot use up, before the model is asked around the items."""
        ...

    def measure(
        self, items: Measured, beside: Measured, answer: Callable[[Batch], Labels | Vectors], rng: np.random.Generator
    ) -> Mapping[str, NDArray[Any]]: ...


class Measured(NamedTuple):
    """Items of a block, and what was prepared of each."""

    batch: Batch
    scores: Mapping[str, NDArray[Any]]


@runtime_checkable
class Weighs(Protocol):
    """An estimator that weighs items by what its question prepared: it is told before the first record.

    `scores` have a value for every row that was asked about, at least.
    """

    def weigh(self, scores: Mapping[str, Mapping[int, Any] | NDArray[Any]]) -> None: ...


@runtime_checkable
class Knows(Protocol):
    """A question that knows something of every item before it is answered, such as what an old model said.

    It is kept with the query as `known`, and the model is not asked what it says.
    """

    def known(self, batch: Batch) -> Sequence[Mapping[str, Json]]: ...


@runtime_checkable
class ChecksAnswers(Protocol):
    """A question whose answers are not labels: it refuses what it could make nothing of, before it is recorded.

    It is given the answer, what the model said of the item, and the item's point if it has one; and what the model says
    of an item before anybody is asked about it.
    """

    def check_answer(self, value: Json, said: Json, point: tuple[float, ...] | None) -> None: ...

    def check_model(self, said: Json) -> None: ...


@runtime_checkable
class Requires(Protocol):
    """An estimator with a requirement of its own: a run goes on until it is met, whatever the verdict is by then."""

    @property
    def satisfied(self) -> bool: ...


class Event(NamedTuple):
    """One line of a journal. `time` is seconds since 1970, set by the journal."""

    sequence: int
    kind: str
    payload: dict[str, Any]
    time: float


class History(NamedTuple):
    """How far a study's events go, and how well they are guarded."""

    events: int
    link: str | None
    """The hash of the last event and all before it; None while there is no chain."""
    since: int | None
    """The event from which on each hash was written with its event, so that it speaks for what was recorded."""


class Journal(Protocol):
    """The append-only record of studies.

    Sequences of a study count from 1 without gaps. `append` writes all events or none, and returns only when
    they would survive the death of the process and, on a disk that keeps its word, of the machine. It raises
    JournalConflict, having written nothing, unless `expected_sequence` is the study's last sequence. Several
    processes and threads may use one journal at once.
    """

    def append(self, study: str, expected_sequence: int, events: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
        """Write (kind, payload) pairs after `expected_sequence`; return the new last sequence."""
        ...

    def read(self, study: str, after: int) -> Iterator[Event]:
        """Return the events of a study with a sequence above `after`, in order; refuses what was changed since."""
        ...

    def history(self, study: str) -> History:
        """Return how far the events of a study go, and since when they are chained."""
        ...

    def close(self) -> None: ...
