"""What `--model` and `--oracle` name: a column of the pool, a function in a module, or an address."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ringtrue.core import InvalidInput


def responder(spec: str, argument: str, columns: Sequence[str], *, addresses: bool = False) -> Any:
    """A column's name, or the function that `module:function` names; a column of that very name comes first.

    With `addresses`, that of a web service (http:// or https://) is returned as it is.
    """
    if spec in columns or ":" not in spec:
        return spec
    if "://" in spec:
        if addresses and spec.lower().startswith(("http://", "https://")):
            return spec
        if addresses:
            raise InvalidInput(f"{argument}={spec!r} is no address of a web service: write it like https://host/path")
        raise InvalidInput(f"{argument}={spec!r}: addresses are not supported yet: name a column or module:function")
    return import_function(spec, argument)


def import_function(spec: str, argument: str) -> Callable[..., Any]:
    """The function that `module:function` names; the folder you stand in is searched first."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise InvalidInput(f"{argument}={spec!r} lacks one half: write module:function, such as desk:label")
    found = _import(module_name, f"{argument}={spec!r}")
    for part in name.split("."):
        if not hasattr(found, part):
            raise InvalidInput(f"{argument}={spec!r}: module {module_name!r} has no {name!r}: check the name")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"{argument}={spec!r} is a {type(found).__name__}: name a function")
    function: Callable[..., Any] = found
    return function


def _import(name: str, what: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            remedy = f"check the name, or run in the folder where {error.name}.py lies"
            raise InvalidInput(f"{what}: there is no module {error.name!r}: {remedy}") from None
        raise InvalidInput(
            f"{what}: module {name!r} needs {error.name!r}, which is not installed: install it"
        ) from None
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidInput(f"{what}: module {name!r} failed while it was imported ({why}): mend it") from error
