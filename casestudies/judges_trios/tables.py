"""The results as Markdown tables, one function for each question that the paper asks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from judges_trios import earlier
from judges_trios.fits import Power
from judges_trios.trials import (
    Errors,
    Trials,
    algebra_errors,
    distances,
    irrational,
    majority_errors,
    pair_correlations,
)
from pages import markdown

OUTCOMES = ("ok", "empty", "unidentified", "complex", "outside")


def outcomes_table(trials: Iterable[Trials]) -> str:
    """How trios end, by dataset and test size, and which partitions never worked."""
    rows = [
        [
            each.name,
            f"{size:,}",
            *(_percent(each.share(status, size)) for status in OUTCOMES),
            _percent(each.never(size)),
            _percent(earlier.VALID[each.name][size]) if size in earlier.VALID[each.name] else "",
        ]
        for each in trials
        for size in each.sizes
    ]
    heads = ["dataset", "items", "valid", *OUTCOMES[1:]]
    return markdown([*heads, "partitions never valid", "valid, earlier run"], rows)


def errors_table(trials: Iterable[Trials]) -> str:
    """Median absolute errors of both evaluators on surviving trios, and how often the algebra is closer."""
    rows = []
    for each in trials:
        for size in each.sizes:
            surviving = each.surviving(size)
            if not len(surviving):
                continue
            majority, algebra = majority_errors(surviving), algebra_errors(surviving)
            rows.append([each.name, f"{size:,}", f"{len(surviving):,}"])
            for pick in (lambda errors: errors.prevalence, lambda errors: errors.mean_accuracy):
                theirs, ours = pick(majority), pick(algebra)
                rows[-1] += [_error(np.median(theirs)), _error(np.median(ours)), _percent((ours < theirs).mean())]
    prevalence = ["prevalence: majority", "algebra", "algebra closer"]
    accuracies = ["accuracies: majority", "algebra", "algebra closer"]
    return markdown(["dataset", "items", "trios", *prevalence, *accuracies], rows)


def distance_table(trials: Iterable[Trials]) -> str:
    """The last filter of the paper beside what it was meant to see: survivors by correlation, then the rest."""
    rows = []
    for each in trials:
        size = max(each.sizes)
        surviving = each.surviving(size)
        correlations, errors = pair_correlations(surviving), algebra_errors(surviving)
        for name, third in zip(("lowest", "middle", "highest"), _thirds(correlations), strict=True):
            if len(third):
                exact, rounded = distances(surviving[third])
                medians = [np.median(part[third]) for part in (correlations, errors.prevalence, errors.mean_accuracy)]
                found = [f"{exact.max():g}", f"{rounded.max():.0e}"]
                rows.append([each.name, f"valid, {name} third", str(len(third)), *found, *map(_error, medians)])
        exact, _ = distances(each.failing(size))
        if len(exact):
            rows.append([each.name, "complex or outside", str(len(exact)), f"{exact.max():g}", "", "", "", ""])
    heads = ["dataset", "trios by largest pair correlation", "trios", "largest distance, exact", "in floating point"]
    return markdown([*heads, "largest pair correlation", "prevalence error", "accuracy error"], rows)


def balanced_table(trials: Iterable[Trials]) -> str:
    """The second experiment in brief: who survives on balanced tests, and how correlation goes with error."""
    rows = []
    for each in trials:
        size = max(each.sizes)
        surviving = each.surviving(size)
        if len(surviving) < 3:
            continue
        correlations, errors = pair_correlations(surviving), algebra_errors(surviving)
        rows.append(
            [
                each.name,
                _percent(each.share("ok", size)),
                _percent(irrational(surviving)),
                f"{_rank_correlation(correlations, errors.prevalence):+.2f}",
                f"{_rank_correlation(correlations, errors.mean_accuracy):+.2f}",
            ]
        )
    heads = ["dataset", "valid", "of these irrational", "rank correlation of pair correlation with prevalence error"]
    return markdown([*heads, "with accuracy error"], rows)


def power_table(powers: dict[str, Power]) -> str:
    """How often the fit test refuses sub-panels of ten judges, beside the trio's own failures."""
    keys = sorted({key for power in powers.values() for key in power.rejected})
    rows = [
        [f"{few} judges, {size:,} items", *(_beside(power.rejected[key], name, key) for name, power in powers.items())]
        for key in keys
        for few, size in [key]
    ]
    top = max(size for _, size in keys)
    rows.append([f"3 judges, {top:,} items: not valid", *(_percent(power.trios_rejected) for power in powers.values())])
    for name, pick in (("majority", lambda power: power.majority), ("fit", lambda power: power.fitted)):
        pairs = (" / ".join(map(_error, pick(power))) for power in powers.values())
        rows.append([f"error of the {name}, 10 judges, {top:,} items", *pairs])
    return markdown(["", *powers], rows)


def one_percent_table(trials: Iterable[Trials]) -> str:
    """How many surviving trios are as good as 1%, and how good the best is."""
    rows = []
    for each in trials:
        surviving = each.surviving(max(each.sizes))
        if not len(surviving):
            continue
        for name, errors in (("majority", majority_errors(surviving)), ("algebra", algebra_errors(surviving))):
            rows.append([each.name, name, f"{len(surviving):,}", *_within(errors), _error(errors.largest.min())])
    heads = ["prevalence within 1%", "mean accuracy error within 1%", "all seven within 1%", "all seven within 5%"]
    return markdown(["dataset", "evaluator", "trios", *heads, "best trio's largest error"], rows)


def _beside(share: float, setup: str, key: tuple[int, int]) -> str:
    earlier_share = earlier.REJECTED.get(setup, {}).get(key)
    return _percent(share) + (f" ({100 * earlier_share:.0f}%)" if earlier_share is not None else "")


def _within(errors: Errors) -> list[str]:
    parts = (errors.prevalence < 0.01, errors.mean_accuracy < 0.01, errors.largest < 0.01, errors.largest < 0.05)
    return [_percent(part.mean()) for part in parts]


def _thirds(values: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    return list(np.array_split(np.argsort(values, kind="stable"), 3))


def _rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _error(value: float) -> str:
    return f"{value:.3f}"
