"""Templates, and how words and pictures become HTML in them: every word escaped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from ringtrue.core import (
    Code,
    Figure,
    Picture,
    Quoted,
    Section,
    Soft,
    Strong,
    StrongQuoted,
    Text,
    is_png_data_uri,
    line,
)
from ringtrue.report._pictures import PHONE, of_claim, svg, svg_of_several

_ELEMENTS = {
    Strong: "<b>{}</b>",
    StrongQuoted: "<b><bdi>{}</bdi></b>",
    Quoted: "<bdi>{}</bdi>",
    Soft: '<span class="soft">{}</span>',
    Code: "<code>{}</code>",
}


def inline(text: Text) -> Markup:
    """Return a paragraph or a cell as markup."""
    if not isinstance(text, str):
        return Markup("").join(_picture(part) if isinstance(part, Picture) else inline(part) for part in text)
    lines = Markup("<br>").join(escape(line) for line in str(text).split("\n"))
    return Markup(_ELEMENTS.get(type(text), "{}")).format(lines)  # noqa: S704 - the elements are those above


def paragraph(text: Text) -> Markup:
    """Return a paragraph in its element; one that stands back as a whole is marked as such."""
    parts = (text,) if isinstance(text, str) else text
    if parts and all(isinstance(part, Soft) for part in parts):
        return Markup('<p class="soft">{}</p>').format(inline(tuple(map(str, parts))))
    return Markup("<p>{}</p>").format(inline(text))


def drawn(figure: Figure) -> Markup:
    """Return a figure's drawing as markup."""
    if figure.claim:
        text = svg_of_several(of_claim(figure.draw, figure.size[1]), size=(PHONE, figure.size[1]))
    else:
        text = (svg_of_several if figure.whole else svg)(figure.draw, size=figure.size)
    return Markup(text)  # noqa: S704 - drawn by matplotlib, which escapes its texts


def has_pictures(sections: Sequence[Section]) -> bool:
    """Return whether a page of these sections shows pictures, which its policy must then allow."""
    rows = [row for section in sections if section.table is not None for row in section.table.rows]
    parts = [part for row in rows for cell in row if isinstance(cell, tuple) for part in cell]
    return any(isinstance(part, Picture) and is_png_data_uri(part.address) for part in parts)


def _picture(picture: Picture) -> Markup:
    """Return a picture as markup; an address that is not a picture of this page's own is left out."""
    if not is_png_data_uri(picture.address):
        return Markup("")
    below = inline(picture.below)
    return Markup('<p><img src="{}" alt="{}">{}</p>\n').format(picture.address, picture.aloud, below)


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
