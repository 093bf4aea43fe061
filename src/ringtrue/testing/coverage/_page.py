"""The pages: one that is read in two minutes, and one with every figure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import get_args

from ringtrue.testing.coverage._case import ALLOWED, ERRORS, Case, Shortfall
from ringtrue.testing.coverage._figures import Figure, How, Line

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
    how = {"run": "", "earlier code": " (earlier code)", "carried over": " (carried over)"}[one.how]
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
  *carried over* from the table of the suite before this one: the same cases and seeds, by the code of that time. What
  is *not run yet* is named, and nothing is filled in for it.

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
is to do, `--only worst` does a part of it. Methods of [the papers](papers.md) that no question uses are not here: their
tests are in `tests/papers`.
"""

_DETAILS = """# Coverage: every figure

Behind [the page for people](coverage.md): in % of studies, below the level in bold. † is promised to nobody and shown
for comparison; ‡ is not a coverage but a mean, such as a width or how often a claim could be decided. Columns are
numbers of answers unless they say otherwise: up to there where the promise is "at every look", else at it.
"""
