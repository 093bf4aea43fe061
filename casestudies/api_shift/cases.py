"""The changes that are looked at: vendors swapped, nothing changed, silent updates, and two language models in 2023."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from api_shift._data import DATASETS, VENDORS, frugalml, frugalml_path, prime, prime_path
from ringtrue.changed._baseline import Baseline
from simulated_shifts import Scenario, switched

PRIME = "PRIME"
EVERYTHING = (*DATASETS, PRIME)
SILENT = "silent update"
GROUPS = ("no change", SILENT, "vendor swap", "language model")
UPDATES = {"YELP": (4, 0), "SHOP": (0, 4), "FERPLUS": (0, 2), "DIGIT": (2, 5), "COMMAND": (0, 5)}
"""By dataset, which service's answers are updated, and whose answers the changed items take."""

SHARES = (0.01, 0.03, 0.05, 0.08)
SNAPSHOTS = {"GPT-3.5": ("gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613"), "GPT-4": ("gpt-4-0314", "gpt-4-0613")}


@dataclass(frozen=True, eq=False)
class Case:
    """One change with its names; all answers of both models are known."""

    dataset: str
    name: str
    group: str
    scenario: Scenario

    def __str__(self) -> str:
        return f"{self.dataset} {self.name}"


def cases(datasets: Sequence[str] = EVERYTHING, shared: Path | None = None) -> Iterator[Case]:
    """All cases of the datasets, one by one."""
    for dataset in datasets:
        yield from _language_models(shared) if dataset == PRIME else _services(dataset, shared)


def _services(dataset: str, shared: Path | None) -> Iterator[Case]:
    truth, said = frugalml(frugalml_path(dataset, shared))
    known = {
        api: Baseline.of(old=answers, truth=truth, confidence=confidence)
        for api, (answers, confidence) in said.items()
        if api in VENDORS
    }
    for old, new in product(known, repeat=2):
        names, codes = known[old].code(said[new][0])
        group = "no change" if old == new else "vendor swap"
        scenario = Scenario.of(known[old], codes, names)
        yield Case(dataset, f"{VENDORS[old]} → {VENDORS[new]}", group, scenario)
    old, other = UPDATES[dataset]
    names, codes = known[old].code(said[other][0])
    for share in SHARES:
        scenario = Scenario.of(known[old], switched(known[old], codes, share), names)
        yield Case(dataset, f"{VENDORS[old]}, {share:.0%} as {VENDORS[other]}", SILENT, scenario)


def _language_models(shared: Path | None) -> Iterator[Case]:
    found = prime(prime_path(shared))
    for model, (march, june) in SNAPSHOTS.items():
        truth, answers = found[march]
        known = Baseline.of(old=answers, truth=truth)
        names, codes = known.code(found[june][1])
        yield Case(PRIME, f"{model}, March → June 2023", "language model", Scenario.of(known, codes, names))
