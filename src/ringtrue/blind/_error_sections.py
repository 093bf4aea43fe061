"""The errors that a hunt found: some with their pictures or values, more of them in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.blind._scope import errors_in_scope
from ringtrue.core import (
    Column,
    Context,
    Picture,
    Quoted,
    Section,
    Soft,
    Strong,
    StrongQuoted,
    Table,
    Text,
    cell,
    count,
    is_number,
    is_png_data_uri,
    line,
    percent,
)

_CARDS = 24  # errors shown with their pictures or values
_VALUES = 10  # values of an item listed beside those that change the answer
_ROWS = 100  # errors listed in words


def error_sections(context: Context) -> list[Section]:
    """Return the errors found, the most confident first."""
    if not context.spending:
        return []  # the items themselves stand in a report alone
    finding, errors = context.finding, error_rows(context)
    title, wrong = "The errors found", errors_in_scope(finding)
    if not errors:
        none = f"None in {count(finding['answers'], 'answer')}."
        if wrong:
            none += (
                f" That does not mean there are none: up to {wrong['high']:,} of {count(finding['scope'], 'item')} may "
                f"be wrong ({percent(finding['rate']['level'])})."
            )
        return [Section(title, [none])]
    cards = ((context.kept.get("gallery") or {}).get("shown") or [])[:_CARDS]
    shown = Section(title, [Soft("No pictures or values were kept to be shown here.")])
    if cards:
        table = Table([_card(one) for one in cards], (), _about(cards, len(errors)), shape="cards")
        shown = Section(title, table=table)
    return [shown, Section(table=_list(finding, errors, wrong))]


def error_rows(context: Context) -> list[dict[str, Any]]:
    """Return every error found, the most confident first: what the model said, the truth, and how it was found."""
    path, names = context.finding["path"], ("number", "answer", "confidence", "random", "wrong")
    answers = (dict(zip(names, values, strict=True)) for values in zip(*map(path.get, names), strict=True))
    known = {entry["number"]: entry for entry in context.gallery}
    unknown = {"id": None, "model": None, "truth": None}
    rows = [{**known.get(one["number"], unknown), **one} for one in answers if one["wrong"]]
    return sorted(rows, key=lambda row: -row["confidence"])


def _list(finding: Mapping[str, Any], errors: Sequence[Mapping[str, Any]], wrong: Mapping[str, int] | None) -> Table:
    rows = [
        (
            f"{row['answer']:,}",
            cell(row["id"]),
            cell(row["model"]),
            cell(row["truth"]),
            percent(row["confidence"]),
            "at random" if row["random"] else "by the search",
        )
        for row in errors[:_ROWS]
    ]
    columns = [
        Column("answer", number=True),
        *(Column(head) for head in ("item", "model said", "truth")),
        Column("confidence", number=True),
        Column("come upon"),
    ]
    more = ""
    if wrong:
        low, high = (wrong[side] - finding["errors"] for side in ("low", "high"))
        more = f": {low:,} to {high:,} more ({percent(finding['rate']['level'])})"
    all_of_them = " The JSON twin has them all." if len(errors) > len(rows) else ""
    other = "" if finding["critical"] is None else " or answers something else"
    caption = (
        f"{len(rows):,} of {count(len(errors), 'error')} listed, the most confident first.{all_of_them} ",
        Strong("Not shown"),
        f" are the errors among items that nobody was asked about{more}, and those outside the scope, where the model "
        f"is less sure{other}.",
    )
    return Table(rows, columns, caption)


def _card(entry: Mapping[str, Any]) -> tuple[Text, Text, Table | None]:
    """Return one error: its pictures, what was said of it, and its values beside those that change the answer."""
    model, truth, label = cell(entry["model"]), cell(entry["truth"]), entry.get("changed_label")
    otherwise = "" if label is None else cell(label)
    below: Text = "changed" if label is None else ("changed: ", Quoted(otherwise))
    nearest = f"The nearest input found that the model answers otherwise{'' if label is None else f': {otherwise}'}"
    called = f"The item {cell(entry['id'])}, which the model calls {model} and is {truth}"
    swayed = "The same item, coloured by how much each part sways the answer"
    pictures = (
        Picture(entry.get("image"), called, "the item"),
        Picture(entry.get("changed"), nearest, below),
        Picture(entry.get("sway"), swayed, "swayed by"),
    )
    apart = ""
    if entry.get("distance") is not None:
        norm = "" if entry.get("norm") is None else f" ({cell(entry['norm'])})"
        apart = f"\ndistance {entry['distance']:.3g}{norm}"
    sure = f"\nconfidence {percent(entry['confidence'])}{apart}\n"
    words: Text = ("said ", StrongQuoted(model), ", is ", StrongQuoted(truth), sure, Soft(cell(entry["id"])))
    return tuple(one for one in pictures if is_png_data_uri(one.address)), words, _values(entry, below)


def _values(entry: Mapping[str, Any], changed: Text) -> Table | None:
    before, after = entry.get("values") or {}, entry.get("changed_values") or {}
    if not before:
        return None
    changed_names = {name for name in before if name not in after or before[name] != after[name]}
    names = sorted(before, key=lambda name: name not in changed_names)  # those that change first
    rows = []
    for name in names[:_VALUES]:
        beside: Text = "same"
        if name in changed_names:
            beside = StrongQuoted(_value(after[name])) if name in after else "–"
        rows.append((Quoted(cell(name)), _value(before[name]), *([beside] if after else [])))
    number = is_number(before[names[0]])
    heads: list[Text] = ["the item", *([changed] if after else [])]
    columns = [Column("value"), *(Column(head, number=number) for head in heads)]
    left_out = len(names) - _VALUES
    return Table(rows, columns, f"and {count(left_out, 'more value')}" if left_out > 0 else "")


def _value(one: object) -> str:
    return f"{one:.6g}" if isinstance(one, float) else Quoted(line(one))


def _about(cards: Sequence[Mapping[str, Any]], errors: int) -> Text:
    nearest = any(is_png_data_uri(card.get("changed")) or card.get("changed_values") for card in cards)
    swayed = any(is_png_data_uri(card.get("sway")) for card in cards)
    beside = ", each beside the nearest input found that the model answers otherwise" if nearest else ""
    colours = " Orange parts speak for the model's answer, blue ones against it; the stronger, the more."
    are = "is" if len(cards) == 1 else "are"
    return f"{len(cards):,} of the {count(errors, 'error')} found {are} shown so{beside}.{colours if swayed else ''}"
