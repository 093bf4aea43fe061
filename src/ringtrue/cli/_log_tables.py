"""What each question takes of a log: items whose answers are judged, votes, and the answers of two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.cli._door import ASK
from ringtrue.cli._from_log import Brought, open_log, true_labels
from ringtrue.cli._options import by_sheet
from ringtrue.cli._terminal import tell
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.logs import Log

ALL = 0.0001
"""The error to within which a change is known where nothing else is asked for: answers in a log cost nothing."""


def items_to_judge(given: Mapping[str, Any], *, new: bool) -> Brought:
    """Return the items of a log for `risk`: what the model said is taken to be right until one who knows says no.

    Of a log of labels, the model's answers are the predictions. No more of the voters is kept than the options name,
    so that the people who label do not see what others said.
    """
    from ringtrue.logs import CLAIMED, RIGHT, TRUTH, WRONG, items_table, scores, stored

    log = open_log(given)
    model, truth = _model(log, given), true_labels(log, given)
    oracle = given.get("oracle", TRUTH if truth is not None else None)
    if new and truth is None:
        _check_oracle(log, given, oracle)
    columns: dict[str, Mapping[str, Any]] = {} if truth is None else {TRUTH: truth}
    for name in (model, oracle):
        if name is not None and name not in columns and _is_own(log, name):
            columns[name] = stored(log, name, right_from=given.get("right_from"))
    confidence = given.get("confidence")
    if confidence is not None and confidence in columns:
        raise InvalidInput(f"--confidence={confidence!r} is what knows the truth, too: name another, or leave it out")
    if confidence is not None and log.voter(confidence) is not None:
        columns[confidence] = scores(log, confidence)
    rows = items_table(log, columns)
    left = len(log.items) - len(rows)
    if not rows:
        raise InvalidInput(f"{log.name}: no item has all of {', '.join(columns)}: name others")
    if left:
        lacking = " or ".join(name for name in columns if name != CLAIMED)
        tell(f"{count(left, 'item')} without {lacking} left out: claims are about the other {len(rows):,}", err=True)
    implied: dict[str, Any] = {"id": "id", "model": model} | ({} if oracle is None else {"oracle": oracle})
    if model == CLAIMED and "labels" not in given:
        implied["labels"] = [RIGHT, WRONG]
    return Brought(log, rows, "pool", implied)


def _is_own(log: Log, name: str) -> bool:
    """Return whether a name is a column of the log that not every item need have."""
    from ringtrue.logs import CLAIMED, OUTPUT, TARGET

    return log.voter(name) is not None or name in (CLAIMED, OUTPUT, TARGET)


def _model(log: Log, given: Mapping[str, Any]) -> str:
    """Return the column of what the model said, or the model that the user names."""
    from ringtrue.logs import CLAIMED

    if "model" in given or "model_command" in given:
        return str(given.get("model", CLAIMED))
    if log.judged:
        return CLAIMED
    models = log.named("model")
    if len(models) != 1:
        told = f"the predictions of {', '.join(models)}" if models else "no predictions"
        raise InvalidInput(f"{log.name} holds {told}: name the model, --model M")
    return models[0]


def _check_oracle(log: Log, given: Mapping[str, Any], oracle: str | None) -> None:
    """Refuse a new study without one who knows the truth, and name those in the log who may."""
    from ringtrue.logs import TARGET

    inputs = {name for item in log.items for name in item.inputs}
    known = oracle is not None and (oracle == ASK or ":" in oracle or _is_own(log, oracle) or oracle in inputs)
    if known or (oracle is None and ("oracle_command" in given or by_sheet(given))):
        return
    able = [*log.named("truth", "judge", "rule"), *([TARGET] if not log.judged else [])]
    voters = f"a voter of {log.name} ({', '.join(able)}), " if able else ""
    what = "--oracle is missing" if oracle is None else f"--oracle={oracle!r} is not in the log"
    raise InvalidInput(f'{what}: name who knows the truth, {voters}"{ASK}" for you, or give --truth FILE')


def votes_of_log(given: Mapping[str, Any]) -> tuple[Log, list[dict[str, Any]]]:
    """Return a log and its votes for `judges`: a row per item, a column per judge, and those that options name."""
    from ringtrue.logs import stored, votes_table

    log = open_log(given)
    how: dict[str, Any] = {"judges": given.get("judges"), "right_from": given.get("right_from")}
    rows: list[dict[str, Any]] = votes_table(log, truth=true_labels(log, given), **how)
    for name in (given.get("strata"), given.get("oracle")):
        if name is not None and name not in rows[0]:
            cells = stored(log, name, right_from=given.get("right_from"))
            for row in rows if cells else ():
                row[name] = cells.get(row["id"])
    return log, rows


def answers_of_two(given: Mapping[str, Any]) -> Brought:
    """Return the answers of two logs for `changed`, joined by id: verdicts of one voter, or what the models said."""
    from ringtrue.logs import RIGHT, items_table, stored

    if "to" not in given:
        raise InvalidInput("--from is the log of the old answers: give that of the new ones with --to FILE")
    old, new = open_log(given), open_log(given, "to")
    answer = _compared(old, new, given)
    was, now = (stored(log, answer, right_from=given.get("right_from")) for log in (old, new))
    both = [item for item in was if item in now]
    if not both:
        first = [next(iter(one), None) for one in (was, now)]
        raise InvalidInput(
            f"{old.name} and {new.name} have no answered item in common (such as {first[0]!r} and {first[1]!r}): check "
            "that they are about the same items"
        )
    _tell_differences(old, new, len(both))
    _tell_noise(old, answer)
    columns: dict[str, Mapping[str, Any]] = {"old": was, "new": {item: now[item] for item in both}}
    truth = true_labels(old, given)
    if old.judged and old.voter(answer) is not None:
        truth = dict.fromkeys(both, RIGHT)
    if truth is not None:
        columns["truth"] = truth
    rows = items_table(old, columns)
    named = {"answer": "old", "model": "new", "id": "id", "confidence": "none"}
    enough = {} if {"error", "claim", "budget", "money"} & set(given) else {"error": ALL}
    return Brought(new, rows, "old", {**named, "truth": "none" if truth is None else "truth", **enough})


def _compared(old: Log, new: Log, given: Mapping[str, Any]) -> str:
    """Return what is compared: what `--answer` names, else the only voter that both logs have."""
    from ringtrue.logs import OUTPUT

    roles: Sequence[Any] = ("judge", "rule") if old.judged else ("model",)
    able = [name for name in old.named(*roles) if new.voter(name) is not None]
    said = [OUTPUT] if all(any(item.output for item in log.items) for log in (old, new)) else []
    answer = given.get("answer")
    if answer is None and len(able) == 1:
        return able[0]
    if answer is None or answer not in (*able, *said):
        what = "--answer is missing" if answer is None else f"--answer={answer!r} is not in both logs"
        raise InvalidInput(
            f"{what}: name what is compared, {', '.join([*able, *said]) or 'of which they share nothing'}"
        )
    return str(answer)


def _tell_noise(old: Log, answer: str) -> None:
    """Say how many items have several runs that differ by themselves: so many change without a change of the model."""
    several = [set(item.votes.get(answer, ())) for item in old.items if len(item.votes.get(answer, ())) > 1]
    split = sum(len(values) > 1 for values in several)
    if split:
        tell(f"the runs of {split:,} of {count(len(several), 'item')} in {old.name} differ among themselves", err=True)


def _tell_differences(old: Log, new: Log, both: int) -> None:
    """Say which items cannot be compared, and which have other inputs under the same id."""
    ours, theirs = ({item.id: item.identity for item in log.items} for log in (old, new))
    alone = [(len(one) - both, log.name) for one, log in ((ours, old), (theirs, new))]
    for number, name in alone:
        if number:
            tell(f"{count(number, 'item')} of {name} without an answer in both left out", err=True)
    other = sum(theirs.get(item, identity) != identity for item, identity in ours.items())
    if other:
        tell(f"warning: {count(other, 'item')} have other inputs in {new.name} under the same id", err=True)
