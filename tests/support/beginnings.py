"""What all histories of a small pool earn in expectation, looked at as a tree: what they share is told once."""

import copy

import numpy as np


def expected_wealth(witness, beginnings, *, steps, speaks_below):
    """Return the expected wealth, at each step, of the evidence that speaks below the limit or above it.

    `beginnings` lists every beginning of a history after the one it goes on from: its steps, its chance, its last row.
    """
    expected, told = np.zeros(steps), [witness]
    for step, chance, row in beginnings:
        del told[step:]
        kept = (*told[-1].rows, told[-1]._earned)  # neither rows change nor what was earned before the first bet
        told.append(copy.deepcopy(told[-1], {id(one): one for one in kept}))
        told[-1].add(row)
        below, above = told[-1].evidence()
        evidence = below if speaks_below else above
        assert evidence < np.inf, "certain of what is false"
        expected[step - 1] += chance * np.exp(evidence)
    return expected
