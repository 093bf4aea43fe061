"""One pass over a pool too large for the journal: its rows in order, scored by the workers, written wave by wave."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput, Pass, Pool, ResponderStopped
from ringtrue.study._book import Book, Events
from ringtrue.study._carrying import Failed, carry_out
from ringtrue.study._score_files import Arrays, Scored, ScoreFiles, Wave

Run: TypeAlias = Callable[[Batch, int], Arrays]
"""Scores the items of a piece, which has a number: a function of these alone."""
Told: TypeAlias = Callable[[int, Mapping[str, int]], None]
"""Told how many rows are done, and how many each worker has done in this run."""

_SECONDS = 3.0
"""How long a part should take a worker: long beside what it costs to send, short beside what an interrupt loses."""
_FIRST, _MOST = 50_000, 500_000
"""Rows of the first part, and of any: a worker has all of them in memory."""
_TRIES = 3
_IN_A_ROW = 3
"""Pieces in a row that fail and end the scan: then it is not the rows that are to blame."""


class Portion(NamedTuple):
    """What a worker made of a part: for each piece its scores, or why there are none."""

    pieces: list[Arrays | Failed]
    seconds: float
    worker: str


@dataclass(slots=True)
class Scan:
    """Scores the rows of a pool in pieces of at most `one.rows`, none of which crosses a row group.

    Scores are a function of the piece and its number, so that they are the same whoever works. A part is a few pieces,
    as many as take a worker some seconds. Results come back to this process, which alone writes.
    """

    book: Book
    key: str
    one: Pass
    run: Run
    pool: Pool
    files: ScoreFiles
    _bounds: NDArray[np.int64] = field(init=False)
    _ends: frozenset[int] = field(init=False)
    _rows: int = field(init=False)
    _by_worker: Counter[str] = field(init=False, default_factory=Counter)
    _failing: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        ends = self.pool.groups()
        self._ends, self._rows = frozenset(ends), _FIRST
        starts = [row for start, end in pairwise([0, *ends]) for row in range(start, end, self.one.rows)]
        self._bounds = np.array([*starts, self.pool.size])

    @property
    def scored(self) -> Scored:
        """What the journal says of this pass."""
        return self.book.ledger.scored.get(self.key) or Scored()

    def carry_out(self, executor: Executor | None, told: Told) -> None:
        """Score what is missing. What the journal has and the disk has not is made again, and must be the same."""
        for wave in self.files.changed(self.scored):
            self._make_again(wave, executor)
        told(self.scored.stop, self._by_worker)

        def keep(parts: Sequence[tuple[range, Portion | Failed]]) -> None:
            whole = [(pieces, self._completed(pieces, portion, executor)) for pieces, portion in parts]
            self._keep(*self._joined(whole))
            told(self.scored.stop, self._by_worker)

        first = int(np.searchsorted(self._bounds, self.scored.stop))
        carry_out(self._parts(range(first, len(self._bounds) - 1)), executor, keep)

    def _parts(self, pieces: range) -> Iterator[tuple[range, Callable[[], Portion]]]:
        """Give parts of some pieces, as large as the last ones showed to be right, and up to the end of a row group."""
        first = pieces.start
        while first < pieces.stop:
            last = first + 1
            while last < pieces.stop:
                rows = int(self._bounds[last] - self._bounds[first])
                if rows >= self._rows or (2 * rows >= self._rows and int(self._bounds[last]) in self._ends):
                    break
                last += 1
            yield self._part(range(first, last))
            first = last

    def _part(self, pieces: range) -> tuple[range, Callable[[], Portion]]:
        bounds = self._bounds[pieces.start : pieces.stop + 1]
        reads = self.pool.part(int(bounds[0]), int(bounds[-1]))
        return pieces, partial(_score, self.run, reads, pieces.start, bounds - bounds[0])

    def _completed(self, pieces: range, portion: Portion | Failed, executor: Executor | None) -> list[Arrays | Failed]:
        """Return what each piece gave, those that failed after further tries, each by itself."""
        if isinstance(portion, Failed):
            found: list[Arrays | Failed] = [portion] * len(pieces)
        else:
            found = portion.pieces
            rows = int(self._bounds[pieces.stop] - self._bounds[pieces.start])
            self._by_worker[portion.worker] += rows
            wanted = rows / max(portion.seconds, 1e-3) * _SECONDS
            self._rows = int(min(max(wanted, self.one.rows), _MOST))
        for _ in range(_TRIES - 1):
            again = [place for place, one in enumerate(found) if isinstance(one, Failed)]

            def put(parts: Sequence[tuple[range, Portion | Failed]]) -> None:
                for (number, *_), made in parts:
                    found[number - pieces.start] = made if isinstance(made, Failed) else made.pieces[0]

            carry_out((self._part(range(n, n + 1)) for n in (pieces.start + place for place in again)), executor, put)
        return found

    def _joined(self, parts: Sequence[tuple[range, list[Arrays | Failed]]]) -> tuple[range, Arrays, list[list[Any]]]:
        """Return the scores of some parts in a row as one, and which rows of them could not be scored."""
        pieces = range(parts[0][0].start, parts[-1][0].stop)
        found, failed = [one for _, part in parts for one in part], []
        for number, one in zip(pieces, found, strict=True):
            self._failing = self._failing + 1 if isinstance(one, Failed) else 0
            if isinstance(one, Failed):
                start, stop = int(self._bounds[number]), int(self._bounds[number + 1])
                if self.one.missing is None or self._failing >= _IN_A_ROW:
                    raise ResponderStopped(
                        f"rows {start:,} to {stop - 1:,} of the pool failed {_TRIES} times ({one.why}): mend what "
                        "scores them and run again; all rows before them are kept"
                    )
                failed.append([start, stop, one.why])
        names = next((list(one) for one in found if not isinstance(one, Failed)), list(self.one.missing or {}))
        joined = {
            name: np.concatenate([self._of(name, *each) for each in zip(pieces, found, strict=True)]) for name in names
        }
        return pieces, joined, failed

    def _of(self, name: str, number: int, one: Arrays | Failed) -> NDArray[Any]:
        if not isinstance(one, Failed):
            return one[name]
        return np.full(int(self._bounds[number + 1] - self._bounds[number]), (self.one.missing or {})[name])

    def _keep(self, pieces: range, scores: Arrays, failed: list[list[Any]]) -> None:
        """Write the scores of some pieces to the disk, and then say so in the journal."""
        start, stop = int(self._bounds[pieces.start]), int(self._bounds[pieces.stop])
        digest, types = self.files.write(start, scores)
        payload = {"question": self.key, "start": start, "stop": stop, "types": types, "digest": digest}

        def build() -> tuple[Events, None]:  # another process may score the same study
            return [
                ("scored", payload | ({"failed": failed} if failed else {}))
            ] if self.scored.stop == start else [], None

        self.book.commit(build)

    def _make_again(self, wave: Wave, executor: Executor | None) -> None:
        """Score the rows of a wave once more, and refuse other scores than there were."""
        lost = {int(np.searchsorted(self._bounds, start)): why for start, _, why in self.scored.failed}

        def keep(parts: Sequence[tuple[range, Portion | Failed]]) -> None:
            whole = [(pieces, self._completed(pieces, portion, executor)) for pieces, portion in parts]
            whole = [
                (pieces, [Failed(lost[n]) if n in lost else one for n, one in zip(pieces, found, strict=True)])
                for pieces, found in whole
            ]
            pieces, scores, _ = self._joined(whole)
            self.files.write(int(self._bounds[pieces.start]), scores)

        ends = np.searchsorted(self._bounds, [wave.start, wave.stop])
        carry_out(self._parts(range(*ends.tolist())), executor, keep)
        if not self.files.has(self.scored.types, wave):
            raise InvalidInput(
                f"the scores of rows {wave.start:,} to {wave.stop - 1:,} were lost and are not the same any more: "
                f"bring back the files of {self.files.folder.name}, or make a new study"
            )


def _score(run: Run, reads: Callable[[], Batch], first: int, bounds: NDArray[np.int64]) -> Portion:
    """Score the pieces of a part, in the process of a worker."""
    began, batch, found = time.perf_counter(), reads(), []  # type: float, Batch, list[Arrays | Failed]
    for number, (start, stop) in enumerate(pairwise(bounds.tolist()), first):
        piece = Batch(batch.ids[start:stop], {name: cells[start:stop] for name, cells in batch.columns.items()})
        try:
            found.append(run(piece, number))
        except InvalidInput:
            raise
        except Exception as error:  # told as a value: another try may go to another worker
            found.append(Failed(" ".join(f"{type(error).__name__}: {error}".split())[:200]))
    return Portion(found, time.perf_counter() - began, _worker())


def _worker() -> str:
    thread = threading.current_thread()
    own = "" if thread is threading.main_thread() else f"/{thread.name}"
    return f"{socket.gethostname()}/{os.getpid()}{own}"
