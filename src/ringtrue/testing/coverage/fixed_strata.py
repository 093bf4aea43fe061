"""The cases of labels that were shared out between strata beforehand: the exact bound, and `--fixed` with doubt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from ringtrue.core import Claim, Verdict, percent
from ringtrue.risk import Risk
from ringtrue.stats import Bounds, Side, generator, stratified_upper
from ringtrue.testing._replayed import asked
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, holds, numbers
from ringtrue.testing.coverage.risk import HEIGHT, ITEMS, RATES, _world
from ringtrue.testing.coverage.stats import SIDES

SEED = 20261203
FIXED = Row("risk", "failure rate with --fixed, given doubt", "fixed", shown=("RateFinding.interval",))
VERDICT = Row("risk", "a verdict with --fixed, given doubt, is not wrong", "fixed", shown=("RateFinding.verdict",))
EXACT = Row("stats", "stratified_upper", "fixed", shown=("stats.stratified_upper",))

_SIZES = (160, 40)
_LABELS = {10: (7, 3), 50: (35, 15), 150: (120, 30)}
"""Items of a pool in strata, and the answers of each; the smaller fails four times as often."""


def exact(rate: float) -> Case:
    """Return the case of the exact bound of a small pool in two strata."""
    risky = min(round(0.8 * rate * sum(_SIZES)), 36)
    failing = (round(rate * sum(_SIZES)) - risky, risky)
    truth = sum(failing) / sum(_SIZES)

    @cache
    def found(seen: tuple[int, ...], answers: tuple[int, ...], side: Side) -> Bounds:
        return stratified_upper(seen, answers, _SIZES, level=LEVEL, side=side)

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"strata {rate}", number)
        counts = [
            tuple(
                int(rng.hypergeometric(fails, size - fails, n))
                for fails, size, n in zip(failing, _SIZES, part, strict=True)
            )
            for part in _LABELS.values()
        ]
        return {
            side: [
                bool(found(seen, part, side).covers(truth)) for seen, part in zip(counts, _LABELS.values(), strict=True)
            ]
            for side in SIDES
        }

    where = f"stratified_upper, two strata of a pool, {percent(rate)} fail"
    return Case(where, dict.fromkeys(SIDES, EXACT), by_study(study), SEED, numbers(_LABELS), 2000, 500, seconds=0.01)


def shared_out(rate: float, *, answers: int = 100, lost: float = 0.0) -> Case:
    """Return the case of labels shared out between strata; the oracle cannot tell of a share that is `lost`."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        errors, doubt, rng = _world(rate, 8, number, seed)
        scores = {"doubt": doubt}
        truth = np.where(errors, "wrong", "right").astype(object)
        truth[rng.random(ITEMS) < lost] = None
        told: dict[str, Any] = {}
        for place, label in enumerate(("true claim", "false claim")):
            limit = max(errors.sum() - place, 0.5) / ITEMS  # if nothing fails there is no false claim: both are true
            never = Verdict.RINGS_FALSE if errors.mean() <= limit else Verdict.RINGS_TRUE
            question = Risk(Claim("error", limit, LEVEL), confidence="doubt", fixed=answers)
            estimator = question.estimator(size=ITEMS, claim=question.claim, scores=scores)
            records = asked(question.policy, truth.tolist(), seed=number, scores=scores)
            estimator.update(islice(records, answers))
            finding = estimator.finding()
            told[label] = [finding.verdict is not never]
            if not place:
                told |= {"interval": [holds(finding.interval.low, finding.interval.high, errors.mean())]}
                told |= {"height": [finding.interval.high]}
        return told

    where = f"--fixed, by doubt, {percent(rate)} fail{', some untold' if lost else ''}"
    rows = {"interval": FIXED, "true claim": VERDICT, "false claim": VERDICT, "height": HEIGHT}
    return Case(where, rows, by_study(study), SEED, numbers((answers,)), seconds=0.35)


CASES: tuple[Case, ...] = (
    *map(exact, RATES),
    *(shared_out(rate, answers=300) for rate in RATES),
    *(shared_out(rate, answers=300, lost=0.02) for rate in (0.005, 0.05)),
)
