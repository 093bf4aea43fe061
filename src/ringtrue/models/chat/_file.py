"""The file of a rubric and its judges, in TOML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ringtrue.core import InvalidInput, holds_secret, meant
from ringtrue.models.chat._judge import Judge, check_apart
from ringtrue.models.chat._rubric import Rubric

FORM = 'question = "…", [choices] with a definition each, and [judges.NAME] with url and model'

_IS: Mapping[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "a number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "a whole number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "true or false": lambda value: isinstance(value, bool),
    "a list of texts": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "a table of texts": lambda value: isinstance(value, dict) and all(isinstance(one, str) for one in value.values()),
    "a table": lambda value: isinstance(value, dict),
}
"""What a setting must be."""

_RUBRIC = dict.fromkeys(("question", "cannot_tell", "fine"), "a text")
_RUBRIC |= {"choices": "a table of texts", "show": "a list of texts", "pair": "a list of texts"}

_JUDGE = dict.fromkeys(("url", "model", "key"), "a text") | dict.fromkeys(("temperature", "timeout"), "a number")
_JUDGE |= dict.fromkeys(("seed", "max_tokens", "repeat"), "a whole number")
_JUDGE |= {"reason": "true or false", "logprobs": "true or false", "send": "a table", "leave_out": "a list of texts"}


class JudgesFile(NamedTuple):
    """A rubric, and those who are asked it."""

    rubric: Rubric
    judges: list[Judge]


def read_judges(table: Mapping[str, Any], where: str) -> JudgesFile:
    """Return the rubric and the judges in a table as TOML gives it. `where` names the file in errors."""
    judges = table.get("judges")
    if not isinstance(judges, dict) or not judges:
        raise InvalidInput(f"{where} names no judge: write {FORM}")
    about = {name: value for name, value in table.items() if name != "judges"}
    if "question" not in about:
        raise InvalidInput(f"{where} asks no question: write {FORM}")
    rubric = _made(Rubric, _RUBRIC, about, where)
    found = []
    for name, settings in judges.items():
        place = f"{where}, judge {name!r}"
        if not name.strip() or not name.isprintable() or "/" in name:
            raise InvalidInput(f"{place}: this is not a name: write one without slashes, such as small")
        if not isinstance(settings, dict) or not {"url", "model"} <= set(settings):
            raise InvalidInput(f'{place} needs url = "https://host/v1/chat/completions" and model = "…": add them')
        key = settings.get("key")
        if isinstance(key, str) and (holds_secret(key) or not key.isidentifier()):
            raise InvalidInput(f'{place}: key names the environment variable of the key, as in key = "MY_KEY": mend it')
        found.append(_made(Judge, _JUDGE, settings, place, name=name))
    check_apart(found)
    return JudgesFile(rubric, found)


def _made(kind: Any, known: Mapping[str, str], table: Mapping[str, Any], where: str, **more: Any) -> Any:
    """Return what the table describes; an unknown setting or one of the wrong kind is told."""
    for name, value in table.items():
        if name not in known:
            raise InvalidInput(f"{where} has the unknown setting {name!r}{meant(name, list(known))} {', '.join(known)}")
        if not _IS[known[name]](value):
            raise InvalidInput(f"{where}: {name}={value!r} is not {known[name]}: mend it")
    try:
        return kind(**table, **more)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: ", *error.args) from None
