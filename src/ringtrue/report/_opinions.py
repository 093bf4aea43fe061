"""What a page says of raters who looked at the same items: how often they differ, and what they agree on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import Quoted, Section, Soft, Table, Text, count, line, percent


def opinions_section(made: Mapping[str, Any]) -> list[Section]:
    """Return what second opinions show; nothing where none were asked for."""
    found = made["computed"].get("agreement")
    if found is None:
        return []
    asked: list[Text] = []
    if found["share"] is not None:
        asked = [
            "Another rater looks at every answer that counts as a failure, and at each other one with the chance "
            f"{percent(found['share'])}. The finding above takes the first answers for the truth. What follows takes "
            "the labels that raters agree on, and weighs each item by the chance with which it is looked at."
        ]
    facts: list[tuple[str, Text]] = [
        ("two opinions", count(found["twice"], "item")),
        *([("they differ", _rate(found["disagreement"]))] if found["disagreement"] else []),
        *([("Krippendorff's alpha", f"{found['alpha']:.2f}")] if found["alpha"] is not None else []),
        *([("Gwet's AC1", f"{found['ac1']:.2f}")] if found["ac1"] is not None else []),
        ("conflicts", f"{found['conflicts']:,} open, {found['settled']:,} decided by the owner"),
        *([("fail by agreed labels", f"{_rate(found['failures'])} of the pool")] if found["failures"] else []),
        *([("the claim, by them", found["verdict"])] if found["verdict"] else []),
        *([("not told", found["why_not"])] if found["why_not"] else []),
    ]
    raters: list[tuple[str, Text]] = [
        ("rater", (Quoted(line(name)), f" differs from the agreed label in {_rate(rate)} of {rate['n']:,}"))
        for name, rate in found["differs"].items()
    ]
    caption = "Alpha and AC1 are values of the items with two opinions, among which failures are common by design."
    table = Table([*facts, *raters], shape="facts", caption=Soft(caption))
    return [Section("Second opinions", asked, table=table)]


def _rate(interval: Mapping[str, Any]) -> str:
    low, high = percent(interval["low"], toward="below"), percent(interval["high"], toward="above")
    return f"{percent(interval['estimate'])} [{low}, {high}] at {percent(interval['level'])}"
