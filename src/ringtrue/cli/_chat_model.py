"""A language model as `--model`: a rubric in a TOML file, and the one of its judges that is under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._consent import Calling, Run
from ringtrue.cli._opening import read_toml
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.models.chat import ChatModel, Judge, JudgesFile

_ENDING = ".toml"


class ChatFile(NamedTuple):
    """Where a rubric lies, and the name of the judge that is meant, if one is named."""

    path: Path
    judge: str | None

    def read(self) -> tuple[JudgesFile, Judge]:
        """Return the rubric with its judges, and the one that is under test."""
        from ringtrue.models.chat import FORM, read_judges

        where = f"model file {str(self.path)!r}"
        file = read_judges(read_toml(self.path, where, f"write {FORM}"), where)
        names = [judge.name for judge in file.judges]
        if self.judge is None and len(names) > 1:
            raise InvalidInput(
                f"{where} has the judges {', '.join(names)}: name one, as in {self.path.name}#{names[0]}"
            )
        if self.judge is not None and self.judge not in names:
            raise InvalidInput(f"{where} has no judge {self.judge!r}: name one of {', '.join(names)}")
        return file, file.judges[0 if self.judge is None else names.index(self.judge)]


def chat_named(spec: str | None, home: Path, columns: Sequence[str] = ()) -> ChatFile | None:
    """Return the rubric that a model's text names, from the folder of the study; None if it names something else.

    A column of that name comes first.

    >>> chat_named("ask.toml#small", Path("here")).judge, chat_named("predicted", Path("here"))
    ('small', None)
    """
    if not spec or spec in columns or "://" in spec:
        return None
    name, _, judge = spec.partition("#")
    return ChatFile(home / name, judge or None) if name.lower().endswith(_ENDING) else None


def chat_runs(notes: Mapping[str, Any], home: Path, columns: Sequence[str]) -> list[Run]:
    """Return the address that going on with a study calls for its rubric."""
    found = chat_named(notes.get("model"), home, columns)
    return [] if found is None else [Run("address", found.read()[1].url)]


def with_key(notes: Mapping[str, Any], columns: Sequence[str], calling: Calling) -> Calling:
    """Return how addresses are called, with the key that the rubric names: it is a secret like others."""
    found = chat_named(notes.get("model"), calling.home, columns)
    return calling if found is None else replace(calling, headers={**calling.headers, **found.read()[1].headers})


def chat_model(found: ChatFile, calling: Calling) -> ChatModel:
    """Return the language model that answers a rubric."""
    from ringtrue.models.chat import ChatModel

    if calling.headers:
        raise InvalidInput("--header is not for a rubric in a file: name the key there, as in key = 'MY_KEY'")
    (rubric, _), judge = found.read()
    return ChatModel(rubric, judge)
