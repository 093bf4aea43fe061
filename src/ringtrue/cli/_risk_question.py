"""What `risk` and `init` share: the options that say how to choose what to label, and the question they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringtrue.cli._options import Command, names_in
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Batch, Pool
    from ringtrue.risk import Risk
    from ringtrue.risk.profiles import ProfileWeights

METHODS = ("stratified", "importance", "prediction-powered", "simple-random")

_CHUNK = 20_000
"""Rows of a profile read at a time."""

_OPTIONS = (
    click.option(
        "--confidence",
        metavar="COLUMN",
        help='The model\'s confidence in its answers, in [0, 1], or "model" for the probabilities it gives.',
    ),
    click.option("--shake", metavar="A,B,…", help="Numeric columns to shake: where answers change, there is doubt."),
    click.option(
        "--profile",
        "profiles",
        multiple=True,
        metavar="FILE",
        help="Inputs as operation meets them: the claim is then about operation. Further ones are priced beside it.",
    ),
    click.option("--on", metavar="A,B,…", help="The columns in which --profile and the pool are compared."),
    click.option(
        "--fixed",
        type=click.IntRange(min=1),
        metavar="N",
        help="Fix the number of labels beforehand and look once: a tighter bound, and none before.",
    ),
    click.option("--method", type=click.Choice(METHODS), help="How to choose (default: stratified, given doubt)."),
)


def choosing_options(command: Command) -> Command:
    """Give a command the options that say how to choose."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wants_another(given: Mapping[str, Any]) -> bool:
    """Say whether any option asks for another way of choosing than the study has."""
    return any(given[name] for name in ("confidence", "shake", "profiles", "method", "on", "fixed"))


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
    from ringtrue.risk import FROM_MODEL, Fragility, Risk, doubt_of

    shake, on = given["shake"], given["on"]
    if on is not None and not given["profiles"]:
        raise InvalidInput(f"--on={on!r} compares a profile with the pool: give --profile FILE, or leave it out")
    if given["fixed"] is not None and given["fixed"] > pool.size:
        raise InvalidInput(f"--fixed={given['fixed']} must not exceed the {count(pool.size, 'item')} of the pool")
    columns = None if on is None else names_in(on, "--on")
    apart = {*hidden, given["confidence"]}
    confidence = given["confidence"]
    if confidence not in (None, FROM_MODEL):
        for batch in pool.chunks(_CHUNK):  # all of it: a question that cannot be prepared must not enter the study
            doubt_of(batch, None, confidence=confidence, fragility=None)
    profiles = [_profile(file, pool, columns, apart) for file in given["profiles"]]
    # Even draws know no profile: under them all are priced beside the pool.
    weighted = 0 if given["method"] == "simple-random" else 1
    return Risk(
        claim,
        method=given["method"],
        confidence=confidence,
        fragility=None if shake is None else Fragility(tuple(names_in(shake, "--shake"))),
        profile=next(iter(profiles[:weighted]), None),
        priced=profiles[weighted:],
        name=name or _name(given),
        fixed=given["fixed"],
    )


def _name(given: Mapping[str, Any]) -> str:
    """Name a question after what distinguishes it."""
    parts = [given["method"], *(f"on {Path(file).stem}" for file in given["profiles"][:1])]
    parts += [f"by {given['confidence']}"] if given["confidence"] else []
    parts += [f"shaking {given['shake']}"] if given["shake"] else []
    parts += [f"fixed {given['fixed']}"] if given["fixed"] else []
    return " ".join(["risk", *(part for part in parts if part)])


def _profile(file: str, pool: Pool, columns: list[str] | None, apart: set[str]) -> ProfileWeights:
    """Return the weights of a file of operation, compared with the pool in some columns, else in all shared inputs."""
    from ringtrue.pools import read_pool
    from ringtrue.risk.profiles import profile_of

    operation = read_pool(file)
    shared = [name for name in pool.columns if name in operation.columns and name not in apart and name != "id"]
    if columns is None and not shared:
        raise InvalidInput(f"--profile={file!r} shares no input column with the pool: name some with --on A,B")
    return profile_of(Path(file).stem, _Twice(pool), _Twice(operation), columns or shared)


@dataclass(frozen=True, slots=True)
class _Twice:
    """A pool that can be read through as often as wanted."""

    pool: Pool

    def __iter__(self) -> Iterator[Batch]:
        return self.pool.chunks(_CHUNK)
