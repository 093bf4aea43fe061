"""Findings about confident errors and the documents that hold them, made by hand: any shape, without a hunt."""

from itertools import pairwise

import numpy as np

from ringtrue.blind._sway import tinted
from ringtrue.report._pictures import png_data_uri

DISTANCE = {
    "method": "rays", "norm": "linf", "measured": 1_388, "unchanged": 12,
    "unchanged_ids": [f"item-{place}" for place in range(10)],
}  # fmt: skip
LEVEL = {"level": 0.95, "method": "by hand"}


def blind_finding(*, answered=50, wrong_share=0.45, critical="cat", threshold=0.65, claim=True, floor=0.2):
    """A finding after so many answers: every fifth at random, the others picked and often wrong."""
    rng = np.random.default_rng(0)
    confidence = np.round(1 - 0.35 * rng.random(answered) ** 2, 4)
    random = (np.arange(answered) + 1) % round(1 / floor) == 0
    wrong = rng.random(answered) < np.where(random, 0.12, wrong_share)
    errors, expected = np.cumsum(wrong), np.cumsum(1 - confidence)
    steps, drawn = np.arange(1, answered + 1), np.cumsum(random)
    rate_low, rate_high = 0.12 * drawn / (drawn + 15), np.minimum(1, 0.12 + 3.2 / (drawn + 1))
    ratio = errors / np.maximum(expected, 1e-9)
    path = {
        "answer": steps.tolist(), "errors": errors.tolist(), "expected": expected.tolist(), "ratio": ratio.tolist(),
        "low": (0.6 * ratio * steps / (steps + 10)).tolist(), "high": (ratio * (1 + 20 / steps) + 10 / steps).tolist(),
        "log_e": (0.2 * errors - 0.05 * steps).tolist(), "rate_low": rate_low.tolist(), "rate_high": rate_high.tolist(),
        "random": random.tolist(), "wrong": wrong.tolist(), "confidence": confidence.tolist(),
        "row": (7 * steps).tolist(), "number": (steps - 1).tolist(),
    }  # fmt: skip
    made = {
        "sentence": "what was found, in words", "claim": "error <= 2% at 95%" if claim else None,
        "limit": 0.02 if claim else None,
        "verdict": "not yet known", "assumptions": ["the oracle is right"], "search": "learning",
        "critical": critical, "threshold": threshold, "floor": floor, "answers": answered, "unanswerable": 0,
        "scope": None, "population": 4_000, "errors": 0, "expected": None, "excess": None, "ratio": None,
        "overconfidence": {"e_value": None, "needed": 20.0, "reached_at": None},
        "rate": None, "random": 0, "random_errors": 0,
        "path": path, "groups": [], "reliability": [], "decided_at": None,
    }  # fmt: skip
    return made if not answered else {**made, **_known(path)}


def _known(path):
    """What is there once there are answers."""
    errors, expected, steps = path["errors"][-1], path["expected"][-1], path["answer"][-1]
    wrong, random = np.array(path["wrong"]), np.array(path["random"])
    ratio = {"estimate": errors / expected, "low": path["low"][-1], "high": path["high"][-1], "n": steps, **LEVEL}
    return {
        "scope": 1_400, "errors": errors, "expected": expected, "excess": errors - expected,
        "ratio": {**ratio, "shrunk": (errors + 1) / (expected + 1)},
        "overconfidence": {"e_value": 187.5, "needed": 20, "reached_at": 17},
        "rate": {
            "estimate": 0.11, "low": path["rate_low"][-1], "high": path["rate_high"][-1], "n": int(random.sum()),
            **LEVEL,
        },
        "random": int(random.sum()), "random_errors": int((random & wrong).sum()),
        "groups": groups(), "reliability": _reliability(path),
    }  # fmt: skip


def groups(number=5):
    """The first is certain, the others are less and less."""
    return [
        {
            "kind": "cluster" if place % 2 else "hour", "name": f"cluster {place}" if place % 2 else f"{place} o'clock",
            "asked": 12 + place, "errors": 9 - place,
            "expected": 1.5, "excess": 7.5 - place, "low": 3.2 - 1.7 * place, "high": 10.0 - place, "level": 0.95,
            "items": None if place == 3 else 200 + place,
        }
        for place in range(number)
    ]  # fmt: skip


def _reliability(path):
    confidence, wrong = np.array(path["confidence"]), np.array(path["wrong"])
    bins = []
    for low, high in pairwise((0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)):
        inside = (confidence > low) & (confidence <= high)
        asked, errors = int(inside.sum()), int((inside & wrong).sum())
        share = 1 - 0.5 * errors / max(asked, 1)
        bins.append({
            "low": low, "high": high, "items": 350, "asked": asked, "errors": errors, "random": asked // 5,
            "accuracy_low": max(0.0, share - 0.2), "accuracy_high": min(1.0, share + 0.15), "level": 0.95,
        })  # fmt: skip
    return bins


def field(finding, *, points=500, distances=True):
    """What was measured of the scope with the model's help."""
    rng = np.random.default_rng(1)
    asked = finding["path"]
    confidence = np.round(1 - 0.35 * rng.random(points) ** 3, 6)
    distance = _distance(confidence, rng)
    grid = np.linspace(0.65, 0.9999, 40)
    marks = {name: list(asked[name]) for name in ("confidence", "wrong", "random")}
    found = _distance(np.array(asked["confidence"]), rng).tolist() if distances else [None] * len(asked["answer"])
    return {
        "model_queries": {"answers": 4_000, "variations": 11_200, "distances": 74_200, "per_item": 63.9},
        "distance": dict(DISTANCE) if distances else None,
        "expected_errors": 61.5,
        "curve": {"confidence": grid.tolist(), "distance": _distance(grid, None).tolist()} if distances else None,
        "points": {"confidence": confidence.tolist(), "distance": distance.tolist()} if distances else None,
        "asked": {**marks, "distance": found},
        "spread": {"asked": 0.107, "random": 0.046},
        "temperature": {"value": 1.62, "ece_before": 0.081, "ece_after": 0.0123, "items": 1_000},
    }  # fmt: skip


def _distance(confidence, rng):
    middle = 0.02 * (-np.log(np.maximum(1 - confidence, 1e-6))) ** 0.7
    return np.round(middle * (1 if rng is None else np.exp(0.4 * rng.standard_normal(len(confidence)))), 6)


def gallery(finding, *, most=12, kind="pictures"):
    """The first errors with pictures, or with values; in tones that grow to the right."""
    path = finding["path"]
    wrong = [place for place, found in enumerate(path["wrong"]) if found]
    side = np.linspace(0, 1, 16)
    shown = []
    for place in wrong[:most]:
        item = np.outer(side, np.roll(side, place))
        before = {"age": 41, "income": 32_500.0 + place, **{f"x{n}": 0.25 * n for n in range(18)}}
        shown.append({
            "number": path["number"][place], "row": path["row"][place], "id": f"item-{path['row'][place]}",
            "model": "cat", "truth": "dog", "confidence": path["confidence"][place], "distance": 0.0417, "norm": "linf",
            "image": png_data_uri(item, 6), "changed": png_data_uri(item * 0.9, 6), "changed_label": "dog",
            "sway": png_data_uri(tinted(item, item - 0.3), 6), "values": None, "changed_values": None, "queries": 53,
        })  # fmt: skip
        if kind == "values":
            shown[-1].update(
                image=None, changed=None, sway=None, values=before, changed_values={**before, "income": 35_100.5}
            )
    return {"errors": len(wrong), "shown": shown}


def blind_document(finding, *, kept=None, labels=("cat", "dog")):
    """The document of a study that found this."""
    answered, path = finding["answers"], finding["path"]
    records = [
        {
            "number": number, "question": "blind", "policy": "learning", "responder": "oracle", "row": row,
            "id": f"item-{row}", "digest": "d", "probability": None, "floor": None, "cost": "0",
            "said": labels[0], "known": {}, "prediction": None, "note": {}, "point": None,
            "state": "abandoned" if wrong is None else "answered", "value": labels[bool(wrong)], "rater": None,
        }
        for number, row, wrong in zip(path["number"], path["row"], path["wrong"], strict=True)
    ]  # fmt: skip
    failures = [
        {"number": one["number"], "id": one["id"], "row": one["row"], "model": labels[0], "truth": labels[1]}
        for one in records
        if one["value"] != labels[0]
    ]
    return {
        "format": 1, "ringtrue": "0.1", "written": "2026-01-01T00:00:00+00:00",
        "study": {
            "name": "pets", "seed": 0, "batch": 10, "pool": {"name": "photographs", "fingerprint": "fp", "size": 4_000},
            "model": {"name": "network", "fingerprint": "fm"}, "budget": {"labels": 50, "money": None},
            "price": {"oracle": None, "model": None},
        },
        "question": {"kind": "blind", "name": "blind", "claim": finding["claim"], "policy": "learning"},
        "claim": finding["claim"], "records": records, "scores": {}, "map": None, **({"kept": kept} if kept else {}),
        "computed": {
            "finding": finding, "failures": failures,
            "spending": {
                "asked": answered, "answered": answered, "given_up": 0, "open": 0, "money": "0",
                "different_items": answered, "raters": {},
            },
        },
        "items": {}, "hashes": {"plan": "p", "answers": "a", "items": "i"},
    }  # fmt: skip


def full_document(kind="pictures", **options):
    """A finding with all that can stand beside it."""
    finding = blind_finding(**options)
    return blind_document(finding, kept={"field": field(finding), "gallery": gallery(finding, kind=kind)})
