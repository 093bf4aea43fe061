"""The study of `ringtrue desk --demo`: handwritten digits, and a model that has hardly seen one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ringtrue.cli._consent import Calling
from ringtrue.cli._terminal import tell

FOLDER, STUDY, POOL = "desk-demo", "digits.ringtrue", "digits.npz"
_CLAIM = "error <= 15% at 95%"
_BUDGET = 100


def make_demo(calling: Calling) -> str:
    """Make the study, or find that of an earlier demo, and return its name."""
    from ringtrue.cli._place import Place
    from ringtrue.cli._runner import run_verb
    from ringtrue.cli.init import InitVerb

    folder = Path(FOLDER)
    path = folder / STUDY
    if Place.of(str(path)).is_made():
        tell(f"going on with {path}", err=True)
        return str(path)
    tell("training a small model that reads handwritten digits", err=True)
    from ringtrue.cli._demo_digits import load, write_images

    digits = load()
    folder.mkdir(exist_ok=True)
    write_images(digits, folder / POOL, with_truth=False)
    typed: dict[str, Any] = {
        "pool": str(folder / POOL), "model": "answer", "confidence": "confidence", "claim": _CLAIM, "budget": _BUDGET,
        "labels": ",".join(map(str, range(10))),
    }  # fmt: skip
    run_verb(InitVerb(), str(path), typed, calling)
    return str(path)
