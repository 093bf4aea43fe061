"""What judges voted as tables: for `ringtrue risk`, what they make of each item; for `ringtrue judges`, each vote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, count, plain

if TYPE_CHECKING:
    from ringtrue.core import Pool, Question, Record
    from ringtrue.study import Study

CLAIMED, CONFIDENCE = "claimed", "confidence"
"""The columns that are added to the items: what is claimed of each, and how sure the judges are of that."""

_CHUNK = 1_000


def voted(study: Study, question: Question) -> list[tuple[Record, Mapping[str, Any]]]:
    """Return the first votes on each item, with the record they stand in, in the order of the pool."""
    from ringtrue.judges import REPEAT

    found = []
    for record in study.records:
        if record.question == question.name and not record.note.get(REPEAT) and record.state == "answered":
            value: Any = record.value
            found.append((record, value))
    return sorted(found, key=lambda pair: pair[0].row or 0)


def panel_table(study: Study, question: Question) -> dict[str, list[Any]]:
    """Return the votes as columns: the item, then each judge; who could not tell, or gave no vote, abstains."""
    found, cannot_tell = voted(study, question), question.argument("rubric")["cannot_tell"]
    columns: dict[str, list[Any]] = {"item": [record.id for record, _ in found]}
    for judge in question.argument("judges"):
        votes = [value["votes"][judge] for _, value in found]
        columns[judge] = [None if vote == cannot_tell else vote for vote in votes]
    return columns


def write_votes(study: Study, question: Question, place: Path) -> str:
    """Write the votes, an item a line, and say so."""
    table = panel_table(study, question)
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    return _write(rows, place)


def write_judged(study: Study, question: Question, place: Path, *, pool: Pool, fine: str | None) -> str:
    """Write the items with what is claimed of each and how sure the judges are, and say so.

    Single votes are not written: whoever labels these items next would see them.

    Parameters
    ----------
    study, question
        Where the votes are.
    place
        The file.
    pool
        The items.
    fine
        The choice that says that all is well, if one does.
    """
    for name in (CLAIMED, CONFIDENCE):
        if name in pool.columns:
            raise InvalidInput(f"--out={str(place)!r} would have two columns {name!r}: rename that of the pool")
    found, cannot_tell = voted(study, question), question.argument("rubric")["cannot_tell"]
    rows, left = [], 0
    for item, value in _with_items(pool, found):
        said = judged(value, cannot_tell=cannot_tell, fine=fine)
        if said is None:
            left += 1
            continue
        rows.append({**item, CLAIMED: said[0], CONFIDENCE: said[1]})
    lacking = f"; {count(left, 'item')} on which the judges are tied or silent left out" if left else ""
    return _write(rows, place) + lacking


def judged(value: Mapping[str, Any], *, cannot_tell: str, fine: str | None) -> tuple[str, float] | None:
    """Return what is claimed of an item and how sure the judges are; None where they are tied or silent.

    Claimed is that all is fine, where the rubric says which choice means that, and else what most judges chose. Sure is
    the mean over the judges of the probability of that choice, or of 1 and 0 where a service tells none.

    >>> judged({"votes": {"a": "no", "b": "yes", "c": None}}, cannot_tell="?", fine="yes")
    ('yes', 0.5)
    >>> judged({"votes": {"a": "no", "b": "no", "c": "yes"}}, cannot_tell="?", fine=None)
    ('no', 0.6666666666666666)

    Parameters
    ----------
    value
        The votes on the item, as a study keeps them.
    cannot_tell
        The choice of a judge who cannot tell: it says nothing of the item.
    fine
        The choice that says that all is well, if one does.
    """
    votes = {judge: vote for judge, vote in value["votes"].items() if vote not in (None, cannot_tell)}
    most = Counter(votes.values()).most_common(2)
    if fine is None and (not most or (len(most) == 2 and most[0][1] == most[1][1])):
        return None
    claim = most[0][0] if fine is None else fine
    if not votes:
        return claim, 0.5
    chances = value.get("chances", {})
    sure = [chances[judge].get(claim, 0.0) if judge in chances else float(votes[judge] == claim) for judge in votes]
    return claim, sum(sure) / len(sure)


def _with_items(pool: Pool, found: Sequence[Any]) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    for start in range(0, len(found), _CHUNK):
        part = found[start : start + _CHUNK]
        for item, (_, value) in zip(pool.take([record.row for record, _ in part]), part, strict=True):
            yield dict(item.values), value


def _write(rows: Sequence[Mapping[str, Any]], place: Path) -> str:
    from ringtrue.journal import for_owner

    if place.suffix != ".jsonl":
        raise InvalidInput(f"{str(place)!r} must end in .jsonl: an item is a line of JSON there")
    try:
        with open(place, "w", encoding="utf-8", opener=for_owner) as file:
            file.writelines(f"{json.dumps(row, ensure_ascii=False, default=plain)}\n" for row in rows)
    except OSError as error:
        raise InvalidInput(f"{str(place)!r} cannot be written ({error.strerror}): name another") from None
    return f"wrote {place}: {count(len(rows), 'item')}"
