"""A log of an evaluation tool, whichever it was: the items, who voted what on them, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from ringtrue.core import Argument, InvalidInput, Json, count, digest

Value: TypeAlias = float | str
"""A vote as the log has it: a score, where 1 is right and 0 is wrong, or a label."""

Role: TypeAlias = Literal["judge", "rule", "model", "truth"]
"""Who votes: a person or model that judges, a program that compares, the model whose answers they are, or the truth."""

SHOWN_ONLY = "prompt"
"""An input that is shown and does not tell items apart: another template is not another item."""


class Voter(NamedTuple):
    """One who votes on the items of a log.

    `question` says what is voted on: votes on different questions do not make a panel.
    """

    name: str
    role: Role = "judge"
    question: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one item that worked, as an importer reads it; the same item may have been run several times."""

    item: str
    inputs: Mapping[str, Json]
    votes: Mapping[str, Value] = field(default_factory=dict)
    output: str | None = None
    target: str | None = None
    model: str = ""
    sighted: int = 0
    """How many of the votes are people's labels that were given with a prediction in sight."""


@dataclass(slots=True)
class Reading:
    """What an importer has read so far. It adds runs and voters; what is no vote it counts by its name.

    `judged` says that votes are about what the model said, not about what the item is.
    """

    tool: str
    version: str = ""
    judged: bool = True
    repeat: str = "run"
    runs: list[Run] = field(default_factory=list)
    voters: dict[str, Voter] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def voter(self, name: str, role: Role = "judge", question: str = "") -> str:
        """Return the name under which one votes, known from now on; commas part names on the command line."""
        known = " ".join(name.replace(",", ";").split()) or role
        self.voters.setdefault(known, Voter(known, role, question))
        return known


@dataclass(frozen=True, slots=True)
class LogItem:
    """One item: its inputs, what the model said most often, and the votes of all of its runs by voter."""

    id: str
    inputs: Mapping[str, Json]
    output: str | None
    target: str | None
    votes: Mapping[str, tuple[Value, ...]]
    runs: int
    sighted: int = 0

    @property
    def identity(self) -> str:
        """The hash of the inputs that tell items apart."""
        return digest({name: value for name, value in self.inputs.items() if name != SHOWN_ONLY})


@dataclass(frozen=True, slots=True)
class Log:
    """A log of an evaluation tool. Its sentence says what was read and what was left out.

    Parameters
    ----------
    name, tool, version
        The file, the tool that wrote it and the version of its format, "" where it does not say.
    judged
        Whether votes are about what the model said, right or wrong, and not about what the item is.
    voters
        Who votes: judges, rules, models and the truth.
    items
        The items. Repeats of an item are one item: they are not independent.
    models
        The models whose answers the log holds; `of_model` chooses one where there are several.
    runs
        The runs that worked, by model, before repeats were folded.
    left_out, notes
        What was left out and what else is to be known, each by its name and how often.
    repeat
        What the tool calls a repeat.
    """

    name: str
    tool: str
    version: str
    judged: bool
    voters: tuple[Voter, ...]
    items: tuple[LogItem, ...]
    models: tuple[str, ...]
    runs: tuple[Run, ...] = field(repr=False)
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    repeat: str = "run"

    @classmethod
    def of(cls, reading: Reading, name: str) -> Log:
        """Fold what an importer read."""
        if not reading.runs:
            lost = "".join(f", {count(number, what)} left out" for what, number in reading.left_out.items())
            raise InvalidInput(
                f"{name} ({reading.tool}): no item was run to its end{lost}: give the log of another run"
            )
        made = cls(
            name=name,
            tool=reading.tool,
            version=reading.version,
            judged=reading.judged,
            voters=tuple(reading.voters.values()),
            items=(),
            models=tuple(dict.fromkeys(run.model for run in reading.runs)),
            runs=tuple(reading.runs),
            left_out=dict(reading.left_out),
            notes=dict(reading.notes),
            repeat=reading.repeat,
        )
        return replace(made, items=_folded(made.runs))

    def of_model(self, model: str | None) -> Log:
        """Return the part of the log about one model; where it holds several, one must be named."""
        if model is None and len(self.models) == 1:
            return self
        named = ", ".join(self.models)
        if model is None:
            several = f"{self.name} holds the answers of {count(len(self.models), 'model')} ({named}): choose one with "
            raise InvalidInput(several, Argument("of"))
        if model not in self.models:
            raise InvalidInput(Argument("of", model), f" is not a model of {self.name}: it has {named or 'no name'}")
        runs = tuple(run for run in self.runs if run.model == model)
        voted = {name for run in runs for name in run.votes}
        voters = tuple(voter for voter in self.voters if voter.name in voted)
        return replace(self, runs=runs, items=_folded(runs), models=(model,), voters=voters)

    def voter(self, name: str) -> Voter | None:
        """Return the voter of this name, None where there is none."""
        return next((voter for voter in self.voters if voter.name == name), None)

    def named(self, *roles: Role) -> tuple[str, ...]:
        """Return the names of the voters with these roles."""
        return tuple(voter.name for voter in self.voters if voter.role in roles)

    @property
    def missing(self) -> int:
        """How many votes of judges and rules are missing: none of the item's runs has one."""
        voting = self.named("judge", "rule")
        return sum(name not in item.votes for item in self.items for name in voting)

    @property
    def sighted(self) -> int:
        """How many of people's labels were given with a prediction in sight: they are not blind."""
        return sum(item.sighted for item in self.items)

    def __str__(self) -> str:
        voting = len(self.named("judge", "rule"))
        version = f", version {self.version}" if self.version else ""
        parts = [f"{count(len(self.items), 'item')} x {count(voting, 'judge')}"]
        if len(self.models) > 1:
            parts.append(count(len(self.models), "model"))
        parts += [f"{count(self.missing, 'vote')} missing"] if self.missing else []
        parts += [f"{count(number, what)} left out" for what, number in self.left_out.items()]
        most = max(item.runs for item in self.items) // (len(self.models) or 1)
        if most > 1:
            parts.append(f"up to {most} {self.repeat}s of an item folded into one")
        for what in self.named("truth"):
            parts.append(f"{what!r} knows {count(sum(what in item.votes for item in self.items), 'item')}")
        if self.sighted:
            parts.append(f"{count(self.sighted, 'label')} not blind: a prediction was in sight")
        parts += [count(number, what) for what, number in self.notes.items()]
        return f"{self.name} ({self.tool}{version}): {', '.join(parts)}"

    def to_json(self) -> dict[str, Json]:
        """Return what was read, for programs."""
        return {
            "file": self.name,
            "tool": self.tool,
            "version": self.version or None,
            "items": len(self.items),
            "runs": len(self.runs),
            "voters": {voter.name: voter.role for voter in self.voters},
            "models": [model for model in self.models if model],
            "votes_missing": self.missing,
            "left_out": dict(self.left_out),
            "labels_not_blind": self.sighted,
            "notes": dict(self.notes),
            "sentence": str(self),
        }


def _folded(runs: Iterable[Run]) -> tuple[LogItem, ...]:
    """Make one item of all runs with its id; what the model said is what it said most often, the first of equals."""
    by_id: dict[str, list[Run]] = {}
    for run in runs:
        by_id.setdefault(run.item, []).append(run)
    items = []
    for name, own in by_id.items():
        votes: dict[str, tuple[Value, ...]] = {}
        for run in own:
            for voter, value in run.votes.items():
                votes[voter] = (*votes.get(voter, ()), value)
        said = Counter(run.output for run in own if run.output is not None)
        output = said.most_common(1)[0][0] if said else None
        target = next((run.target for run in own if run.target is not None), None)
        sighted = sum(run.sighted for run in own)
        items.append(LogItem(name, own[0].inputs, output, target, votes, len(own), sighted))
    return tuple(items)
