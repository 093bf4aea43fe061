"""The gold standard: phase fractions by pycalphad, each equilibrium worked out once and kept in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ringtrue.core import InvalidInput

Fractions = dict[str, float]
"""Phases that are there, by name, and how much of each."""

Solver = Callable[[Sequence[float]], Fractions | None]
"""Weight percents to phase fractions; None where there is no answer."""


def cache_folder() -> Path:
    """Where what was worked out is kept: `$ALLOY_CACHE`, else `.cache` beside this file."""
    return Path(os.environ.get("ALLOY_CACHE") or Path(__file__).resolve().with_name(".cache"))


class Gold:
    """Phase fractions by weight percents. `kept` is a file of JSON lines that is read at the beginning and added to."""

    def __init__(self, kept: Path, solver: Solver | None = None) -> None:
        self._kept = kept
        self._solver = solver
        self._known = dict(_read(kept)) if kept.is_file() else {}

    def __call__(self, percents: Sequence[float]) -> Fractions | None:
        key = tuple(map(float, percents))
        if key not in self._known:
            if self._solver is None:
                self._solver = _pycalphad()
            self._known[key] = self._solver(key)
            self._keep(key)
        return self._known[key]

    def _keep(self, key: tuple[float, ...]) -> None:
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        with self._kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"percents": key, "phases": self._known[key]}) + "\n")


def stored_gold() -> Gold:
    """The gold standard with what the cache folder holds."""
    return Gold(cache_folder() / "equilibria.jsonl")


def _pycalphad() -> Solver:
    if find_spec("pycalphad") is None:
        raise InvalidInput(
            "this composition is not in the cache, and pycalphad is missing: pip install 'ringtrue[alloy]'"
        )
    from alloy.equilibrium import Equilibrium  # takes half a minute, which a full cache saves

    return Equilibrium()


def _read(kept: Path) -> Iterator[tuple[tuple[float, ...], Fractions | None]]:
    """What was kept; a last line cut short by a kill is taken out, so that the next does not go on in it."""
    text = kept.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        kept.write_text(whole, encoding="utf-8")
    for line in whole.splitlines():
        stored = json.loads(line)
        yield tuple(stored["percents"]), stored["phases"]
