"""The templates of pages: every word of the user escaped, short, and with every letter to be seen."""

from __future__ import annotations

from functools import cache
from typing import Any

from ringtrue.core import line
from ringtrue.report._inline import drawn, inline, paragraph

GENERATOR = '<meta name="generator" content="ringtrue'
"""By which an earlier page is known again."""


def template(name: str) -> Any:
    """Return a template of this package, ready to be rendered."""
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    """Return the environment of all templates, made once in a process: compiling takes longer than filling."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("ringtrue.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(line=line, inline=inline, paragraph=paragraph, drawn=drawn)
    return environment
