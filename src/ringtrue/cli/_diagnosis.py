"""What `ringtrue doctor` says: what a thing is, what is wrong with it, and what can be asked of it at what cost."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from ringtrue.core import aligned, count

LIMIT, LEVEL, ASSUMED = 0.05, 0.95, 0.01
CLAIM = "error <= 5% at 95%"
"""The claim that commands are shown with and costs are told of, and the failure rate that is assumed for a cost."""

MOST_LINES = 40
"""Lines of a table that a terminal is shown; a program is told all."""


class Ask(NamedTuple):
    """One thing that can be asked: the question in words, the command to type, and what it would cost."""

    about: str
    command: str
    cost: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was seen of a thing, without running, buying or changing anything.

    Parameters
    ----------
    kind
        What it is, in a word for programs.
    sentence
        What it is, in a sentence.
    facts, table
        What else is to be known, in lines and in rows under each other, of which the first is the heads.
    wrong
        What is wrong with it, each with its remedy.
    asks
        What can be asked of it.
    usable
        Whether it can be used as it is.
    details
        The same for programs.
    """

    kind: str
    sentence: str
    facts: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()
    wrong: Sequence[str] = ()
    asks: Sequence[Ask] = ()
    usable: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return what people are told."""
        found = [self.sentence]
        if self.table:
            found += aligned(self.table[: MOST_LINES + 1])
            left = len(self.table) - 1 - MOST_LINES
            found += [f"  and {left:,} more"] if left > 0 else []
        found += self.facts
        found += ["", "wrong:", *(f"  {line}" for line in self.wrong)] if self.wrong else []
        if self.asks:
            found += ["", "ask:"]
        for ask in self.asks:
            found += [f"  {ask.about}{f' ({ask.cost})' if ask.cost else ''}", f"    {ask.command}"]
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        told = {name: getattr(self, name) for name in ("kind", "sentence", "usable", "details")}
        return {**told, "facts": [*self.facts], "wrong": [*self.wrong], "asks": [ask._asdict() for ask in self.asks]}


def typed(*words: str) -> str:
    """Return a command as it can be typed in a shell.

    >>> typed("risk", "loans", "--pool", "my pool.csv", "--claim", "error <= 5%")
    "ringtrue risk loans --pool 'my pool.csv' --claim 'error <= 5%'"
    """
    return shlex.join(["ringtrue", *words])


def can_be_typed(*words: str) -> bool:
    """Return whether words can stand on a command line as they are: nothing in them is invisible."""
    return all(word.isprintable() and not word.startswith("-") for word in words)


def study_name(target: str) -> str:
    """Return a name for a new study of something: a plain one that no study has yet."""
    from ringtrue.study import study_path

    stem = re.sub(r"[^A-Za-z0-9_]+", "-", Path(target.partition("#")[0]).stem).strip("-") or "study"
    names = (stem[:40] if number == 1 else f"{stem[:40]}-{number}" for number in range(1, 1000))
    return next((name for name in names if not study_path(name).exists()), stem)


def cost_of(size: int, price: Decimal | None) -> str:
    """Return what deciding the claim about a pool of this size takes, in labels and, at a price, in money."""
    from ringtrue.stats import plan_rate

    plan = plan_rate(LIMIT, level=LEVEL, rates=[ASSUMED], population=size)
    told = []
    if plan.fewest_watched is not None:
        told.append(f"at least {_labels(plan.fewest_watched, price)} if nothing fails")
    (case,) = plan.cases
    if case.mean is not None:
        told.append(f"about {_labels(round(case.mean), price)} if 1% fail")
    return ", ".join([*told, f"at most {_labels(size, price)}"])


def _labels(number: int, price: Decimal | None) -> str:
    return count(number, "label") + ("" if price is None else f" for {price * number}")
