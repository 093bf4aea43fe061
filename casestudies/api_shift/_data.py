"""Stored answers of commercial services and of language models, read from files beside the checkout."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Answers = tuple[list[str], NDArray[np.float64]]
"""What a service said of every item, and how sure it was."""

VENDORS = {0: "Google", 1: "Face++", 2: "Microsoft", 3: "Baidu", 4: "Amazon", 5: "IBM"}
"""Commercial services by their number in the FrugalML files; numbers from 100 are open models."""

DATASETS = ("YELP", "SHOP", "FERPLUS", "DIGIT", "COMMAND")


def shared_folder() -> Path:
    """Where the data lies unless said otherwise: in `shared`, beside the checkout."""
    return Path(__file__).resolve().parents[2].parent / "shared"


def frugalml_path(dataset: str, shared: Path | None = None) -> Path:
    return (shared or shared_folder()) / "data" / "frugalml" / f"{dataset}.csv.gz"


def prime_path(shared: Path | None = None) -> Path:
    return (shared or shared_folder()) / "data" / "llmdrift" / "prime.csv.gz"


def frugalml(path: Path | str) -> tuple[list[str], dict[int, Answers]]:
    """True labels, and by the number of a service its answers and confidences; columns y, pred_<id>, conf_<id>."""
    with gzip.open(path, "rt", newline="") as file:
        rows = csv.reader(file)
        head = next(rows)
        columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    ids = [int(name.removeprefix("pred_")) for name in head if name.startswith("pred_")]
    said = {api: (list(columns[f"pred_{api}"]), np.array(columns[f"conf_{api}"], dtype=float)) for api in ids}
    return list(columns["y"]), said


def prime(path: Path | str) -> dict[str, tuple[list[str], list[str]]]:
    """By snapshot ("gpt-4-0314", ...) true labels and answers, in the order of the ids; "" is an answer that is none.

    Two snapshots are only compared item by item: an id that one of them lacks, or another label for it, is an error.
    """
    found: dict[str, dict[int, tuple[str, str]]] = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["model"].rpartition("/")[2], {})[int(row["id"])] = (row["gold"], row["pred"])
    labels = [{place: gold for place, (gold, _) in said.items()} for said in found.values()]
    if any(other != labels[0] for other in labels):
        raise ValueError(f"{path} has snapshots with other items or labels: give all of them the same")
    ids = sorted(labels[0])
    return {name: ([said[i][0] for i in ids], [said[i][1] for i in ids]) for name, said in found.items()}
