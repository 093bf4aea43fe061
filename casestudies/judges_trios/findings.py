"""What the paper says beside what was found here, claim by claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from judges_trios.fits import Power
from judges_trios.trials import Counts, Trials, algebra_errors, distances, irrational, pair_correlations
from pages import markdown


def findings_table(trials: Mapping[str, Trials], balanced: Mapping[str, Trials], powers: Mapping[str, Power]) -> str:
    """The claims of the paper, in the order in which it makes them, each beside the numbers of this run."""
    size = max(max(each.sizes) for each in trials.values())
    rows = [
        [
            "Trios that look valid are easier to find on twonorm and adult than on mushroom (Figure 2a)",
            f"at {size:,} items valid: " + _each(trials, lambda each: _percent(each.share("ok", size))),
        ],
        [
            "Mushroom has the most partitions that never give a valid sketch (Figure 2b)",
            f"never valid at {size:,} items: " + _each(trials, lambda each: _percent(each.never(size))),
        ],
        [
            "An unresolved square root shows almost perfectly that errors were not independent on the test (section 4)",
            "irrational among the valid, on twonorm too, where errors are independent but for chance: "
            + _of_survivors(balanced, lambda counts: _percent(irrational(counts))),
        ],
        [
            "Distance from the containing variety goes with pair correlation; suggestive, not conclusive (Figure 3)",
            "largest distance of any solution: " + _each(balanced, _largest_distance) + "; largest pair correlation, "
            "median: " + _of_survivors(balanced, lambda counts: f"{np.median(pair_correlations(counts)):.3f}"),
        ],
        [
            "Evaluations on twonorm are the best (section 5)",
            "median error of the accuracies: "
            + _of_survivors(trials, lambda counts: f"{np.median(algebra_errors(counts).mean_accuracy):.3f}"),
        ],
        [
            "The survivors' results can be as good as 1% (abstract)",
            "all seven numbers within 1%: "
            + _of_survivors(trials, lambda counts: _percent((algebra_errors(counts).largest < 0.01).mean())),
        ],
    ]
    if powers:
        rows.append(
            [
                "Algebraic failures reject the ensembles that are too correlated (section 4)",
                "rejected trios of ten judges, and sub-panels of five by the fit test: "
                + "; ".join(
                    f"{name} {_percent(power.trios_rejected)}, {_percent(power.rejected[max(power.rejected)])}"
                    for name, power in powers.items()
                ),
            ]
        )
    return markdown(["the paper", "here"], rows)


def _each(trials: Mapping[str, Trials], say: Callable[[Trials], str]) -> str:
    return ", ".join(f"{name} {say(each)}" for name, each in trials.items())


def _of_survivors(trials: Mapping[str, Trials], say: Callable[[Counts], str]) -> str:
    """For statements about the survivors on the largest tests, of which there may be none."""
    survivors = {name: each.surviving(max(each.sizes)) for name, each in trials.items()}
    return ", ".join(f"{name} {say(counts) if len(counts) else 'no survivor'}" for name, counts in survivors.items())


def _largest_distance(trials: Trials) -> str:
    exact, _ = distances(trials.at(max(trials.sizes)))
    return f"{exact.max():g} in {len(exact):,} trios" if len(exact) else "no solution"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
