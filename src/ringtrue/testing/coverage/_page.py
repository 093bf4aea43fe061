"""The page of the suite: the figures there are, where they are least, which promises are broken, and how it is told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

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


PAGE, DETAILS, RECORD = "coverage.md", "coverage-details.md", "coverage.jsonl"

QUESTIONS = {
    "risk": "How often does it fail?",
    "changed": "Did it change?",
    "blind": "Where is it confidently wrong?",
    "worst": "Where does it deviate worst?",
    "judges": "How good are these judges?",
    "stats": "Functions of `ringtrue.stats`",
}

_TUNED = """\
- `worst`: the constants of the rule for claims (how narrow a bump it answers for, how far that is seen) were chosen
  on waves with a bump, as in the false claims here, by other seeds, which were not written down.
- `judges`: the factor by which intervals from votes alone are widened was found by simulation of five judges right 65%
  of the time on 500 items, by seeds that were not written down: the rows of weak judges are no independent check of
  it. The penalty of the regression on votes was chosen on other data (adult, mushroom, twonorm).
- `changed`: the bets on a stated noise were chosen in simulated streams by how soon they detect, on which it does not
  depend whether they are valid. The rule behind `--error` was made while looking at stored answers of services.
- `risk`, `blind` and the sequences of `stats` have constants that decide how narrow an interval is. Whether it holds
  does not depend on them."""


def page(lines: Sequence[Line], cases: Sequence[Case], falls: Sequence[Shortfall]) -> str:
    """Return the page for people: one line per interval."""
    promised = [line for line in lines if line.row.promise != "none"]
    compared = [line for line in lines if line.row.promise == "none"]
    parts = [
        _table(title, [line for line in promised if line.row.question == question])
        for question, title in QUESTIONS.items()
    ]
    seeds = {
        question: sorted({str(case.seed) for case in cases if case.question == question}) for question in QUESTIONS
    }
    cells = sum(line.cells for line in promised)
    whole = {how: sum(line.how == (how,) and not line.missing for line in lines) for how in get_args(How)}
    counted = ", ".join(f"{number} {how}" for how, number in whole.items() if number)
    none = sum(not line.cells for line in lines)
    verdict = "Every promise is kept, as far as it was simulated."
    if falls:
        verdict = "\n".join(["These promises are broken:", "", *(f"- {fall}" for fall in falls)])
    return _PAGE.format(
        verdict=verdict,
        status=f"{len(lines)} lines: {counted}, {len(lines) - none - sum(whole.values())} in part, {none} not run yet.",
        tables="\n\n".join(part for part in parts if part),
        compared=_table("For comparison: promised to nobody", compared),
        cells=f"{cells:,}",
        allowed=f"{100 * ALLOWED:.0f}",
        errors=f"{ERRORS:.0f}",
        seeds="\n".join(f"- `{question}`: {', '.join(own)}" for question, own in seeds.items()),
        tuned=_TUNED,
        details=DETAILS,
        record=RECORD,
    )


def _table(title: str, lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    head = ["| interval | promise | least seen, % | studies | where | figures |", "|---|---|---:|---:|---|---|"]
    return "\n".join([f"## {title}", "", *head, *map(_line, lines)])


def _line(line: Line) -> str:
    name = f"`{line.row.name}`" if line.row.question == "stats" and "," not in line.row.name else line.row.name
    if not line.cells:
        return f"| {name} | {line.row.words} | – | – | – | not run yet |"
    low, high = line.repetitions
    times = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    studies = f"{line.cells:,} × {times}" if line.cells > 1 else times
    how = " and ".join(line.how) + (f", {line.missing} not run yet" if line.missing else "")
    least = f"{100 * line.share:.1f} ± {100 * line.error:.1f}"
    return f"| {name} | {line.row.words} | {least} | {studies} | {line.where} | {how} |"


def details(found: Sequence[Figure]) -> str:
    """Return the page with every figure: a table per question and set of looks."""
    parts = [_DETAILS]
    for question, title in QUESTIONS.items():
        own = [one for one in found if one.case.question == question]
        parts.append(f"## {title}\n")
        for looks, group in itertools.groupby(own, key=lambda one: one.case.looks):
            heads = [look or "%" for look in looks]
            parts.append(f"| case | what | studies | {' | '.join(heads)} |\n|---|---|---:|{'---:|' * len(heads)}")
            parts.append("\n".join(map(_cells, group)) + "\n")
    return "\n".join(parts).rstrip() + "\n"


def _cells(one: Figure) -> str:
    row, shares = one.row, one.count.shares
    cells = [f"**{100 * x:.1f}**" if x < row.level and row.promise != "mean" else f"{100 * x:.1f}" for x in shares]
    mark = {"none": " †", "mean": " ‡"}.get(row.promise, "")
    what = row.name if one.label == row.name else f"{one.label}: {row.name}"
    how = "" if one.how == "run" else f" ({one.how})"
    return f"| {one.case.where} | {what}{mark} | {one.count.repetitions:,}{how} | {' | '.join(cells)} |"


_PAGE = """# Coverage

How often does what ringtrue says hold? Each line is one interval, or one kind of claim, that reaches a user: studies
whose truth is known were simulated, and the share was counted in which it held.

{verdict}

{status}
*Least seen* is to be compared with the promise, give or take its chance error.

{tables}

{compared}

## How to read it

- **promise**: the share of studies in which it must hold. *At every look* means at all looks at once, so that you may
  watch and stop when you like; *at one look* means at one size fixed beforehand. *Give or take {allowed} points* is for
  intervals that are exact only in the limit.
- **least seen**: the lowest share among all cells of the line, give or take one Monte Carlo standard error of a single
  cell. The lowest of many is below the truth by chance: look at the ± as well.
- **studies**: cells × simulated studies in each. A cell is one kind of world at one number of answers.
- **where**: the cell in which it was least; *everywhere* if all studies of all cells held.
- **figures**: *run* by the present runner on the present code; *earlier code* if the code has changed since;
  *confirmed* if it has, and the first studies of every case held and failed as before when the present code ran them
  again; *carried over* from the table of the suite before this one: the same cases and seeds, by the code of that time.
  What is *not run yet* is named, and nothing is filled in for it.

A promise counts as broken if a cell misses it by more than {errors} standard errors, or if all cases of a line together
do. Of the {cells} cells here about one in 740 would do so by chance if it held exactly as often as promised; most hold
more often. Every cell is in [the details]({details}), the sums behind them in [coverage.jsonl]({record}).

## Seeds, and what was tuned on what

{seeds}

That of the false claims in `worst` (20270111) and those from 20261202 to 20261205 were used for nothing else. The
others stood in the suite while methods were made; no constant is known to have been chosen by them. The short tests
take the first studies of the same seeds.

{tuned}

## Run it again

`make coverage` simulates what is missing, in about three hours of processor time, and writes these pages. It may be
stopped with Ctrl-C at any time and goes on where it was. `python -m ringtrue.testing.coverage --list` shows what there
is to do, `--only worst` does a part of it. After code was only tidied, `--confirm` runs the first studies of each case
again, in a quarter of an hour, and compares them with those that were kept. Methods of [the papers](papers.md) that no
question uses are not here: their tests are in `tests/papers`.
"""

_DETAILS = """# Coverage: every figure

Behind [the page for people](coverage.md): in % of studies, below the level in bold. † is promised to nobody and shown
for comparison; ‡ is not a coverage but a mean, such as a width or how often a claim could be decided. Columns are
numbers of answers unless they say otherwise: up to there where the promise is "at every look", else at it.
"""
