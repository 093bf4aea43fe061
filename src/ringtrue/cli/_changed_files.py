"""The old answers of `ringtrue changed`: where they stand, and which column is what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.pools import OldAnswers


def known_answers(given: Mapping[str, Any]) -> OldAnswers:
    """What the options name."""
    from ringtrue.pools import read_old

    names = {what: given.get(what) for what in ("pool", "id", "answer", "truth", "confidence")}
    return read_old(given["old"], **names)


def known_again(path: Path, notes: Mapping[str, Any], given: Mapping[str, Any]) -> OldAnswers:
    """What the notes of a study name, or the files' new places."""
    joined = notes["old"] is not None
    if "pool" in given and not joined:
        raise InvalidInput(f"--pool={given['pool']}: the items of this study stand with its old answers: leave it out")
    files = {"old": notes["old"], "pool": notes["pool"]} if joined else {"old": notes["pool"]}
    for option, noted in files.items():
        files[option] = given.get(option, str(path.parent / noted))
        if not Path(files[option]).exists():
            raise InvalidInput(
                f"the file of --{option} is not at {files[option]!r}: bring it back, or name its place, --{option} FILE"
            )
    columns = {what: notes[what] for what in ("id", "answer", "truth", "confidence")}
    return known_answers({**columns, **files})


def choice(known: OldAnswers, shown: Sequence[str] | None) -> str:
    """Which column is what, and which the model is shown, so that a wrong guess is noticed before much is spent."""
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
