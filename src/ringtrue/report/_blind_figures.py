"""The figures of a page about confident errors, and what its tables say beside the finding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ringtrue.blind._distance_figures import MOST_POINTS, draw_distance, has_distance
from ringtrue.blind._figures import (
    draw_groups,
    draw_rate,
    draw_ratio,
    draw_reliability,
    group_name,
    has_path,
    overconfident_bins,
    pool_ratio,
    shown_bins,
    shown_groups,
)
from ringtrue.report._pictures import is_png_data_uri, svg, svg_of_claim

_CARDS = 24
"""Errors shown with their pictures or values."""

_VALUES = 10
"""Values of an item listed beside those that change the answer."""

_ROWS = 100
"""Errors listed in words."""

_GROUPS = 50
"""Groups listed in words."""

_PICTURES = ("image", "changed", "sway")
_MEASURED = ("curve", "distance", "expected_errors", "model_queries", "spread", "temperature")


def blind_figures(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the drawings by name; those that have nothing to show are left out."""
    finding, field = made["computed"]["finding"], _kept(made, "field")
    drawings = []
    if has_path(finding):
        if finding.get("rate"):
            drawings.append(("rate", svg_of_claim(lambda axes: draw_rate(axes, finding))))
        pool = pool_ratio(finding, field)
        drawings.append(("ratio", svg(lambda axes: draw_ratio(axes, finding, pool), size=(7.2, 3.8))))
    if has_distance(field):
        drawings.append(("distance", svg(lambda axes: draw_distance(axes, field), size=(7.2, 4.2))))
    if bins := shown_bins(finding):
        drawings.append(("reliability", svg(lambda axes: draw_reliability(axes, bins), size=(7.2, 3.8))))
    if groups := shown_groups(finding):
        size = (7.2, 1.1 + 0.26 * len(groups))
        drawings.append(("groups", svg(lambda axes: draw_groups(axes, groups), size=size)))
    return drawings


def shown_of_blind(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told beside the finding: the errors themselves, and how much is drawn and listed."""
    finding, field, errors = made["computed"]["finding"], _kept(made, "field"), error_rows(made)
    cards = [_card(one) for one in _kept(made, "gallery").get("shown") or []][:_CARDS]
    points = (field.get("points") or {}).get("distance") or []
    return {
        "field": {**dict.fromkeys(_MEASURED), **field},
        "cards": cards,
        "pictures": any(card[name] for card in cards for name in _PICTURES),
        "errors": errors[:_ROWS],
        "errors_in_all": len(errors),
        "in_scope": errors_in_scope(finding),
        "pool": pool_ratio(finding, field),
        "bins": shown_bins(finding),
        "overconfident": overconfident_bins(finding),
        "groups": [{**one, "called": group_name(one)} for one in (finding.get("groups") or [])[:_GROUPS]],
        "groups_in_all": len(finding.get("groups") or []),
        "shown_groups": len(shown_groups(finding)),
        "cloud": len(points),
        "thinned": len(points) > MOST_POINTS,
        "without_distance": sum(one is None for one in (field.get("asked") or {}).get("distance") or []),
    }


def error_rows(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every error found, the most confident first: what the model said, the truth, and how it was found."""
    path = made["computed"]["finding"]["path"]
    known = {entry["number"]: entry for entry in made["computed"]["failures"]}
    rows = [
        {
            **known.get(number, {"id": None, "model": None, "truth": None}),
            "answer": answer,
            "confidence": confidence,
            "random": random,
        }
        for number, answer, confidence, random, wrong in zip(
            *(path[name] for name in ("number", "answer", "confidence", "random", "wrong")), strict=True
        )
        if wrong
    ]
    return sorted(rows, key=lambda row: -row["confidence"])


def errors_in_scope(finding: Mapping[str, Any]) -> dict[str, int] | None:
    """Return how many items of the scope are wrong at least and at most, by the rate's interval and those found."""
    rate = finding.get("rate")
    if not rate or not finding["random"]:
        return None  # the interval says no more than what was asked about
    # Rounding first: 0.02 times 50 must not become 2 by the last bit.
    low, high = (round(finding["scope"] * rate[side], 9) for side in ("low", "high"))
    return {"low": max(finding["errors"], math.floor(low)), "high": max(finding["errors"], math.ceil(high))}


def _card(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return one error as the page shows it; an address that is not a picture of this page's own is left out."""
    before, after = entry.get("values") or {}, entry.get("changed_values") or {}
    names = sorted(before, key=lambda name: name in after and before[name] == after[name])  # those that change first
    return {
        **entry,
        **{name: entry[name] if is_png_data_uri(entry.get(name)) else None for name in _PICTURES},
        "rows": [(name, before[name], after.get(name), name in after) for name in names[:_VALUES]],
        "rows_left_out": max(0, len(names) - _VALUES),
    }


def _kept(made: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return (made.get("kept") or {}).get(name) or {}
