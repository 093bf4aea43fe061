"""What a reader is shown of a finding: sections of words, tables and figures, the same for a page and a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from ringtrue.core._text import between, percent


class Strong(str):
    """Words that stand out."""


class Soft(str):
    """Words that stand back: how a number was made, what was left out."""


class Quoted(str):
    """Words of the user, such as a label: whatever way they are written, the words around them stay in order."""


class StrongQuoted(str):
    """Words of the user that stand out."""


class Code(str):
    """A hash or a command, letter by letter."""


PNG_PREFIX = "data:image/png;base64,"
_PNG = re.compile(re.escape(PNG_PREFIX) + r"[A-Za-z0-9+/]+={0,2}")


def is_png_data_uri(text: object) -> bool:
    """Return whether an address holds a picture itself: a page must not show any other that a document might name."""
    return isinstance(text, str) and _PNG.fullmatch(text) is not None


class Picture(NamedTuple):
    """A picture of an item: the address that holds it, what is read aloud in its place, and the words below it."""

    address: str | None
    aloud: str
    below: Text = ""


Text: TypeAlias = "str | tuple[str | Picture, ...]"
"""A paragraph, or a cell of a table: one text, or parts of which some stand out. None of it is markup."""


class Column(NamedTuple):
    """The head of a column; numbers stand to the right."""

    title: Text = ""
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. `shape` says how they are laid out.

    "rows" has a head of `columns`; "facts" are pairs of a name and what is said of it; "tiles" are three cells each:
    what is measured, the number in large letters, and a remark; "cards" are a cell of pictures, a cell of words and a
    small table each, or None in its place.
    """

    rows: Sequence[Sequence[Any]]
    columns: Sequence[Column] = ()
    caption: Text = ""
    shape: Literal["rows", "facts", "tiles", "cards"] = "rows"
    named: bool = False
    """Whether the first cell of a row is its name."""
    reserved: bool = False
    """Whether the numbers hold only under a condition that was not shown."""
    brief: int = 0
    """How many of the first rows a terminal shows."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing: `draw` is given matplotlib's axes of this size in inches, or the whole figure where it makes its own.

    `aloud` is read aloud in its place. The figure of a claim is so narrow that a phone shows it whole.
    """

    draw: Callable[[Any], None]
    size: tuple[float, float]
    aloud: str
    caption: Text = ""
    whole: bool = False
    claim: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One thing to be told: words, a list, a figure and a table, in this order.

    Without a title it goes on with the section before. A `detail` comes after what the finding cost and rests on.
    `brief` are the lines that a terminal shows of it, after the rows that it shows of the table; a page has `words`.
    """

    title: str = ""
    words: Sequence[Text] = ()
    listed: Sequence[Text] = ()
    figure: Figure | None = None
    table: Table | None = None
    detail: bool = False
    brief: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What sections are made of: a finding as JSON and, where a report is written, all that stands beside it there.

    Parameters
    ----------
    finding
        What `Finding.to_json` returned.
    question
        The configuration of the question.
    study
        The plan: name, pool, model, price, budget.
    spending
        How much was asked, answered and paid.
    gallery
        The items to show, the worst first.
    items
        The content of some of them, by id.
    records
        The records, as JSON.
    kept
        What was computed once with the model's help and kept in the study, such as a map.
    baselines
        The curves of other searches of the same study, by name.
    """

    finding: Mapping[str, Any]
    question: Mapping[str, Any] = field(default_factory=dict)
    study: Mapping[str, Any] = field(default_factory=dict)
    spending: Mapping[str, Any] = field(default_factory=dict)
    gallery: Sequence[Mapping[str, Any]] = ()
    items: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    records: Sequence[Mapping[str, Any]] = ()
    kept: Mapping[str, Any] = field(default_factory=dict)
    baselines: Mapping[str, Any] = field(default_factory=dict)


class Chip(NamedTuple):
    """The verdict in a word or two, and its tone: rings-true, rings-false, not-yet-known or no-claim."""

    words: str
    tone: str


def claim_chip(finding: Mapping[str, Any]) -> Chip:
    """Return the verdict on a claim, if there is one."""
    if not finding.get("claim"):
        return Chip("no claim", "no-claim")
    return Chip(finding["verdict"], finding["verdict"].replace(" ", "-"))


def plain_sections(context: Context) -> list[Section]:
    """Return what can be told of any finding: its claim, its interval, and how much it rests on."""
    finding = context.finding
    told = finding.get("interval") or finding.get("estimate")
    interval = told if isinstance(told, Mapping) else None  # a number without an interval is not shown as an estimate
    tiles: list[tuple[Text, Text, Text]] = []
    if interval is not None:
        estimate = f"estimate {percent(interval['estimate'])}"
        tiles.append((f"{percent(interval['level'])} interval", between(interval), estimate))
    if finding.get("claim"):
        tiles.append(("claim", Quoted(finding["claim"]), finding["verdict"]))
    tiles += [(name, f"{finding[name]:,}", "") for name in ("answers", "unanswerable") if finding.get(name) is not None]
    said = [Soft(f"Method: {interval['method']}.")] if interval is not None else []
    return [Section(table=Table(tiles, shape="tiles")), Section(words=said)] if tiles else []


def text_of(text: Text) -> str:
    """Return a paragraph or a cell without what stands out in it.

    >>> text_of((Strong("No"), ", never")), text_of("yes")
    ('No, never', 'yes')
    """
    if isinstance(text, str):
        return str(text)
    return "".join(text_of(part.below) if isinstance(part, Picture) else str(part) for part in text)
