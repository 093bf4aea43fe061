"""What a search found, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Verdict, count, number, percent
from ringtrue.worst._finding_parts import point_text


def lines_of(found: Mapping[str, Any]) -> list[str]:
    """The sentence, then the region, the other peaks, the worst average and the share of the space above.

    After ± stands one standard deviation of the surrogate.
    """
    lines = [found["sentence"]]
    region = found["region"]
    if region is not None:
        tried = (
            f"; {region['confirmed']} of {count(region['tried'], 'point')} tried in it are" if region["tried"] else ""
        )
        spans = ", ".join(f"{name} {_span(extent)}" for name, extent in region["extent"].items())
        lines.append(
            f"around it, {_share(region['volume'])} of the space is at {number(region['threshold'])} or more by the "
            f"surrogate{tried}; each by itself: {spans}"
        )
    for peak in found["peaks"]:
        if peak["at_worst"]:
            continue
        task = f" of {peak['task']}" if len(found["tasks"]) > 1 else ""
        nearest = number(peak["nearest"], beside=found["worst"]["deviation"])
        lines.append(f"another peak{task}, predicted: {_predicted(peak)} (measured nearest to it: {nearest})")
    if found["robust"] is not None:
        lines.append(f"largest average over input noise, predicted: {_predicted(found['robust'])}")
    above = found["above"]
    if above is not None and found["verdict"] == Verdict.RINGS_FALSE.value:  # else the sentence ends with it
        lines.append(
            f"without any surrogate: at most {percent(above['high'], toward='above')} of the space deviates more than "
            f"{number(above['threshold'])} ({percent(above['level'])}, {count(above['n'], 'random evaluation')})"
        )
    return lines


def _predicted(peak: Mapping[str, Any]) -> str:
    """What the surrogate says of a place: its mean, one standard deviation, and where."""
    return f"{number(peak['predicted'])} ± {number(peak['sd'])} at {point_text(peak['point'])}"


def _share(volume: float) -> str:
    """A share of the space, or that it is too small to tell."""
    return percent(volume) if volume >= 1e-6 else "less than 0.0001%"


def _span(extent: list[Any]) -> str:
    if len(extent) == 2 and not any(isinstance(end, str) for end in extent):
        return f"{number(extent[0])} to {number(extent[1])}"
    return "/".join(map(str, extent))
