"""What a search found, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import percent
from ringtrue.worst._numbers import number, where


def lines_of(found: Mapping[str, Any]) -> list[str]:
    """The sentence, then the region, the other peaks, the robust worst case and the share of the space above."""
    lines = [found["sentence"]]
    region = found["region"]
    if region is not None:
        tried = f"; {region['confirmed']} of {region['tried']} points tried in it are" if region["tried"] else ""
        spans = ", ".join(f"{name} {_span(extent)}" for name, extent in region["extent"].items())
        lines.append(
            f"around it, {_share(region['volume'])} of the space is at {number(region['threshold'])} or more by the "
            f"surrogate{tried}; each by itself: {spans}"
        )
    for peak in found["peaks"]:
        if peak["at_worst"]:
            continue
        task = f" of {peak['task']}" if len(found["tasks"]) > 1 else ""
        lines.append(f"another peak{task}: about {number(peak['predicted'])} at {where(peak['point'])}")
    if found["robust"] is not None:
        robust = found["robust"]
        lines.append(f"averaged over input noise: about {number(robust['predicted'])} at {where(robust['point'])}")
    above = found["above"]
    if above is not None:
        lines.append(
            f"without any surrogate: at most {percent(above['high'], toward='above')} of the space deviates more than "
            f"{number(above['threshold'])} ({percent(above['level'])}, {above['n']} random evaluations)"
        )
    return lines


def _share(volume: float) -> str:
    """A share of the space, or that it is too small to tell."""
    return percent(volume) if volume >= 1e-6 else "less than 0.0001%"


def _span(extent: list[Any]) -> str:
    if len(extent) == 2 and not any(isinstance(end, str) for end in extent):
        return f"{number(extent[0])} to {number(extent[1])}"
    return "/".join(map(str, extent))
