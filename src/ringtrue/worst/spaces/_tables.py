"""Spaces as plain data: how a parameter and a constraint are written in JSON and in a TOML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.worst.spaces._choice import Choice, Parameter
from ringtrue.worst.spaces._constraints import AtMost
from ringtrue.worst.spaces._numbers import Integer, Real

_NUMBER = "{ low = 0, high = 1 }"
_CHOICE = '{ options = ["a", "b"] }'


def read_tables(table: Mapping[str, Any]) -> tuple[list[Parameter], list[AtMost]]:
    """Return the parameters and constraints of a space."""
    known_keys("space", table, ("name", "parameters", "constraints"))
    parameters, constraints = table.get("parameters"), table.get("constraints", [])
    if not isinstance(parameters, Mapping) or not parameters:
        raise InvalidInput(f"space has no parameters: write [parameters] with lines such as x = {_NUMBER}")
    if not isinstance(constraints, Sequence) or isinstance(constraints, str):
        raise InvalidInput("space constraints must be a list of tables: write [[constraints]] above each")
    made = [_parameter(name, entry) for name, entry in parameters.items()]
    return made, [_constraint(entry) for entry in constraints]


def _parameter(name: str, entry: Any) -> Parameter:
    """Make a parameter from what stands after its name."""
    where = f"parameter {name!r}"
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"{where} is {entry!r}: write {_NUMBER} or {_CHOICE}")
    if "options" in entry:
        known_keys(where, entry, ("options",))
        return Choice(name, entry["options"])
    known_keys(where, entry, ("low", "high", "log", "integer", "step"))
    for end in ("low", "high"):
        if end not in entry:
            raise InvalidInput(f"{where} has no {end!r}: write {_NUMBER} or {_CHOICE}")
    integer = entry.get("integer", False)
    if not isinstance(integer, bool):
        raise InvalidInput(f"{where}: integer={integer!r} must be true or false")
    how = {"log": entry.get("log", False), "step": entry.get("step")}
    return (Integer if integer else Real)(name, entry["low"], entry["high"], **how)


def _constraint(entry: Any) -> AtMost:
    """Make a constraint of `at_most`, with the names under `of` or their `weights`."""
    form = 'write at_most = 12.0 with of = ["Cr", "Cu"] or weights = { Cr = 1.0, Cu = 2.0 }'
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"constraint {entry!r} is not a table: {form}")
    known_keys("constraint", entry, ("at_most", "of", "weights"))
    if "at_most" not in entry or ("of" in entry) == ("weights" in entry):
        raise InvalidInput(f"constraint {dict(entry)!r} is not complete, or says it twice: {form}")
    if "weights" in entry:
        return AtMost(entry["weights"], entry["at_most"])
    names = entry["of"]
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"constraint of={names!r} must be a list of names: {form}")
    if len(set(names)) < len(names):
        raise InvalidInput(f"constraint of={names!r} names a parameter twice: write weights instead")
    return AtMost(dict.fromkeys(names, 1.0), entry["at_most"])


def known_keys(where: str, entry: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a key that means nothing: a slip would pass unseen."""
    for key in entry:
        if key not in known:
            raise InvalidInput(f"{where} has the unknown key {key!r}: use {', '.join(known)}")
