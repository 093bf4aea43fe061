"""The compositions that are trained on and searched: what `space.toml` says, which the command line reads too."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringtrue.worst import SearchSpace

SPACE = SearchSpace.from_table(tomllib.loads(Path(__file__).with_name("space.toml").read_text(encoding="utf-8")))


def composition(values: Mapping[str, Any]) -> tuple[float, ...]:
    """The weight percents, in the order of the space, out of the values of an item."""
    return tuple(float(values[element]) for element in SPACE.names)
