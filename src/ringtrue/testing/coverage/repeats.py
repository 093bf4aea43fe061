"""The cases of logs whose items were run several times: repeats folded as importers do it, and taken for items.

Runs of one item succeed and fail together. What is said of the source of the items then rests on fewer of them than
there are runs, and only the folded log knows how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ringtrue.core import percent
from ringtrue.logs import WRONG, Log, stored
from ringtrue.logs._log import Reading, Run
from ringtrue.risk import RateFinding, Risk
from ringtrue.stats import Bools, generator
from ringtrue.testing._replayed import asked
from ringtrue.testing.coverage._case import Case, Row, by_study, holds, watched

SEED = 20261212
ITEMS = 100
RUNS = 5
LOOKS = ("a quarter of the log", "half of the log", "three quarters of the log", "all of the log")

FOLDED = Row("logs", "failure rate of a log, repeats folded", "watched", shown=("RateFinding.interval",))
SOURCE = Row("logs", "upper bound for the source, repeats folded", "watched", shown=("RateFinding.operation",))
APART = Row("logs", "failure rate of the runs of a log, repeats taken for items", "none")
SOURCE_APART = Row("logs", "upper bound for the source, repeats taken for items", "below")


def failures(wrong: Bools, *, fold: bool) -> list[bool]:
    """Return which items of a log fail; `wrong` says it of each run (items, runs). Unfolded, a run is an item."""
    reading = Reading("a tool")
    reading.voter("scorer")
    for item, runs in enumerate(wrong.tolist()):
        for place, failed in enumerate(runs):
            name = f"q{item}" if fold else f"q{item} run {place}"
            reading.runs.append(Run(name, {}, {"scorer": 0.0 if failed else 1.0}))
    return [verdict == WRONG for verdict in stored(Log.of(reading, "log"), "scorer").values()]


def _findings(failed: Sequence[bool], seed: int) -> Iterator[RateFinding]:
    """Yield what `risk` says by default after each part of the answers, asked in random order."""
    question = Risk()
    truth = ["wrong" if one else "right" for one in failed]
    records = asked(question.policy, truth, seed=seed, scores={})
    estimator = question.estimator(size=len(failed), claim=None)
    for _ in LOOKS:
        estimator.update(islice(records, len(failed) // len(LOOKS)))
        yield estimator.finding()


def repeated(rate: float, alike: float) -> Case:
    """Return the case of a log in which a share of runs fails; `alike` is the correlation of the runs of an item."""
    where = f"{ITEMS} items, {RUNS} runs each, correlated {alike:g}, {percent(rate)} of runs fail"
    # An item fails by a chance of its own, which is beta distributed; with a correlation of 1 it fails always or never.
    spread = 1 / alike - 1

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, where, number)
        chance = rng.beta(rate * spread, (1 - rate) * spread, ITEMS) if spread else rng.random(ITEMS) < rate
        wrong = rng.random((ITEMS, RUNS)) < chance[:, None]
        most = wrong.sum(axis=1) > RUNS / 2
        told = {}
        ways = (("", True, most.mean(), _mostly(rate, spread)), (", unfolded", False, wrong.mean(), rate))
        for way, fold, here, there in ways:
            found = list(_findings(failures(wrong, fold=fold), number))
            held = [(holds(one.interval.low, one.interval.high, here), _is_below(one, there)) for one in found]
            told[f"log{way}"], told[f"source{way}"] = watched(held).T
        return told

    rows = {"log": FOLDED, "source": SOURCE, "log, unfolded": APART, "source, unfolded": SOURCE_APART}
    return Case(where, rows, by_study(study), SEED, LOOKS, repetitions=600, chunk=100, seconds=0.25)


def _is_below(finding: RateFinding, rate: float) -> bool:
    """Return whether the rate of the source lies within what is said of it."""
    return finding.operation is not None and bool(holds(0.0, finding.operation.high, rate))


def _mostly(rate: float, spread: float) -> float:
    """Return the chance that an item of the source fails in most of its runs."""
    from scipy.stats import betabinom

    if not spread:
        return rate
    return float(betabinom.sf(RUNS // 2, RUNS, rate * spread, (1 - rate) * spread))


CASES: tuple[Case, ...] = (
    *(repeated(0.01, alike) for alike in (0.5, 0.8, 1.0)),
    repeated(0.05, 1.0),
)
