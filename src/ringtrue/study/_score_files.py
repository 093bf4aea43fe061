"""Scores of a pool too large for the journal: in files beside the study, with a hash of each wave in the journal."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

LARGE = 1_000_000
"""Rows of a pool whose scores are in the journal, at most: those of 10^8 would make it a gigabyte."""

_AT_ONCE = 2**22
"""Rows of a file that are hashed at a time."""


class Wave(NamedTuple):
    """Rows up to `stop` whose scores were written together, and the hash of these."""

    start: int
    stop: int
    digest: str


@dataclass(slots=True)
class Scored:
    """What the journal says of the scores of a pass: their types, the waves of rows, and the rows without any."""

    types: dict[str, list[Any]] = field(default_factory=dict)
    """By score, how its numbers are written and how many each row has."""
    waves: list[Wave] = field(default_factory=list)
    failed: list[tuple[int, int, str]] = field(default_factory=list)
    """First row, row after the last, and why they could not be scored."""

    @property
    def stop(self) -> int:
        """How many rows are scored, from the first."""
        return self.waves[-1].stop if self.waves else 0

    def take(self, payload: Mapping[str, Any]) -> None:
        """Take in an event. One that another writer came first with is passed over: its scores are the same."""
        if payload["start"] == self.stop:
            self.types = payload["types"]
            self.waves.append(Wave(payload["start"], payload["stop"], payload["digest"]))
            self.failed += [tuple(each) for each in payload.get("failed", ())]


class ScoreFiles:
    """The files of one pass: a score each, its numbers one after the other as the processor has them."""

    def __init__(self, folder: Path, key: str, size: int) -> None:
        self.folder, self._key, self._size = folder, key, size

    def write(self, start: int, scores: Arrays) -> tuple[str, dict[str, list[Any]]]:
        """Write the scores of some rows to the disk; return their hash and their types."""
        total, types = hashlib.sha256(), {}
        try:
            self.folder.mkdir(exist_ok=True)
            for name in sorted(scores):
                values = _little(scores[name])
                width = 1 if values.ndim == 1 else values.shape[1]
                types[name] = [values.dtype.str, width]
                row = values.dtype.itemsize * width
                descriptor = os.open(self._path(name), os.O_RDWR | os.O_CREAT, 0o600)
                with open(descriptor, "r+b") as file:
                    if os.fstat(descriptor).st_size != self._size * row:
                        file.truncate(self._size * row)
                    file.seek(start * row)
                    file.write(values.tobytes())
                    file.flush()
                    os.fsync(descriptor)
                total.update(values.tobytes())
        except OSError as error:
            raise InvalidInput(
                f"{self.folder}: the scores cannot be written ({error.strerror}): make room, or take another folder"
            ) from None
        return total.hexdigest(), types

    def read(self, types: Mapping[str, Sequence[Any]]) -> Arrays | None:
        """Return the scores as arrays that lie on the disk; None if a file is missing or of another size."""
        found = {}
        for name, (kind, width) in sorted(types.items()):
            path, dtype = self._path(name), np.dtype(kind)
            if not path.is_file() or path.stat().st_size != self._size * dtype.itemsize * width:
                return None
            shape = (self._size,) if width == 1 else (self._size, width)
            found[name] = np.memmap(path, dtype=dtype, mode="r", shape=shape)
        return found

    def changed(self, scored: Scored) -> list[Wave]:
        """Return the waves whose scores are not on the disk as they were written."""
        return [wave for wave in scored.waves if not self.has(scored.types, wave)]

    def has(self, types: Mapping[str, Sequence[Any]], wave: Wave) -> bool:
        """Return whether the scores of a wave are on the disk as they were written."""
        found = self.read(types)
        return found is not None and _hash(found, wave) == wave.digest

    def _path(self, name: str) -> Path:
        return self.folder / f"{quote(self._key, safe='')}.{quote(name, safe='')}.bin"


def _hash(scores: Arrays, wave: Wave) -> str:
    total = hashlib.sha256()
    for values in scores.values():
        for start in range(wave.start, wave.stop, _AT_ONCE):
            total.update(np.ascontiguousarray(values[start : min(start + _AT_ONCE, wave.stop)]).data)
    return total.hexdigest()


def _little(values: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(values)
    return array.astype(array.dtype.newbyteorder("<"), copy=False)
