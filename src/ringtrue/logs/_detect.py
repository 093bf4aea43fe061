"""Which tool wrote a log: the table of importers, and the one door to all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from ringtrue.core import InvalidInput
from ringtrue.logs import argilla, deepeval, inspect_ai, label_studio, lm_eval, mlflow, openai_evals, promptfoo
from ringtrue.logs._bounded import Content, open_content
from ringtrue.logs._log import Log, Reading


class Importer(NamedTuple):
    """One tool: how its logs are known, and what reads them."""

    tool: str
    knows: Callable[[Content], bool]
    read: Callable[[Content], Reading]


IMPORTERS = tuple(
    Importer(module.TOOL, module.knows, module.read)
    for module in (inspect_ai, promptfoo, lm_eval, openai_evals, deepeval, mlflow, label_studio, argilla)
)
"""A new importer is one file and its name here."""


def read_log(path: str | os.PathLike[str]) -> Log:
    """Read the log of an evaluation tool, whichever of those in the table wrote it."""
    content = open_content(os.fsdecode(path))
    importer = next((one for one in IMPORTERS if one.knows(content)), None)
    if importer is None:
        tools = ", ".join(one.tool for one in IMPORTERS)
        raise InvalidInput(f"{content.name} is not a log of a tool that is known: give one of {tools}")
    return Log.of(importer.read(content), content.name)
