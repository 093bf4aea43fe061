"""The new model that `ringtrue changed` asks, and what of an item it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringtrue.cli._responders import responder
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.core import Model
    from ringtrue.pools import OldAnswers


def new_model(spec: str, known: OldAnswers, features: Sequence[str] | None, slices: Sequence[str]) -> Model:
    """A column of the pool, an address, or module:function; one that says nothing has given the empty answer."""
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
    return as_model(found, features=_shown(known, features, slices), empty=EMPTY)


def _shown(known: OldAnswers, features: Sequence[str] | None, slices: Sequence[str]) -> list[str]:
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
