"""Scores of a pool too large for the journal: in files beside the study, with a hash of each wave in the journal."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.study._arrays import Arrays, little

LARGE = 1_000_000
"""Rows of a pool whose scores are in the journal, at most: those of 10^8 would make it a gigabyte."""


class Wave(NamedTuple):
    """Rows up to `stop` whose scores were written together, and the hash of these."""

    start: int
    stop: int
    digest: str


@dataclass(slots=True)
class Scored:
    """What the journal says of the scores of a pass: their types, the waves of rows, and the rows without any.

    Of a pool whose scores are in the journal themselves, it is the rows without any alone.
    """

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


def folder_of(study: Path, identity: str) -> Path:
    """Return where the scores of a study are: beside it, under its name and a part of what no other study has.

    Files are written where others may read them, and two studies of one name may be used from one folder.
    """
    return study.with_name(f"{study.name.removesuffix('.ringtrue')}-{identity[:12]}.scores")


def digest_of(scores: Arrays) -> str:
    """Return the hash of some scores, the same for whoever made them."""
    total = hashlib.sha256()
    for name in sorted(scores):
        total.update(little(scores[name]).data)
    return total.hexdigest()


class ScoreFiles:
    """The files of one pass: a score each, its numbers one after the other."""

    def __init__(self, folder: Path, key: str, size: int) -> None:
        self.folder, self._key, self._size = folder, key, size

    def write(self, start: int, scores: Arrays) -> tuple[str, dict[str, list[Any]]]:
        """Write the scores of some rows to the disk; return their hash and their types."""
        types = {}
        try:
            self.folder.mkdir(exist_ok=True)
            for name in sorted(scores):
                values = little(scores[name])
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
        except OSError as error:
            raise InvalidInput(
                f"{self.folder}: the scores cannot be written ({error.strerror}): make room, or take another folder"
            ) from None
        return digest_of(scores), types

    def read(self, types: Mapping[str, Sequence[Any]]) -> Arrays | None:
        """Return the scores as arrays that lie on the disk; None if a file is missing or of another size."""
        found = {}
        for name, (kind, width) in sorted(types.items()):
            path, dtype = self._path(name), np.dtype(kind)
            shape = (self._size,) if width == 1 else (self._size, width)
            try:
                if not path.is_file() or path.stat().st_size != self._size * dtype.itemsize * width:
                    return None
                found[name] = np.memmap(path, dtype=dtype, mode="r", shape=shape)
            except OSError as error:
                raise InvalidInput(
                    f"{path}: the scores cannot be read ({error.strerror}): ask their owner for the right to read "
                    "them, or copy the study, and they are made again beside the copy"
                ) from None
        return found

    def changed(self, scored: Scored) -> list[Wave]:
        """Return the waves whose scores are not on the disk as they were written."""
        return [wave for wave in scored.waves if not self.has(scored.types, wave)]

    def has(self, types: Mapping[str, Sequence[Any]], wave: Wave) -> bool:
        """Return whether the scores of a wave are on the disk as they were written."""
        found = self.read(types)
        if found is None:
            return False
        return digest_of({name: values[wave.start : wave.stop] for name, values in found.items()}) == wave.digest

    def _path(self, name: str) -> Path:
        return self.folder / f"{quote(self._key, safe='')}.{quote(name, safe='')}.bin"
