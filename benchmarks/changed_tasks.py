"""The changes that methods of `changed` are compared on, and which of them were used to choose constants.

Stored answers lie beside the checkout: services on five datasets (FrugalML), and four snapshots of language models on
whether a number is prime (LLMDrift). Constants of `changed` were chosen on TUNING; what is quoted is of RESERVED. Of
language models nothing was chosen: each model's update, and back, is a pair, and GPT-4's stand under reserved.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from ringtrue.changed._baseline import Baseline, Floats, Ints
from ringtrue.stats import generator
from simulated_shifts import Scenario, switched

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TUNING = ("YELP", "FERPLUS", "COMMAND")
RESERVED = ("SHOP", "DIGIT")
LANGUAGE = {"tuning": "gpt-3.5", "reserved": "gpt-4"}
"""By use, how the names of the snapshots begin that answer now."""

SIZES = (0.02, 0.08)
"""The shares of answers that a silent update changes, where calls are counted."""

WATCHED = (0.01, 0.05)
"""The same, where a model is watched."""

NEAR = 0.1
"""An update that comes near: the chance to change falls by e for each so many of the items of an answer, by rank."""


def use_of(task: str) -> str:
    """Return whether constants were chosen on a task, or it was reserved."""
    dataset, _, change = task.partition(" ")
    if dataset == "PRIME":
        return next(use for use, begin in LANGUAGE.items() if change.split(">")[1].startswith(begin))
    return "tuning" if dataset in TUNING else "reserved"


def missing(dataset: str) -> bool:
    """Return whether the answers of a dataset are not there."""
    return not _path(dataset).exists()


def _path(dataset: str) -> Path:
    return DATA / ("llmdrift/prime.csv.gz" if dataset == "PRIME" else f"frugalml/{dataset}.csv.gz")


@cache
def _services(dataset: str) -> tuple[list[str], Mapping[str, tuple[list[str], Floats]]]:
    """Return the true labels, and what each commercial service said and how sure it was."""
    with gzip.open(_path(dataset), "rt", newline="") as file:
        rows = csv.reader(file)
        head = next(rows)
        columns = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    names = [name.removeprefix("pred_") for name in head if name.startswith("pred_") and len(name) == 6]
    said = {name: (columns[f"pred_{name}"], np.array(columns[f"conf_{name}"], dtype=float)) for name in names}
    return columns["y"], said


def services(dataset: str) -> list[str]:
    """Return the commercial services of a dataset, by their numbers."""
    return list(_services(dataset)[1])


@cache
def _known(dataset: str, service: str) -> Baseline:
    truth, said = _services(dataset)
    answers, sure = said[service]
    return Baseline.of(old=answers, truth=truth, confidence=sure)


@cache
def scenario(task: str) -> Scenario:
    """Return what there is to find out in a task: `YELP 0>4` is a swap, and `YELP 0~4 2%` a silent update."""
    dataset, change, *share = task.split(" ")
    old, other = re.split("[>~]", change)
    known = _known(dataset, old)
    names, codes = known.code(_services(dataset)[1][other][0])
    new = codes if ">" in change else switched(known, codes, float(share[0].rstrip("%")) / 100, seed=7)
    return Scenario.of(known, new, names)


@cache
def _ranks(dataset: str, service: str) -> Floats:
    """Return how sure a service was of each item, as its rank among those with the same answer, from 0 to 1."""
    known, rank = _known(dataset, service), np.zeros(_known(dataset, service).size)
    luck = generator(0, "bench ranks").random(known.size)
    for answer in np.unique(known.old):
        here = np.flatnonzero(known.old == answer)
        rank[here[np.lexsort((luck[here], known.confidence[here]))]] = np.arange(len(here)) / len(here)
    return rank


def updated(old: Ints, other: Ints, rank: Floats, share: float, kind: str, rng: np.random.Generator) -> Ints:
    """Return new answers, of which a share is the other service's: `near` another answer before, or spread `even`ly."""
    differs = np.flatnonzero(other != old)
    number = min(round(share * len(old)), len(differs))
    weight = np.exp(-rank[differs] / NEAR) if kind == "near" else np.ones(len(differs))
    new = old.copy()
    chosen = differs[np.argsort(rng.exponential(size=len(differs)) / weight, kind="stable")[:number]]
    new[chosen] = other[chosen]
    return new


@cache
def _codes(dataset: str, old: str, other: str) -> Ints:
    """Return the answers of another service, as codes of the first."""
    return _known(dataset, old).code(_services(dataset)[1][other][0])[1]


def watched(task: str, seed: int) -> tuple[Baseline, Ints, Floats]:
    """Return a service, what it answers after an update, and the ranks of its confidences.

    A task is `YELP 0>4` for a swap, `YELP 0~4 1% near` for an update, or `YELP 0>0` where nothing changes.
    """
    dataset, change, *how = task.split(" ")
    old, other = re.split("[>~]", change)
    known, rank = _known(dataset, old), _ranks(dataset, old)
    codes = _codes(dataset, old, other)
    if not how:
        return known, codes, rank
    share = float(how[0].rstrip("%")) / 100
    return known, updated(known.old, codes, rank, share, how[1], generator(seed, f"bench watch {task}")), rank


@cache
def snapshots() -> tuple[list[str], dict[str, list[str]], dict[str, Floats], list[str]]:
    """Return true labels, and by snapshot its answers and their lengths in tokens; and the prompts."""
    found: dict[str, dict[int, dict[str, str]]] = {}
    with gzip.open(_path("PRIME"), "rt", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["model"].rpartition("/")[2].replace("turbo-", ""), {})[int(row["id"])] = row
    ids = sorted(next(iter(found.values())))
    said = {name: [rows[n]["pred"] for n in ids] for name, rows in found.items()}
    length = {name: np.array([float(rows[n]["answer_token"]) for n in ids]) for name, rows in found.items()}
    first = next(iter(found.values()))
    return [first[n]["gold"] for n in ids], said, length, [first[n]["query"] for n in ids]
