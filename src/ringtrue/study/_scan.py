"""One pass over a pool: its pieces are done by whoever works, what fails is tried again, and what fails on is named."""

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
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np

from ringtrue.core import InvalidInput, Measured, ResponderStopped
from ringtrue.study._arrays import Arrays
from ringtrue.study._carrying import Failed, carry_out
from ringtrue.study._pieces import Pieces, Reads

Run: TypeAlias = Callable[[Measured, Measured, int], Arrays]
"""Scores the items of a piece, which has a number: a function of these and what is beside them alone."""
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


class Made(NamedTuple):
    """A piece that is done: its number and its scores; if it failed, those of unknown rows, and why."""

    number: int
    scores: Arrays
    why: str | None = None


@dataclass(slots=True)
class Scan:
    """Does pieces of a pass, and has what they gave kept in order.

    A piece that fails is tried again. One that fails for good has the scores in `missing`, unless there are none, or
    all pieces before it in a row failed as well: then the scan ends, and names them. Results come back to this process,
    which alone writes.

    Parameters
    ----------
    pieces, run
        What is to be done, and what does one of them.
    missing
        The scores of a row that could not be scored; None if all must be.
    keep, told
        What takes in what was made, and what is told how far it is.
    grows
        Whether a part is as many pieces as take a worker some seconds; else it is one.
    done
        How many rows were done before.
    """

    pieces: Pieces
    run: Run
    missing: Mapping[str, float] | None
    keep: Callable[[Sequence[Made]], None]
    told: Told
    grows: bool = False
    done: int = 0
    _rows: int = field(init=False)
    _by_worker: Counter[str] = field(init=False, default_factory=Counter)
    _sound: list[Made] = field(init=False, default_factory=list)
    """Not yet kept."""
    _failed: list[tuple[int, str]] = field(init=False, default_factory=list)
    """The last pieces, if they failed. They are kept once another is sound: their rows may not be to blame."""

    def __post_init__(self) -> None:
        self._rows = _FIRST if self.grows else 1

    def carry_out(self, numbers: Sequence[int], executor: Executor | None) -> None:
        """Do the pieces of these numbers, which rise."""
        self.told(self.done, self._by_worker)

        def take(parts: Sequence[tuple[range, Portion | Failed]]) -> None:
            try:
                for pieces, portion in parts:
                    for number, made in zip(pieces, self._completed(pieces, portion, executor), strict=True):
                        self._add(number, made)
            finally:
                self._pass_on()

        carry_out(self._parts(numbers), executor, take)
        if self._failed and not self.done:
            self._stop()
        self._add_failed()
        self._pass_on()

    def _parts(self, numbers: Sequence[int]) -> Iterator[tuple[range, Callable[[], Portion]]]:
        """Give parts of pieces in a row, as large as the last ones showed to be right, and up to the end of a group."""
        first = 0
        while first < len(numbers):
            last = first + 1
            while last < len(numbers) and numbers[last] == numbers[last - 1] + 1:
                rows = self._size(range(numbers[first], numbers[last]))
                if rows >= self._rows or (2 * rows >= self._rows and self._bound(numbers[last]) in self.pieces.ends):
                    break
                last += 1
            yield self._part(range(numbers[first], numbers[last - 1] + 1))
            first = last

    def _part(self, pieces: range) -> tuple[range, Callable[[], Portion]]:
        return pieces, partial(_do, self.run, self.pieces.reads(pieces), pieces.start)

    def _bound(self, number: int) -> int:
        return int(self.pieces.bounds[number])

    def _size(self, pieces: range) -> int:
        return self._bound(pieces.stop) - self._bound(pieces.start)

    def _completed(self, pieces: range, portion: Portion | Failed, executor: Executor | None) -> list[Arrays | Failed]:
        """Return what each piece gave, those that failed after further tries, each by itself."""
        if isinstance(portion, Failed):
            found: list[Arrays | Failed] = [portion] * len(pieces)
        else:
            found, rows = portion.pieces, self._size(pieces)
            self._by_worker[portion.worker] += rows
            if self.grows:
                self._rows = int(min(max(rows / max(portion.seconds, 1e-3) * _SECONDS, 1), _MOST))
        for _ in range(_TRIES - 1):
            again = [number for number, one in zip(pieces, found, strict=True) if isinstance(one, Failed)]
            if not again:
                break

            def put(parts: Sequence[tuple[range, Portion | Failed]]) -> None:
                for (number, *_), made in parts:
                    found[number - pieces.start] = made if isinstance(made, Failed) else made.pieces[0]

            carry_out((self._part(range(number, number + 1)) for number in again), executor, put)
        return found

    def _add(self, number: int, made: Arrays | Failed) -> None:
        if not isinstance(made, Failed):
            self._add_failed()
            self._sound.append(Made(number, made))
            return
        self._failed.append((number, made.why))
        if self.missing is None or len(self._failed) >= _IN_A_ROW:
            self._stop()

    def _add_failed(self) -> None:
        for number, why in self._failed:
            self._sound.append(Made(number, unknown(self.missing or {}, self._size(range(number, number + 1))), why))
        self._failed = []

    def _stop(self) -> NoReturn:
        (first, _), (last, why) = self._failed[0], self._failed[-1]
        raise ResponderStopped(
            f"{self.pieces.named(first, last)} failed {_TRIES} times ({why}): mend what scores them and run again; "
            "all that is done is kept"
        )

    def _pass_on(self) -> None:
        made, self._sound = self._sound, []
        if made:
            self.keep(made)
            self.done += sum(self._size(range(one.number, one.number + 1)) for one in made)
            self.told(self.done, self._by_worker)


def unknown(missing: Mapping[str, float], rows: int) -> Arrays:
    """Return the scores of rows of which nothing is known."""
    return {name: np.full(rows, value) for name, value in missing.items()}


def _do(run: Run, reads: Reads, first: int) -> Portion:
    """Do the pieces of a part, in the process of a worker."""
    began, found = time.perf_counter(), []  # type: float, list[Arrays | Failed]
    for number, (items, beside) in enumerate(reads(), first):
        try:
            found.append(run(items, beside, number))
        except (InvalidInput, ResponderStopped):  # another try would fail as well, or had been made
            raise
        except Exception as error:  # told as a value: another try may go to another worker
            found.append(Failed(why_of(error)))
    return Portion(found, time.perf_counter() - began, _worker())


def why_of(error: Exception) -> str:
    """Return what went wrong in someone else's code, on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def _worker() -> str:
    thread = threading.current_thread()
    own = "" if thread is threading.main_thread() else f"/{thread.name}"
    return f"{socket.gethostname()}/{os.getpid()}{own}"
