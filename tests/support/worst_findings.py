"""Findings about the worst deviation and the documents that hold them, made by hand: any shape, without a search."""

import math

import numpy as np

CALIBRATION = {
    "held_out": 0, "residuals": 0, "inside": 0, "rms": None, "calibrated": None, "reason": "0 held out, 10 are needed",
}  # fmt: skip

BOUND = {"limit": 1.5, "upper": None, "level": 0.95, "method": "by hand", "looked_at": 33, "refused": "too few"}


def parameter(place):
    """The parameter at this place: a few real ones, a logarithmic one, a whole one and a choice, again and again."""
    return [
        {"name": f"x{place}", "low": -1.0, "high": 1.0},
        {"name": f"rate{place}", "low": 1e-4, "high": 1.0, "log": True},
        {"name": f"layers{place}", "low": 1, "high": 8, "integer": True},
        {"name": f"solvent{place}", "options": ["water", "ethanol", "oil"]},
    ][place % 4]


def worst_finding(parameters=2, tasks=("deviation",), *, answered=40, initial=10, priced="together", claim=True):
    """A finding after so many evaluations; their inputs are drawn evenly, their deviations grow slowly."""
    rng = np.random.default_rng(0)
    space = [parameter(place) for place in range(parameters)]
    inputs = {one["name"]: [value_at(one, share) for share in rng.random(answered)] for one in space}
    deviation = [round(0.5 * math.log1p(n) * float(rng.random()), 6) for n in range(1, answered + 1)]
    best = np.maximum.accumulate([0.0, *deviation]).tolist()[1:]
    chosen = [tasks[n % len(tasks)] for n in range(answered)]
    path = {
        "answer": list(range(1, answered + 1)), "number": list(range(answered)), "deviation": deviation,
        "task": chosen, "best": best,
        "phase": [_phase(n, initial, answered) for n in range(answered)],
        "expected": [None if n < initial else 0.1 for n in range(answered)],
    }  # fmt: skip
    made = {
        "sentence": "what was found, in words", "claim": "deviation <= 1.5 at 95%" if claim else None,
        "limit": 1.5 if claim else None,
        "verdict": "rings false" if answered and claim and best[-1] > 1.5 else "not yet known",
        "assumptions": ["the deviation is smooth"], "deviation": "absolute", "priced": priced,
        "rule": "joint" if priced == "together" else "rising", "acquisition": "improvement",
        "kernel": "squared-exponential", "tasks": list(tasks), "space": {"name": "space", "parameters": space},
        "answers": answered, "unanswerable": 0, "evaluations": 100, "initial": initial, "worst": None, "region": None,
        "peaks": [], "robust": None, "path": path, "by_task": [_by_task(task, path, inputs) for task in tasks],
        "inputs": inputs, "slices": [],
        "surrogate": {"lengthscales": None, "noise": None, "calibration": CALIBRATION},
        "bound": None, "above": None,
    }  # fmt: skip
    return made if not answered else {**made, **_known(made, initial, claim)}


def _known(made, initial, claim):
    """What is there once there are answers and, beyond the first design, a surrogate."""
    path, space, inputs = made["path"], made["space"]["parameters"], made["inputs"]
    place = int(np.argmax(path["deviation"]))
    point = {name: values[place] for name, values in inputs.items()}
    worst = {
        "number": place, "answer": place + 1, "point": point, "task": path["task"][place],
        "deviation": path["deviation"][place], "signed": -path["deviation"][place],
        "model": [0.25] * len(made["tasks"]),
        "gold": [1.75] * len(made["tasks"]) if made["priced"] == "together" else 1.75,
        "low": path["deviation"][place] - 0.01, "high": path["deviation"][place] + 0.01, "noise": 0.005,
    }  # fmt: skip
    if made["answers"] <= initial:
        return {"worst": worst}
    peak = {"point": point, "task": worst["task"], "predicted": 1.62, "sd": 0.04, "nearest": 1.61}
    other = {**peak, "point": {one["name"]: value_at(one, 0.2) for one in space}, "predicted": 1.23, "nearest": 1.1}
    return {
        "worst": worst,
        "region": {
            "share": 0.8, "threshold": 1.29, "volume": 0.0321,
            "extent": {one["name"]: _extent(one) for one in space},
            "tried": 5, "confirmed": 4, "low": 0.28, "high": 0.995,
        },
        "peaks": [peak, other],
        "slices": [_slice(one, worst) for one in space],
        "surrogate": {
            "lengthscales": {one["name"]: 0.4 for one in space}, "noise": 0.005,
            "calibration": {
                "held_out": 20, "residuals": 20, "inside": 19, "rms": 1.1, "calibrated": True, "reason": "as foreseen",
                "scores": [0.5 * (-1) ** n + 0.1 * n for n in range(20)],
            },
        },
        "bound": BOUND if claim else None,
        "above": {"threshold": 1.5, "low": 0.0, "high": 0.26, "level": 0.95, "method": "exact", "n": initial},
    }  # fmt: skip


def value_at(one, share):
    """The value that lies so far along a parameter's axis."""
    if "options" in one:
        return one["options"][min(int(share * len(one["options"])), len(one["options"]) - 1)]
    value = one["low"] + share * (one["high"] - one["low"])
    if one.get("log"):
        value = one["low"] * (one["high"] / one["low"]) ** share
    return round(value) if one.get("integer") else float(value)


def _extent(one):
    return one["options"][:1] if "options" in one else [value_at(one, 0.6), value_at(one, 0.8)]


def _slice(one, worst):
    at = one["options"] if "options" in one else [value_at(one, share) for share in np.linspace(0, 1, 41)]
    middle = [worst["deviation"] * math.exp(-2 * (n / len(at) - 0.6) ** 2) for n in range(len(at))]
    return {
        "parameter": one["name"], "task": worst["task"], "at": list(at), "mean": middle,
        "low": [value - 0.1 for value in middle], "high": [value + 0.2 for value in middle],
        "seen_at": [worst["point"][one["name"]], at[0]], "seen": [worst["deviation"], 0.3],
    }  # fmt: skip


def _by_task(task, path, inputs):
    places = [place for place, one in enumerate(path["task"]) if one == task]
    if not places:
        return {"task": task, "evaluations": 0, "worst": None, "point": None}
    worst = max(places, key=lambda place: path["deviation"][place])
    point = {name: values[worst] for name, values in inputs.items()}
    return {"task": task, "evaluations": len(places), "worst": path["deviation"][worst], "point": point}


def _phase(place, initial, answered):
    if place < initial:
        return "initial"
    return "confirm" if place >= answered - 3 else "check" if place % 7 == 0 else "search"


TRAINING = {"point": {"x0": 0.3, "rate1": 0.2}, "task": None, "deviation": 0.41, "rows": 1_000}


def baselines(number=2, answered=40):
    rng = np.random.default_rng(1)
    names = ["random", "round-robin", "exp3bo", "sobol", "rising", "joint", "more", "and more"][:number]
    return {
        name: {
            "rule": name, "answer": list(range(1, answered + 1)),
            "best": np.maximum.accumulate(rng.random(answered)).tolist(),
        }
        for name in names
    }  # fmt: skip


def picture(side=28, colours=False):
    rng = np.random.default_rng(2)
    rows = rng.random((side, side, 3) if colours else (side, side))
    return {"rows": rows.round(3).tolist(), "title": "sheared by 0.2, rotated by 8°"}


def worst_document(finding, *, training=None, shown=None, curves=None, model=True):
    """The document of a study that found this; its records say 0.25 and 1.75 of every task."""
    tasks = len(finding["tasks"]) if finding["priced"] == "together" else 1
    said, gold = ([0.25] * tasks, [1.75] * tasks) if tasks > 1 else (0.25, 1.75)
    records = [
        {
            "number": number, "question": "worst", "policy": finding["rule"], "responder": "oracle", "row": None,
            "id": f"point-{number}", "digest": "d", "probability": None, "floor": None, "cost": "0",
            "said": said if model else None, "known": {}, "prediction": None, "note": {"phase": "search"},
            "point": [0.0], "state": "answered", "value": gold, "rater": None,
        }
        for number in range(finding["answers"])
    ]  # fmt: skip
    kept = {name: one for name, one in {"training": training, "picture": shown}.items() if one}
    answered = finding["answers"]
    return {
        "format": 1, "ringtrue": "0.1", "written": "2026-01-01T00:00:00+00:00",
        "study": {
            "name": "search", "seed": 0, "batch": 1, "pool": None, "space": {"name": "space", "fingerprint": "fs"},
            "model": {"name": "network", "fingerprint": "fm"}, "budget": {"labels": 100, "money": None},
            "price": {"oracle": None, "model": None},
        },
        "question": {"kind": "worst", "name": "worst", "claim": finding["claim"], "policy": finding["rule"]},
        "claim": finding["claim"], "records": records, "scores": {}, "map": None, **({"kept": kept} if kept else {}),
        "computed": {
            "finding": finding, "failures": [], **({"baselines": curves} if curves else {}),
            "spending": {
                "asked": answered, "answered": answered, "given_up": 0, "open": 0, "money": "0",
                "different_items": answered, "raters": {},
            },
        },
        "items": {}, "hashes": {"plan": "p", "answers": "a", "items": "i"},
    }  # fmt: skip
