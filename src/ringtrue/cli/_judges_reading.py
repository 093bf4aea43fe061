"""Votes as the command line reads them: what was left out and what was refused, in the words of its options."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from ringtrue.cli._common import tell

if TYPE_CHECKING:
    from ringtrue.core import Pool, Sketch


def read_aloud(votes: str | Pool, **reading: Any) -> Sketch:
    """Read votes as a sketch; a line on standard error names the columns that were not taken for judges."""
    from ringtrue.pools import LeftOut, read_votes

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LeftOut)
        sketch = read_votes(votes, **reading)
    for one in told:
        if issubclass(one.category, LeftOut):
            tell(as_options(str(one.message)), err=True)
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return sketch


def as_options(message: str) -> str:
    """A line in the words of the command line: Python's arguments are options here."""
    for argument, option in (("labels=", "--label-names="), ("judges=", "--judges="), ("item=", "--item=")):
        message = re.sub(rf"(?<![\w-]){argument}", option, message)
    return message
