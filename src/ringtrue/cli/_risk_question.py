"""What `risk` and `init` share: the options that say how to choose what to label, and the question they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._table import COUNTED, Option, names
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Batch, Pool
    from ringtrue.risk import Risk

METHODS = ("stratified", "importance", "prediction-powered", "simple-random")

_CHUNK = 20_000
"""Rows of a profile read at a time."""

CHOOSING = (
    Option(
        "confidence",
        'The model\'s confidence in its answers, in [0, 1]: a column, or "model" for the probabilities it gives.',
        "COLUMN",
    ),
    Option(
        "fragility", "Numeric columns to shake: where answers change, there is doubt.", "A,B,…", names(), flag="--shake"
    ),
    Option(
        "profiles",
        "Inputs as operation meets them: the claim is then about operation. Further ones are priced beside it.",
        "FILE",
        flag="--profile",
        many=True,
    ),
    Option("on", "The columns in which --profile and the pool are compared.", "A,B,…", names(), argument="columns"),
    Option(
        "fixed",
        "Fix the number of labels beforehand and look once: a tighter bound, and none before.",
        "N",
        type=COUNTED,
    ),
    Option("method", "How to choose (default: stratified, given doubt).", type=click.Choice(METHODS)),
)
"""How to choose what to label. Given to a study that is there, they add another question to it."""


def wants_another(given: Mapping[str, Any]) -> bool:
    """Say whether any option asks for another way of choosing than the study has."""
    return any(option.name in given for option in CHOOSING)


def make_question(
    claim: Any, pool: Pool, given: Mapping[str, Any], *, hidden: tuple[str, ...] = (), name: str | None = None
) -> Risk:
    """Return the question that the options ask for.

    Parameters
    ----------
    claim
        What is to be decided.
    pool
        The pool of the study.
    given
        The options of the command, by name.
    hidden
        Columns that are not inputs: no profile is compared in them.
    name
        The name of the question; by default it is made from the options.
    """
    from ringtrue.pools import read_pool
    from ringtrue.risk import FROM_MODEL, Fragility, Risk, doubt_of
    from ringtrue.risk.profiles import profile_of

    method, confidence, fixed, on = (given.get(name) for name in ("method", "confidence", "fixed", "on"))
    if on is not None and "profiles" not in given:
        raise InvalidInput(
            f"--on={','.join(on)!r} compares a profile with the pool: give --profile FILE, or leave it out"
        )
    if fixed is not None and fixed > pool.size:
        raise InvalidInput(f"--fixed={fixed} must not exceed the {count(pool.size, 'item')} of the pool")
    if confidence not in (None, FROM_MODEL):
        for batch in pool.chunks(_CHUNK):  # all of it: a question that cannot be prepared must not enter the study
            doubt_of(batch, None, confidence=confidence, fragility=None)
    profiles = [
        profile_of(Path(file).stem, _Twice(pool), _Twice(read_pool(file)), on, hidden=("id", str(confidence), *hidden))
        for file in given.get("profiles", ())
    ]
    # Even draws know no profile: under them all are priced beside the pool.
    weighted = 0 if method == "simple-random" else 1
    return Risk(
        claim,
        method=method,
        confidence=confidence,
        fragility=Fragility(tuple(given["fragility"])) if "fragility" in given else None,
        profile=next(iter(profiles[:weighted]), None),
        priced=profiles[weighted:],
        name=name or _name(given),
        fixed=fixed,
    )


def _name(given: Mapping[str, Any]) -> str:
    """Name a question after what distinguishes it."""
    parts = [given.get("method", ""), *(f"on {Path(file).stem}" for file in given.get("profiles", ())[:1])]
    parts += [f"by {given['confidence']}"] if "confidence" in given else []
    parts += [f"shaking {','.join(given['fragility'])}"] if "fragility" in given else []
    parts += [f"fixed {given['fixed']}"] if "fixed" in given else []
    return " ".join(["risk", *filter(None, parts)])


@dataclass(frozen=True, slots=True)
class _Twice:
    """A pool that can be read through as often as wanted."""

    pool: Pool

    def __iter__(self) -> Iterator[Batch]:
        return self.pool.chunks(_CHUNK)
