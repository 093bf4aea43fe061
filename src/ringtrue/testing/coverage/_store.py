"""Results that outlive a run: chunks of simulated studies as lines of JSON, known by case, seed, version and code."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ringtrue.testing.coverage._case import Case, Count

FOLDER = Path(".coverage-results")
"""Where chunks are kept while a run goes on; git does not see it."""

PACKAGE = Path(__file__).parents[2]
"""Where the code is that is simulated."""

ALSO = {"logs": ("risk",)}
"""What the cases of a package simulate beside it: of a log, the question that its items are asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """What the studies from `start` up to `stop` of one case held, and by which code.

    `code` is the fingerprint of what was simulated; "" for figures that were carried over from a table of an earlier
    suite, of the same case and seed. `first` counts the first studies of the case alone; None where they were not kept.
    `confirmed` is the fingerprint of other code by which these came out the same.
    """

    case: str
    seed: int
    version: str
    code: str
    start: int
    stop: int
    seconds: float
    counts: Mapping[str, Count]
    first: Mapping[str, Count] | None = None
    confirmed: str = ""

    def is_of(self, case: Case) -> bool:
        """Return whether these are studies of this case as it is defined now."""
        return (self.case, self.seed, self.version) == (case.name, case.seed, case.version)

    def to_line(self) -> str:
        kept = {name: getattr(self, name) for name in ("case", "seed", "version", "code", "start", "stop")}
        kept |= {"seconds": round(self.seconds, 2), "counts": _lists(self.counts)}
        kept |= {} if self.first is None else {"first": _lists(self.first)}
        kept |= {"confirmed": self.confirmed} if self.confirmed else {}
        return json.dumps(kept, ensure_ascii=False)

    @classmethod
    def of_line(cls, line: str) -> Chunk:
        told: dict[str, Any] = json.loads(line)
        for name in {"counts", "first"} & set(told):
            told[name] = {
                label: Count(times, of, np.array(total), None if squares is None else np.array(squares))
                for label, (times, of, total, squares) in told[name].items()
            }
        return cls(**told)


def _lists(counts: Mapping[str, Count]) -> dict[str, list[Any]]:
    return {
        label: [count.repetitions, count.intervals, _short(count.total), _short(count.squares)]
        for label, count in counts.items()
    }


def _short(numbers: Any) -> list[float] | None:
    """Return sums as whole numbers where they are, and else to the digits that matter."""
    if numbers is None:
        return None
    return [int(one) if float(one).is_integer() else round(float(one), 6) for one in numbers]


def read(path: Path) -> Iterator[Chunk]:
    """Yield the chunks of a file; a last line that a stop cut short is passed over."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):
                yield Chunk.of_line(line)


def add(path: Path, chunk: Chunk) -> None:
    """Append a chunk, on a line of its own even after one that was cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = path.exists() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + chunk.to_line() + "\n")


def write(path: Path, chunks: Iterable[Chunk]) -> None:
    """Write chunks in place of what was there."""
    path.write_text("".join(chunk.to_line() + "\n" for chunk in chunks), encoding="utf-8")


def merged(case: Case, code: str, chunks: Iterable[Chunk]) -> Chunk | None:
    """Return the chunks of a case, made by this code, as one that begins with the first study; None without any."""
    found: Chunk | None = None
    for chunk in sorted((one for one in chunks if one.is_of(case) and one.code == code), key=lambda one: one.start):
        if found is None and chunk.start == 0:
            found = chunk
        elif found is not None and chunk.start == found.stop:
            counts = {label: count + chunk.counts[label] for label, count in found.counts.items()}
            took = found.seconds + chunk.seconds
            found = replace(found, stop=chunk.stop, seconds=took, counts=counts)
    return found


@cache
def fingerprint(question: str) -> str:
    """Return a hash of the code that cases of a question simulate: the core, the statistics, the question, and `ALSO`.

    Comments, docstrings and the shape of lines do not count; whatever else changes makes other code of it.
    """
    told = hashlib.sha256()
    for package in sorted({"core", "stats", question, *ALSO.get(question, ())}):
        for file in sorted((PACKAGE / package).rglob("*.py")):
            told.update(
                f"{file.relative_to(PACKAGE).as_posix()}\n{_without_words(file.read_text(encoding='utf-8'))}".encode()
            )
    return told.hexdigest()[:12]


def _without_words(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_word(line)] or [ast.Pass()]
    return ast.dump(tree)


def _is_word(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
