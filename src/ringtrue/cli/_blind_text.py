"""What a hunt found, in lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import count, percent

_GROUPS = 3
"""Groups told: those whose excess of errors is surest."""


def lines_of(found: Mapping[str, Any], field: Mapping[str, Any]) -> list[str]:
    """The sentence, what it rests on, where the errors gather, and what the model was asked."""
    lines = [found["sentence"]]
    evidence = found["overconfidence"]
    if evidence["reached_at"] is not None:
        lines.append(f"overconfident: the evidence sufficed after {count(evidence['reached_at'], 'answer')}")
    elif evidence["e_value"] is not None:
        lines.append(
            f"overconfidence is not shown: evidence {evidence['e_value']:.2g}, {evidence['needed']:g} are needed"
        )
    for group in found["groups"][:_GROUPS]:
        if group["errors"]:
            told = f"{group['errors']} of {group['asked']} wrong where {group['expected']:.1f} were expected"
            sure = f"excess {group['low']:z.1f} to {group['high']:z.1f}"
            lines.append(f"{_name(group)}: {told} ({sure}, {percent(group['level'])} for all groups)")
    if field["one_confidence"] is not None:
        lines.append(
            f"every answer hunted in has the confidence {percent(field['one_confidence'])}: it tells none apart"
        )
    if field["distance"] is not None and field["distance"]["unchanged"]:
        lines.append(_unchanged(field["distance"]))
    asked = field["model_queries"]
    if asked["variations"] + asked["distances"]:
        lines.append(
            f"model queries: {count(asked['answers'], 'answer')}, {count(asked['variations'], 'variation')}, "
            f"{asked['distances']:,} for distances ({asked['per_item']:.0f} for each item hunted in), "
            f"{asked.get('gallery', 0):,} for the gallery"
        )
    return lines


def _name(group: Mapping[str, Any]) -> str:
    return group["name"] if group["kind"] == "cluster" else f"{group['kind']} = {group['name']}"


def _unchanged(distance: Mapping[str, Any]) -> str:
    """Which items kept their answer whatever was tried."""
    total, named = distance["unchanged"], distance["unchanged_ids"]
    rest = f" and {total - len(named):,} more" if total > len(named) else ""
    if not distance["measured"]:
        return f"the model never changed its answer, whatever was tried: no distance for any of {count(total, 'item')}"
    return f"{count(total, 'item')} kept the answer whatever was tried: {', '.join(map(str, named))}{rest}"
