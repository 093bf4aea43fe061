"""Results that were worked out before, in a file of JSON lines, so that a long run may be stopped and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_lines import add, begun


class KeptResults:
    """Results by name and settings; without a file, none is kept."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._known: dict[tuple[str, str], dict[str, Any]] = {
            (made["name"], json.dumps(made["settings"])): made["found"] for made in begun(file)
        }

    def get(self, name: str, settings: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the result of this name with these settings: as it was kept, else found now."""
        key = name, json.dumps(settings)
        if key not in self._known:
            found = self._known[key] = find()
            add(self._file, {"name": name, "settings": settings, "found": found})
        return self._known[key]
