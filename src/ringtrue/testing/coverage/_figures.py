"""What is known of each row: the figures there are, where they are least, and which promises are broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from ringtrue.testing.coverage._case import Case, Count, Row, Shortfall, shortfalls, together
from ringtrue.testing.coverage._store import Chunk, fingerprint, merged

How: TypeAlias = Literal["run", "earlier code", "carried over"]
"""Who made a figure: this runner on the present code, on code that has changed since, or the suite before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What is known of one label of a case."""

    case: Case
    label: str
    count: Count
    how: How
    chunk: Chunk

    @property
    def row(self) -> Row:
        return self.case.rows[self.label]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of the page: where the coverage of a row was least, and what that rests on.

    `cells` are the looks of all its cases; `missing` are labels of cases for which there is no figure at all.
    """

    row: Row
    share: float
    error: float
    where: str
    cells: int
    repetitions: tuple[int, int]
    how: tuple[How, ...]
    missing: int


def figures(cases: Sequence[Case], chunks: Sequence[Chunk], record: Sequence[Chunk]) -> list[Figure]:
    """Return the figure of each label that has one: that with most studies, of the present code if others have as many.

    `chunks` are those of runs, `record` what stands behind the page as it was written before.
    """
    found = []
    for case in cases:
        code = fingerprint(case.question)
        codes = [code, *sorted({one.code for one in chunks if one.is_of(case)} - {code})]
        known = [one for each in codes if (one := merged(case, each, chunks)) is not None]
        known += sorted((one for one in record if one.is_of(case)), key=lambda one: one.code == "")
        known.sort(key=lambda one: one.code != code)
        for label in case.rows:
            of_label = [one for one in known if label in one.counts]
            if of_label:
                best = max(of_label, key=lambda one: one.counts[label].repetitions)
                how: How = "run" if best.code == code else "earlier code" if best.code else "carried over"
                found.append(Figure(case, label, best.counts[label], how, best))
    return found


def recorded(found: Sequence[Figure]) -> Iterator[Chunk]:
    """Yield the chunks that stand behind some figures, each with the labels that rest on it."""
    chunks = {id(one.chunk): one.chunk for one in found}
    for key, chunk in chunks.items():
        counts = {one.label: one.count for one in found if id(one.chunk) == key}
        yield replace(chunk, counts=counts)


def lines(cases: Sequence[Case], found: Sequence[Figure]) -> list[Line]:
    """Return a line per row, in the order of the table; rows that are means have none."""
    made = []
    for row in dict.fromkeys(row for case in cases for row in case.rows.values() if row.promise != "mean"):
        own = [one for one in found if one.row == row]
        wanted = sum(one == row for case in cases for one in case.rows.values())
        if not own:
            made.append(Line(row, np.nan, np.nan, "", 0, (0, 0), (), wanted))
            continue
        least = min(own, key=lambda one: float(one.count.shares.min()))
        place = int(np.argmin(least.count.shares))
        share = float(least.count.shares[place])
        times = [one.count.repetitions for one in own]
        made.append(
            Line(
                row,
                share,
                float(least.count.errors(row.level)[place]),
                "everywhere" if share == 1 else place_of(least, place),
                sum(len(one.case.looks) for one in own),
                (min(times), max(times)),
                tuple(dict.fromkeys(one.how for one in own)),
                wanted - len(own),
            )
        )
    return made


def place_of(figure: Figure, look: int) -> str:
    """Return where a figure is from: the case, what it is of if the case has several, and the look."""
    labels = [label for label, row in figure.case.rows.items() if row == figure.row]
    label = figure.label if len(labels) > 1 else ""
    where = figure.case.where.removeprefix(f"{figure.row.name}, ")
    return ", ".join(filter(None, (where, label, _look(figure.case.looks[look], figure.row))))


def _look(look: str, row: Row) -> str:
    if not look or not look[-1].isdigit():
        return look
    return f"up to {look} answers" if row.promise == "watched" else f"{look} answers"


def broken(found: Sequence[Figure]) -> list[Shortfall]:
    """Return where promises are missed by more than chance explains: look by look, and all cases of a row together."""
    falls = [fall for one in found for fall in shortfalls(one.case, one.label, one.count)]
    for row, label in dict.fromkeys((one.row, one.label) for one in found):
        falls += together(row, label, [one.count for one in found if (one.row, one.label) == (row, label)])
    return falls
