"""A finding in a notebook: its sections as HTML, without a page around them."""

from __future__ import annotations

from collections.abc import Sequence

from ringtrue.core import Section
from ringtrue.report._templates import template


def notebook_html(sentence: str, sections: Sequence[Section]) -> str:
    """Return the sentence of a finding and its sections as HTML, every word escaped, no scripts."""
    page: str = template("notebook.html").render(sentence=sentence, sections=sections)
    return page
