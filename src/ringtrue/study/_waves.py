"""Scores of a pool too large for the journal: written to files wave by wave, and made again where they were lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from ringtrue.core import InvalidInput, Pass
from ringtrue.study._arrays import Arrays
from ringtrue.study._book import Book, Events
from ringtrue.study._pieces import Pieces, number_of
from ringtrue.study._scan import Made, Run, Scan, Told, unknown
from ringtrue.study._score_files import Scored, ScoreFiles, Wave, digest_of


@dataclass(slots=True)
class Waves:
    """The waves of a pass: what was made of some pieces in a row, in the files, with its hash in the journal."""

    book: Book
    key: str
    one: Pass
    pieces: Pieces
    files: ScoreFiles

    @property
    def scored(self) -> Scored:
        """What the journal says of this pass."""
        return self.book.ledger.scored.get(self.key) or Scored()

    def carry_out(self, run: Run, executor: Executor | None, telling: Callable[[str, int], Told]) -> None:
        """Score what is missing. What the journal has and the disk has not is made again, and must be the same.

        `telling` is given a name and the number of all rows, and returns what is told how many of them are done.
        """
        lost = self.files.changed(self.scored)
        if lost:
            again = _Again(self, deque(lost))
            told = telling(f"{self.one.doing} again", sum(wave.stop - wave.start for wave in lost))
            Scan(self.pieces, run, None, again.keep, told, grows=True).carry_out(again.begin(), executor)
        done = self.scored.stop
        told = telling(self.one.doing, int(self.pieces.bounds[-1]))
        scan = Scan(self.pieces, run, self.one.missing, self._keep, told, grows=True, done=done)
        scan.carry_out(range(self.piece_at(done), number_of(self.pieces)), executor)

    def piece_at(self, row: int) -> int:
        """Return the piece that begins with a row."""
        return int(np.searchsorted(self.pieces.bounds, row))

    def rows(self, number: int) -> tuple[int, int]:
        """Return the first row of a piece, and the one after its last."""
        return int(self.pieces.bounds[number]), int(self.pieces.bounds[number + 1])

    def _keep(self, made: Sequence[Made]) -> None:
        """Write the scores of some pieces to the disk, and then say so in the journal."""
        (start, _), (_, stop) = self.rows(made[0].number), self.rows(made[-1].number)
        failed = [[*self.rows(one.number), one.why] for one in made if one.why is not None]
        digest, types = self.files.write(start, _joined([one.scores for one in made]))
        payload = {"question": self.key, "start": start, "stop": stop, "types": types, "digest": digest}

        def build() -> tuple[Events, None]:  # another process may score the same study
            return [
                ("scored", payload | ({"failed": failed} if failed else {}))
            ] if self.scored.stop == start else [], None

        self.book.commit(build)


@dataclass(slots=True)
class _Again:
    """Scores the rows of lost waves once more, and refuses other scores than there were before it writes any."""

    waves: Waves
    lost: deque[Wave]
    _found: dict[int, Arrays] = field(default_factory=dict)

    def begin(self) -> list[int]:
        """Return the pieces to score: all but those that could not be scored then, which get the same as then."""
        missing = self.waves.one.missing or {}
        without = {self.waves.piece_at(start): stop - start for start, stop, _ in self.waves.scored.failed}
        wanted = [number for wave in self.lost for number in self._pieces(wave)]
        self._found = {number: unknown(missing, without[number]) for number in wanted if number in without}
        self.keep([])
        return [number for number in wanted if number not in without]

    def keep(self, made: Sequence[Made]) -> None:
        """Write every wave that is complete."""
        self._found |= {one.number: one.scores for one in made}
        while self.lost and all(number in self._found for number in self._pieces(self.lost[0])):
            wave = self.lost.popleft()
            scores = _joined([self._found.pop(number) for number in self._pieces(wave)])
            if digest_of(scores) != wave.digest:
                raise InvalidInput(
                    f"the scores of rows {wave.start:,} to {wave.stop - 1:,} were lost and are not the same any more: "
                    f"bring back the files of {self.waves.files.folder.name}, or make a new study"
                )
            self.waves.files.write(wave.start, scores)

    def _pieces(self, wave: Wave) -> range:
        return range(self.waves.piece_at(wave.start), self.waves.piece_at(wave.stop))


def _joined(scores: Sequence[Arrays]) -> Arrays:
    """Return the scores of some pieces in a row as one."""
    return {name: np.concatenate([one[name] for one in scores]) for name in scores[0]}
