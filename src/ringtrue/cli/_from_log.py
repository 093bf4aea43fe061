"""`--from`: the log of an evaluation tool in place of a table. It says what was read, and keeps what a study needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._table import Option
from ringtrue.cli._terminal import tell
from ringtrue.core import Argument, InvalidInput, count, decimal

if TYPE_CHECKING:
    from ringtrue.cli._place import Place
    from ringtrue.logs import Log

BROUGHT = "brought"
"""Under which the options of a command hold what was read of a log, for programs and for the study's notes."""


def _score(text: str, option: str) -> float:
    found = decimal(text)
    if found is None:
        raise InvalidInput(f"{option}={text!r} is not a number: write the score from which on an answer is right")
    return found


LOG = Option(
    "log", "The log of an evaluation tool, such as Inspect AI or promptfoo, in place of a table.", "FILE", flag="--from"
)
OF = Option("of", "With --from: the model that is meant, where the log holds several.", "MODEL")
RIGHT_FROM = Option(
    "right_from", "With --from: the score from which on an answer is right (default: 1 is, 0 is not).", "SCORE", _score
)
FROM = (LOG, OF, RIGHT_FROM)
"""What every verb takes that reads logs."""


class Brought(NamedTuple):
    """A log as a table for a question, and the options that follow from it; `file` is the one that names the table."""

    log: Log
    rows: Sequence[Mapping[str, Any]]
    file: str
    implied: Mapping[str, Any]


def open_log(given: Mapping[str, Any], name: str = "log") -> Log:
    """Read the log that an option names, and say in one line what was read and left out."""
    from ringtrue.logs import read_log

    if "pool" in given or "old" in given:
        other = "--pool" if "pool" in given else "--old"
        raise InvalidInput(f"{other} and --from both name the items: leave one out")
    log = read_log(given[name]).of_model(given.get("of"))
    tell(str(log), err=True)
    return log


def check_from(given: Mapping[str, Any], *more: str) -> None:
    """Refuse options of logs, and these, where there is no log."""
    for name in ("of", "right_from", *more):
        if name in given and "log" not in given:
            raise InvalidInput(
                Argument(name, given[name]), " is for the log of a tool: give --from FILE, or leave it out"
            )


def true_labels(log: Log, given: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the true labels by item that `--truth` names: a voter or column of the log, or a file joined by id."""
    from ringtrue.logs import stored
    from ringtrue.pools._votes_table import read_gold

    spec = given.get("truth")
    if spec is None:
        return None
    found = stored(log, spec, right_from=given.get("right_from"))
    if not found:
        labels = read_gold(spec, item=given.get("id")).labels
        there = {item.id for item in log.items}
        lost = [item for item in labels if item not in there]
        if len(lost) == len(labels):
            like = f"{lost[0]!r} and {log.items[0].id!r}"
            raise InvalidInput(f"--truth={spec!r} and {log.name} have no id in common (such as {like}): check the ids")
        if lost:
            tell(f"{count(len(lost), 'true label')} of {spec} without an item in {log.name} left out", err=True)
        found = {item: label for item, label in labels.items() if label is not None and item in there}
    return {item: _verdict(label, str(spec)) if log.judged else str(label) for item, label in found.items()}


def _verdict(label: Any, where: str) -> str:
    """Return a true label in the words of verdicts."""
    from ringtrue.logs import RIGHT, WRONG, verdict

    found = verdict(label)
    if found is None:
        raise InvalidInput(f"--truth={where!r} has the label {label!r}: say {RIGHT} or {WRONG} of what the model said")
    return found


@contextmanager
def kept_items(brought: Brought | None, path: Place, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Write the items of a log beside the study, which must find them again; yield the options as if typed with them.

    The same log gives the same file. A file that holds other items is never overwritten, and one that was written is
    removed where no study was made after all.
    """
    if brought is None:
        yield dict(given)
        return
    place, made = path.beside("-items.jsonl"), path.is_made()
    data = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in brought.rows).encode()
    new = not place.exists()
    if not new and place.read_bytes() != data:
        raise InvalidInput(
            f"--from={given['log']!r} with these options gives other items than {str(place)!r}: go on without --from, "
            "or name a new study"
        )
    if new:
        from ringtrue.journal import for_owner

        try:
            path.home.mkdir(parents=True, exist_ok=True)
            with open(place, "xb", opener=for_owner) as file:
                file.write(data)
        except OSError as error:
            raise InvalidInput(f"{str(place)!r} cannot be written ({error.strerror}): name a study elsewhere") from None
    rest = {name: value for name, value in given.items() if name not in ("log", "to", "of", "right_from")}
    kept = True
    try:
        yield {**rest, **brought.implied, brought.file: str(place), BROUGHT: brought.log.to_json()}
    except BaseException:
        kept = path.is_made() != made
        raise
    finally:
        if new and kept:
            tell(f"wrote {place}: {count(len(brought.rows), 'item')}, which the study reads again", err=True)
        elif new:
            with suppress(OSError):
                place.unlink()
