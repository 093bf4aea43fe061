"""Maps of risk and what stands beside them in a finding, made by hand: any shape, without a model."""

import copy
import json
import math

import numpy as np

from ringtrue.report import document
from support import CountingOracle, make_study


def map_finding(features=("x1", "x2"), *, cells=250, most=20, moves=True, contradicts=True, **changes):
    """A map over the unit box: inputs come from a hill, and the model is fragile along a wave across it."""
    side = min(cells, 125)
    y, x = (np.mgrid[0:side, 0:side] + 0.5) / side
    profile = np.exp(-((x - 0.4) ** 2 + (y - 0.55) ** 2) / 0.06)
    profile /= profile.sum()
    distance = np.abs(y - 0.55 - 0.15 * np.sin(7 * x))
    fragility = np.where(distance < 0.5 / side, 0.5, np.where(distance < 1.5 / side, 0.12 * x, 0.0))
    product = profile * fragility
    axes = len(features)
    order = np.argsort(-product, axis=None, kind="stable")[:most]
    estimates = (0.00489, 0.00256, 0.00133) if moves else (0.00489, 0.00488, 0.0049)
    refused = ["with 500 instead of 250 cells the estimate moves by more than its interval is wide"] if moves else []
    made = {
        "sentence": "The map puts the failure rate at 0.489%, with 84.8% of the inputs unassessed.",
        "mode": "assessed", "meaning": "failures where somebody says what is right", "claim": None,
        "verdict": "not yet known", "claimed": 0.00492,
        "estimate": 0.00489, "std": 1.41e-5, "upper": None if moves else 0.00492, "level": 0.975, "acu": 0.00298,
        "interval": {"low": 0.00186, "high": 0.85}, "unassessed": 0.848, "covered": 0.97,
        "unassessed_interval": {"low": 0.841, "high": 0.853},
        "by_class": {"0": 0.0029, "1": 0.0022},
        "grid": {
            "features": list(features), "low": [0.0] * axes, "high": [1.0] * axes, "cells": [cells] * axes,
            "size": cells**axes,
        },
        "census": {"normal": 4293, "empty": 58202, "cross": 5},
        "separation": {"minimum": 0.00082955, "half": 0.00041477, "violators": 326, "side": 1 / cells},
        "bandwidth": 0.04, "kernel": "gaussian", "local": "low-discrepancy lattice", "calls": 1_000_000,
        "resolution": [
            {"cells": [cells * f] * axes, "estimate": e, "low": 0.95 * e, "high": 1.05 * e}
            for f, e in zip((1, 2, 4), estimates, strict=True)
        ],
        "resolution_moves": moves,
        "contradiction": {
            "failures": 18, "n": 1000, "bound": 0.004899, "p_value": 3.8e-6, "contradicts": True, "source": "test set",
        } if contradicts else None,
        "refused": refused, "assumptions": ["The profile says how inputs will come."],
        "maps": {
            "extent": [0.0, 1.0, 0.0, 1.0], "profile": profile.tolist(), "fragility": fragility.tolist(),
            "product": product.tolist(),
        } if axes >= 2 else None,
        "ranked": [_cell(place, axes, order, profile, fragility) for place in range(len(order))],
    }  # fmt: skip
    return {**made, **changes}


def _cell(place, axes, order, profile, fragility):
    row, column = np.unravel_index(order[place], profile.shape)
    mass, wrong = float(profile[row, column]), float(fragility[row, column])
    total = float((profile * fragility).sum())
    return {
        "cell": int(order[place]),
        "centre": [(column + 0.5) / len(profile), (row + 0.5) / len(profile), *[0.5] * axes][:axes],
        "mass": mass, "unastuteness": wrong, "risk": mass * wrong, "share": mass * wrong / total,
        "kind": ("normal", "empty", "empty", "cross")[place % 4], "label": None if place % 4 in (1, 2) else 1,
        "items": [f"item-{place}-{number}" for number in range(place % 8)],
    }  # fmt: skip


def stratum(name, share, rate, *, answers=100, size=10_000, chance=1.0):
    failures = 0 if rate is None else round(rate * answers)
    return {
        "name": name, "items": round(share * size), "answers": 0 if rate is None else answers, "failures": failures,
        "rate": rate, "share": share, "chance": chance, "interval": None if rate is None else interval_of(rate),
    }  # fmt: skip


def interval_of(rate, width=0.1):
    low, high = max(0.0, rate - width), min(1.0, rate + width)
    return {"estimate": rate, "low": low, "high": high, "level": 0.95, "method": "by hand", "n": 100}


def profile_of(name, estimate=None, *, width=0.01, refusal=None, effective=212.4):
    interval = None
    if estimate is not None:
        low, high = max(0.0, estimate - width), estimate + width
        interval = {"estimate": estimate, "low": low, "high": high, "level": 0.95, "method": "by hand", "n": 400}
    return {
        "name": name, "interval": interval, "effective": effective, "most_weight": math.pi, "unassessed": 0.013,
        "refusal": refusal,
    }  # fmt: skip


def study_document(folder):
    """The document of a small study with failures, and nothing beside its interval."""
    with make_study(folder, failing=9, claim="error <= 5% at 95%") as study:
        study.run(CountingOracle())
        return json.loads(json.dumps(document(study)))


def with_more(made, found=None, **finding):
    """A document with a map, and with more in its finding."""
    made = copy.deepcopy(made)
    made["map"] = found
    made["computed"]["finding"].update(finding)
    return json.loads(json.dumps(made, allow_nan=False))


OPERATION = {"estimate": 0.1, "low": 0.0312, "high": 0.1777, "level": 0.95, "method": "a mixture of draws", "n": 40}
STRATA = [
    stratum("sure", 0.8, 0.005, chance=0.713),
    stratum("unsure", 0.15, 0.3, chance=2.4),
    stratum("odd", 0.05, None),
]
PROFILES = [profile_of("day", 0.0213), profile_of("fog", refusal="worth 12.1 answers, less than 30", effective=12.1)]
