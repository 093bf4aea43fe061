"""The page of the suite: the figures there are, where they are least, which promises are broken, and how it is told."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from ringtrue.testing.coverage._case import ALLOWED, ERRORS, Case, Count, Row, Shortfall, shortfalls, together
from ringtrue.testing.coverage._store import Chunk, fingerprint, merged

How: TypeAlias = Literal["run", "confirmed", "earlier code", "carried over"]
"""Who made a figure: this runner on the present code, on other code by which the first studies come out the same, on
code of which that is not known, or the suite before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What is known of one label of a case."""

    case: Case
    label: str
    chunk: Chunk

    @property
    def row(self) -> Row:
        return self.case.rows[self.label]

    @property
    def count(self) -> Count:
        return self.chunk.counts[self.label]

    @property
    def how(self) -> How:
        """How it was made, seen from the present code."""
        code = fingerprint(self.case.question)
        if self.chunk.code == code:
            return "run"
        return "confirmed" if self.chunk.confirmed == code else "earlier code" if self.chunk.code else "carried over"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line of the page: the figures of a row; `missing` are labels of cases for which there is none at all."""

    row: Row
    figures: Sequence[Figure]
    missing: int

    @property
    def looks(self) -> int:
        """How many looks all its cases have."""
        return sum(len(one.case.looks) for one in self.figures)

    @property
    def how(self) -> tuple[How, ...]:
        return tuple(dict.fromkeys(one.how for one in self.figures))

    @property
    def cells(self) -> tuple[str, ...]:
        """What is told of it: the name, the promise, the least coverage, the studies, where it was, and how made."""
        row, looks = self.row, self.looks
        name = f"`{row.name}`" if row.question == "stats" and "," not in row.name else row.name
        if not looks:
            return name, row.words, "–", "–", "–", "not run yet"
        least = min(self.figures, key=lambda one: float(one.count.shares.min()))
        place = int(np.argmin(least.count.shares))
        share, error = least.count.shares[place], least.count.errors(row.level)[place]
        repetitions = [one.count.repetitions for one in self.figures]
        times = " to ".join(f"{one:,}" for one in sorted({min(repetitions), max(repetitions)}))
        return (
            name,
            row.words,
            f"{100 * share:.1f} ± {100 * error:.1f}",
            f"{looks:,} × {times}" if looks > 1 else times,
            "everywhere" if share == 1 else place_of(least, place),
            " and ".join(self.how) + (f", {self.missing} not run yet" if self.missing else ""),
        )


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
        known.sort(key=lambda one: (one.code != code, one.confirmed != code))
        for label in case.rows:
            of_label = [one for one in known if label in one.counts]
            if of_label:
                best = max(of_label, key=lambda one: one.counts[label].repetitions)
                found.append(Figure(case, label, best))
    return found


def recorded(found: Sequence[Figure]) -> Iterator[Chunk]:
    """Yield the chunks that stand behind some figures, each with the labels that rest on it."""
    chunks = {id(one.chunk): one.chunk for one in found}
    for key, chunk in chunks.items():
        counts = {one.label: one.count for one in found if id(one.chunk) == key}
        yield replace(chunk, counts=counts)


def lines(cases: Sequence[Case], found: Sequence[Figure]) -> list[Line]:
    """Return a line per row, in the order of the table; rows that are means have none."""
    wanted = Counter(row for case in cases for row in case.rows.values() if row.promise != "mean")
    own = {row: [one for one in found if one.row == row] for row in wanted}
    return [Line(row, own[row], labels - len(own[row])) for row, labels in wanted.items()]


def place_of(figure: Figure, look: int) -> str:
    """Return where a figure is from: the case, what it is of if the case has several, and the look."""
    labels = [label for label, row in figure.case.rows.items() if row == figure.row]
    label = figure.label if len(labels) > 1 else ""
    where, at = figure.case.where.removeprefix(f"{figure.row.name}, "), figure.case.looks[look]
    if at and at[-1].isdigit():
        at = f"up to {at} answers" if figure.row.promise == "watched" else f"{at} answers"
    return ", ".join(filter(None, (where, label, at)))


def broken(found: Sequence[Figure]) -> list[Shortfall]:
    """Return where promises are missed by more than chance explains: look by look, and all cases of a row together."""
    falls = [fall for one in found for fall in shortfalls(one.case, one.label, one.count)]
    for row, label in dict.fromkeys((one.row, one.label) for one in found):
        falls += together(row, label, [one.count for one in found if (one.row, one.label) == (row, label)])
    return falls


PAGE, DETAILS, RECORD = "coverage.md", "coverage-details.md", "coverage.jsonl"

QUESTIONS = {
    "risk": "How often does it fail?",
    "changed": "Did it change?",
    "blind": "Where is it confidently wrong?",
    "worst": "Where does it deviate worst?",
    "judges": "How good are these judges?",
    "logs": "Logs whose items were run several times",
    "stats": "Functions of `ringtrue.stats`",
}


def page(lines: Sequence[Line], cases: Sequence[Case], falls: Sequence[Shortfall]) -> str:
    """Return the page for people: one line per interval."""
    promised = [line for line in lines if line.row.promise not in ("none", "below")]
    tables = [
        (title, [line.cells for line in promised if line.row.question == question])
        for question, title in QUESTIONS.items()
    ]
    aside = {"none": "For comparison: promised to nobody", "below": "What goes wrong: do not do it this way"}
    tables += [(title, [line.cells for line in lines if line.row.promise == kind]) for kind, title in aside.items()]
    whole = Counter(" and ".join(sorted(line.how)) for line in lines if line.figures and not line.missing)
    counted = ", ".join(f"{number} {how}" for how, number in whole.most_common())
    none = sum(not line.figures for line in lines)
    return _filled(
        PAGE,
        falls=falls,
        status=f"{len(lines)} lines: {counted}, {len(lines) - none - whole.total()} in part, {none} not run yet.",
        tables=tables,
        cells=f"{sum(line.looks for line in promised):,}",
        allowed=f"{100 * ALLOWED:.0f}",
        errors=f"{ERRORS:.0f}",
        seeds={name: sorted({str(case.seed) for case in cases if case.question == name}) for name in QUESTIONS},
    )


def details(found: Sequence[Figure]) -> str:
    """Return the page with every figure: a table per question and set of looks."""
    questions = []
    for question, title in QUESTIONS.items():
        own = [one for one in found if one.case.question == question]
        groups = itertools.groupby(own, key=lambda one: one.case.looks)
        questions.append((title, [([look or "%" for look in looks], [*map(_cells, group)]) for looks, group in groups]))
    return _filled(DETAILS, questions=questions)


def _cells(one: Figure) -> list[str]:
    row, shares = one.row, one.count.shares
    cells = [f"**{100 * x:.1f}**" if x < row.level and row.promise != "mean" else f"{100 * x:.1f}" for x in shares]
    mark = {"none": " †", "mean": " ‡", "below": " ✗"}.get(row.promise, "")
    what = row.name if one.label == row.name else f"{one.label}: {row.name}"
    how = "" if one.how == "run" else f" ({one.how})"
    return [one.case.where, f"{what}{mark}", f"{one.count.repetitions:,}{how}", *cells]


def _filled(name: str, **told: Any) -> str:
    loader = PackageLoader("ringtrue.testing.coverage", "templates")
    pages = Environment(loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, trim_blocks=True)
    return pages.get_template(name).render(told).rstrip() + "\n"
