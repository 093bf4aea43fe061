"""Panels whose errors are correlated by design, as whole counts, and what a fit makes of them."""

from fractions import Fraction
from itertools import combinations, product
from math import lcm

import numpy as np

from ringtrue.core import Sketch
from ringtrue.judges import Evaluation, fit_latent

LABELS = ("no", "yes")


F = Fraction


def names(n):
    return tuple(f"judge {place + 1}" for place in range(n))


def chances(share, rates, gammas, triples=(0, 0)):
    """The chance of each (pattern, truth): products of rates, plus a signed term per pair and for all three.

    `gammas[pair][label]` with pairs in the order of `combinations`. Works with fractions and with floats.
    """
    n = len(rates)
    table = {}
    for pattern in product((0, 1), repeat=n):
        for label, weight in ((0, share), (1, 1 - share)):
            sign = [1 if vote == label else -1 for vote in pattern]
            chance = [rates[i][label] if sign[i] > 0 else 1 - rates[i][label] for i in range(n)]
            total = weight
            for one in chance:
                total = total * one
            for pair, (j, k) in enumerate(combinations(range(n), 2)):
                term = weight * gammas[pair][label] * sign[j] * sign[k]
                for i in set(range(n)) - {j, k}:
                    term = term * chance[i]
                total = total + term
            if n == 3:
                total = total + weight * triples[label] * sign[0] * sign[1] * sign[2]
            table[(*pattern, label)] = total
    return table


def labelled(share, rates, gammas, triples=(0, 0)):
    """The same as whole counts, exactly."""
    table = chances(share, rates, gammas, triples)
    whole = lcm(*(chance.denominator for chance in table.values()))
    return Sketch([*names(len(rates)), "truth"], LABELS, {cell: int(c * whole) for cell, c in table.items() if c})


def panel(n, seed):
    rng = np.random.default_rng(seed)
    return float(rng.uniform(0.25, 0.75)), rng.uniform(0.65, 0.95, (n, 2))


def refit(share, accuracies, gammas):
    """The maximum-likelihood evaluation of the votes of a panel with these correlations, at 10^15 items."""
    n = len(accuracies)
    sketch = Sketch(names(n), LABELS)
    for cell, chance in chances(share, accuracies.tolist(), gammas).items():
        sketch.count(cell[:-1], round(chance * 10**15))
    start = Evaluation.binary(names(n), LABELS, share, accuracies, "start")
    fit = fit_latent(sketch, start=start)
    assert fit.converged
    return fit.evaluation
