"""What people fill in on a sheet: a label in one column, or the numbers of a laboratory in several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ringtrue.cli._sheet_files import Cells, Number
from ringtrue.core import InvalidInput, Json, formula_restored, shortened
from ringtrue.oracles._typed import UNKNOWN, set_value, spelt

QUERY, RATER, LABEL = "query", "rater", "label"
"""The columns that say which query a row answers and who does, which come back as they went out; and that of labels."""


class Changed(NamedTuple):
    """An input that is not the one that was asked for: its name, as found and as asked."""

    name: str
    found: str
    asked: Any


class Filled(NamedTuple):
    """A row that was filled in: its place in words, its query, its cells by column, what they answer, and who did."""

    where: str
    query: str
    cells: Mapping[str, str]
    value: Json
    rater: str = ""
    """To whom the row went out; nothing where the sheet does not say."""


class Form(ABC):
    """What is filled in on a sheet: in which columns, and what their cells mean.

    A column whose name the items have already is called otherwise: "label (ringtrue)".
    """

    asks: ClassVar[tuple[str, str]]
    """What a row is, and what is to be done with it."""

    def __init__(self, outputs: Sequence[str], taken: Collection[str] = ()) -> None:
        self.outputs = [free_name(name, taken) for name in outputs]
        self.query, self.rater = (free_name(name, [*taken, *self.outputs]) for name in (QUERY, RATER))

    @property
    @abstractmethod
    def how(self) -> str:
        """What is to be filled in, in words."""

    @abstractmethod
    def read(self, cells: Cells, rows: Sequence[tuple[str, Mapping[str, str]]]) -> list[Json]:
        """Return what rows answer, each given with its place in words; None where it cannot be told."""

    def settled(self, row: Filled, changed: Sequence[Changed], asked: Mapping[str, Any]) -> Json:
        """Return what a row answers, unless its inputs are not those `asked`: the answer may be to another row."""
        if changed:
            one = changed[0]
            found, wanted = shortened(one.found), shortened(str(one.asked))
            raise InvalidInput(
                f"{row.where}: {one.name} is {found!r} where {wanted!r} was asked for, so that rows may have slipped: "
                "write it back, leave the row blank, or delete the column"
            )
        return row.value


class Labels(Form):
    """One column for a label, which is checked when it is recorded; `labels` are those that there are, None for any."""

    asks = ("item", "to label")

    def __init__(self, labels: Sequence[str] | None, taken: Collection[str] = ()) -> None:
        super().__init__([LABEL], taken)
        self._labels, self._unknown = labels, spelt(UNKNOWN, labels)

    @property
    def how(self) -> str:
        known = "" if self._labels is None else f"{', '.join(self._labels)}; "
        return f"the column {self.outputs[0]!r} ({known}{self._unknown} where you cannot tell)"

    def read(self, cells: Cells, rows: Sequence[tuple[str, Mapping[str, str]]]) -> list[Json]:
        return [None if cell == self._unknown else self._label(cell) for _, told in rows for cell in told.values()]

    def _label(self, cell: str) -> str:
        text = formula_restored(cell)
        as_typed = text not in ("TRUE", "FALSE") or text in (self._labels or ())
        return text if as_typed else text.lower()  # a spreadsheet writes true so


class Numbers(Form):
    """A column for each output of a gold standard, with all numbers of a row or none.

    Inputs that are not as asked are refused, unless that is how it was really set: then `check` is given what was asked
    and what was set, and refuses what lies outside the space.
    """

    asks = ("point", "to evaluate")
    how = "the last columns"

    def __init__(
        self,
        outputs: Sequence[str],
        taken: Collection[str] = (),
        check: Callable[[Mapping[str, Any], Mapping[str, Any]], None] | None = None,
    ) -> None:
        super().__init__(outputs, taken)
        self._check = check

    def read(self, cells: Cells, rows: Sequence[tuple[str, Mapping[str, str]]]) -> list[Json]:
        """Return a number for each row, or a list; decimals have a point or, where no comma parts cells, a comma."""
        found: list[Json] = []
        marks: set[str] = set()
        for where, told in rows:
            blank = [name for name, cell in told.items() if not cell]
            if blank:
                why = f"nothing in column {blank[0]!r}: fill in every output of a row, or none"
                raise InvalidInput(f"{where} has {why}")
            numbers: list[Json] = [cells.number(cell) for cell in told.values()]
            for name, cell in told.items():
                if cells.number(cell) is None and set(told.values()) != {UNKNOWN}:
                    how = "one mark, for the decimals" if cells.with_commas else "decimals with a point"
                    raise InvalidInput(
                        f"{where}, column {name!r}: {cell!r} is not a number: write {how}, or {UNKNOWN} in all outputs "
                        "of a row that cannot be told"
                    )
                marks |= set() if isinstance(cell, Number) else {mark for mark in ".," if mark in cell}
                if len(marks) > 1:  # "1.234" beside "0,5" may be a thousand and more
                    raise InvalidInput(
                        f"{where}, column {name!r}: {cell!r}, where cells before it mark decimals otherwise: write all "
                        "with a point, or all with a comma"
                    )
            found.append(None if None in numbers else numbers if len(numbers) > 1 else numbers[0])
        return found

    def settled(self, row: Filled, changed: Sequence[Changed], asked: Mapping[str, Any]) -> Json:
        """Return what a row answers, with the inputs as they were set where they are not as asked."""
        if not changed or row.value is None:
            return row.value
        if self._check is None:
            one = changed[0]
            raise InvalidInput(
                f"{row.where}: {one.name} is {one.found!r} where {one.asked!r} was asked for: evaluate what was asked, "
                "leave the row blank, or give --as-set if that is how it was set"
            )
        try:
            settings = {one.name: set_value(one.name, one.found, one.asked) for one in changed}
            self._check(asked, settings)
        except InvalidInput as error:
            raise InvalidInput(f"{row.where}: ", *error.args) from None
        return {"label": row.value, "set": settings}


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name for a column that no other has.

    >>> free_name("label", ["id"]), free_name("label", ["label"])
    ('label', 'label (ringtrue)')
    """
    while name in taken:
        name += " (ringtrue)"
    return name
