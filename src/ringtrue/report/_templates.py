"""The templates of pages: every word of the user escaped, every name in them known."""

from __future__ import annotations

from functools import cache
from typing import Any

from ringtrue.core import count, percent, tenths
from ringtrue.report._text import cell, line, points

GENERATOR = '<meta name="generator" content="ringtrue'
"""By which an earlier page is known again."""


def template(name: str) -> Any:
    """A template of this package, ready to be rendered."""
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """Made once in a process: to compile templates takes longer than to fill them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("ringtrue.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        percent=percent, tenths=tenths, points=points, count=count, cell=cell, line=line, whole=_whole
    )
    return environment


def _whole(number: int) -> str:
    return f"{number:,}"
