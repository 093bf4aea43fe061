"""A table or a folder of images as a doctor sees it: columns, faults, and the questions that its columns allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ringtrue.cli._diagnosis import CLAIM, Ask, Diagnosis, can_be_typed, cost_of, study_name, typed
from ringtrue.cli._doctor_columns import Column, alike, look_at, missing_told, repeated_rows, spellings
from ringtrue.core import InvalidInput, cell, count, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOOKED = 200_000
"""Rows that are looked at, the first ones: enough to know what a column is."""

_PAIRS = 5
"""Pairs of labels that are shown."""


def look_at_pool(target: str, price: Decimal | None) -> Diagnosis:
    """Return what can be said of a pool."""
    size, columns, fault = _read(target)
    seen = [look_at(name, cells) for name, cells in columns.items()]
    rows = len(next(iter(columns.values())))
    table = _Table(target, size, seen, fault is None)
    wrong = [*([fault] if fault is not None else []), *table.faults()]
    if again := repeated_rows(columns, table.id):
        wrong.append(f"{count(again, 'row')} with the same as an earlier one: remove what is one item twice")
    facts = [] if rows == size else [f"looked at {count(rows, 'row')} from the beginning"]
    asks = list(table.asks(price))
    if _has_row_per_vote(target, list(columns)):
        asks = [Ask("how good are these judges?", typed("judges", target))]
        facts.append("it has a row per vote: an item, a rater and a label")
    elif table.model is None and table.kind == "table":
        facts.append(
            "no column looks like stored answers: name the model with --model, as module:function or an address"
        )
    return Diagnosis(
        "pool",
        f"{target} is a pool of {count(size, 'item')} with {count(len(seen), 'column')}",
        facts,
        [("column", "kind", "missing", "values", "may be"), *map(table.row, seen)],
        wrong,
        asks,
        usable=table.has_ids,
        details={
            "items": size,
            "looked_at": rows,
            "columns": [{**one.to_json(), "may_be": table.roles(one)} for one in seen],
        },
    )


def _read(target: str) -> tuple[int, Mapping[str, NDArray[Any]], str | None]:
    """Return the number of items, the columns of the first of them, and what is wrong with the ids.

    A pool whose ids cannot serve is read all the same: another column may.
    """
    from ringtrue.pools import ImagePool, find_place, read_pool
    from ringtrue.pools._read import read_columns

    try:
        pool = read_pool(target)
    except InvalidInput as error:
        if find_place(target).kind == "folder":
            raise
        columns = read_columns(target)  # refused again if it is not the ids
        sizes = {len(cells) for cells in columns.values()}
        if len(sizes) != 1:
            raise
        (size,) = sizes
        return size, {name: cells[:LOOKED] for name, cells in columns.items()}, error.in_words(lambda _: "--id COLUMN")
    named = pool.named if isinstance(pool, ImagePool) else pool
    return pool.size, next(named.chunks(min(LOOKED, pool.size))).columns, None


def _has_row_per_vote(target: str, columns: Sequence[str]) -> bool:
    from ringtrue.pools._votes_table import Asked, Long, find_layout

    try:
        return isinstance(find_layout(target, columns, Asked(None, None, None, None, None, None), truth=None), Long)
    except InvalidInput:
        return False


@dataclass(frozen=True, eq=False)
class _Table:
    """A pool whose columns were looked at, and which of them is taken for what."""

    target: str
    size: int
    seen: Sequence[Column]
    ids_serve: bool
    """Whether the column named "id" serves, or none is needed."""

    def _named(self, names: Sequence[str], among: Sequence[Column]) -> Column | None:
        """Return the first of some usual names that a column has; capitals do not matter."""
        by_name = {column.name.lower(): column for column in reversed(among)}
        return next((by_name[name] for name in names if name in by_name), None)

    @cached_property
    def kind(self) -> str:
        from ringtrue.pools import find_place

        return "images" if find_place(self.target).kind == "folder" else "table"

    @cached_property
    def able(self) -> list[Column]:
        """The columns that may be ids: each row has a value of its own, and it is text or a whole number."""
        return [one for one in self.seen if one.unique and one.kind in ("text", "whole numbers") and not one.secret]

    @cached_property
    def id(self) -> str | None:
        """The column of ids: "id" where it serves, else one that is named like it; None where rows are counted."""
        if self.ids_serve and any(one.name == "id" for one in self.seen):
            return "id"
        like = [one.name for one in self.able if one.name != "id"]
        sure = [name for name in like if name.lower().endswith(("id", "key", "uuid"))]
        return next(iter(sure or ([] if self.ids_serve else like)), None)

    @cached_property
    def has_ids(self) -> bool:
        return self.ids_serve or self.id is not None

    @cached_property
    def alike(self) -> list[Column]:
        return [one for one in alike(self.seen) if one.name != self.id]

    @cached_property
    def truth(self) -> Column | None:
        """The column of true labels: by its usual name, else the last of two that share labels."""
        from ringtrue.pools._old_answers import TRUTHS

        labelled = [one for one in self.seen if one.labels and not one.secret]
        found = self._named((*TRUTHS, "target"), labelled)
        return found or (self.alike[-1] if len(self.alike) == 2 else None)

    @cached_property
    def model(self) -> Column | None:
        """The column of stored answers: by its usual name, else the first that shares labels with the truth."""
        from ringtrue.pools._old_answers import ANSWERS

        labelled = [one for one in self.seen if one.labels and not one.secret and one is not self.truth]
        found = self._named((*ANSWERS, "said", "output", "model"), labelled)
        return found or next((one for one in self.alike if one is not self.truth), None)

    @cached_property
    def confidence(self) -> Column | None:
        """The column of confidences: by its usual name among those whose values all lie in [0, 1]."""
        from ringtrue.pools._old_answers import CONFIDENCES

        able = [one for one in self.seen if one.share and not one.missing and one.distinct > 1]
        return self._named(CONFIDENCES, able)

    @cached_property
    def judges(self) -> list[Column]:
        """The columns that may be votes on one question, where there are enough for a panel."""
        found = [one for one in self.alike if one is not self.truth]
        return found if len(found) > 2 else []

    def roles(self, column: Column) -> list[str]:
        """Return what a column may be, in words; what it is taken for first."""
        taken = {"stored answers": self.model, "the truth": self.truth, "confidence": self.confidence}
        found = [what for what, one in taken.items() if one is column]
        found += ["a judge's votes"] if column in self.judges else []
        if column.name == self.id or (column in self.able and (self.ids_serve or column.name != "id")):
            found.append("the id")
        if column.share and column.distinct > 2 and column is not self.confidence:
            found.append("confidence")
        return found

    def row(self, column: Column) -> tuple[str, ...]:
        """Return what a terminal shows of a column."""
        missing = f"{column.missing:,}" if column.missing else ""
        return cell(column.name, 30), column.kind, missing, column.values, ", ".join(self.roles(column))

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the columns, each with its remedy."""
        if self.model is not None and self.model.missing:
            yield f"{missing_told(self.model, 'stored answers')}: fill them in, or remove the rows"
        if self.truth is not None and self.truth.missing:
            yield f"{missing_told(self.truth, 'the truth')}: the truth of those must be asked for, as with --oracle ask"
        for column in self.seen:
            if column.missing and column not in (self.model, self.truth):
                share = percent(column.missing / max(1, min(self.size, LOOKED)))
                yield f"column {column.name!r} has {count(column.missing, 'missing cell')} ({share})"
            if column.secret:
                yield (
                    f"column {column.name!r} may hold secrets, {column.secret}: take it out, since the people "
                    "who label see the columns"
                )
            if not can_be_typed(column.name):
                yield f"column {column.name!r} has a name that cannot be typed: rename it"
        answers = [one for one in (self.model, self.truth) if one is not None]
        for one, other in spellings([*answers, *self.judges])[:_PAIRS]:
            yield f"the labels {one!r} and {other!r} differ in spelling alone, and count as two: write them alike"
        constant = [column.name for column in self.seen if column.distinct == 1 and not column.missing]
        if constant and self.size > 1:
            yield f"the same in every row: {', '.join(map(repr, constant[:_PAIRS]))}"

    def asks(self, price: Decimal | None) -> Iterator[Ask]:
        """Yield the commands that this pool allows as it is."""
        if not self.has_ids or not can_be_typed(self.target):
            return
        cost = cost_of(self.size, price)
        named = [] if self.id in (None, "id") else ["--id", str(self.id)]
        model, truth, sure = self.model, self.truth, self.confidence
        if model is not None and not model.missing and can_be_typed(model.name):
            pool = ["--pool", self.target, *named, "--model", model.name]
            oracle = ["--oracle", "ask" if truth is None or not self._is_whole(truth) else truth.name]
            doubt = ["--confidence", sure.name] if sure is not None and can_be_typed(sure.name) else []
            name = study_name(self.target)
            yield Ask(
                "how often does the model fail?", typed("risk", name, *pool, *oracle, *doubt, "--claim", CLAIM), cost
            )
            most = min(50, sure.sure) if doubt and sure is not None else 0
            if most:
                hunt = [*pool, *oracle, *doubt, "--distance", "none", "--budget", str(most)]
                money = "" if price is None else f" for {most * price}"
                yield Ask(
                    "where is it confidently wrong?",
                    typed("blind", f"{name}-blind", *hunt),
                    f"at most {count(most, 'label')}{money}",
                )
            others = [one for one in self.alike if one not in (model, truth) and not one.missing]
            if len(others) == 1 and can_be_typed(others[0].name):
                old = ["--old", self.target, *named, "--answer", model.name, "--model", others[0].name]
                yield Ask("did the answers change?", typed("changed", f"{name}-changed", *old, "--error", "1%"))
        else:
            yield Ask("what does a claim cost?", typed("plan", CLAIM, "--pool", self.target), cost)
        judges = [one.name for one in self.judges]
        if judges and can_be_typed(*judges) and not any("," in name for name in judges):
            gold = ["--truth", truth.name] if truth is not None and can_be_typed(truth.name) else []
            panel = [self.target, "--judges", ",".join(judges), *named, *gold]
            yield Ask("how good are these judges?", typed("judges", *panel))

    def _is_whole(self, truth: Column) -> bool:
        """Return whether a column knows the truth of every item, and can be named."""
        return not truth.missing and can_be_typed(truth.name)
