"""Studies of a failure rate replayed without a journal: a policy and its estimator on a pool whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, Policy, Record, View
from ringtrue.risk import ScoredDraws, SimpleRandom
from ringtrue.risk._estimates import estimates
from ringtrue.risk._operation import source_bound
from ringtrue.risk._told import told_in
from ringtrue.risk._witness import Witness
from ringtrue.stats import pool_rate_sequence


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """What a study could say after each number of answers in `ends`.

    `low` and `high` are two-sided; `upper`, and `operation` for the source that the pool was drawn from, one-sided.
    """

    ends: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    upper: NDArray[np.float64]
    estimate: NDArray[np.float64]
    operation: NDArray[np.float64]


def replay(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, ends: Sequence[int],
    claim: str | None = None, level: float = 0.95,
) -> Replay:  # fmt: skip
    """Label items of a pool as a study would, one at a time, up to the last of `ends`.

    `errors` says which items the model fails on, `doubt` how likely that seemed beforehand.
    """
    size = len(errors)
    witness = follow(errors, doubt, method=method, seed=seed, answers=max(ends), claim=claim, level=level)
    places = sorted(ends)
    both = witness.bounds(places, level=level, side="both")
    upper = witness.bounds(places, level=level, side="upper").high
    found = estimates(witness.rows, witness.means, size, 0.0)[places]
    source = np.array([source_bound(witness, end, size, level, even=method == "simple-random")[0] for end in places])
    return Replay(np.array(places), both.low, both.high, upper, found, source)


def simple_upper(errors: NDArray[np.bool_], ends: NDArray[np.int64], *, seed: int, level: float) -> NDArray[np.float64]:
    """The upper bounds of simple random draws after each number of answers."""
    order = np.random.default_rng(seed).permutation(len(errors))
    failures = np.cumsum(errors[order])[ends - 1]
    return pool_rate_sequence(failures, ends, population=len(errors), level=level, side="upper").high


def follow(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, answers: int,
    claim: str | None = None, level: float = 0.95, weight: NDArray[np.float64] | None = None,
    watch: Callable[[Record], None] | None = None, until: Callable[[Witness], bool] | None = None,
) -> Witness:  # fmt: skip
    """The witness after so many answers, of each of which `watch` is told, or after the first that ends it.

    With `weight`, under a profile that meets items so much more often.
    """
    size = len(errors)
    scored = method != "simple-random"
    wanted = None if claim is None else Claim.parse(claim)
    aim = None if wanted is None else wanted.limit
    limit = 0.5 if aim is None else aim
    profile = None if weight is None else "profile"
    policy: Policy = ScoredDraws(method, limit=aim, profile=profile) if scored else SimpleRandom()
    witness = Witness(size, (limit, limit), level, heaviest=None if weight is None else float(weight.max()))
    records: list[Record] = []
    asked: set[int] = set()
    scores = {"doubt": doubt} | ({} if weight is None else {"weight": weight}) if scored else {}
    while len(records) < answers:
        view = View(seed, len(records), size, asked, records, None, scores)
        (draw,) = policy.propose(view, 1)
        row = draw.row if draw.row is not None else -1
        record = Record(
            len(records), "risk", method, "oracle", row, str(row), "", draw.probability, draw.floor, Decimal(0),
            "right", state="answered", value="wrong" if errors[row] else "right",
            prediction=draw.prediction, note=draw.note,
        )  # fmt: skip
        records.append(record)
        asked.add(row)
        if watch is not None:
            watch(record)
        times = 1.0 if weight is None else float(weight[row])
        witness.add(told_in(record, weight=times, profile=profile))
        if until is not None and until(witness):
            break
    return witness


def labels_to_decide(
    errors: NDArray[np.bool_], doubt: NDArray[np.float64], *, method: str, seed: int, claim: str, level: float = 0.95
) -> int:
    """How many labels a study takes until the claim rings true or false."""
    enough = -math.log1p(-level)

    def decided(witness: Witness) -> bool:
        return witness.may_decide() and max(witness.evidence()) >= enough

    found = follow(
        errors, doubt, method=method, seed=seed, answers=len(errors), claim=claim, level=level, until=decided
    )
    return len(found.rows)
