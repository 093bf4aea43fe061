"""The files and the new model of `ringtrue changed`: which column holds what, and which of them the model is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._chat_model import chat_model, chat_named
from ringtrue.cli._consent import Calling
from ringtrue.cli._door import named
from ringtrue.cli._model_files import file_model, file_named
from ringtrue.cli._opening import is_there, many_files
from ringtrue.core import InvalidInput, count, meant

if TYPE_CHECKING:
    from ringtrue.core import Model
    from ringtrue.pools import OldAnswers


def known_answers(given: Mapping[str, Any]) -> OldAnswers:
    """Read the old answers that the options name."""
    from ringtrue.pools import read_old

    how: dict[str, Any] = {what: given.get(what) for what in ("pool", "id", "answer", "truth", "confidence")}
    return read_old(given["old"], **how, **many_files(given))


def known_again(home: Path, notes: Mapping[str, Any], given: Mapping[str, Any]) -> OldAnswers:
    """Read the old answers that the notes of a study name, or those in the files' new places."""
    joined = notes["old"] is not None
    if "pool" in given and not joined:
        raise InvalidInput(f"--pool={given['pool']}: the items of this study stand with its old answers: leave it out")
    files = {"old": notes["old"], "pool": notes["pool"]} if joined else {"old": notes["pool"]}
    for option, noted in files.items():
        files[option] = given.get(option, str(home / noted))
        if not is_there(Path(files[option])):
            raise InvalidInput(
                f"the file of --{option} is not at {files[option]!r}: bring it back, or name its place, --{option} FILE"
            )
    columns = {what: notes[what] for what in ("id", "answer", "truth", "confidence")}
    return known_answers({**columns, **files, **many_files(notes)})


def choice(known: OldAnswers, shown: Sequence[str] | None) -> str:
    """Say which column is what, and which the model is shown, so that a wrong guess is noticed before much is spent."""
    parts = [
        f"old answers in column {known.answer!r}",
        "no true labels" if known.truth is None else f"true labels in {known.truth!r}",
        "no confidences" if known.confidence is None else f"confidences in {known.confidence!r}",
    ]
    if shown is not None:
        parts.append(f"the model is shown {', '.join(shown)}")
    if known.surplus:
        verbs = ("belongs", "is") if known.surplus == 1 else ("belong", "are")
        parts.append(f"{count(known.surplus, 'old answer')} {verbs[0]} to no item and {verbs[1]} left out")
    return "; ".join(parts)


def new_model(notes: Mapping[str, Any], known: OldAnswers, calling: Calling) -> Model:
    """Return the model of a column, a file, an address or module:function; saying nothing is the empty answer."""
    from ringtrue.changed import EMPTY
    from ringtrue.models import ColumnModel, as_model

    spec, slices, features, columns = notes["model"], notes["slices"], sent(notes, known), known.pool.columns
    if spec in columns:
        if spec in _secrets(known):
            raise InvalidInput(
                f"--model={spec!r} is the column of the {_secrets(known)[spec]}: name that of the new model's answers, "
                "an address (http…) or module:function"
            )
        if features is not None:
            raise InvalidInput(f"--features={','.join(features)} has no use with stored answers: leave it out")
        return ColumnModel(spec, empty=EMPTY)
    chat = chat_named(spec, calling.home, columns)
    if chat is not None:
        asked = chat_model(chat, calling)
        _shown(known, asked.features, slices)  # refuses what would tell it the truth
        return asked
    path = file_named(spec, calling.home, columns)
    if path is not None:
        model = file_model(path, notes, _shown(known, features, [*slices, known.pool.id_column]))
        return model.showing(_shown(known, model.features, slices))
    found = named(spec, "--model", columns)
    if isinstance(found, str) and "://" not in found:
        close = meant(spec, columns)
        close = close if close != ":" else ": name one, an address (http…) or module:function;"
        raise InvalidInput(f"--model={spec!r} is not a column{close} columns: {', '.join(columns)}")
    if isinstance(found, str):
        # Ids tell who is who, and leave the machine only if --features names them.
        shown = _shown(known, features, [*slices, known.pool.id_column])
        return calling.model(found, features=shown, empty=EMPTY)
    return as_model(found, features=_shown(known, features, slices), empty=EMPTY)


def sent(notes: Mapping[str, Any], known: OldAnswers) -> Sequence[str] | None:
    """Return the columns that the model of a study was shown from its beginning.

    A study that notes none was made when ids were sent along, and goes on so.
    """
    if notes["features"] is not None or "sent" in notes or notes["model"] in known.pool.columns:
        return notes["features"] or notes.get("sent")
    if "://" not in notes["model"]:
        return None
    return [name for name in known.inputs if name not in notes["slices"]]


def _shown(known: OldAnswers, features: Sequence[str] | None, slices: Sequence[str | None]) -> list[str]:
    """Return the columns that the model is shown: those asked for, else all inputs but the slices."""
    if features is None:
        shown = [name for name in known.inputs if name not in slices]
        if not shown:
            raise InvalidInput(
                "--model is left with no column to be shown: give the items with --pool FILE, or name --features A,B"
            )
        return shown
    secret = _secrets(known)
    for name in features:
        if name not in known.pool.columns:
            raise InvalidInput(f"--features: {name!r} is not a column, there are {', '.join(known.pool.columns)}")
        if name in secret:
            raise InvalidInput(f"--features: {name!r} holds the {secret[name]}, which the model must not see")
    return list(features)


def _secrets(known: OldAnswers) -> dict[str, str]:
    """Return the columns that no new answer comes from, nor is given in sight of, and what they hold."""
    held = {known.answer: "old answers", known.truth: "true labels", known.confidence: "old confidences"}
    return {column: what for column, what in held.items() if column is not None}
