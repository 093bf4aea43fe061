"""The answers of a study as a file: one row for each item and rater, for a spreadsheet or a program."""

from __future__ import annotations

import csv
import io
import json

from ringtrue.core import Json, formula_safe
from ringtrue.study import Study

COLUMNS = (
    "item", "rater", "label", "cannot_tell", "is_opinion", "first_label", "agreed", "reason", "query", "question",
)  # fmt: skip


def answers(study: Study) -> list[dict[str, Json]]:
    """Return who said what: an answer that was corrected as it is now and as it was first, opinions after it.

    A label of None is "cannot tell". `agreed` is what most raters or the owner say, `reason` the owner's.
    """
    rows: list[dict[str, Json]] = []
    for record in study.records:
        outcome, settled = study.second.outcome(record), study.second.settled.get(record.number)
        for place, (rater, value) in enumerate(study.second.of(record)):
            first = record.as_first_told().label if place == 0 else value
            agreed, reason = None if outcome is None else outcome.value, None if settled is None else settled.reason
            query = f"{study.name}:{record.number}"
            told: list[Json] = [
                record.id, rater, value, value is None, place > 0, first, agreed, reason, query, record.question,
            ]  # fmt: skip
            rows.append(dict(zip(COLUMNS, told, strict=True)))
    return rows


def as_csv(rows: list[dict[str, Json]]) -> str:
    """Return rows as a CSV file whose cells no spreadsheet takes for formulas; what is missing is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return "\ufeff" + out.getvalue()  # with a mark for the encoding, which spreadsheets take for another without it


def _cell(value: Json) -> Json:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    told: Json = formula_safe(value if isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False))
    return told
