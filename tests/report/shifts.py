"""Findings about a change and the documents that hold them, made by hand: any shape, without a study."""

import math

import numpy as np

from ringtrue.report._document import FORMAT

ITEMS = 20_000
THRESHOLD = math.log(20)


def interval(estimate, width=0.01):
    made = {"estimate": float(estimate), "low": float(estimate - width), "high": float(estimate + width)}
    return {**made, "level": 0.95, "method": "by hand", "n": 500}


def share(estimate, width=0.01):
    made = interval(estimate, width)
    return {**made, "low": max(0.0, made["low"]), "high": min(1.0, made["high"])}


def shift_finding(labels=("negative", "positive"), answers=None, *, labelled=True, answered=500, flips=60):
    """A finding about a model that moved a tenth of each diagonal cell to the last answer; without flips, none."""
    answers = list(labels if answers is None else answers)
    rows, columns = len(labels), len(answers)
    old = (0.9 * np.eye(rows, columns) + 0.1 / columns) / (rows * (0.9 + 0.1))
    shift = np.zeros_like(old)
    if flips:
        shift[np.arange(rows), np.arange(rows)] -= 0.1 * old.diagonal() * (1 + np.arange(rows)) / rows
        shift[:, -1] -= shift.sum(axis=1)
    ranked = sorted(np.ndindex(shift.shape), key=lambda place: -abs(shift[place]))[:50]
    made = {
        "sentence": "what was found, in words", "claim": "change <= 1% at 95%",
        "verdict": "rings false" if flips else "not yet known",
        "population": ITEMS, "answers": answered, "unanswerable": 0, "picked": 0,
        "calls": answered + (50 if answered else 0), "labelled": labelled, "method": "paired",
        "labels": list(labels), "answer_names": answers,
        "old": old.tolist(), "new": (old + shift).tolist(), "shift": shift.tolist(),
        "cells": [
            {"label": labels[i], "answer": answers[j], "old": float(old[i, j]), "shift": interval(shift[i, j], 0.03)}
            for i, j in ranked
        ],
        "change": share(0.031 if flips else 0.0) if answered else share(0.5, 0.5),
        "accuracy": {"old": 0.869, "new": share(0.873), "difference": interval(0.004, 0.006)} if labelled else None,
        "flips": _flips(labels, answers, labelled, flips), "decided_at": None, "remaining": None,
        "assumptions": [f"It speaks of the {ITEMS:,} items of this pool."],
    }  # fmt: skip
    return {**made, **_paths(answered, labelled, flips)}


def _paths(answered, labelled, flips):
    steps = [step for step in (0, 8, 27, 100, 400) if step < answered] + [answered] * (answered > 0)
    calls = [step for step in steps if step]
    change = {"at": 27 if flips else None, "log_evidence": 5.0, "threshold": THRESHOLD}
    return {
        "noise": {
            "assumed": None, "asked_twice": 50 if answered else 0, "floor": share(0.005, 0.02) if answered else None,
            "persisted": 3, "reverted": 1, "third": 0, "beyond": interval(0.02, 0.025) if answered else None,
        },
        "detection": {
            "change": change,
            "accuracy": {"at": None, "log_evidence": 0.4, "threshold": THRESHOLD} if labelled else None,
        },
        "evidence": {
            "answers": steps, "change": [(0.1 if flips else -0.02) * step for step in steps],
            "accuracy": [0.001 * step for step in steps] if labelled else [],
        },
        "error": {
            "required": 0.01, "bound": 0.0093 if answered else None, "holds_at": answered or None, "answers": calls,
            "used": [0.2 / step**0.5 for step in calls], "uniform": [0.6 / step**0.5 for step in calls],
        },
        "slices": [
            {
                "column": "channel", "value": value, "items": 9_000, "answers": 240, "change": share(0.03, 0.02),
                "accuracy": interval(0.01, 0.03) if labelled else None,
            }
            for value in (["mail", "phone"] if answered else [])
        ],
    }  # fmt: skip


def _flips(labels, answers, labelled, number):
    kinds = ["another wrong answer", "wrong to right", "right to wrong"] if labelled else ["changed"]
    items = [
        {
            "number": 7 * place, "id": f"item-{place}", "row": place, "truth": labels[0] if labelled else None,
            "old": labels[0], "new": answers[-1], "confidence": 0.5 + place / 1000, "kind": kinds[place % len(kinds)],
        }
        for place in range(number)
    ]  # fmt: skip
    counts = {kind: sum(flip["kind"] == kind for flip in items) for kind in kinds}
    return {
        "right_to_wrong": counts.get("right to wrong", 0), "wrong_to_right": counts.get("wrong to right", 0),
        "wrong_to_wrong": counts.get("another wrong answer", 0), "unlabelled": counts.get("changed", 0),
        "items": items,
    }  # fmt: skip


def shift_document(finding, *, contents=None):
    """The document of a study that found this."""
    calls = finding["calls"]
    return {
        "format": FORMAT, "ringtrue": "0.1", "written": "2026-01-01T00:00:00+00:00",
        "study": {
            "name": "update", "seed": 0, "batch": 16, "pool": {"name": "pool.csv", "size": ITEMS, "fingerprint": "fp"},
            "model": {"name": "new model", "fingerprint": "fm"}, "budget": {"labels": 2_000, "money": None},
            "price": {"oracle": None, "model": "0.01"},
        },
        "question": {"kind": "changed", "name": "changed", "claim": finding["claim"], "policy": "paired"},
        "claim": finding["claim"], "records": [],
        "computed": {
            "finding": finding, "failures": [],
            "spending": {
                "asked": calls, "answered": calls, "given_up": 0, "open": 0, "money": "5.50",
                "different_items": finding["answers"], "raters": {},
            },
        },
        "items": contents or {}, "hashes": {"plan": "p", "answers": "a", "items": "i"},
    }  # fmt: skip
