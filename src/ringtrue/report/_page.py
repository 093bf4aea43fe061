"""The page: the document as HTML, every word of the user escaped, no scripts, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import percent
from ringtrue.report._document import finding_of, record_of
from ringtrue.report._figure import svg
from ringtrue.study import make_question

_ROWS = 100
_COLUMNS = 8
_CELL = 60


def render(made: Mapping[str, Any]) -> str:
    """The HTML page of a document."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("ringtrue.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = percent
    environment.filters["short"] = _short
    finding = finding_of(made, make_question(made["question"]), [record_of(entry) for entry in made["records"]])
    failures = made["computed"]["failures"]
    columns = list(next(iter(made["items"].values()), {}))[:_COLUMNS]
    return environment.get_template(
        "report.html"
    ).render(
        made=made,
        finding=made["computed"]["finding"],
        spending=made["computed"]["spending"],
        figure=Markup(svg(finding)),  # noqa: S704 - drawn by matplotlib, which escapes its texts
        failures=failures[:_ROWS],
        more_failures=max(0, len(failures) - _ROWS),
        columns=columns,
    )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
