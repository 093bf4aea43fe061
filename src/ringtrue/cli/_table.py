"""The options of a verb as a table: how each is read, what it is called, and whether it may change in a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from ringtrue.core import Argument, Claim, InvalidInput, decimal, parse_share

if TYPE_CHECKING:
    from ringtrue.study import Study

Reader: TypeAlias = Callable[[str, str], Any]
"""Makes a value of what was typed; the second text is the option, for errors."""

WHOLE, COUNTED = click.IntRange(min=0), click.IntRange(min=1)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a verb.

    Parameters
    ----------
    name
        What the question calls it; also its name on the command line, unless `flag` gives another.
    help, metavar
        What the user is told, and what stands for its value there; "" for an option without one.
    read, type
        Makes a value of the text; by default the text is the value. Whole numbers and choices are read by click.
    flag, many
        The option as it is typed, and whether it may be given several times.
    argument, off
        What the question calls it, where that is another name, and what it has where an option without a value is not
        given.
    made
        Tells what a study and its question were made with: a function of both, or where that stands under the name of
        the option, in the study's "notes" or "plan" or in the "question". Another value is then refused when the study
        goes on; an option without it may change, or has no meaning for a study that is there.
    """

    name: str
    help: str
    metavar: str = "TEXT"
    read: Reader | None = None
    type: click.ParamType[Any] | None = None
    flag: str = ""
    many: bool = False
    argument: str = ""
    off: Any = False
    made: Callable[[Study, Any], Any] | Literal["notes", "plan", "question"] | None = None

    @property
    def typed(self) -> str:
        """The option as it is typed."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    def add(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Give a command this option."""
        if not self.metavar:
            return click.option(self.typed, self.name, is_flag=True, help=self.help)(command)
        metavar = None if isinstance(self.type, click.Choice) else self.metavar
        how: dict[str, Any] = {"type": self.type or click.STRING, "metavar": metavar, "multiple": self.many}
        return click.option(self.typed, self.name, help=self.help, **how)(command)


@dataclass(frozen=True)
class Table:
    """All options of a verb, and those that it had under another name."""

    options: Sequence[Option]
    former: Mapping[str, str] = field(default_factory=dict)
    """Options that are refused, each with what to write instead."""

    def add(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Give a command all options."""
        for option in reversed(self.options):
            command = option.add(command)
        for place, (flag, instead) in enumerate(self.former.items()):
            name, refuse = f"former_{place}", _refusal(flag, instead)
            command = click.option(flag, name, hidden=True, expose_value=False, callback=refuse)(command)
        return command

    def given(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the user gave, read; a number of 0 is given, though it is equal to False."""
        found = {}
        for option in self.options:
            value = typed.get(option.name)
            if value in (None, ()) or value is False:
                continue
            found[option.name] = value if option.read is None else option.read(value, option.typed)
        return found

    def called(self, argument: Argument) -> str:
        """Return how the command line calls an argument of the question."""
        option = next((one for one in self.options if argument.name in (one.name, one.argument)), None)
        if option is None:
            return str(argument)
        if not option.metavar:
            return option.typed if argument.value != option.off else f"a study without {option.typed}"
        if argument.value is ...:
            return f"{option.typed} {option.metavar}"
        values = argument.value if option.many and isinstance(argument.value, list | tuple) else [argument.value]
        return " ".join(f"{option.typed}={value!r}" for value in values)

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Let errors call arguments by their options."""
        try:
            yield
        except InvalidInput as error:
            raise InvalidInput(error.in_words(self.called)) from None

    def check_same(self, path: str, study: Study, question: Any, given: Mapping[str, Any]) -> None:
        """Refuse a value that would make another study of the one that lies there: it goes on as it was made."""
        homes = {"notes": study.plan["notes"].get, "plan": study.plan.get, "question": question.argument}
        for option in self.options:
            if option.made is not None and option.name in given:
                made = option.made(study, question) if callable(option.made) else homes[option.made](option.name)
                now, was = (list(one) if isinstance(one, tuple) else one for one in (given[option.name], made))
                if now != was:
                    raise other_study(option.typed, path, now, was)


def other_study(option: str, path: str, now: Any, was: Any) -> InvalidInput:
    """Return the error for an option that a study was made without, or with another value."""
    typed, made = map(_typed, (now, was))
    shown = option if now is True else f"{option}={typed}"
    how = "without it" if was in (None, []) or was is False else f"with {made}"
    return InvalidInput(f"{shown}: the study {path!r} was made {how}: leave it out, or name a new study")


def _typed(value: Any) -> str:
    """Return a value as it was typed."""
    parts = [f"{name}={one:g}" for name, one in value.items()] if isinstance(value, Mapping) else value
    return ",".join(map(str, parts)) if isinstance(parts, list) else str(parts)


def _refusal(flag: str, instead: str) -> Callable[..., None]:
    """Return what refuses an option that has another name now."""

    def refuse(_: click.Context, __: click.Parameter, value: Any) -> None:
        if value is not None:
            raise InvalidInput(f"{flag} is not an option any more: {instead}")

    return refuse


def share(*, above_zero: bool = False, like: str = "1% or 0.01") -> Reader:
    """Return what reads a share of 1, from 0 or above it to below 1."""

    def read(text: str, option: str) -> float:
        found = parse_share(text, f"{option}={text!r}")
        if not (found > 0 if above_zero else found >= 0) or found >= 1:
            least = "above 0" if above_zero else "at least 0"
            raise InvalidInput(f"{option}={text!r} must be {least} and below 100%: write it like {like}")
        return found

    return read


def names(like: str = "age,income") -> Reader:
    """Return what reads names between commas; none may be empty."""

    def read(text: str, option: str) -> list[str]:
        found = [name.strip() for name in text.split(",")]
        if not all(found):
            raise InvalidInput(f"{option}={text!r} has an empty name: write them like {like}")
        return found

    return read


def numbers_by_name(like: str = "strength=50") -> Callable[[Sequence[str], str], dict[str, float]]:
    """Return what reads numbers by name, each typed as an option of its own."""

    def read(texts: Sequence[str], option: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for text in texts:
            name, _, told = text.rpartition("=")
            number = decimal(told)
            if not name.strip() or number is None:
                raise InvalidInput(f"{option}={text!r} is not a number by name: write it like {option} {like}")
            if name.strip() in found:
                raise InvalidInput(f"{option}={text!r} gives {name.strip()!r} a second number: give each one")
            found[name.strip()] = number
        return found

    return read


def claim_about(*quantities: str, like: str) -> Reader:
    """Return what reads a claim about one of the quantities that a verb decides; an error names such claims alone."""

    def read(text: str, option: str) -> Claim:
        typed = f"{option}={text!r}"
        try:
            claim = Claim.parse(text)
        except InvalidInput as error:
            why = str(error).rpartition(": ")[0].removeprefix(f"claim={text!r}")  # its remedy speaks of other claims
            told = f": {why.removeprefix('claim ')}" if why.startswith("claim ") else why
            raise InvalidInput(f"{typed}{told}: write it like {like}") from None
        if claim.quantity not in quantities:
            decided = " or ".join(quantities)
            raise InvalidInput(f"{typed} speaks of {claim.quantity}, this verb decides {decided}: write it like {like}")
        return claim

    return read


def amount(text: str, option: str) -> Any:
    """Read an amount of money."""
    from ringtrue.study import money

    return money(text, option)
