"""A log as the tables that the questions take: items with stored answers, votes, and the answers of two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ringtrue.core import Argument, InvalidInput, Json, count, decimal, label_text, number
from ringtrue.logs._log import Log, LogItem, Value
from ringtrue.logs._shape import GRADES, vote_of

RIGHT = "right"
"""What a verdict says of an answer that is good."""

WRONG = "wrong"
"""What a verdict says of an answer that is not."""

CLAIMED = "claimed"
"""The column of stored answers where votes are about what the model said: it is taken to be right until one says no."""

OUTPUT = "output"
"""The column of what the model said."""

TARGET = "target"
"""The column of what the data set says that it should have said."""

TRUTH = "truth"
"""The column of true labels that were joined to a log."""

Rows: TypeAlias = list[dict[str, Json]]


def voted(log: Log, name: str, *, right_from: float | None = None, even: str | None = None) -> dict[str, str]:
    """Return the label that a voter gives each item: that of most of its runs, `even` where two come equally often.

    Where votes are about what the model said, scores become "right" and "wrong": 1 and 0 do, and others where
    `right_from` says from which on they are right.
    """
    if log.judged:
        _check_scores(log, name, right_from)
    found = {}
    for item in log.items:
        labels = Counter(_label(vote, log.judged, right_from) for vote in item.votes.get(name, ())).most_common(2)
        if not labels:
            continue
        label = even if len(labels) == 2 and labels[0][1] == labels[1][1] else labels[0][0]
        if label is not None:
            found[item.id] = label
    return found


def verdict(label: object) -> str | None:
    """Return what a label says of an answer, "right" or "wrong"; None if neither.

    >>> verdict("C"), verdict(0), verdict("1"), verdict("Yes"), verdict("perhaps")
    ('right', 'wrong', 'right', 'right', None)
    """
    vote = GRADES.get(label, vote_of(label)) if isinstance(label, str) else vote_of(label)
    vote = decimal(vote) if isinstance(vote, str) else vote  # as a table of text has numbers
    return {1.0: RIGHT, 0.0: WRONG}.get(vote) if isinstance(vote, float) else None


def _label(vote: Value, judged: bool, right_from: float | None) -> str:
    if isinstance(vote, str) or not judged:
        return label_text(vote)
    return RIGHT if vote >= (1.0 if right_from is None else right_from) else WRONG


def _check_scores(log: Log, name: str, right_from: float | None) -> None:
    """Refuse scores between right and wrong where nothing says from which on they are right."""
    if right_from is not None:
        return
    between = {vote for item in log.items for vote in item.votes.get(name, ()) if isinstance(vote, float)} - {0.0, 1.0}
    if between:
        shown = ", ".join(number(vote) for vote in sorted(between)[:3])
        raise InvalidInput(
            f"{log.name}: {name!r} gives {count(len(between), 'score')} such as {shown}, and only 1 is right and 0 is "
            "wrong by itself: say from which score on an answer is right with ",
            Argument("right_from"),
        )


def choose_judges(log: Log, judges: Sequence[str] | None) -> tuple[str, ...]:
    """Return the voters that make the panel: those named, else all judges if they vote on one question."""
    able = [voter for voter in log.voters if voter.role != "truth"]
    every = ", ".join(voter.name for voter in able)
    if not able:
        raise InvalidInput(
            f"{log.name} holds no votes: give a log with scores, or label its items with `ringtrue risk`"
        )
    if judges is not None:
        for name in judges:
            if name not in {voter.name for voter in able}:
                raise InvalidInput(Argument("judges", name), f" did not vote in {log.name}: it has {every}")
        return tuple(judges)
    panel = [voter for voter in able if voter.role == "judge"]
    if not panel or len({voter.question for voter in panel}) > 1:
        why = "what is voted on differs between them" if panel else "none of them is known to be a judge"
        raise InvalidInput(
            f"{log.name} holds the votes of {every}, and {why}: name those who vote on one question with ",
            Argument("judges"),
        )
    return tuple(voter.name for voter in panel)


def votes_table(
    log: Log,
    *,
    judges: Sequence[str] | None = None,
    truth: Mapping[str, str] | None = None,
    right_from: float | None = None,
) -> Rows:
    """Return a row per item and a column per judge, None where there is no vote; `truth` is one more column."""
    panel = choose_judges(log, judges)
    columns = {name: voted(log, name, right_from=right_from) for name in panel}
    for name, votes in columns.items():
        if not votes:
            raise InvalidInput(f"{log.name}: {name!r} has no vote at all: leave it out with ", Argument("judges"))
    if truth is not None:
        columns[TRUTH] = dict(truth)
    return [{"id": item.id, **{name: votes.get(item.id) for name, votes in columns.items()}} for item in log.items]


def items_table(log: Log, columns: Mapping[str, Mapping[str, Json]]) -> Rows:
    """Return a row per item with its inputs, what the model said and the target, and these further columns by id.

    An item without a cell in one of them is left out. An input whose name is taken is called "input.NAME".
    """
    taken = {"id", CLAIMED, OUTPUT, TARGET, TRUTH, *(voter.name for voter in log.voters), *columns}
    rows: Rows = []
    for item in log.items:
        own = {name: cell.get(item.id) for name, cell in columns.items()}
        if None in own.values():
            continue
        said = {OUTPUT: item.output, TARGET: item.target}
        shown = {name: value for name, value in said.items() if value is not None and name not in own}
        rows.append({"id": item.id, **_inputs(item, taken), **shown, **own})
    return rows


def _inputs(item: LogItem, taken: Iterable[str]) -> dict[str, Json]:
    reserved = set(taken)
    return {f"input.{name}" if name in reserved else name: value for name, value in item.inputs.items()}


def stored(log: Log, name: str, *, right_from: float | None = None) -> dict[str, Any]:
    """Return a column of the log by item: a voter's labels, what the model said, the target or an input.

    Where the votes on an item's runs are even, what the model said is wrong: it is not right in most runs.
    """
    if log.voter(name) is not None:
        return voted(log, name, right_from=right_from, even=WRONG if log.judged else None)
    if name == CLAIMED and log.judged:
        return {item.id: RIGHT for item in log.items}
    found = {item.id: _cell(item, name) for item in log.items}
    return {key: value for key, value in found.items() if value is not None}


def _cell(item: LogItem, name: str) -> Json:
    if name in (OUTPUT, TARGET):
        return item.output if name == OUTPUT else item.target
    return item.inputs.get(name)


def scores(log: Log, name: str) -> dict[str, float]:
    """Return the average score that a voter gives the runs of each item, for a column of confidences."""
    found = {item.id: [vote for vote in item.votes.get(name, ()) if isinstance(vote, float)] for item in log.items}
    return {key: sum(votes) / len(votes) for key, votes in found.items() if votes}
