"""Results that were worked out before, in a file of JSON lines, so that a long run may be stopped and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


class KeptResults:
    """Results by name and settings; without a file, none is kept."""

    def __init__(self, file: Path | None) -> None:
        self._file, self._known = file, {}
        for line in file.read_text(encoding="utf-8").splitlines() if file is not None and file.is_file() else ():
            with suppress(json.JSONDecodeError):  # the last line, if the run was killed while it wrote
                made: dict[str, Any] = json.loads(line)
                self._known[made["name"], json.dumps(made["settings"])] = made["found"]

    def get(self, name: str, settings: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the result of this name with these settings: as it was kept, else found now."""
        key = name, json.dumps(settings)
        if key not in self._known:
            found = self._known[key] = find()
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"name": name, "settings": settings, "found": found}) + "\n")
        return self._known[key]
