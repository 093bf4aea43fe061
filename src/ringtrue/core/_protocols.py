"""The nouns around a question: what a model, an oracle, a pool, a space and a journal must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ringtrue.core._answers import Labels, Vectors
from ringtrue.core._items import Batch, Item, Query, Reply


class Model(ABC):
    """Answers a batch of inputs. Nothing else is known about it, unless it says so."""

    name: str
    """What it is called, the same every time."""

    @abstractmethod
    def answer(self, batch: Batch) -> Labels | Vectors:
        """Return an answer per item, in their order."""

    stored_in: Sequence[str] = ()
    """The columns of the pool that hold its answers, where these are stored: it has nothing to say of other items."""
    classes: Sequence[Any] | None = None
    """The labels it may give, if they are known."""
    features: list[str] | None = None
    """The columns it is shown, if they were chosen."""
    deterministic: bool = False
    """Whether it is known to give the same answer however often it is asked."""
    remote: bool = False
    """Whether each call goes to another machine."""
    versions: Mapping[str, str] = {}
    """What tells of its version, by name: its server, once it was asked, or the library that runs it."""

    def without(self, column: str | None) -> Model:  # noqa: ARG002 - most models are shown all columns
        """Return this model, not shown a column such as the items' names."""
        return self


class Oracle(ABC):
    """Knows the truth and is expensive. Replies in the order of the queries.

    A query that is offered again after a crash keeps its id: an oracle that charges should charge an id once.
    """

    one_by_one: bool = False
    """Whether each item is a call of its own, so that a study may keep what came before one that fails."""
    impartial: bool = False
    """Whether nothing that stands beside an item could sway it, because it is written down already."""

    @abstractmethod
    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]:
        """Return a reply per query, in their order."""

    def close(self) -> None:  # noqa: B027 - most have nothing to end
        """End what it has started."""


class Pool(ABC):
    """The finite, unlabelled items there are, in a fixed order. Rows are counted from 0."""

    name: str
    size: int
    columns: tuple[str, ...]
    id_column: str | None = None
    """The column that names the items, if one does."""
    hash_of_file: str | None = None
    """A hash of the file's bytes, by which earlier versions knew a pool."""
    hidden: tuple[str, ...] = ()
    """The columns that an oracle is not shown unless it is one of them; with the column of ids, the ids."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Hash of the whole content: another hash is another pool."""

    @abstractmethod
    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order."""

    @abstractmethod
    def chunks(self, size: int) -> Iterator[Batch]:
        """Yield the whole pool in order, `size` rows at a time, in bounded memory."""

    def groups(self) -> Sequence[int]:
        """Return where the rows that are stored together end: rows of one group are cheapest to read at once."""
        return [self.size]

    def part(self, start: int, stop: int) -> Callable[[], Batch]:
        """Return what gives the rows from `start` to before `stop`, in this process or another one."""
        return partial(_given, self.take(range(start, stop)))

    def marks(self, size: int) -> Mapping[str, Any] | None:  # noqa: ARG002 - needs all rows in memory
        """Return small hashes of groups of the first rows, by which one that differs is found; None if it has none."""
        return None

    def parts(self) -> Mapping[str, str] | None:
        """Return the files that it is read from, each with a hash, where they are several; None if it is one."""
        return None


def _given(batch: Batch) -> Batch:
    return batch


@runtime_checkable
class Space(Protocol):
    """A set of inputs from which items are made."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """Hash of all that distinguishes it from another space."""
        ...

    @property
    def hidden(self) -> Sequence[str]:
        """The parameters that only the oracle is told, such as which output it is asked about."""
        return ()

    def item(self, point: tuple[float, ...]) -> Item:
        """Return the item at a point; equal points give equal ids."""
        ...

    def probes(self, n: int) -> Sequence[Item]:  # noqa: ARG002 - a space need not have any
        """Return a few of its items, the same every time, by which a model is known again."""
        return ()


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

    def history(self, study: str, at: int | None = None) -> History:
        """Return how far the events of a study go, or went `at` an earlier one, and since when they are chained."""
        ...

    def studies(self) -> list[str]:
        """Return the names of the studies that it holds."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class StateJournal(Protocol):
    """A journal that also keeps what its events add up to, so that a long study need not be read from its beginning."""

    def keep_state(self, study: str, sequence: int, state: bytes) -> None:
        """Keep what the events up to `sequence` add up to, in the place of what was kept before."""
        ...

    def kept_state(self, study: str) -> bytes | None:
        """Return what was kept, if it belongs to the event that is there now; else nothing."""
        ...

    def events_at(self, study: str, sequences: Sequence[int]) -> Iterator[Event]:
        """Give some events; refuse those that do not follow the one before."""
        ...


@runtime_checkable
class LockingJournal(Protocol):
    """A journal that can keep others from writing: then no work is done in vain where several write to a study."""

    def append_alone(
        self, study: str, after: int, build: Callable[[Iterator[Event]], Sequence[tuple[str, Mapping[str, Any]]]]
    ) -> int:
        """Append what `build` makes of the events above `after`, and keep all others from writing meanwhile.

        `build` must be short, and is called once at most. Whatever it raises is raised with nothing written. Returns
        the last sequence, and raises JournalConflict, with nothing written, only if the lock was lost.
        """
        ...
