"""Every search with every seed, and one of them as a study that is kept on disk."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alloy import forest
from alloy.proxy import Proxy
from alloy.searches import ALONE, SINGLE, TOGETHER, alone, oracle, single, single_question, together
from alloy.space import SPACE
from kept_searches import Kept, Searched, largest
from ringtrue.core import Finding
from ringtrue.study import Study

Runs = Mapping[str, Sequence[Searched]]
"""By the name of a search, one for each seed."""


@dataclass(frozen=True, eq=False)
class Results:
    """The training sample as if it had been searched, for all phases and for any; a study; and all searches by name."""

    phases: tuple[str, ...]
    trained: Searched
    trained_any: Searched
    study: Finding
    single: Runs
    alone: Runs
    together: Runs

    @property
    def any_phase(self) -> Runs:
        return {**self.alone, **self.together}


def run_all(proxy: Proxy, seeds: int, evaluations: int, kept: Path | None = None) -> Results:
    """All searches, with a line to standard error for each; those that are told all phases get half the evaluations."""
    made = Kept(kept)

    def repeated(name: str, search: Callable[[int], Searched]) -> list[Searched]:
        start = time.process_time()
        found = [made.get(name, evaluations, seed, lambda seed=seed: search(seed)) for seed in range(seeds)]
        print(f"{name}: {time.process_time() - start:,.0f} CPU s", file=sys.stderr, flush=True)
        return found

    ones = {
        name: repeated(name, lambda seed, asked=asked: single(proxy, evaluations, seed, **asked))
        for name, asked in SINGLE.items()
    }
    revealed = {
        name: repeated(name, lambda seed, asked=asked: together(proxy, evaluations // 2, seed, **asked))
        for name, asked in TOGETHER.items()
    }
    priced = {
        name: repeated(name, lambda seed, asked=asked: alone(proxy, evaluations, seed, **asked))
        for name, asked in ALONE.items()
    }
    if forest.is_installed():
        priced["smac"] = repeated("smac", lambda seed: forest.forest_search(proxy, evaluations, seed))
    else:
        print("smac: skipped, as it is not installed", file=sys.stderr)
    every = [each for runs in (*revealed.values(), *priced.values()) for each in runs]
    worst = proxy.phases[largest(every).worst.task]
    priced["oracle"] = repeated(f"oracle {worst}", lambda seed: oracle(proxy, evaluations, seed, worst))
    overall, each = _training(proxy)
    return Results(proxy.phases, overall, each, _kept_study(proxy, evaluations), ones, priced, revealed)


def _training(proxy: Proxy) -> tuple[Searched, Searched]:
    percents, deviations = SPACE.decode(proxy.sample.points), np.abs(proxy.on_training())
    overall = np.sqrt(np.mean(deviations**2, axis=1))
    return (
        Searched.of(percents, overall, np.zeros(len(overall))),
        Searched.of(percents, deviations.max(axis=1), deviations.argmax(axis=1)),
    )


def _kept_study(proxy: Proxy, evaluations: int) -> Finding:
    """The search over all phases as a user would run it: durable, and resumed where it was killed."""
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(
            Path(folder) / "alloy",
            question=single_question(proxy, evaluations),
            model=proxy.predict,
            budget=evaluations,
        )
        with study:
            return study.run(proxy.found)
