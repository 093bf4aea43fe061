"""Serves a function line by line: `python -m ringtrue.oracles._serve module:function`, for `FunctionProcess`."""

from __future__ import annotations

import importlib
import json
import operator
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from ringtrue.core import Reply, plain


def serve(spec: str, asked: Iterable[str], said: TextIO) -> None:
    """Answer every line of JSON that is asked with one; an error is told as `{"error": …}`.

    A function that cannot be found is told the same way, in answer to the first line: that is where users look.
    """
    module, _, name = spec.partition(":")
    function: Callable[[Any], Any] | None = None
    for line in asked:
        try:
            function = function or operator.attrgetter(name)(importlib.import_module(module))
            value = function(json.loads(line))
            if isinstance(value, Reply):  # its cost and rater would be lost
                raise TypeError("the function returned a Reply: return its value alone")
            text = json.dumps(plain(value))
        except Exception as error:
            text = json.dumps({"error": f"{type(error).__name__}: {error}"})
        said.write(text + "\n")
        said.flush()


def _taken(stream: int, instead: int) -> int:
    """Take a standard stream for this module: all else that reads or prints there meets `instead`, in C as well."""
    mine = os.dup(stream)
    os.dup2(instead, stream)
    return mine


def main() -> None:
    """Serve on the standard streams; the function itself reads nothing and prints to standard error."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    with open(_taken(0, nothing), encoding="utf-8") as asked, open(_taken(1, 2), "w", encoding="utf-8") as said:
        serve(sys.argv[1], asked, said)


if __name__ == "__main__":
    main()
