"""The new model that `ringtrue changed` asks, and what of an item it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.cli._calling import Calling
from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.core import Model
    from ringtrue.pools import OldAnswers


def new_model(
    spec: str,
    known: OldAnswers,
    features: Sequence[str] | None,
    slices: Sequence[str],
    calling: Calling,
) -> Model:
    """A column of the pool, an address, or module:function; one that says nothing has given the empty answer.

    Args:
        spec: what --model names.
        known: the items and the old answers.
        features: the columns that it is shown, if they are named.
        slices: columns that it is not shown by default.
        calling: how an address is called.
    """
    from ringtrue.changed import EMPTY
    from ringtrue.models import ColumnModel, as_model

    columns = known.pool.columns
    if spec in columns:
        if spec in _secrets(known):
            raise InvalidInput(
                f"--model={spec!r} is the column of the {_secrets(known)[spec]}: name that of the new model's answers, "
                "an address (http…) or module:function"
            )
        if features is not None:
            raise InvalidInput(f"--features={','.join(features)} has no use with stored answers: leave it out")
        return ColumnModel(spec, empty=EMPTY)
    found = responder(spec, "--model", columns, addresses=True)
    if isinstance(found, str) and "://" not in found:
        import difflib

        close = difflib.get_close_matches(spec, columns, n=1)
        meant = f", did you mean {close[0]!r}?" if close else ": name one, an address (http…) or module:function;"
        raise InvalidInput(f"--model={spec!r} is no column{meant} columns: {', '.join(columns)}")
    if isinstance(found, str):
        # Ids tell who is who, and leave the machine only if --features names them.
        shown = _shown(known, features, [*slices, getattr(known.pool, "id_column", None)])
        return calling.model(found, features=shown, empty=EMPTY)
    return as_model(found, features=_shown(known, features, slices), empty=EMPTY)


def sent(notes: Mapping[str, Any], known: OldAnswers) -> Sequence[str] | None:
    """The columns that the model of a study was shown from its beginning; a study that notes none was made when ids
    were sent along, and goes on so."""
    if notes["features"] is not None or "sent" in notes or notes["model"] in known.pool.columns:
        return notes["features"] or notes.get("sent")
    if "://" not in notes["model"]:
        return None
    return [name for name in known.inputs if name not in notes["slices"]]


def _shown(known: OldAnswers, features: Sequence[str] | None, slices: Sequence[str | None]) -> list[str]:
    """The columns that the model is shown: those asked for, else all inputs but the slices."""
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
            raise InvalidInput(f"--features: {name!r} is no column, there are {', '.join(known.pool.columns)}")
        if name in secret:
            raise InvalidInput(f"--features: {name!r} holds the {secret[name]}, which the model must not see")
    return list(features)


def _secrets(known: OldAnswers) -> dict[str, str]:
    """The columns that no new answer comes from, nor is given in sight of, and what they hold."""
    held = {known.answer: "old answers", known.truth: "true labels", known.confidence: "old confidences"}
    return {column: what for column, what in held.items() if column is not None}
